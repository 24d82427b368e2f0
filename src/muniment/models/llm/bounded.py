"""HTTP whose answers have an end: what grows over the limit is not read on.

Belongs here: that client. Does not belong here: deadlines and repetition (`asking`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import httpx2


def bounded_client(most: int) -> httpx2.AsyncClient:
    """A client, proxies of the environment included, whose answers fail with a `ReadError` at the first byte over `most`.
    Nothing is compressed on the way, so that a few bytes cannot become many."""
    import httpx2

    class Counted(httpx2.AsyncByteStream):
        """The body of an answer, as far as it is let in."""

        def __init__(self, stream: httpx2.AsyncByteStream) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            count = 0
            async for piece in self._stream:
                count += len(piece)
                if count > most:
                    raise httpx2.ReadError(f"the answer is over {most} bytes (llm.answer_bytes)")
                yield piece

        async def aclose(self) -> None:
            await self._stream.aclose()

    async def counted(response: httpx2.Response) -> None:
        response.stream = Counted(cast("httpx2.AsyncByteStream", response.stream))

    return httpx2.AsyncClient(
        headers={"accept-encoding": "identity"}, event_hooks={"response": [counted]}, timeout=None
    )
