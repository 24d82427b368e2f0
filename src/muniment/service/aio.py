"""The same memory for asynchronous code: one thread hop per use case.

Measured: an asynchronous SQLite driver costs 2.5 to 7 times the CPU of a direct call, and on PostgreSQL one hop per use
case is within 9 % of the best asynchronous driver; so the core stays synchronous and nothing is written twice.

Belongs here: the hop. Does not belong here: any method of its own.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any

from muniment.service.muniment import Muniment


class _Awaitable:
    """Every public method of the wrapped object, awaitable."""

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._wrapped, name)
        return _hop(found) if callable(found) else found


def _hop(method: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    @functools.wraps(method)
    async def call(*args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(method, *args, **kwargs)

    return call


class AsyncReader(_Awaitable):
    """`Reader` with awaitable methods; `narrow` stays synchronous, as it touches no store."""

    def narrow(self, **given: Any) -> AsyncReader:
        """The same reader inside one session, task or agent."""
        return AsyncReader(self._wrapped.narrow(**given))


class AsyncMuniment(_Awaitable):
    """`Muniment` with awaitable methods; an asynchronous context manager.

    `async with await AsyncMuniment.open("sqlite:///m.db") as mem: me = mem.reader(user="u"); await me.search("…")`.
    """

    def __init__(self, memory: Muniment) -> None:
        super().__init__(memory)

    @classmethod
    async def open(cls, *args: Any, **kwargs: Any) -> AsyncMuniment:
        """As `muniment.open`, off the event loop."""
        import muniment

        return cls(await asyncio.to_thread(muniment.open, *args, **kwargs))

    @property
    def review(self) -> _Awaitable:
        """The review queue, its methods awaitable."""
        return _Awaitable(self._wrapped.review)

    @property
    def lifecycle(self) -> _Awaitable:
        """What time does to the memory; its method awaitable."""
        return _Awaitable(self._wrapped.lifecycle)

    def reader(self, **given: Any) -> AsyncReader:
        """The memory as one user sees it."""
        memory: Muniment = self._wrapped
        return AsyncReader(memory.reader(**given))

    async def __aenter__(self) -> AsyncMuniment:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._wrapped.close)
