"""A local server that speaks OpenAI's chat protocol and Anthropic's, for tests of what asks a language model.

It answers as a test tells it to, faults of the wire included, and holds every request against the protocol: what is wrong with
one is in `wrong`.

Belongs here: the protocols as a client sees them. Does not belong here: a model.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

_UUID: Final = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True)
class Wire:
    """One answer as bytes: its status and headers, the body, `drip` seconds between its bytes, or nothing after `hang` seconds,
    or the connection reset instead (`reset`)."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    drip: float = 0.0
    hang: float = 0.0
    reset: bool = False


Reply = Callable[[dict[str, Any]], Wire]
"""What a request's body is answered with."""


class ChatEndpoint:
    """What was asked (`bodies`, `headers`, `wrong`) and what is answered: each request takes the next reply, the last again."""

    def __init__(self) -> None:
        self.replies: list[Reply] = [refusal(500, "no reply was set")]
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.wrong: list[str] = []
        self.url = ""
        self.key: str | None = None
        self.tools = True
        """Whether the server knows tools; one that does not refuses a request that offers some."""
        self.formats = True
        """Whether it knows `response_format`."""
        self.closing = threading.Event()

    def says(self, *answers: Any) -> None:
        """Sets the answers to come, each the arguments of the tool that the client offers (its words, where it offers none), or a
        function of its prompt, or a `Wire`, or a `Reply` made by one of the functions below."""
        self.replies = [_reply(item) for item in answers]

    def fails(self, status: int = 400, message: str = "refused") -> None:
        """Refuses from now on."""
        self.replies = [refusal(status, message)]

    def prompt(self, place: int = -1) -> str:
        """The user's message of a request."""
        return prompt_of(self.bodies[place])

    def take(self, path: str, headers: dict[str, str], raw: bytes) -> Wire:
        """The next reply to a request, which is kept and checked."""
        body = json.loads(raw)
        self.headers.append(headers)
        self.bodies.append(body)
        self.wrong += [f"request {len(self.bodies)}: {each}" for each in complaints(path, headers, body, self.key)]
        if (body.get("tools") and not self.tools) or (body.get("response_format") and not self.formats):
            return refusal(400, "this server supports neither tools nor formats of answers")(body)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return reply(body)


# -- what is right with a request ----------------------------------------------------------------------------------------


def complaints(path: str, headers: Mapping[str, str], body: Mapping[str, Any], key: str | None) -> Iterator[str]:
    """What of a request is not as its protocol, or we, want it."""
    anthropic = path.endswith("/messages")
    if not anthropic and not path.endswith("/chat/completions"):
        yield f"path {path}"
    if not headers.get("content-type", "").startswith("application/json"):
        yield "not JSON by its header"
    if key is not None:
        given = headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer ")
        if key not in given:
            yield "the key is not in its header"
        if key in json.dumps(body):
            yield "the key is in the body"
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "no model"
    if body.get("temperature") != 0.0:
        yield f"temperature {body.get('temperature')}"
    if body.get("stream"):
        yield "streamed"
    if not any(isinstance(body.get(name), int) for name in ("max_tokens", "max_completion_tokens")):
        yield "no limit of tokens"
    yield from _of_messages(body, anthropic=anthropic)
    yield from _of_shape(body, anthropic=anthropic)


