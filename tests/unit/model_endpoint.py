"""A real HTTP server that speaks a model's protocol as the test tells it to, and misbehaves on demand.

Belongs here: the server. Does not belong here: any protocol.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = Callable[["Endpoint", dict[str, Any]], tuple[int, dict[str, str], bytes]]


class Endpoint:
    """Holds what was asked and what to answer: each request takes the next script, the last one for ever."""

    def __init__(self, first: Script) -> None:
        self.scripts: list[Script] = [first]
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.times: list[float] = []
        self.url = ""

    def take(self, path: str, headers: dict[str, str], raw: bytes) -> tuple[int, dict[str, str], bytes]:
        body = json.loads(raw)
        self.paths.append(path)
        self.headers.append(headers)
        self.bodies.append(body)
        self.times.append(time.monotonic())
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        return script(self, body)


@contextmanager
def serving(first: Script) -> Iterator[Endpoint]:
    """A server of this host that answers with `first` until it is given other scripts."""
    state = Endpoint(first)

    class Speaker(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, extra, payload = state.take(self.path, headers, raw)
            self.send_response(status)
            for name, value in {"content-type": "application/json", **extra}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """A client that gave up waiting closes the line; that is part of one of the tests."""

    server = Quiet(("127.0.0.1", 0), Speaker)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


def fails(status: int, headers: dict[str, str] | None = None, text: str = "") -> Script:
    """A refusal, as providers word it."""
    payload = json.dumps({"error": {"message": text, "type": "t"}}).encode()
    return lambda endpoint, body: (status, headers or {}, payload)
