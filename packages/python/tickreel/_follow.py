"""Following jobs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NotRequired, TypedDict

from ._calls import Calls
from ._errors import TickreelError
from ._transport import Transport, back_off
from .types import JobErrorCode, JobStatus, JobSummary, QueuePlace


class JobProgress(TypedDict):
    """The state of a job that is followed."""

    status: JobStatus
    progress: float | None
    """
    0 to 1 of the whole job, with three decimals, and 1 when it is done. None while no host works on it, after it has
    failed, and if only its status could be polled.
    """
    attempt: int | None
    """Attempts since it was last queued. None if only its status could be polled."""
    error_code: JobErrorCode | None
    queue: NotRequired[QueuePlace | None]
    """Why it waits. Only if it is included; None unless it waits."""


class JobChange(TypedDict):
    """A job of the account after a change."""

    id: str
    """Continue from here with `events(after=id)`."""
    job: JobSummary


BROKEN_STREAMS = 3
"""How many streams have to break before a job is only polled, because a proxy lets no stream through."""


def is_finished(status: str) -> bool:
    return status in ("done", "error")


def follow_job(transport: Transport, job_id: str, include: Iterable[str] = ()) -> Iterator[JobProgress]:
    """
    Follows a job to its outcome. Reads its events and reconnects when they break; polls if no events are available.
    The first value is the present state, and no value repeats the one before it.
    """
    included = ",".join(include) or None
    streaming = Calls(transport.replace(max_retries=0))
    polling = Calls(transport.replace(max_retries=math.inf))
    last: JobProgress | None = None
    last_event_id = None
    broken = 0
    while True:
        if broken < BROKEN_STREAMS:
            try:
                with streaming.watch_job(job_id, include=included, last_event_id=last_event_id) as stream:
                    for count, notice in enumerate(stream):
                        # Each connection begins with the present state, so only a later event shows that events arrive.
                        broken = 0 if count > 0 else broken
                        last_event_id = stream.last_event_id
                        now = _progress_of(notice, notice["progress"], notice["attempt"])
                        if not _is_known(now, last):
                            last = now
                            yield now
                        if is_finished(now["status"]):
                            return
            except TickreelError as error:
                if not error.is_transient:
                    raise
        now = _progress_of(polling.get_job(job_id, include=included), None, None)
        if not _is_known(now, last):
            last = now
            yield now
        if is_finished(now["status"]):
            return
        transport.pause(back_off(broken))
        broken += 1


def follow_account(transport: Transport, after: str | None) -> Iterator[JobChange]:
    """Yields each change of each job. Reconnects after a broken stream or an outage."""
    calls = Calls(transport.replace(max_retries=math.inf))
    broken = 0
    while True:
        try:
            with calls.watch_events(last_event_id=after) as stream:
                try:
                    for job in stream:
                        broken = 0
                        yield {"id": stream.last_event_id or "", "job": job}
                finally:
                    after = stream.last_event_id
        except TickreelError as error:
            if not error.is_transient:
                raise
        transport.pause(back_off(broken))
        broken += 1


def _progress_of(job: Any, progress: float | None, attempt: int | None) -> JobProgress:
    share = 1 if job["status"] == "done" else progress
    now: JobProgress = {
        "status": job["status"],
        "progress": None if share is None else round(share, 3),
        "attempt": attempt,
        "error_code": job["error_code"],
    }
    if "queue" in job:
        now["queue"] = job["queue"]
    return now


def _is_known(now: JobProgress, last: JobProgress | None) -> bool:
    """Whether a state has nothing that the one before it lacks."""
    if last is None or (now["status"], now["error_code"]) != (last["status"], last["error_code"]):
        return False
    if now.get("queue") and now.get("queue") != last.get("queue"):
        return False
    return now["attempt"] in (None, last["attempt"]) and now["progress"] in (None, last["progress"])
