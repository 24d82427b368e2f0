"""A local server that speaks OpenAI's chat protocol, for tests of what asks a language model.

Belongs here: the protocol as a client sees it, with answers a test gives. Does not belong here: a model.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[[dict[str, Any]], tuple[int, dict[str, Any]]]
"""What a request's body is answered with: a status, and a body."""


class ChatEndpoint:
    """What was asked (`bodies`, `headers`) and what is answered: each request takes the next reply, the last one for ever."""

    def __init__(self) -> None:
        self.replies: list[Reply] = [lambda body: (500, {"error": {"message": "no reply was set"}})]
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""

    def says(self, *answers: Any) -> None:
        """Sets the answers to come, each the arguments of the tool that the client offers, or a function of its prompt."""
        self.replies = [_telling(item) for item in answers]

    def fails(self, status: int = 400, message: str = "refused") -> None:
        """Refuses from now on."""
        self.replies = [lambda body: (status, {"error": {"message": message, "type": "invalid_request_error"}})]

    def prompt(self, place: int = -1) -> str:
        """The user's message of a request."""
        return prompt_of(self.bodies[place])

    def take(self, headers: dict[str, str], raw: bytes) -> tuple[int, dict[str, Any]]:
        """The next reply to a request, which is kept."""
        body = json.loads(raw)
        self.headers.append(headers)
        self.bodies.append(body)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return reply(body)


def prompt_of(body: dict[str, Any]) -> str:
    """The user's words in a request."""
    said = [item["content"] for item in body["messages"] if item["role"] == "user"]
    return "\n".join(item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in said)


def _telling(answer: Any) -> Reply:
    def reply(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        arguments = answer(prompt_of(body)) if callable(answer) else answer
        call = {
            "id": f"call_{len(body['messages'])}",
            "type": "function",
            "function": {
                "name": body["tools"][0]["function"]["name"],
                "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False),
            },
        }
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return 200, {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }

    return reply


@contextmanager
def chat_endpoint() -> Iterator[ChatEndpoint]:
    """A running endpoint on a free port of this machine, until the block is left."""
    state = ChatEndpoint()

    class Speaker(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            status, answer = state.take({name.lower(): value for name, value in self.headers.items()}, raw)
            payload = json.dumps(answer, ensure_ascii=False).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Speaker)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
