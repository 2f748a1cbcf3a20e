"""Requests and their retries."""

from __future__ import annotations

import dataclasses
import functools
import http.client
import json
import math
import random
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from ._errors import DeadlineError, NotReachedError, TickreelError, TimedOutError, error_of
from ._events import SILENCE, Stream
from ._version import __version__

T = TypeVar("T")

FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0
LONGEST_RETRY_AFTER = 120
"""The longest wait that a service may ask for. After a longer one a call fails, unless its retries are unlimited."""


def segment(value: str) -> str:
    """Returns a value as one segment of a path."""
    return quote(value, safe="")


def back_off(retries: int) -> float:
    """Returns seconds, random over half of their length, so that many clients do not return at the same time."""
    return min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(retries, 10)) * (0.5 + random.random() / 2)


@functools.cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


@dataclasses.dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)


class Response:
    """An answer whose body is not read yet."""

    def __init__(
        self, transport: Transport, connection: http.client.HTTPConnection, limit: Callable[[], float]
    ) -> None:
        self._transport = transport
        self._connection = connection
        self._socket = connection.sock
        self._limit = limit
        self._response = connection.getresponse()
        self.status = self._response.status
        self.headers = self._response.headers

    def chunks(self, limit: Callable[[], float]) -> Iterator[bytes]:
        """Yields the body as it arrives. Raises if it is cut off, or if nothing comes within the seconds of `limit`."""
        while True:
            with mapped_errors(self._transport):
                self._socket.settimeout(limit())
                chunk = self._response.read1(65536)
                if not chunk and self._response.length:
                    raise http.client.IncompleteRead(b"", self._response.length)
            if not chunk:
                return
            yield chunk

    def read(self) -> bytes:
        """Returns the body, within the time of the attempt."""
        return b"".join(self.chunks(self._limit))

    def close(self) -> None:
        self._response.close()
        self._connection.close()


@dataclasses.dataclass(frozen=True)
class Transport:
    """Sends requests. It has no state, so that threads can share it."""

    base_url: str
    """Without a slash at its end."""
    token: str | None = dataclasses.field(repr=False)
    timeout: float = 60
    """Seconds of one attempt."""
    connect_timeout: float = 10
    max_retries: float = 4
    """After transient errors. `math.inf` retries until the service answers or refuses."""
    deadline: float = math.inf
    """When `time.monotonic()` ends the call and all of its attempts."""
    sleep: Callable[[float], None] = time.sleep

    def within(self, seconds: float | None) -> Transport:
        """Returns a transport whose calls have so many seconds together."""
        return self if seconds is None else dataclasses.replace(self, deadline=time.monotonic() + seconds)

    def replace(self, **changes: Any) -> Transport:
        return dataclasses.replace(self, **changes)

    def call(self, method: str, path: str, **options: Any) -> Any:
        """Returns the JSON of the answer; None without one. `options` are those of `answer`."""
        return self.answer(method, path, **options)[2]

    def answer(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        is_repeatable: bool = True,
    ) -> tuple[int, Message, Any]:
        """Returns the status, the headers and the JSON of the answer."""
        request = _request(method, path, query, body, content_type, {})

        def once() -> tuple[int, Message, Any]:
            response = self._attempt(request)
            try:
                return response.status, response.headers, self._read_answer(response)
            finally:
                response.close()

        return self._retrying(is_repeatable, once)

    def stream(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, last_event_id: str | None = None
    ) -> Stream[Any]:
        """Opens a stream of events."""
        headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
        response = self.open(_request(method, path, query, None, "", headers), True)
        return Stream(response.chunks(lambda: self.left(SILENCE)), response.close, last_event_id)

    def open(self, request: Request, is_repeatable: bool) -> Response:
        """Returns the answer. The caller reads and closes it."""
        return self._retrying(is_repeatable, lambda: self._attempt(request))

    def left(self, seconds: float) -> float:
        """Returns at most so many seconds, or what is left until the deadline. Raises at the deadline."""
        left = min(seconds, self.deadline - time.monotonic())
        if left <= 0:
            raise DeadlineError("The time for this call is over.")
        return left

    def pause(self, seconds: float) -> None:
        self.sleep(self.left(seconds))
        self.left(1)

    def _read_answer(self, response: Response) -> Any:
        data = response.read()
        if response.status == 204:
            return None
        with mapped_errors(self):
            return json.loads(data)

    def _retrying(self, is_repeatable: bool, once: Callable[[], T]) -> T:
        retries = 0
        while True:
            try:
                return once()
            except TickreelError as error:
                wait = error.retry_after or 0.0
                # A request that was refused with 429 has done nothing. Other errors may come after the work.
                may_retry = is_repeatable or (error.status == 429 and error.retry_after is not None)
                if not error.is_transient or not may_retry or retries >= self.max_retries:
                    raise
                if wait > LONGEST_RETRY_AFTER and self.max_retries != math.inf:
                    raise
            self.pause(max(wait, back_off(retries)))
            retries += 1

    def _attempt(self, request: Request) -> Response:
        end = time.monotonic() + self.left(self.timeout)

        def limit() -> float:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            return left

        url = urlsplit(self.base_url + request.path)
        if url.scheme == "https":
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(url.netloc, context=_tls())
        else:
            connection = http.client.HTTPConnection(url.netloc)
        connection.timeout = min(self.connect_timeout, limit())
        headers = {"User-Agent": f"tickreel-python/{__version__}", "Connection": "close", **request.headers}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            with mapped_errors(self, connection.timeout):
                connection.connect()
            with mapped_errors(self):
                connection.sock.settimeout(limit())
                target = url.path + (f"?{url.query}" if url.query else "")
                connection.request(request.method, target, body=request.body, headers=headers)
                connection.sock.settimeout(limit())
                response = Response(self, connection, limit)
                if not 200 <= response.status < 300:
                    raise error_of(response.status, response.headers, response.read())
                return response
        except BaseException:
            connection.close()
            raise


def _request(
    method: str, path: str, query: Mapping[str, Any] | None, body: Any, content_type: str, headers: Mapping[str, str]
) -> Request:
    given = {name: _query_text(value) for name, value in (query or {}).items() if value is not None}
    address = f"{path}?{urlencode(given)}" if given else path
    if body is None:
        return Request(method, address, None, headers)
    # The service keeps `extras` as it is written.
    data = body if isinstance(body, bytes) else json.dumps(body, allow_nan=False, ensure_ascii=False).encode()
    return Request(method, address, data, {"Content-Type": content_type, **headers})


def _query_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@contextmanager
def mapped_errors(transport: Transport, seconds: float | None = None) -> Iterator[None]:
    """Turns errors of connections into errors of this package. `seconds`: the timeout, if it is not an attempt's."""
    try:
        yield
    except TimeoutError as error:
        transport.left(1)
        limit = transport.timeout if seconds is None else seconds
        raise TimedOutError(f"The service did not answer within {limit:g} s.") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise NotReachedError(f"{transport.base_url} cannot be reached: {reason}") from error
