"""Asking a language model: the request, its repetition after faults that pass, the budget, the shape and the re-asking.

One request is one call of pydantic-ai's model layer, which knows each provider's protocol. All that decides whether something is
lost is here: how long a request may take in all, what is worth repeating, how the shape is asked for where a server has no tools,
what of an answer is kept.

Belongs here: that. Does not belong here: reading an answer (`answers`), which model (`named`), what is asked.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from muniment.domain.errors import ModelError
from muniment.domain.usage import Usage
from muniment.model_knobs import Asking
from muniment.models.endpoint import PASSING, waited
from muniment.models.llm.answers import read_answer, schema_of
from muniment.ports.llm import Budget, Reply, Unreadable
from muniment.text.sanitise import sanitise

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters

T = TypeVar("T")
Mode = Literal["tool", "native", "prompted", "plain"]
REFUSED: Final = frozenset({400, 404, 405, 415, 422, 501})
"""HTTP statuses by which servers say that they know no tools or no such format."""
LESS: Final[dict[Mode, Mode]] = {"tool": "prompted", "native": "prompted", "prompted": "plain"}
"""What is tried where a server refuses a way to ask for a shape: JSON by its own switch, then by words alone."""
SHOWN_CHARS: Final = 2_000
"""Characters of an answer that a model is shown again."""
REPEATED: Final = 16
"""Characters in a row by which an error is seen to repeat the request."""
TOOL: Final = "answer"


@dataclass(frozen=True, slots=True)
class _Said:
    """One answer: its JSON or words, whether it was cut off, and what it cost."""

    text: str
    cut: bool
    usage: Usage


class Refused(Exception):
    """The server refuses this way to ask for a shape. Never leaves this module."""


class Passing(Exception):
    """A fault after which the same request may well succeed; `wait` seconds were asked for. Never leaves this module."""

    def __init__(self, said: str, wait: float | None = None) -> None:
        super().__init__(said)
        self.wait = wait


class ModelLLM:
    """A model of some provider. Threads may share one; it holds no connection between requests.

    The key is sent, never shown: not in `repr`, an error or a log. `spent` is what was asked since it was made.
    """

    def __init__(
        self,
        name: str,
        opened: Callable[[], AbstractAsyncContextManager[Model]],
        asking: Asking,
        *,
        secret: str | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.id = name[:100]
        self.spent = Usage()
        self._opened = opened
        self._asking = asking
        self._secret = secret
        self._sleep = sleep
        self._mode: Mode = "tool" if asking.output == "auto" else asking.output
        self._free = threading.BoundedSemaphore(asking.concurrency)
        self._counting = threading.Lock()

    def __repr__(self) -> str:
        return f"ModelLLM({self.id!r})"

    def answer(self, instructions: str, prompt: str, shape: type[T], budget: Budget) -> Reply[T]:
        """See `ports.llm.LLM`. A model that missed the shape is told what was wrong, in plain JSON, a bounded number of times."""
        said: list[tuple[str, str]] = []
        mode = self._mode
        for _ in range(self._asking.reasks + 1):
            got, mode = self._got(instructions, prompt, said, shape, mode, budget)
            read = read_answer(got.text, shape, cut=got.cut)
            if read.value is not None:
                return Reply(value=read.value, text=got.text, unread=read.unread)
            said.append((got.text, read.problem))
            if self._asking.output == "auto" and mode == "tool":
                mode = "prompted"
        last, problem = said[-1]
        raise Unreadable(f"{self.id} did not keep to the shape, asked {len(said)} times: {problem}", said=last)

    # -- one answer -------------------------------------------------------------------------------------------------

    def _got(
        self, instructions: str, prompt: str, said: list[tuple[str, str]], shape: type[Any], mode: Mode, budget: Budget
    ) -> tuple[_Said, Mode]:
        """The answer of the endpoint, by the first way to ask that it does not refuse."""
        while True:
            try:
                return self._repeated(instructions, prompt, said, shape, mode, budget), mode
            except Refused as error:
                if self._asking.output != "auto" or mode not in LESS:
                    raise ModelError(f"{self.id} refused: {error}") from None
                mode = LESS[mode]
                self._mode = mode  # what a server does not know today, it does not know tomorrow

    def _repeated(
        self, instructions: str, prompt: str, said: list[tuple[str, str]], shape: type[Any], mode: Mode, budget: Budget
    ) -> _Said:
        """The answer, asked for again after faults that pass, while there is budget."""
        for attempt in range(1, self._asking.attempts + 1):
            try:
                return self._once(instructions, prompt, said, shape, mode, budget)
            except Passing as fault:
                if attempt == self._asking.attempts:
                    raise ModelError(f"{self.id} failed {attempt} times, last with {fault}") from None
                otherwise = waited(None, self._asking.backoff_seconds * 2 ** (attempt - 1))
                wait = otherwise if fault.wait is None else max(0.0, fault.wait)
                if wait >= budget.left:
                    raise ModelError(
                        f"{self.id} failed with {fault}; waiting {wait:.0f} s would exceed the budget (llm.seconds)"
                    ) from None
                self._sleep(wait)
        raise AssertionError("attempts is at least 1")

    def _once(
        self, instructions: str, prompt: str, said: list[tuple[str, str]], shape: type[Any], mode: Mode, budget: Budget
    ) -> _Said:
        """One request. Counts it whatever becomes of it."""
        budget.check()
        if not self._free.acquire(timeout=budget.left):
            raise ModelError(f"{self.id}: others used all of llm.concurrency until the budget of seconds was over")
        cost = Usage(calls=1)
        try:
            seconds = max(0.01, min(self._asking.timeout_seconds, budget.left))
            work = self._request(instructions, prompt, said, shape, mode, seconds)
            # A thread of its own: the caller's may have an event loop running, in a notebook or a server.
            with ThreadPoolExecutor(max_workers=1) as pool:
                got = pool.submit(asyncio.run, work).result()
            cost = got.usage
            return got
        finally:
            self._free.release()
            budget.spend(cost)
            with self._counting:
                self.spent += cost

    async def _request(
        self, instructions: str, prompt: str, said: list[tuple[str, str]], shape: type[Any], mode: Mode, seconds: float
    ) -> _Said:
        """One request under a deadline for all of it, so that an answer that drips is no answer."""
        from pydantic_ai.direct import model_request
        from pydantic_ai.exceptions import UserError

        schema = schema_of(shape)
        settings: Any = {
            "temperature": 0.0,
            "max_tokens": self._asking.answer_tokens,
            "max_retries": 0,
            "timeout": seconds,
        }
        wanted = f"{instructions}\n\n{_in_words(schema)}" if mode == "plain" else instructions
        opened = self._opened()  # the first time this loads libraries, which is not the endpoint's time
        try:
            async with asyncio.timeout(seconds), opened as model:
                response = await model_request(
                    model, _messages(wanted, prompt, said), model_settings=settings,
                    model_request_parameters=_parameters(schema, mode),
                )  # fmt: skip
        except TimeoutError:
            raise Passing(f"no whole answer in {seconds:g} s (llm.timeout_seconds)") from None
        except UserError as error:
            raise Refused(self._hidden(error, prompt)) from None
        except Exception as error:
            raise self._told(error, prompt) from None
        return _said(response)

    # -- what of a failure may be shown -----------------------------------------------------------------------------

    def _told(self, error: Exception, prompt: str) -> Exception:
        """The failure as one that passes, a way to ask that is refused, or an end of it."""
        from pydantic_ai import exceptions as known

        said = self._hidden(error, prompt)
        status = getattr(error, "status_code", None)
        if isinstance(error, known.ModelQuotaExceededError | known.ModelAuthenticationError):
            return ModelError(f"{self.id} refused: {said}")
        passing = (
            known.ModelRateLimitError
            | known.ModelUnavailableError
            | known.ModelServerError
            | known.ModelConnectionError
        )
        if isinstance(error, passing) or status in PASSING:
            return Passing(said, getattr(error, "retry_after", None))
        if status in REFUSED:
            return Refused(said)
        undecoded = isinstance(error, known.ModelAPIError) and status is None
        if undecoded or isinstance(error, known.UnexpectedModelBehavior | OSError):
            return Passing(said)  # words that are not the protocol's: a proxy's page, half an answer
        return ModelError(f"{self.id} failed: {said}")

    def _hidden(self, error: Exception, prompt: str) -> str:
        """What an error says, shortened, without the key, which some servers repeat in their complaints; nothing of its words
        where they repeat what was asked about, since an error may be shown where that may not."""
        body = getattr(error, "body", None)
        said = str(body.get("message") or body.get("error") or body) if isinstance(body, dict) else str(error)
        status = getattr(error, "status_code", None)
        text = f"{'' if status is None else f'HTTP {status} '}{type(error).__name__}: {said}"
        text = text.replace(self._secret, "***") if self._secret else text
        text = sanitise(" ".join(text.split())).text[:300]
        heard = " ".join(prompt.split())
        if any(text[at : at + REPEATED] in heard for at in range(len(text) - REPEATED + 1)):
            return f"{'' if status is None else f'HTTP {status} '}{type(error).__name__}, in words of the request"
        return text


def _messages(instructions: str, prompt: str, said: list[tuple[str, str]]) -> list[ModelMessage]:
    """The conversation: what is asked, and each answer that missed the shape with what was wrong with it."""
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

    found: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart(prompt)], instructions=instructions)]
    for text, problem in said:
        again = f"That could not be used: {problem}. Answer again with one JSON object that keeps to the schema, nothing else."
        found.append(ModelResponse(parts=[TextPart(text[:SHOWN_CHARS] or "(nothing)")]))
        found.append(ModelRequest(parts=[UserPromptPart(again)], instructions=instructions))
    return found


def _parameters(schema: dict[str, Any], mode: Mode) -> ModelRequestParameters:
    """How the shape is asked for."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    about = schema.get("description")
    if mode == "tool":
        tool = ToolDefinition(name=TOOL, description=about, parameters_json_schema=schema, kind="output", strict=False)
        return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
    if mode == "plain":
        return ModelRequestParameters(output_mode="text")
    wanted = OutputObjectDefinition(json_schema=schema, name=TOOL, description=about, strict=False)
    return ModelRequestParameters(output_mode=mode, output_object=wanted)


def _in_words(schema: dict[str, Any]) -> str:
    import json

    return f"Answer with one JSON object that keeps to this schema, nothing before or after it:\n{json.dumps(schema)}"


def _said(response: ModelResponse) -> _Said:
    """The arguments of the tool that was called, else the words; what is said twice counts once, the first."""
    from pydantic_ai.messages import TextPart, ToolCallPart

    calls = [part.args_as_json_str() for part in response.parts if isinstance(part, ToolCallPart)]
    words = [part.content for part in response.parts if isinstance(part, TextPart)]
    usage = response.usage
    return _Said(
        text=sanitise(calls[0] if calls else "".join(words)).text,
        cut=response.finish_reason == "length",
        usage=replace(
            Usage(calls=1), tokens_in=max(0, usage.input_tokens or 0), tokens_out=max(0, usage.output_tokens or 0)
        ),
    )
