from __future__ import annotations

import html
import math
import os
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, TypedDict, Unpack, cast

from . import types as t
from ._calls import Calls
from ._errors import DeadlineError, JobFailedError, TickreelError, TimedOutError
from ._follow import JobProgress
from ._jobs import Jobs
from ._listing import Listing, joined
from ._transport import Request, Transport, segment


class Submitted(TypedDict):
    """A submitted job."""

    job_id: str
    replayed: bool
    """Whether a job with your idempotency key existed."""
    body_differs: bool
    """Whether that job was submitted with another request."""


class ClipAddresses(TypedDict):
    """The public addresses of a clip. They need no key."""

    page: str
    embed: str
    video: str
    thumbnail: str


class RenderProgress(JobProgress):
    """The state of a job that is rendered."""

    job_id: str


class Clips:
    def __init__(self, transport: Transport, jobs: Jobs) -> None:
        self._transport = transport
        self._calls = Calls(transport)
        self._jobs = jobs

    def submit(self, **request: Unpack[t.SubmitRequest]) -> Submitted:
        """
        Queues a job. Adds an `idempotency_key` if there is none, so that the request can be repeated if the answer is
        lost.
        """
        return _submit(self._transport, request)

    def submit_batch(
        self, requests: Iterable[Mapping[str, Any]], defaults: Mapping[str, Any] | None = None
    ) -> Sequence[t.BatchResult]:
        """
        Queues up to 50 jobs at once. Each uses the fields of `defaults` that it does not have. A refused one does not
        affect the others: there is an answer for each, in order.
        """
        given = [dict(request) for request in requests]
        body: dict[str, Any] = {"clips": [{"idempotency_key": uuid.uuid4().hex, **request} for request in given]}
        if defaults is not None:
            body["defaults"] = dict(defaults)
        # Every clip has a key.
        answer = self._transport.call("POST", "/api/clips/batch", body=body)
        for result in answer["results"]:
            result["replayed"] = result["replayed"] and "idempotency_key" in given[result["index"]]
        return answer["results"]

    def plan(self, **request: Unpack[t.SubmitRequest]) -> t.Plan:
        """Returns the shots, the seconds and maybe the price of a clip of an inspected demo. Creates no job."""
        return self._calls.plan_clip(request)

    def render(
        self,
        *,
        on_progress: Callable[[RenderProgress], object] | None = None,
        timeout: float | None = None,
        cancel_on_interrupt: bool = False,
        **request: Unpack[t.SubmitRequest],
    ) -> t.Clip:
        """
        Queues a job, follows it, and returns its clip. Raises `JobFailedError` with the diagnosis if it fails, and
        `TimedOutError` if it takes longer than `timeout` seconds; the job then continues. `cancel_on_interrupt` cancels
        the job if the program stops waiting, by Ctrl-C or by an error of `on_progress`.
        """
        transport = self._transport.within(timeout)
        job_id = None
        try:
            job_id = _submit(transport, request)["job_id"]
            ref: t.JobRef = {"job_id": job_id}
            report = on_progress and (lambda progress: on_progress(cast(RenderProgress, {**progress, **ref})))
            job = Jobs(transport).wait(job_id, on_progress=report)
            if job["clip_id"] is None:
                raise JobFailedError(job)
            return Calls(transport.replace(max_retries=math.inf)).get_clip(job["clip_id"])
        except DeadlineError as error:
            name = "The job was not queued" if job_id is None else f"Job {job_id} has not finished"
            raise TimedOutError(f"{name} within {timeout:g} s.") from error
        except TickreelError:
            raise
        except BaseException:
            if cancel_on_interrupt and job_id is not None:
                with suppress(TickreelError):
                    self._jobs.cancel(job_id)
            raise

    def get(self, clip_id: str, *, include: Iterable[str] = ()) -> t.Clip:
        """`include` adds fields: `urls`, `expiry`, `renderer`, `removal`."""
        return self._calls.get_clip(clip_id, include=joined(include))

    def list(
        self,
        *,
        state: Literal["ready", "deleted"] | None = None,
        saved: bool | None = None,
        created_from: str | None = None,
        created_to: str | None = None,
        include: Iterable[str] = (),
        limit: int | None = None,
    ) -> Listing[t.Clip]:
        """Lists clips, newest first. `limit` is the size of a page."""
        query = {"state": state, "saved": saved, "created_from": created_from, "created_to": created_to}
        return Listing("clips", self._calls.list_clips, {**query, "include": joined(include), "limit": limit})

    def save(self, clip_id: str) -> None:
        """Keeps a clip until it is unsaved or deleted."""
        self._calls.save_clip(clip_id)

    def unsave(self, clip_id: str) -> None:
        """Lets a clip expire."""
        self._calls.unsave_clip(clip_id)

    def delete(self, clip_id: str) -> None:
        """Deletes the files of a clip for good."""
        self._calls.delete_clip(clip_id)

    def views(self, clip_id: str) -> t.ClipViews:
        """Returns how often a clip was watched, by day."""
        return self._calls.get_clip_views(clip_id)

    def urls(self, clip_id: str) -> ClipAddresses:
        page = f"{self._transport.base_url}/clips/{segment(clip_id)}"
        return {
            "page": page,
            "embed": f"{page}/embed",
            "video": f"{page}/video.mp4",
            "thumbnail": f"{page}/thumbnail.jpg",
        }

    def embed_html(self, clip_id: str, *, title: str = "Clip", width: int = 960, height: int | None = None) -> str:
        """Returns the iframe that shows a clip on another page, at 16:9 unless you say otherwise."""
        size = f'width="{width}" height="{height or round(width * 9 / 16)}"'
        source, name = html.escape(self.urls(clip_id)["embed"]), html.escape(title)
        more = 'frameborder="0" allow="autoplay; fullscreen" allowfullscreen loading="lazy"'
        return f'<iframe src="{source}" {size} title="{name}" {more}></iframe>'

    def download(self, clip_id: str, path: str | os.PathLike[str]) -> None:
        """
        Saves the MP4 as a file. A download that breaks leaves an existing file unchanged. Writes directly to anything
        that is not a regular file, such as /dev/stdout.
        """
        public = self._transport.replace(token=None)
        response = public.open(Request("GET", f"/clips/{segment(clip_id)}/video.mp4"), True)
        is_file = os.path.isfile(path) or not os.path.exists(path)
        target = os.path.realpath(path) if is_file else os.fspath(path)
        draft = f"{target}.{uuid.uuid4()}.part" if is_file else target
        try:
            with open(draft, "wb") as out:
                for chunk in response.chunks(lambda: public.left(public.timeout)):
                    out.write(chunk)
            if is_file:
                os.replace(draft, target)
        except BaseException:
            if is_file:
                with suppress(FileNotFoundError):
                    os.unlink(draft)
            raise
        finally:
            response.close()


def _submit(transport: Transport, request: t.SubmitRequest) -> Submitted:
    body = {"idempotency_key": uuid.uuid4().hex, **request}
    # Without it, an answer that was lost would leave a second job.
    status, headers, answer = transport.answer("POST", "/api/clips", body=body)
    return {
        "job_id": answer["job_id"],
        # If this call made the key, an existing job is one whose answer was lost.
        "replayed": status != 201 and "idempotency_key" in request,
        "body_differs": headers.get("Idempotency-Body-Differs") == "true",
    }
