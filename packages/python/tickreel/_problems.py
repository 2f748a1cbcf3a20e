# Written by `npm run openapi` out of the operations of the service.
"""An error for each kind of problem that the service answers with."""

from ._errors import ApiError


class AccountSuspendedError(ApiError):
    """403. The account may read and change nothing. Ask the operator of the service."""


class BodyTooLargeError(ApiError):
    """
    413. The body has more bytes than this address reads. `detail` says how many it takes. Beyond 20 MiB the
    connection may be reset before you have read this answer.
    """


class ClipImpossibleError(ApiError):
    """
    422. The demo does not have what was asked for, or too much of it. `error_code` is the one of the failed
    job.
    """


class DemoNotInspectedError(ApiError):
    """
    409. A plan needs an inspection of the demo, and the replay of a job one with `replay: true`. Start one with
    `POST /api/demos`, wait until its `state` is `ready`, and ask again. `error_code` says why a demo could not
    be read.
    """


class ForbiddenError(ApiError):
    """
    403. The key or token is valid, but may do less than this. Ask whoever made it for one of a wider scope or
    role.
    """


class GoneError(ApiError):
    """410. The clip no longer exists. Its owner or the operator removed it, or it was not saved and has expired."""


class InternalError(ApiError):
    """
    500. The fault is ours and was recorded under `request_id`. The request may have taken effect or not; a
    submit is safe to repeat if it has an `idempotency_key`.
    """


class InvalidRequestError(ApiError):
    """400. A field, the query or the body breaks a rule. `errors` names every one that does; nothing was changed."""


class JobFinishedError(ApiError):
    """409. The job is `done`, or failed by itself: there is nothing left to cancel."""


class JobInFlightError(ApiError):
    """
    409. The job is `pending`, `prefetch` or `render`; for its webhook to be sent again, `retrying` counts too.
    Wait for its outcome and ask again.
    """


class LengthRequiredError(ApiError):
    """411. Storage has to know the length of a file before its first byte. Send a `Content-Length`."""


class LimitReachedError(ApiError):
    """
    429. Too much of something exists or is open at a time, or a budget of the hour or day is used up: jobs,
    inspections, assets, uploads, event streams, polls, tool calls, webhooks, bodies in memory. `detail` says
    which and how many. Repeat after `Retry-After`, or remove some.
    """


class NoWebhookError(ApiError):
    """409. The job was submitted without a `webhook_url`, or its address was deleted when its time was up."""


class NotFoundError(ApiError):
    """404. The id is malformed, unknown, or belongs to another account. The three are answered alike."""


class NotImplementedError(ApiError):
    """501. The answer was asked for in a format that this address does not write. `detail` lists those it does."""


class RangeNotSatisfiableError(ApiError):
    """416. The `Range` begins beyond the end of the file. `Content-Range` says how long it is."""


class RateLimitedError(ApiError):
    """
    429. More requests of this kind than are answered in a while, or too many guesses from one address. Wait for
    `Retry-After` seconds; `RateLimit-Policy` says how many are answered in how long.
    """


class RequestForgottenError(ApiError):
    """
    409. The job ended long ago and has no clip, so what was asked of it is no longer kept and it cannot run
    again as it was. Submit a new request; with `idempotency_key` and `force` the job keeps its id.
    """


class RequestTimeoutError(ApiError):
    """
    408. The body ended before its `Content-Length`, or brought less than 8 KiB in 10 seconds. Nothing has
    changed.
    """


class SiteNotAllowedError(ApiError):
    """
    403. The `Referer` names a site that is none of those on which the clip’s owner lets it be embedded. Link to
    its page instead.
    """


class TooManyDeliveriesError(ApiError):
    """429. So many webhooks of one job are still on their way. Wait until some have arrived, or mend the receiver."""


class UnauthorizedError(ApiError):
    """401. The bearer token is missing, mistyped, revoked, or of a kind that this address does not accept."""


class UnavailableError(ApiError):
    """
    503. A part of the service cannot be reached for the moment, or the operator takes no new work: `detail`
    says which. Wait for `Retry-After` seconds and send the request again; a submit is safe to repeat if it has
    an `idempotency_key`.
    """


class UnsupportedMediaTypeError(ApiError):
    """415. The `Content-Type` is not one that this address reads."""


class UploadIncompleteError(ApiError):
    """
    409. Parts are missing, size or SHA-256 do not match, storage does not know the upload, or a part was stored
    six times: `detail` says which. Send what is missing, or begin the upload of that file anew.
    """


__all__ = ["AccountSuspendedError", "BodyTooLargeError", "ClipImpossibleError", "DemoNotInspectedError", "ForbiddenError", "GoneError", "InternalError", "InvalidRequestError", "JobFinishedError", "JobInFlightError", "LengthRequiredError", "LimitReachedError", "NoWebhookError", "NotFoundError", "NotImplementedError", "RangeNotSatisfiableError", "RateLimitedError", "RequestForgottenError", "RequestTimeoutError", "SiteNotAllowedError", "TooManyDeliveriesError", "UnauthorizedError", "UnavailableError", "UnsupportedMediaTypeError", "UploadIncompleteError"]

KINDS: dict[str, type[ApiError]] = {
    "account_suspended": AccountSuspendedError,
    "body_too_large": BodyTooLargeError,
    "clip_impossible": ClipImpossibleError,
    "demo_not_inspected": DemoNotInspectedError,
    "forbidden": ForbiddenError,
    "gone": GoneError,
    "internal": InternalError,
    "invalid_request": InvalidRequestError,
    "job_finished": JobFinishedError,
    "job_in_flight": JobInFlightError,
    "length_required": LengthRequiredError,
    "limit_reached": LimitReachedError,
    "no_webhook": NoWebhookError,
    "not_found": NotFoundError,
    "not_implemented": NotImplementedError,
    "range_not_satisfiable": RangeNotSatisfiableError,
    "rate_limited": RateLimitedError,
    "request_forgotten": RequestForgottenError,
    "request_timeout": RequestTimeoutError,
    "site_not_allowed": SiteNotAllowedError,
    "too_many_deliveries": TooManyDeliveriesError,
    "unauthorized": UnauthorizedError,
    "unavailable": UnavailableError,
    "unsupported_media_type": UnsupportedMediaTypeError,
    "upload_incomplete": UploadIncompleteError,
}
