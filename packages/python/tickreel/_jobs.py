from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from . import types as t
from ._calls import Calls
from ._follow import JobProgress, follow_job, is_finished
from ._listing import Listing, joined
from ._transport import Transport


class Jobs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._calls = Calls(transport)

    def get(self, job_id: str, *, include: Iterable[str] = ()) -> t.Job:
        """`include` adds fields: `diagnosis`, `attempts`, `progress`, `queue`, `renderer`, `rule`."""
        return self._calls.get_job(job_id, include=joined(include))

    def list(
        self,
        *,
        status: t.JobStatus | None = None,
        mode: Literal["round", "timeline"] | None = None,
        created_from: str | None = None,
        created_to: str | None = None,
        limit: int | None = None,
    ) -> Listing[t.JobSummary]:
        """Lists jobs, newest first. `limit` is the size of a page."""
        query = {"status": status, "mode": mode, "created_from": created_from, "created_to": created_to}
        return Listing("jobs", self._calls.list_jobs, {**query, "limit": limit})

    def watch(
        self, job_id: str, *, include: Iterable[Literal["queue"]] = (), timeout: float | None = None
    ) -> Iterator[JobProgress]:
        """
        Follows a job: yields its present state, then each change, until its outcome. Retries during outages; raises
        when the service refuses.
        """
        return follow_job(self._transport.within(timeout), job_id, include)

    def wait(
        self, job_id: str, *, on_progress: Callable[[JobProgress], object] | None = None, timeout: float | None = None
    ) -> t.Job:
        """Follows a job and returns it with its outcome, whichever it is, and its diagnosis."""
        transport = self._transport.within(timeout)
        polling = Calls(transport.replace(max_retries=math.inf))
        while True:
            for progress in follow_job(transport, job_id):
                if on_progress is not None:
                    on_progress(progress)
            job = polling.get_job(job_id, include="diagnosis")
            # Another client may have queued it again meanwhile.
            if is_finished(job["status"]):
                return job

    def cancel(self, job_id: str) -> t.JobRef:
        """Cancels an unfinished job: it ends in `error` with the code `canceled`."""
        return self._calls.cancel_job(job_id)

    def resubmit(self, job_id: str) -> t.JobRef:
        """Runs a job again in place."""
        return self._calls.resubmit_job(job_id)

    def resend_webhook(self, job_id: str) -> t.DeliveryRef:
        """Sends its outcome webhook again."""
        return self._calls.resend_webhook(job_id)

    def deliveries(self, job_id: str) -> Sequence[t.Delivery]:
        """Returns its webhooks with each attempt."""
        return self._calls.list_deliveries(job_id)["deliveries"]