def _of_messages(body: Mapping[str, Any], *, anthropic: bool) -> Iterator[str]:
    roles = [item["role"] for item in body["messages"]]
    system = "system" in body if anthropic else bool(roles) and roles[0] == "system"
    spoken = [role for role in roles if role != "system"]
    if not system:
        yield "no instructions"
    if spoken != ["user", "assistant"] * (len(spoken) // 2) + ["user"]:
        yield f"roles {roles}"
    if _UUID.search(prompt_of(body)):
        yield "an id of ours in the prompt"


def _of_shape(body: Mapping[str, Any], *, anthropic: bool) -> Iterator[str]:
    offered = body.get("tools") or []
    if len(offered) > 1:
        yield f"{len(offered)} tools"
    for tool in offered:
        schema = tool.get("input_schema") if anthropic else tool["function"]["parameters"]
        if schema.get("type") != "object" or not schema.get("properties"):
            yield "a tool without a schema"
    asked = json.dumps(body, ensure_ascii=False)
    if not offered and not body.get("response_format") and "JSON" not in asked:
        yield "the shape is not asked for"


def prompt_of(body: Mapping[str, Any]) -> str:
    """The user's words in a request."""
    said = [item["content"] for item in body["messages"] if item["role"] == "user"]
    return "\n".join(
        item if isinstance(item, str) else "\n".join(part.get("text", "") for part in item) for item in said
    )


# -- answers -------------------------------------------------------------------------------------------------------------


def _reply(answer: Any) -> Reply:
    if isinstance(answer, Wire):
        return lambda body: answer
    if callable(answer) and getattr(answer, "is_reply", False):
        return answer  # type: ignore[no-any-return]
    return _telling(answer)


def _made(reply: Reply) -> Reply:
    reply.is_reply = True  # type: ignore[attr-defined]
    return reply


def _telling(answer: Any) -> Reply:
    def reply(body: dict[str, Any]) -> Wire:
        arguments = answer(prompt_of(body)) if callable(answer) else answer
        return _spoken(body, arguments, tool=bool(body.get("tools")))

    return _made(reply)


def words(text: str, *, finish: str = "stop") -> Reply:
    """An answer in words, whatever tool is offered."""
    return _made(lambda body: _spoken(body, text, tool=False, finish=finish))


def refusal(status: int, message: str = "refused", headers: Mapping[str, str] | None = None) -> Reply:
    """An error in the protocol's form."""
    payload = json.dumps({"type": "error", "error": {"message": message, "type": "invalid_request_error"}}).encode()
    return _made(lambda body: Wire(status=status, body=payload, headers=headers or {}))


def dripping(answer: Any, seconds: float) -> Reply:
    """An answer whose bytes come one by one, so many seconds apart."""

    def reply(body: dict[str, Any]) -> Wire:
        return Wire(body=_spoken(body, answer, tool=bool(body.get("tools"))).body, drip=seconds)

    return _made(reply)


def _spoken(body: Mapping[str, Any], answer: Any, *, tool: bool, finish: str | None = None) -> Wire:
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    size = {"in": max(1, len(prompt_of(body)) // 4), "out": max(1, len(text) // 4)}
    make = _anthropic if "system" in body else _openai
    return Wire(body=json.dumps(make(body, text, tool=tool, finish=finish, size=size), ensure_ascii=False).encode())


def _openai(
    body: Mapping[str, Any], text: str, *, tool: bool, finish: str | None, size: Mapping[str, int]
) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None if tool else text}
    if tool:
        name = body["tools"][0]["function"]["name"]
        call = {
            "id": f"call_{len(body['messages'])}",
            "type": "function",
            "function": {"name": name, "arguments": text},
        }
        message["tool_calls"] = [call]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": finish or ("tool_calls" if tool else "stop"), "message": message}],
        "usage": {
            "prompt_tokens": size["in"], "completion_tokens": size["out"], "total_tokens": size["in"] + size["out"],
        },
    }  # fmt: skip


def _anthropic(
    body: Mapping[str, Any], text: str, *, tool: bool, finish: str | None, size: Mapping[str, int]
) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "text", "text": text}
    if tool:
        part = {"type": "tool_use", "id": "toolu_1", "name": body["tools"][0]["name"], "input": json.loads(text)}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [part],
        "stop_reason": finish or ("tool_use" if tool else "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": size["in"], "output_tokens": size["out"]},
    }


# -- the server ----------------------------------------------------------------------------------------------------------


@contextmanager
def chat_endpoint(key: str | None = None) -> Iterator[ChatEndpoint]:
    """A running endpoint on a free port of this machine, until the block is left. With a `key`, requests must carry it."""
    state = ChatEndpoint()
    state.key = key

    class Speaker(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            named = {name.lower(): value for name, value in self.headers.items()}
            try:
                wire = state.take(self.path.partition("?")[0], named, raw)
            except Exception as error:  # a test's own answer that fails must not look like the server's
                state.wrong.append(f"the answer failed: {error!r}")
                wire = refusal(400, "the answer failed")({})
            try:
                self._send(wire)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client gave up, as it should

        def _send(self, wire: Wire) -> None:
            if wire.hang:
                state.closing.wait(wire.hang)
            if wire.reset:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                self.close_connection = True
                return
            self.send_response(wire.status)
            for name, value in {"content-type": "application/json", **wire.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(wire.body)))
            self.end_headers()
            if not wire.drip:
                self.wfile.write(wire.body)
                return
            for place in range(len(wire.body)):
                if state.closing.is_set():
                    return
                self.wfile.write(wire.body[place : place + 1])
                self.wfile.flush()
                time.sleep(wire.drip)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # connections that end early are what is tested

    server = Server(("127.0.0.1", 0), Speaker)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield state
    finally:
        state.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
