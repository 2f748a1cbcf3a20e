"""Client of Tickreel, which renders moments of Counter-Strike 2 matches into clips."""

from . import _problems, types
from ._client import Tickreel
from ._clips import ClipAddresses, RenderProgress, Submitted
from ._errors import ApiError, JobFailedError, NotReachedError, TickreelError, TimedOutError, WebhookInvalidError
from ._follow import JobChange, JobProgress
from ._listing import Listing
from ._problems import *
from ._version import __version__
from ._webhooks import delivery_id, unwrap

__all__ = [
    "ApiError",
    "ClipAddresses",
    "JobChange",
    "JobFailedError",
    "JobProgress",
    "Listing",
    "NotReachedError",
    "RenderProgress",
    "Submitted",
    "Tickreel",
    "TickreelError",
    "TimedOutError",
    "WebhookInvalidError",
    "__version__",
    "delivery_id",
    "types",
    "unwrap",
]
__all__ += _problems.__all__
