"""Server-sent events, parsed by the HTML standard."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

SILENCE = 60.0
"""Seconds after which a stream counts as broken. The service sends a comment every 15 seconds at least."""

_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")


class Stream(Generic[T]):
    """The data of each event of a stream. Close it, or use it in a `with` statement, if you do not read to its end."""

    def __init__(self, chunks: Iterator[bytes], close: Callable[[], None], last_event_id: str | None) -> None:
        self._chunks = chunks
        self.close = close
        self.last_event_id = last_event_id
        """The id of the last event, to continue from after a break."""

    def __enter__(self) -> Stream[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[T]:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text = ""
        event_id = self.last_event_id
        data: list[str] = []
        for chunk in self._chunks:
            *lines, text = _LINE_END.split(text + decoder.decode(chunk))
            for line in lines:
                name, _, value = line.partition(":")
                value = value.removeprefix(" ")
                if name == "data":
                    data.append(value)
                elif name == "id":
                    event_id = value
                if line != "":
                    continue
                self.last_event_id = event_id
                if data:
                    yield json.loads("\n".join(data))
                    data = []
