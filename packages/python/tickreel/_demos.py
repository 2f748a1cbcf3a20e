from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypedDict, Unpack

from . import types as t
from ._calls import Calls
from ._transport import Transport


class DemoFilter(TypedDict, total=False):
    """What narrows the kills and highlights of a demo. `best_of` writes a timeline of the best of them."""

    weapon: str
    headshot: bool
    victim: str
    round: int
    kind: str
    team: Literal["T", "CT"]
    best_of: int


class Demos:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._calls = Calls(transport)

    def inspect(
        self, demo: str, *, on_progress: Callable[[t.Demo], object] | None = None, timeout: float | None = None
    ) -> t.Demo:
        """
        Inspects a demo by its address, and returns it once its `state` is `ready` or `error`. An earlier result is
        returned at once.
        """
        transport = self._transport.within(timeout)
        return _inspected(transport, Calls(transport).inspect_demo({"demo_url": demo}), on_progress)

    def wait(
        self, demo_id: str, *, on_progress: Callable[[t.Demo], object] | None = None, timeout: float | None = None
    ) -> t.Demo:
        """Returns a demo once its inspection has ended."""
        transport = self._transport.within(timeout)
        return _inspected(transport, Calls(transport).get_demo(demo_id), on_progress)

    def get(self, demo_id: str, **filter: Unpack[DemoFilter]) -> t.Demo:
        return self._calls.get_demo(demo_id, **filter)  # type: ignore[arg-type]


def _inspected(transport: Transport, demo: t.Demo, on_progress: Callable[[t.Demo], object] | None) -> t.Demo:
    polling = Calls(transport.replace(max_retries=math.inf))
    wait = 0.5
    while demo["state"] == "pending":
        if on_progress is not None:
            on_progress(demo)
        transport.pause(wait)
        wait = min(wait * 1.5, 5)
        demo = polling.get_demo(demo["id"])
    return demo
