"""Which language model a name stands for.

    openai:MODEL      any endpoint that speaks OpenAI's chat protocol, at `llm_base_url`
    anthropic:MODEL   Anthropic's, or one that speaks its protocol, at `llm_base_url`
    google:…, mistral:…, groq:…, ollama:…, bedrock:…   whatever provider pydantic-ai knows, where its library is installed

Belongs here: names, keys and addresses. Does not belong here: how a model is asked (`asking`).
"""

from __future__ import annotations

import inspect
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, get_args

from muniment.config import Policy, Settings
from muniment.domain.errors import InvalidInput, MissingExtra
from muniment.knobs import nearest
from muniment.models.llm.asking import ModelLLM
from muniment.models.llm.bounded import bounded_client
from muniment.ports.llm import LLM

if TYPE_CHECKING:
    from pydantic_ai.models import Model

NEEDS: Final = "a language model needs pydantic-ai: pip install 'muniment[llm]'"
OPENAI_HOST: Final = "openai.com"
NOT_ASKED: Final = frozenset({"gateway", "test", "sentence-transformers", "elevenlabs", "voyageai"})
"""Names of providers that answer no questions, or that must be meant."""

Opened = Callable[[], AbstractAsyncContextManager["Model"]]


def llm_from(spec: str | LLM | None, settings: Settings, policy: Policy) -> LLM | None:
    """The model `spec` names; an object passes through, None takes the settings' own, which may be none.

    Nothing is asked yet. Raises `InvalidInput` for an unknown name, a missing key or an object that cannot answer,
    `MissingExtra` where a library is not installed.
    """
    chosen = settings.llm if spec is None else spec
    if chosen is None or chosen == "none":
        return None
    if not isinstance(chosen, str):
        if not callable(getattr(chosen, "answer", None)) or not isinstance(getattr(chosen, "id", None), str):
            raise InvalidInput(f"{type(chosen).__name__} is not a language model: it needs id and answer()")
        return chosen
    name, _, model = chosen.partition(":")
    if not name or not model:
        raise InvalidInput(
            f"unknown llm {chosen!r}; write PROVIDER:MODEL, such as openai:MODEL or anthropic:MODEL, or none"
        )
    return ModelLLM(
        chosen,
        _opened(name, model, settings, policy),
        policy.llm,
        secret=settings.llm_api_key,
    )


def _opened(name: str, model: str, settings: Settings, policy: Policy) -> Opened:
    """How a connection to the model is opened, for one request."""
    if find_spec("pydantic_ai") is None:
        raise MissingExtra(NEEDS)
    most = policy.llm.answer_bytes
    if name == "openai":
        return lambda: _openai(model, settings, most)
    if name == "anthropic":
        if find_spec("anthropic") is None:
            raise MissingExtra("anthropic:MODEL needs its library: pip install 'muniment[llm]'")
        if not (settings.llm_api_key or settings.llm_base_url or os.environ.get("ANTHROPIC_API_KEY")):
            raise InvalidInput("anthropic:MODEL needs a key: set MUNIMENT_LLM_API_KEY or ANTHROPIC_API_KEY")
        return lambda: _anthropic(model, settings, most)
    _provider(name, settings)  # an unknown name or a missing library is told now, not at the first question
    return lambda: _inferred(name, model, settings)


def _openai(model: str, settings: Settings, most: int) -> AbstractAsyncContextManager[Model]:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    @asynccontextmanager
    async def opened() -> AsyncIterator[Model]:
        async with bounded_client(most) as transport:
            # Many local endpoints take no key, but the library insists on one.
            key = settings.llm_api_key or (None if settings.llm_base_url is None else "none")
            client = AsyncOpenAI(base_url=settings.llm_base_url, api_key=key, http_client=transport, max_retries=0)
            # Other servers know the older name of the limit; one they do not know is no limit to them.
            theirs = client.base_url.host.endswith(OPENAI_HOST)
            profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=theirs)
            yield OpenAIChatModel(model, provider=OpenAIProvider(openai_client=client), profile=profile)

    return opened()


def _anthropic(model: str, settings: Settings, most: int) -> AbstractAsyncContextManager[Model]:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    @asynccontextmanager
    async def opened() -> AsyncIterator[Model]:
        async with bounded_client(most) as transport:
            key = settings.llm_api_key or os.environ.get("ANTHROPIC_API_KEY") or "none"
            client = AsyncAnthropic(base_url=settings.llm_base_url, api_key=key, http_client=transport, max_retries=0)
            yield AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client))

    return opened()


def _inferred(name: str, model: str, settings: Settings) -> AbstractAsyncContextManager[Model]:
    from pydantic_ai.models import infer_model

    @asynccontextmanager
    async def opened() -> AsyncIterator[Model]:
        async with infer_model(f"{name}:{model}", lambda _: _provider(name, settings)) as found:
            yield found

    return opened()


def _provider(name: str, settings: Settings) -> Any:
    """The provider of that name with the settings' key and address, where it takes them; its own environment else."""
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.providers import infer_provider, infer_provider_class

    try:
        if name in NOT_ASKED or name.startswith("gateway/"):
            raise ValueError(name)
        kind = infer_provider_class(name)
        takes = inspect.signature(kind.__init__).parameters
        given = {"api_key": settings.llm_api_key, "base_url": settings.llm_base_url}
        used = {key: value for key, value in given.items() if value is not None and key in takes}
        return kind(**used) if used else infer_provider(name)
    except ImportError as error:
        extra = f"pydantic-ai-slim[{name}]"
        raise MissingExtra(f"{name}:MODEL needs its library: pip install '{extra}' ({error})") from None
    except ValueError:
        raise InvalidInput(f"unknown llm provider {name!r}{nearest(name, known_providers())}") from None
    except UserError as error:
        raise InvalidInput(f"{name}:MODEL cannot be asked: {error}") from None


def known_providers() -> list[str]:
    """The names of providers that a model may be named with, as far as pydantic-ai lists models of theirs."""
    from pydantic_ai.models import KnownModelName

    named = {each.partition(":")[0] for each in get_args(KnownModelName.__value__) if ":" in each}
    return sorted({"openai", "anthropic", "ollama"} | {name for name in named if "/" not in name} - NOT_ASKED)
