"""Language models behind any endpoint that speaks OpenAI's chat protocol, asked for an answer in a shape.

Belongs here: which model a name stands for, the call, its errors. Does not belong here: what is asked (the summariser, the
extractor), embeddings.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any, Final, TypeVar, cast

from muniment.config import Settings
from muniment.domain.errors import InvalidInput, MissingExtra, ModelError
from muniment.ports.models import LLM

T = TypeVar("T")
TIMEOUT: Final = 120.0
"""Seconds that one request may take."""
ATTEMPTS: Final = 3
"""Requests of one answer at most, where the endpoint has a passing fault."""
RETRIES: Final = 2
"""How often a model that did not keep to the shape is asked again, with what was wrong."""


def llm_from(spec: str | LLM | None, settings: Settings) -> LLM | None:
    """The model `spec` names, `openai:MODEL`; an object passes through, None takes the settings' own, which may be none.

    Nothing is loaded or asked yet. Raises `InvalidInput` for an unknown name or an object that cannot answer, `MissingExtra`
    where the library is not installed.
    """
    chosen = settings.llm if spec is None else spec
    if chosen is None or chosen == "none":
        return None
    if not isinstance(chosen, str):
        if not callable(getattr(chosen, "answer", None)) or not isinstance(getattr(chosen, "id", None), str):
            raise InvalidInput(f"{type(chosen).__name__} is not a language model: it needs id and answer()")
        return chosen
    name, _, model = chosen.partition(":")
    if name != "openai" or not model:
        raise InvalidInput(f"unknown llm {chosen!r}; known are none and openai:MODEL")
    return OpenAILLM(model, settings.llm_base_url, settings.llm_api_key)


class OpenAILLM:
    """A chat model behind an OpenAI-compatible endpoint. Threads may share one; it holds no connection between calls.

    Raises `MissingExtra` without pydantic-ai. The key is sent, never shown: not in `repr`, an error or a log.
    """

    def __init__(
        self, model: str, base_url: str | None = None, api_key: str | None = None, *, timeout: float = TIMEOUT
    ) -> None:
        if find_spec("pydantic_ai") is None:
            raise MissingExtra("a language model needs pydantic-ai: pip install 'muniment[llm]'")
        self.id = f"openai:{model}"
        self._model = model
        self._base_url = base_url
        self._key = api_key
        self._timeout = timeout

    def __repr__(self) -> str:
        return f"OpenAILLM({self._model!r}, {self._base_url!r})"

    def answer(self, instructions: str, prompt: str, shape: type[T]) -> T:
        """An instance of `shape`, validated; the model is asked again with what was wrong. Raises `ModelError`."""
        from pydantic_ai.exceptions import AgentRunError, UserError

        try:
            # A thread of its own: the caller's may have an event loop running, in a notebook or a server.
            with ThreadPoolExecutor(max_workers=1) as pool:
                return pool.submit(asyncio.run, self._answered(instructions, prompt, shape)).result()
        except (AgentRunError, UserError, OSError, ValueError, RuntimeError) as error:
            said = f"{type(error).__name__}: {error}"[:300]
            raise ModelError(f"{self.id} failed: {self._hidden(said)}") from None

    async def _answered(self, instructions: str, prompt: str, shape: type[T]) -> T:
        from openai import AsyncOpenAI, OpenAIError
        from pydantic_ai import Agent
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        try:
            client = AsyncOpenAI(
                base_url=self._base_url,
                # Many local endpoints take no key, but the library insists on one.
                api_key=self._key or "none",
                timeout=self._timeout,
                max_retries=ATTEMPTS - 1,
            )
        except OpenAIError as error:
            raise RuntimeError(str(error)) from None
        async with client:
            model = OpenAIChatModel(self._model, provider=OpenAIProvider(openai_client=client))
            agent: Agent[Any, Any] = Agent(
                model,
                output_type=cast("Any", shape),
                instructions=instructions,
                retries=RETRIES,
                model_settings={"temperature": 0.0},
            )
            return cast("T", (await agent.run(prompt)).output)

    def _hidden(self, text: str) -> str:
        """The text without the key, which some servers repeat in their complaints."""
        return text.replace(self._key, "***") if self._key else text
