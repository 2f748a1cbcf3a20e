"""The errors of this package. `_problems.py` has one for each kind of problem that the service answers with."""

from __future__ import annotations

import email.utils
import json
import time
from email.message import Message
from typing import Any, cast

from .types import Diagnosis, FieldError, Job, Problem


class TickreelError(Exception):
    """Each failure of a call. What an error does not have is None, or empty."""

    code: str
    """
    The cause, for programs: the kind of problem (`/docs/problems` of the service), `not_reached` and `timed_out` for a
    call without an answer, the `error_code` of a failed job, or `webhook_invalid`. The list may grow.
    """
    status: int | None = None
    """HTTP status."""
    request_id: str | None = None
    """Send it to the service's operator when you ask for help."""
    problem: Problem | None = None
    """The RFC 9457 answer."""
    errors: list[FieldError] = []
    """Every rule that the request breaks, each with its field."""
    retry_after: float | None = None
    """How long the service asks to wait, in seconds."""
    docs_url: str | None = None
    """The page of the service that explains `code`."""
    diagnosis: Diagnosis | None = None
    """Why the job failed, and what you can do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[Any, ...]:
        """Lets a pool of processes return the error."""
        return TickreelError.__new__, (type(self), *self.args), self.__dict__

    @property
    def is_transient(self) -> bool:
        """Whether the same call may succeed later."""
        return False


class NotReachedError(TickreelError):
    """The service did not answer, or the connection broke."""

    def __init__(self, message: str, code: str = "not_reached") -> None:
        super().__init__(code, message)

    @property
    def is_transient(self) -> bool:
        return True


class TimedOutError(NotReachedError):
    """The service did not answer in time, or a job was not finished in time."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "timed_out")


class DeadlineError(TimedOutError):
    """The time for all of a call is over, so that no further attempt is made."""

    @property
    def is_transient(self) -> bool:
        return False


class WebhookInvalidError(TickreelError):
    """A webhook is not from the service, or too old."""

    def __init__(self, message: str) -> None:
        super().__init__("webhook_invalid", message)


class JobFailedError(TickreelError):
    """A job ended without a clip. `code` is its `error_code`; the message has the summary of the diagnosis."""

    def __init__(self, job: Job) -> None:
        code = job["error_code"]
        self.job = job
        self.diagnosis = job.get("diagnosis")
        why = f" {self.diagnosis['summary']}" if self.diagnosis else ""
        super().__init__(code or "error", f"Job {job['id']} failed: {code or 'no error_code'}.{why}")
        self.docs_url = self.diagnosis["docs_url"] if self.diagnosis else None


class ApiError(TickreelError):
    """The service refused a call. A kind of problem that this version does not know has no class of its own."""

    @property
    def is_transient(self) -> bool:
        status = self.status or 0
        return status in (408, 429) or (status >= 500 and status not in (501, 508))


def error_of(status: int, headers: Message, body: bytes) -> ApiError:
    """Returns the error of an answer that is not a success."""
    from ._problems import KINDS

    problem = _problem_of(body)
    code = problem["type"].rpartition("#")[2] if problem else ""
    message = problem["detail"] if problem else f"The service answered {status}."
    errors = problem.get("errors") or [] if problem else []
    if problem and errors:
        rules = (f"\n  {error['path'] or 'the body'} {error['message']}" for error in errors)
        message = f"{problem['title']}:{''.join(rules)}"
    error = KINDS.get(code, ApiError)(code or f"http_{status}", message)
    error.status = status
    error.request_id = headers.get("X-Request-Id") or (problem.get("request_id") if problem else None)
    error.problem = problem
    error.errors = errors
    error.retry_after = _seconds_of(headers.get("Retry-After"))
    error.docs_url = problem["type"] if problem else None
    return error


def _problem_of(body: bytes) -> Problem | None:
    """A proxy may answer anything."""
    try:
        value: Any = json.loads(body)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    is_problem = all(isinstance(value.get(name), str) for name in ("type", "title", "detail"))
    return cast(Problem, value) if is_problem else None


def _seconds_of(header: str | None) -> float | None:
    """Parses seconds or a date."""
    if header is None:
        return None
    if header.isdecimal():
        return float(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
