# Written by `npm run openapi` out of the operations of the service.
"""Everything that the API takes and answers. An answer may have more fields than are listed here."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class Asset(TypedDict):
    """An uploaded image, or music."""

    id: str
    """Id of the asset, for the asset fields of a submit."""

    kind: Literal["watermark", "intro", "outro", "music"]
    """The use of the file. Each field of a submit that names an asset takes one kind."""

    name: str | None
    """The file name that was sent with the upload. Null for none."""

    content_type: Literal["image/png", "image/jpeg", "image/webp", "audio/wav", "audio/mpeg", "audio/flac", "audio/ogg"]
    """The media type of the file."""

    width: int | None
    """Width in pixels. A watermark is drawn in this size at 1080p, and in proportion at 1440p. Null for music."""

    height: int | None
    """Height in pixels. Null for music."""

    seconds: float | None
    """Length of the music in seconds, as its file states. Null for an image."""

    bytes: int
    """Length of the file in bytes."""

    created_at: str
    """Time when the file was uploaded."""


class AssetList(TypedDict):
    """A page of assets, newest first."""

    assets: list[Asset]

    next_cursor: str | None
    """Value of `cursor` for the next page. Null on the last page."""


class Attempt(TypedDict):
    """One attempt of a host to make the clip."""

    host: str | None
    """The name that the operator gave the host. Null for unnamed hosts."""

    outcome: Literal["working", "completed", "failed", "handed_back", "canceled"]
    """
    The state of the attempt. `working` is under way. `handed_back`: the host was stopped, which costs the job
    no attempt.
    """

    phase: Literal["prefetch", "render"]
    """The phase that the attempt reached."""

    stage: Literal["download", "decompress", "parse", "capture", "encode", "thumbnail", "upload"] | None
    """The last step that the host reported. Null before that."""

    started_at: str
    """Time when the host got the job."""

    ended_at: str | None
    """Time when the attempt ended. Null while it is under way."""

    error_code: JobErrorCode | None
    """The error code of the attempt. Null if it did not fail."""

    summary: str | None
    """The cause and what you can do about it, in a sentence or two."""

    facts: Facts | None
    """Facts about the cause, for programs. Null if there are none."""

    retryable: bool
    """Whether another attempt may succeed without a change of the request."""

    retry_at: str | None
    """Time of the next attempt. Null if there will be none."""


class BatchAnswer(TypedDict):
    """The results of the submits, in the order of `clips`."""

    results: list[BatchResult]


class BatchRequest(TypedDict):
    """Submits that share some of their fields."""

    defaults: NotRequired[dict[str, Any]]
    """Fields of a `SubmitRequest` that apply to each submit which does not have the field itself."""

    clips: list[dict[str, Any]]
    """The submits: each, with the defaults, a `SubmitRequest`."""


class BatchResult(TypedDict):
    """The result of one submit."""

    index: int
    """Position of the submit in `clips`, from 0."""

    status: int
    """HTTP status that `POST /api/clips` answers to the same submit, such as 201, 200 or 400."""

    job_id: str | None
    """Id of the job. Null if the submit was refused."""

    replayed: bool
    """Whether the submit changed nothing, as `Idempotent-Replayed` says."""

    body_differs: bool
    """Whether the body differs from that of the existing job, as `Idempotency-Body-Differs` says."""

    problem: Problem | None
    """The reason why the submit was refused. Null if it was accepted."""


class Clip(TypedDict):
    """A clip, with the included fields."""

    id: str
    """Id of the clip, as in its public addresses. It differs from the id of the job."""

    state: Literal["ready", "deleted"]
    """The state of the clip. `deleted` by you, by the operator, or because it expired."""

    is_saved: bool
    """Whether the clip is kept for good. Other clips expire."""

    title: str
    """Title of the clip, made from the demo: what happens, who, and where."""

    resolution: int
    """Shorter side of the picture in pixels: its height at 16:9."""

    fps: int
    """Frame rate in frames a second."""

    tier: Literal["metered", "reserved"]
    """The kind of key that submitted the job."""

    duration_seconds: float
    """Length of the clip in seconds. 0 if it could not be read."""

    size: str
    """Size of the MP4 in bytes, as a string of decimal digits."""

    job_id: str | None
    """Id of the job that made the clip."""

    created_at: str
    """Time when the clip was first ready."""

    urls: NotRequired[ClipUrls]
    """Public addresses of the clip. Those of a deleted clip show that it was deleted."""

    expires_at: NotRequired[str | None]
    """Time when the clip is deleted, unless it is saved before. Null for saved and for deleted clips."""

    renderer: NotRequired[Literal["radar", "cs2"] | None]
    """The program that drew the clip: `cs2` is the game, `radar` draws a view from above. Null if unknown."""

    width: NotRequired[int]
    """Width of the picture in pixels."""

    height: NotRequired[int]
    """Height of the picture in pixels."""

    removal: NotRequired[ClipRemoval | None]
    """The removal by the operator. Null if there was none."""


class ClipList(TypedDict):
    """A page of clips, newest first."""

    clips: list[Clip]

    next_cursor: str | None
    """Value of `cursor` for the next page. Null on the last page."""


class ClipRemoval(TypedDict):
    """The removal of a clip by the operator."""

    at: str
    """Time of the removal, in UTC."""

    reason: str
    """The reason that the operator gave."""


class ClipUrls(TypedDict):
    """The public addresses of a clip."""

    page: str
    """Address of the page to share."""

    embed: str
    """Address of the player alone, for an iframe."""

    video: str
    """Address of the MP4 file."""

    thumbnail: str
    """Address of the JPEG file."""


class ClipViews(TypedDict):
    """The views of a clip, by day."""

    clip_id: str
    """Id of the clip."""

    since: str
    """The first day (UTC) that is still known."""

    total: int
    """Number of views since then."""

    days: list[ClipViewsDay]
    """Days with views, the oldest first."""


class ClipViewsDay(TypedDict):

    date: str
    """The day in UTC."""

    views: int
    """Number of times that a player began to play the clip."""


class Commands(TypedDict):
    """Settings of the game that a clip may change."""

    spec_show_xray: NotRequired[Literal["0", "1"]]
    """`"1"` shows the outlines of players through walls. Default: `"0"`."""

    cl_draw_only_deathnotices: NotRequired[Literal["0", "1"]]
    """`"1"` hides the HUD except for the killfeed, `"0"` shows all of it. Default: `"1"`."""


class Delivery(TypedDict):
    """One webhook or post with its attempts."""

    id: str
    """Id of the webhook, as in `X-Service-Delivery-Id`."""

    event: str
    """The kind of webhook: `job.completed` or `job.failed`. `discord` for the post of a rule."""

    status: Literal["queued", "delivered", "exhausted", "canceled"]
    """
    The state of the webhook. `queued` has another attempt, `delivered` was answered with a 2xx, `exhausted` has
    no attempt left, `canceled` was replaced by a re-run, or is a post that has nothing to send.
    """

    url: str
    """Address of the receiver. A Discord address is shown without its token."""

    created_at: str
    """Time when the webhook was created, by an outcome or a resend."""

    next_attempt_at: str | None
    """Time of the next attempt. Null unless `queued`."""

    wait_reason: NotRequired[str]
    """Reason why the next attempt waits for a later hour: the budget that is used up. Absent without a wait."""

    attempts: list[DeliveryAttempt]
    """All attempts, oldest first."""


class DeliveryAttempt(TypedDict):
    """One attempt to deliver a webhook."""

    attempt: int
    """Number of the attempt, from 1."""

    at: str
    """Time of the attempt, in UTC."""

    http_status: int | None
    """HTTP status of your receiver. Null if it did not answer."""

    error: str | None
    """The reason why the attempt does not count as delivered. Null if it does."""


class DeliveryList(TypedDict):
    """The webhooks of a job, oldest first."""

    deliveries: list[Delivery]


class DeliveryRef(TypedDict):
    """The new webhook of a resend."""

    delivery_id: str
    """Id of the new webhook, as in `X-Service-Delivery-Id`."""


class Demo(TypedDict):
    """The inspection of a demo."""

    id: str
    """Id of the demo."""

    demo_url: str
    """Address of the demo, as it was sent."""

    state: Literal["pending", "ready", "error"]
    """`pending` until a host has read it, then `ready`, or `error` if it cannot be read and never was."""

    error_code: JobErrorCode | None
    """The error code of the last try. Null for none. While `pending`, another try follows."""

    diagnosis: Diagnosis | None
    """The diagnosis of `error_code`. Null if that is null."""

    created_at: str
    """Time when the inspection was requested."""

    finished_at: str | None
    """Time when the inspection ended. Null before that."""

    expires_at: str | None
    """Time when the inspection is deleted. Null while `pending`."""

    replay_url: NotRequired[str | None]
    """
    Address of the page that plays the demo from above. Null while there is none. Absent unless `replay` was
    requested.
    """

    match: DemoMatch | None
    """The contents of the demo. Null before it was read. A demo that is read again keeps what was found before."""


class DemoDamage(TypedDict):
    """Damage in the file: only the ticks before it are read. Absent for a file without damage."""

    tick: int
    """The last tick before the damage."""

    reason: str
    """The damage of the file, in words."""


class DemoHighlight(TypedDict):
    """A highlight: the actions of one player in one round. docs/rules.md lists the scores."""

    kind: str
    """The most valuable of `kinds`, such as `ace` or `clutch_1v3`."""

    kinds: list[str]
    """All kinds of this highlight, the most valuable first."""

    player: int
    """Position of the player in `players`, from 0."""

    round: int
    """The round, as on the scoreboard."""

    start_tick: int
    """First tick of the highlight, without padding."""

    end_tick: int
    """Last tick of the highlight."""

    score: float
    """Value of the highlight: a higher score is more worth seeing."""

    request: DemoHighlightRequest
    """The body of a submit that makes a clip of the highlight."""


class DemoHighlightRequest(TypedDict):
    """The body of a submit that makes a clip of the highlight."""

    demo_url: str
    """
    Address of the demo: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. For an archive with
    several demos, add `#` and the name of one.
    """

    steam64_id: NotRequired[str]
    """Round mode: the player whose kills are shown."""

    round: NotRequired[int]
    """Round mode: the round to take, from 1. Without it, every round of the demo."""

    timeline: NotRequired[list[TimelineSegment]]
    """Timeline mode: the ranges to show, in this order. Those of one player and speed that touch become one."""


class DemoKill(TypedDict):
    """A kill that counts."""

    tick: int
    """Tick of the kill."""

    round: int
    """The round, as on the scoreboard."""

    attacker: int
    """Position of the player in `players`, from 0."""

    victim: int
    """Position of the player in `players`, from 0."""

    assister: int | None
    """Position in `players` of the player who assisted. Null for nobody."""

    weapon: str
    """The name of the weapon in the game, such as `ak47`."""

    headshot: bool

    wallbang: bool

    no_scope: bool

    through_smoke: bool

    attacker_blind: bool

    ends_round: NotRequired[bool]
    """`true` if the kill decided the round for the side of the killer."""


class DemoMatch(TypedDict):
    """The contents of a demo."""

    map: str
    """The map, as the game names it."""

    game_patch: int | None
    """The version of the game, such as 14160 for 1.41.6.0. Null if the demo lacks it."""

    build: int | None
    """Build of the game that recorded the demo. Null if the demo lacks it."""

    tick_rate: float
    """Number of ticks a second."""

    first_tick: int
    """The first tick that can be shown."""

    last_tick: int
    """The last tick that can be shown."""

    is_complete: bool
    """Whether the recording ended properly. Clips can be made of an incomplete one, too."""

    damage: NotRequired[DemoDamage]

    recorded_by: str | None
    """Steam id of the player who recorded the demo, if only that player can be shown. Null if all can."""

    reader: NotRequired[int]
    """
    The version of the program that read the demo; absent for the oldest. If there is a newer one, a request
    reads the demo again.
    """

    players: list[DemoPlayer]
    """Players in the order of the demo."""

    rounds: list[DemoRound]
    """Rounds in the order of the match."""

    gaps: NotRequired[list[DemoMatchGap]]
    """
    Ticks that clips leave out, because the recording or the game paused. Absent if the host does not report
    everything that the plan of a clip depends on.
    """

    parts: NotRequired[list[DemoMatchPart]]
    """
    Parts of the demo that do not count as the match, such as rounds before a restart. They are not in `rounds`
    and `kills`, but a `timeline` can show their ticks. Absent if there are none.
    """

    archive: NotRequired[list[str]]
    """Names of the demos in the archive. Add `#` and a name to `demo_url` to choose one."""

    kills: list[DemoKill]
    """Kills that count, in the order of the match."""

    kills_left_out: NotRequired[int]
    """Number of kills that are not in `kills`, because there are too many. Absent if none is left out."""

    highlights: list[DemoHighlight]
    """Highlights of the demo, best first."""

    best_of: NotRequired[DemoMatchBestOf | None]
    """
    The body of a submit that shows the best highlights one after the other. Null if there is none. Absent
    without `best_of` in the query.
    """


class DemoMatchBestOf(TypedDict):
    """
    The body of a submit that shows the best highlights one after the other. Null if there is none. Absent
    without `best_of` in the query.
    """

    demo_url: str
    """
    Address of the demo: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. For an archive with
    several demos, add `#` and the name of one.
    """

    steam64_id: NotRequired[str]
    """Round mode: the player whose kills are shown."""

    round: NotRequired[int]
    """Round mode: the round to take, from 1. Without it, every round of the demo."""

    timeline: NotRequired[list[TimelineSegment]]
    """Timeline mode: the ranges to show, in this order. Those of one player and speed that touch become one."""


class DemoMatchGap(TypedDict):

    start_tick: int

    end_tick: int


class DemoMatchPart(TypedDict):

    start_tick: int
    """The first tick of the part."""

    end_tick: int
    """The tick after the last of the part."""

    rounds: int
    """Number of rounds of the part that were decided."""

    players: list[int]
    """The players of the part."""


class DemoPlayer(TypedDict):
    """A player of a demo."""

    steam64_id: str
    """Steam id of the player, for `steam64_id` of a request. `0` for some bots."""

    name: str
    """The name of the player in the demo."""

    is_bot: bool
    """Whether the game plays this player."""

    team: Literal["T", "CT"] | None
    """The side on which the player starts. Null for a player who was on none."""

    kills: int
    """Number of kills that count."""

    deaths: int
    """Number of deaths in rounds that count."""

    kills_by_round: dict[str, int]
    """Number of kills by round. Rounds without kills are left out."""


class DemoRound(TypedDict):
    """A round of a demo."""

    round: int
    """The round, as on the scoreboard."""

    start_tick: int
    """Tick at which the round begins."""

    end_tick: int | None
    """Tick at which the round is decided. Null if the demo lacks it."""

    official_end_tick: NotRequired[int | None]
    """Tick at which the announcement of the win ends. Null if the demo lacks it."""

    winner: Literal["T", "CT"] | None
    """The side that won the round. Null if the demo lacks it."""

    reason: str | None
    """The reason why the round ended, such as `bomb_defused`. Null if the demo lacks it."""

    score: DemoRoundScore | None
    """The scoreboard after the round, by the side that each team plays. Null if the demo lacks it."""


class DemoRoundScore(TypedDict):
    """The scoreboard after the round, by the side that each team plays. Null if the demo lacks it."""

    T: int

    CT: int


class Diagnosis(TypedDict):
    """The reason why the job is in `error` or `retrying`."""

    error_code: JobErrorCode
    """The `error_code` of the job."""

    summary: str
    """The cause and what you can do about it, in a sentence or two."""

    facts: Facts | None
    """Facts about the cause, for programs. Null if there are none."""

    retryable: bool
    """Whether another attempt may succeed without a change of the request."""

    retry_at: str | None
    """Time of the next attempt. Null if there will be none."""

    docs_url: str
    """Address of the page on this code, with its causes and what to do."""


class FaceitEvent(TypedDict):
    """A message of a webhook of FACEIT."""

    event: str
    """The kind of event. Any but `match_demo_ready` is ignored."""

    payload: NotRequired[Any]
    """The match of `match_demo_ready`, with `id` and `demo_url`."""


class FieldError(TypedDict):
    """A rule that the request breaks."""

    path: str
    """The field, such as `timeline[2].end_tick`. Empty for the whole body."""

    message: str
    """The rule that the field breaks."""


class InspectRequest(TypedDict):
    """A demo to inspect."""

    demo_url: str
    """Address of the demo, or the `demo_url` of one of your uploads."""

    replay: NotRequired[bool]
    """
    Whether the demo can also be played from above, in a browser: `replay_url` then names the page. Whoever has
    that address can open it.
    """


class Job(TypedDict):
    """A render job, with the included fields."""

    id: str
    """Id of the job."""

    status: JobStatus

    priority: bool
    """Whether the job was submitted with a reserved key."""

    fps: int | None
    """Frame rate of the request. Null if none was sent, which means 30."""

    resolution: int
    """Shorter side of the picture in pixels."""

    clip_id: str | None
    """Id of the clip. Null until the job is `done`."""

    error_code: JobErrorCode | None
    """The error code of the last attempt, while `retrying` or in `error`. Null otherwise."""

    created_at: str
    """Time when the job was submitted."""

    finished_at: str | None
    """Time when the job finished. Null before that."""

    payload: JobPayload

    diagnosis: NotRequired[Diagnosis | None]
    """The diagnosis of a failure. Null if the job has not failed."""

    attempts: NotRequired[list[Attempt]]
    """The latest attempts of this run, oldest first."""

    progress: NotRequired[Progress]

    queue: NotRequired[QueuePlace | None]
    """The position in the queue. Null unless the job waits."""

    renderer: NotRequired[Literal["radar", "cs2"] | None]
    """The program that drew the clip: `cs2` is the game, `radar` draws a view from above. Null if unknown."""

    rule: NotRequired[JobRule | None]
    """Ids of the rule that made the job, and of its run. Null for a job of a client."""

    replay: NotRequired[str | None]
    """
    Address of the page that plays the ticks of the clip until the video is ready. Null if it was not published
    (`POST /api/jobs/:id/replay`).
    """


class JobList(TypedDict):
    """A page of jobs, newest first."""

    jobs: list[JobSummary]

    next_cursor: str | None
    """Value of `cursor` for the next page. Null on the last page."""


class JobNotice(TypedDict):
    """A change of a job that you follow."""

    status: JobStatus

    progress: float | None
    """Share of the whole job that is done, from 0 to 1. Null while no host works on it."""

    attempt: int
    """Number of attempts since you last submitted or resubmitted the job."""

    error_code: JobErrorCode | None
    """The error code of the last attempt, while `retrying` or in `error`. Null otherwise."""

    diagnosis: NotRequired[Diagnosis | None]
    """The diagnosis of a failure. Null if the job has not failed."""

    attempts: NotRequired[list[Attempt]]
    """The latest attempts of this run, oldest first."""

    queue: NotRequired[QueuePlace | None]
    """The position in the queue. Null unless the job waits."""

    renderer: NotRequired[Literal["radar", "cs2"] | None]
    """The program that drew the clip: `cs2` is the game, `radar` draws a view from above. Null if unknown."""

    rule: NotRequired[JobNoticeRule | None]
    """Ids of the rule that made the job, and of its run. Null for a job of a client."""

    replay: NotRequired[str | None]
    """
    Address of the page that plays the ticks of the clip until the video is ready. Null if it was not published
    (`POST /api/jobs/:id/replay`).
    """

    stage: NotRequired[Literal["download", "decompress", "parse", "capture", "encode", "thumbnail", "upload"] | None]
    """The last step that the host reported. Null before that."""

    heard_at: NotRequired[str | None]
    """Time of the last heartbeat of the host. Null without a host."""


class JobNoticeRule(TypedDict):
    """Ids of the rule that made the job, and of its run. Null for a job of a client."""

    id: str

    run: str


class JobPayload(TypedDict):
    """The stored request: the sent fields, without `force` and the auth header."""

    demo_url: str
    """Address of the demo, as it was sent. Empty once the request is no longer kept."""

    steam64_id: NotRequired[str]
    """Round mode: the player whose kills are shown."""

    round: NotRequired[int]
    """Round mode: the round to take, from 1. Without it, every round of the demo."""

    pre_kill_padding: NotRequired[float]
    """Round mode: seconds shown before each kill. Default: `3`."""

    post_kill_padding: NotRequired[float]
    """Round mode: seconds shown after each kill. Default: `2`."""

    timeline: NotRequired[list[TimelineSegment]]
    """Timeline mode: the ranges to show, in this order. Those of one player and speed that touch become one."""

    pov: NotRequired[Literal["killer", "victim", "both"]]
    """Round mode: the player whose view of a kill is shown, or both, one after the other. Default: `"killer"`."""

    merge_gap: NotRequired[float]
    """Round mode: windows of a round with no larger gap stay in one shot. Default: `0`."""

    kill_slowdown: NotRequired[float]
    """Speed of the game around each kill: 1 is real time."""

    fps: NotRequired[int]
    """Frame rate of the clip in frames a second. Default: `30`."""

    resolution: int
    """Resolution of the request, or the default."""

    aspect: NotRequired[Literal["16:9", "9:16", "1:1", "4:5"]]
    """
    Shape of the picture, width to height. Names and killfeed stay clear of the controls of phone apps. Default:
    `"16:9"`.
    """

    commands: NotRequired[Commands]

    hud_killfeed: NotRequired[bool]
    """
    Draw the service's own killfeed instead of the game's: it shows only this player's kills and lasts across
    cuts. Default: `false`.
    """

    hud_damage_ticker: NotRequired[bool]
    """Draw the damage that the player deals beside the crosshair. Default: `false`."""

    thumbnail_style: NotRequired[Literal["full", "killfeed", "none"]]
    """
    The overlay of the thumbnail: `full` shows a headline, the player, the round and the killfeed; `killfeed`
    only the killfeed; `none` nothing. Default: `"full"`.
    """

    thumbnail_tick: NotRequired[int]
    """
    Tick of the demo that the thumbnail shows, instead of the best moment. In timeline mode it must be in a
    segment. In round mode, the best moment is shown if no shot has it.
    """

    names: NotRequired[Literal["show", "hide"] | dict[str, str]]
    """
    `hide` replaces the names of players with `Player 1`, `Player 2` and so on, wherever the clip shows or names
    them. An object gives names by Steam id, 1 to 32 characters each; other players are numbered. Default:
    `show`, or `hide` if your account hides names.
    """

    watermark_image_id: NotRequired[str]
    """Image of yours for the top left corner of the safe area, drawn pixel for pixel at 1080."""

    intro_asset_id: NotRequired[str]
    """Image of yours that is shown first."""

    outro_asset_id: NotRequired[str]
    """Image of yours that is shown last."""

    title_card: NotRequired[bool]
    """Show a card with the title of the clip before its first shot. Default: `false`."""

    card_seconds: NotRequired[float]
    """Length in seconds of each card: intro, title, outro. Default: `3`."""

    music_asset_id: NotRequired[str]
    """Music of yours under the clip, cut to its length."""

    idempotency_key: str | None
    """Idempotency key of the request. Null if none was sent."""

    renderer: NotRequired[Literal["radar", "cs2"]]
    """
    Renderer of the clip. `cs2` is the game, through the player’s eyes. `radar` draws the match from above.
    Without it, the default of your account, else of the service.
    """

    fallback: NotRequired[Literal["radar"]]
    """
    If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view
    of the match from above, which needs no game. That is after a final `demo_incompatible` or
    `workshop_not_supported`, or after ten minutes without a host that could take the job; the operator may set
    another time.
    """

    extras: str | None
    """The value of `extras` as JSON text. Null if none was sent."""

    webhook_url: NotRequired[str]
    """Address to which the outcome is posted. Without it, no webhook is sent."""


class JobRef(TypedDict):
    """The id of a job."""

    job_id: str
    """Id of the job."""


class JobReplay(TypedDict):
    """The replay of a job."""

    job_id: str
    """Id of the job."""

    replay: str
    """Address of the page that plays the ticks of the clip, and the video when it is ready."""


class JobRule(TypedDict):
    """Ids of the rule that made the job, and of its run. Null for a job of a client."""

    id: str

    run: str


class JobSummary(TypedDict):
    """A job without its payload."""

    id: str
    """Id of the job."""

    status: JobStatus

    priority: bool
    """Whether the job was submitted with a reserved key."""

    fps: int | None
    """Frame rate of the request. Null if none was sent, which means 30."""

    resolution: int
    """Shorter side of the picture in pixels."""

    clip_id: str | None
    """Id of the clip. Null until the job is `done`."""

    error_code: JobErrorCode | None
    """The error code of the last attempt, while `retrying` or in `error`. Null otherwise."""

    created_at: str
    """Time when the job was submitted."""

    finished_at: str | None
    """Time when the job finished. Null before that."""

    mode: Literal["round", "timeline"]
    """The way in which the moments of the clip were chosen."""


class KeyOnce(TypedDict):
    """A new API key."""

    key_id: str
    """Id of the key, for revoking it."""

    kind: Literal["metered", "reserved", "test"]
    """`metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing."""

    name: str | None
    """The name that people see in lists. Null for none."""

    scope: Literal["ingest", "read", "submit", "manage"]
    """
    `ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and
    submits jobs; `manage` does everything, such as deleting clips.
    """

    key: str
    """The key itself. It is shown only once."""

    expires_at: str | None
    """Time when the key expires. Null for never."""

    ingest_limits: KeyOnceIngestLimits | None
    """
    Limits a day (UTC) of a key of scope `ingest`. The limits of the deployment apply to fields that are left
    out.
    """

    created_at: str
    """Time of creation, in UTC."""


class KeyOnceIngestLimits(TypedDict):
    """
    Limits a day (UTC) of a key of scope `ingest`. The limits of the deployment apply to fields that are left
    out.
    """

    mib: NotRequired[int]
    """MiB of demos sent a day, at most."""

    demos: NotRequired[int]
    """Demos sent a day, at most."""

    clips: NotRequired[int]
    """Clips that rules make of its demos a day, at most."""


class ListRulesAnswer(TypedDict):

    rules: list[Rule]


class MissingPart(TypedDict):
    """A part of the file that has not arrived."""

    part: int
    """Number of the part, from 1."""

    offset: int
    """Position of the first byte of the part in the file."""

    bytes: int
    """Length of the part in bytes."""

    url: str
    """Address to which you `PUT` these bytes of the file."""


class NewKey(TypedDict):
    """An API key to make."""

    kind: Literal["metered", "reserved", "test"]
    """`metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing."""

    name: NotRequired[str]
    """The name that people see in lists."""

    scope: NotRequired[Literal["ingest", "read", "submit", "manage"]]
    """
    `ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and
    submits jobs; `manage` does everything, such as deleting clips. Default: `"manage"`.
    """

    expires_at: NotRequired[str]
    """
    Time when the key expires. Without it, a key of the operator never expires, and a key that a key makes
    expires with that key.
    """

    ingest_limits: NotRequired[NewKeyIngestLimits]
    """
    Limits a day (UTC) of a key of scope `ingest`. The limits of the deployment apply to fields that are left
    out.
    """


class NewKeyIngestLimits(TypedDict):
    """
    Limits a day (UTC) of a key of scope `ingest`. The limits of the deployment apply to fields that are left
    out.
    """

    mib: NotRequired[int]
    """MiB of demos sent a day, at most."""

    demos: NotRequired[int]
    """Demos sent a day, at most."""

    clips: NotRequired[int]
    """Clips that rules make of its demos a day, at most."""


class OwnKey(TypedDict):
    """An API key of your account, without its secret."""

    key_id: str
    """Id of the key, for revoking it."""

    kind: Literal["metered", "reserved", "test"]
    """`metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing."""

    name: str | None
    """The name that people see in lists. Null for none."""

    scope: Literal["ingest", "read", "submit", "manage"]
    """
    `ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and
    submits jobs; `manage` does everything, such as deleting clips.
    """

    hint: str
    """The first and last characters of the key."""

    expires_at: str | None
    """Time when the key expires. Null for never."""

    ingest_limits: OwnKeyIngestLimits | None
    """
    Limits a day (UTC) of a key of scope `ingest`. The limits of the deployment apply to fields that are left
    out.
    """

    last_used: str | None
    """Time of the last use, to the hour. Null before the first use."""

    made_by: str | None
    """Id of the key that made this key. Null if the operator made it."""

    created_at: str
    """Time of creation, in UTC."""

    revoked_at: str | None
    """Time of revocation. Null while it is valid."""

    is_this: bool
    """Whether it is the key of this request."""


class OwnKeyIngestLimits(TypedDict):
    """
    Limits a day (UTC) of a key of scope `ingest`. The limits of the deployment apply to fields that are left
    out.
    """

    mib: NotRequired[int]
    """MiB of demos sent a day, at most."""

    demos: NotRequired[int]
    """Demos sent a day, at most."""

    clips: NotRequired[int]
    """Clips that rules make of its demos a day, at most."""


class OwnKeyList(TypedDict):
    """A page of your keys, the oldest first, the revoked ones too."""

    keys: list[OwnKey]

    next_cursor: str | None
    """Value of `cursor` for the next page. Null on the last page."""


class Plan(TypedDict):
    """The shots of the clip that this request would make."""

    seconds: float
    """Length of the clip in seconds."""

    is_estimate: bool
    """
    Whether the clip may differ, because the host that inspected the demo did not report gaps and win
    announcements.
    """

    shots: list[PlanShot]
    """Shots in the order of the clip."""

    renderer: Literal["radar", "cs2"]
    """The renderer of the clip. With a `fallback`, the one that is tried first."""

    host_online: NotRequired[bool]
    """Whether a render host that can make the clip is online. Absent if that is not known."""

    cards: NotRequired[list[PlanCard]]
    """Cards in the order of the clip. Absent if there are none."""

    price: NotRequired[PlanPrice]
    """The price of one successful run. Absent for a reserved key, and if the operator has set no price for it."""


class PlanCard(TypedDict):
    """A still picture before the shots (intro, title) or after them (outro)."""

    kind: Literal["intro", "title", "outro"]

    seconds: float


class PlanPrice(TypedDict):
    """The price of one successful run. Absent for a reserved key, and if the operator has set no price for it."""

    amount: float
    """Price in `currency`, rounded to four decimals."""

    currency: str
    """ISO 4217 code of the currency."""


class PlanShot(TypedDict):
    """A part of the clip without a cut."""

    steam64_id: str
    """Steam id of the player that the shot follows."""

    subject_steam64_id: NotRequired[str]
    """Steam id of the player whose kills the shot shows. Absent if it is the followed player."""

    round: int | None
    """Number of the round in which the shot begins. Null before the first round."""

    start_tick: int
    """First tick of the shot."""

    end_tick: int
    """The tick after the last of the shot."""

    seconds: float
    """Length of the shot in the clip, in seconds."""

    speed: NotRequired[float]
    """The lowest speed of the game in the shot. Absent if it is 1."""

    kill_ticks: list[int]
    """Ticks of the kills in the shot that count, by the player whose kills it shows."""


class Problem(TypedDict):
    """The body of every error answer (RFC 9457)."""

    type: str
    """The kind of problem, as the URL that explains it."""

    title: str
    """The title of this kind of problem, always the same."""

    status: int
    """HTTP status of the answer."""

    detail: str
    """The cause of the problem this time."""

    error: str
    """The same text as `detail`, for clients that read `error`."""

    request_id: str
    """Id of the request, as in `X-Request-Id`. Include it when you ask for help."""

    error_code: NotRequired[JobErrorCode]
    """
    The code with which a job of this plan would fail, or with which its demo could not be read. Only in answers
    of a plan, and to hosts.
    """

    facts: NotRequired[dict[str, Any]]
    """Facts about the failure that `error_code` names. Only in answers to hosts."""

    errors: NotRequired[list[FieldError]]
    """Every rule that an invalid request breaks."""


class Progress(TypedDict):
    """The progress of the job."""

    phase: JobStatus

    stage: Literal["download", "decompress", "parse", "capture", "encode", "thumbnail", "upload"] | None
    """The last step that the host reported. Null before that."""

    progress: float | None
    """Share of the whole job that is done, from 0 to 1. Null while no host works on it."""

    heard_at: str | None
    """Time of the last heartbeat of the host. Null without a host."""


class QueuePlace(TypedDict):
    """The reason why a job waits, and its position in the queue."""

    position: int | None
    """Position in the queue, from 1. Null beyond about 1,000 and for jobs outside of the queue."""

    estimate_s: int | None
    """Estimated seconds until a host takes the job, at the pace of the last minutes. Null if there is no estimate."""

    renderer: Literal["radar", "cs2"] | None
    """The renderer that the job waits for. Null for any."""

    reason: str
    """The reason as a code, such as `hosts_busy`. New codes may be added."""

    text: str
    """The reason in a sentence."""

    hosts: int
    """Number of hosts that can render the job."""

    until: str | None
    """Time when the reason ends. Null if it is not known."""


class Rule(TypedDict):
    """A rule that renders clips of new demos."""

    id: str
    """Id of the rule."""

    name: str
    """The name that people see in lists."""

    enabled: bool
    """Whether the rule applies to new demos."""

    when: RuleWhen

    render: RuleRender

    options: RuleOptions

    send: RuleSendValue
    """The receivers of the outcome, without secrets."""

    budget: RuleBudget

    used: RuleUsed
    """The share of the budget that was used today (UTC)."""

    paused: RulePaused | None
    """The reason why the service has disabled the rule, whose runs wait meanwhile. Null while it has not."""

    failures: int
    """Number of failed runs in a row. Five pause the rule."""

    made_by: RuleMadeBy
    """The key with which the rule submits jobs."""

    created_at: str
    """Time when the rule was created."""

    last_run: RuleRun | None
    """The latest run of the rule. Null before the first."""

    runs: NotRequired[list[RuleRun]]
    """The latest 20 runs of the rule. Absent in lists."""


class RuleBudget(TypedDict):
    """Limits for the demos of a day (UTC). By default 20 and 50."""

    demos_a_day: int
    """Maximum number of demos whose match is read."""

    clips_a_day: int
    """Maximum number of clips that are rendered."""


class RuleChange(TypedDict):
    """Changes of a rule. A field that is sent replaces the whole field."""

    name: NotRequired[str]
    """The name that people see in lists."""

    enabled: NotRequired[bool]
    """Whether the rule applies to new demos."""

    when: NotRequired[RuleWhen]

    render: NotRequired[RuleRender]

    options: NotRequired[RuleOptions]

    send: NotRequired[RuleSend]

    budget: NotRequired[RuleBudget]


class RuleEnded(TypedDict):
    """The webhook of a rule run that made no job."""

    upload_id: str
    """Id of the upload with the demo."""

    event: Literal["rule.ended"]
    """The event: a rule run has ended."""

    rule_id: str
    """Id of the rule."""

    run_id: str
    """Id of the run for this demo."""

    state: Literal["failed", "skipped"]
    """The state in which the run ended."""

    detail: str | None
    """The reason why the run made no clip."""


class RuleMadeBy(TypedDict):
    """The key with which the rule submits jobs."""

    key_id: str

    name: str | None


class RuleOptions(TypedDict):
    """Fields of `SubmitRequest` that apply to each clip."""

    pre_kill_padding: NotRequired[float]
    """Round mode: seconds shown before each kill. Default: `3`."""

    post_kill_padding: NotRequired[float]
    """Round mode: seconds shown after each kill. Default: `2`."""

    pov: NotRequired[Literal["killer", "victim", "both"]]
    """Round mode: the player whose view of a kill is shown, or both, one after the other. Default: `"killer"`."""

    merge_gap: NotRequired[float]
    """Round mode: windows of a round with no larger gap stay in one shot. Default: `0`."""

    kill_slowdown: NotRequired[float]
    """Speed of the game around each kill: 1 is real time."""

    fps: NotRequired[int]
    """Frame rate of the clip in frames a second. Default: `30`."""

    resolution: NotRequired[Literal[1080, 1440]]
    """Shorter side of the picture in pixels: its height at 16:9. Default: `1080`."""

    aspect: NotRequired[Literal["16:9", "9:16", "1:1", "4:5"]]
    """
    Shape of the picture, width to height. Names and killfeed stay clear of the controls of phone apps. Default:
    `"16:9"`.
    """

    commands: NotRequired[Commands]

    hud_killfeed: NotRequired[bool]
    """
    Draw the service's own killfeed instead of the game's: it shows only this player's kills and lasts across
    cuts. Default: `false`.
    """

    hud_damage_ticker: NotRequired[bool]
    """Draw the damage that the player deals beside the crosshair. Default: `false`."""

    thumbnail_style: NotRequired[Literal["full", "killfeed", "none"]]
    """
    The overlay of the thumbnail: `full` shows a headline, the player, the round and the killfeed; `killfeed`
    only the killfeed; `none` nothing. Default: `"full"`.
    """

    names: NotRequired[Literal["show", "hide"] | dict[str, str]]
    """
    `hide` replaces the names of players with `Player 1`, `Player 2` and so on, wherever the clip shows or names
    them. An object gives names by Steam id, 1 to 32 characters each; other players are numbered. Default:
    `show`, or `hide` if your account hides names.
    """

    watermark_image_id: NotRequired[str]
    """Image of yours for the top left corner of the safe area, drawn pixel for pixel at 1080."""

    intro_asset_id: NotRequired[str]
    """Image of yours that is shown first."""

    outro_asset_id: NotRequired[str]
    """Image of yours that is shown last."""

    title_card: NotRequired[bool]
    """Show a card with the title of the clip before its first shot. Default: `false`."""

    card_seconds: NotRequired[float]
    """Length in seconds of each card: intro, title, outro. Default: `3`."""

    music_asset_id: NotRequired[str]
    """Music of yours under the clip, cut to its length."""

    renderer: NotRequired[Literal["radar", "cs2"]]
    """
    Renderer of the clip. `cs2` is the game, through the player’s eyes. `radar` draws the match from above.
    Without it, the default of your account, else of the service.
    """

    fallback: NotRequired[Literal["radar"]]
    """
    If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view
    of the match from above, which needs no game. That is after a final `demo_incompatible` or
    `workshop_not_supported`, or after ten minutes without a host that could take the job; the operator may set
    another time.
    """


class RulePaused(TypedDict):
    """The reason why the service has disabled the rule, whose runs wait meanwhile. Null while it has not."""

    at: str

    reason: str


class RuleRender(TypedDict):
    """The moments that become clips."""

    what: Literal["highlights", "kills", "best_of_each"]
    """
    `highlights`: the best moments. `kills`: all kills of a player, one clip for each player. `best_of_each`:
    the best moment of each player.
    """

    limit: NotRequired[int]
    """Maximum number of clips of a demo. By default 3 with `highlights`, else 10."""

    kinds: NotRequired[list[str]]
    """Kinds of highlights, such as `ace`. Not allowed with `kills`."""

    players: NotRequired[list[str]]
    """Steam ids of players, of whom one must match. Bots do not count."""

    team: NotRequired[Literal["T", "CT"]]
    """The side on which a player starts."""


class RuleRequest(TypedDict):
    """A rule that renders clips of new demos."""

    name: str
    """The name that people see in lists."""

    enabled: NotRequired[bool]
    """Whether the rule applies to new demos."""

    when: NotRequired[RuleWhen]

    render: RuleRender

    options: NotRequired[RuleOptions]

    send: NotRequired[RuleSend]

    budget: NotRequired[RuleBudget]


class RuleRun(TypedDict):
    """The run of a rule for one demo."""

    id: str

    state: Literal["waiting", "submitting", "running", "done", "failed", "skipped"]
    """The state of the run. `failed`: no clip was made. `skipped`: none was submitted."""

    upload_id: str
    """Id of the upload with the demo."""

    clips: int
    """Number of clips that the run makes."""

    detail: str | None
    """The reason why the run waits, or why it makes no clips, or fewer. Null for none."""

    jobs: list[RuleRunJob]

    created_at: str
    """Time when the demo arrived, or the run began anew."""

    ended_at: str | None


class RuleRunJob(TypedDict):

    id: str
    """Id of the job."""

    status: JobStatus

    error_code: JobErrorCode | None
    """The error code of the last attempt, while `retrying` or in `error`. Null otherwise."""


class RuleSend(TypedDict):
    """The receivers of the outcome."""

    webhook_url: NotRequired[str]
    """Address to which the outcome is posted. Without it, no webhook is sent."""

    webhook_auth_header: NotRequired[str]
    """
    Value of the `Authorization` header of the webhook. Printable ASCII, with spaces and tabs only within. Needs
    a `webhook_url`, and is never shown again.
    """

    discord_url: NotRequired[str]
    """Address of a Discord webhook. It gets one post for each demo."""


class RuleSendValue(TypedDict):
    """The receivers of the outcome, without secrets."""

    webhook_url: NotRequired[str]
    """Address to which the outcome is posted. Without it, no webhook is sent."""

    discord_url: NotRequired[str]
    """Address of a Discord webhook. It gets one post for each demo."""


class RuleTrial(TypedDict):
    """The clips that a rule would make of a demo."""

    mismatch: str | None
    """The reason why the rule does not apply to the demo. Null if it does."""

    clips: list[RuleTrialClip]


class RuleTrialClip(TypedDict):

    request: RuleTrialClipRequest

    plan: Plan | None
    """Shots and price of the clip. Null if it cannot be made."""

    problem: str | None
    """The reason why the clip cannot be made. Null if it can."""


class RuleTrialClipRequest(TypedDict):

    demo_url: NotRequired[str]
    """
    Address of the demo: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. For an archive with
    several demos, add `#` and the name of one.
    """

    steam64_id: NotRequired[str]
    """Round mode: the player whose kills are shown."""

    round: NotRequired[int]
    """Round mode: the round to take, from 1. Without it, every round of the demo."""

    timeline: NotRequired[list[TimelineSegment]]
    """Timeline mode: the ranges to show, in this order. Those of one player and speed that touch become one."""


class RuleUsed(TypedDict):
    """The share of the budget that was used today (UTC)."""

    demos_a_day: int

    clips_a_day: int


class RuleWhen(TypedDict):
    """The demos that a rule applies to: they must match each list."""

    sources: NotRequired[list[Literal["upload", "ingest", "faceit"]]]
    """The ways in which the demo may arrive."""

    tags: NotRequired[list[str]]
    """Tags that the demo may have."""

    maps: NotRequired[list[str]]
    """Maps of the demo, such as `de_mirage`."""

    players: NotRequired[list[str]]
    """Steam ids of players, of whom one must match. Bots do not count."""


class SubmitRequest(TypedDict):
    """A clip to render. Send exactly one of `steam64_id` (round mode) and `timeline` (timeline mode)."""

    demo_url: str
    """
    Address of the demo: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. For an archive with
    several demos, add `#` and the name of one.
    """

    steam64_id: NotRequired[str]
    """Round mode: the player whose kills are shown."""

    round: NotRequired[int]
    """Round mode: the round to take, from 1. Without it, every round of the demo."""

    pre_kill_padding: NotRequired[float]
    """Round mode: seconds shown before each kill. Default: `3`."""

    post_kill_padding: NotRequired[float]
    """Round mode: seconds shown after each kill. Default: `2`."""

    timeline: NotRequired[list[TimelineSegment]]
    """Timeline mode: the ranges to show, in this order. Those of one player and speed that touch become one."""

    pov: NotRequired[Literal["killer", "victim", "both"]]
    """Round mode: the player whose view of a kill is shown, or both, one after the other. Default: `"killer"`."""

    merge_gap: NotRequired[float]
    """Round mode: windows of a round with no larger gap stay in one shot. Default: `0`."""

    kill_slowdown: NotRequired[float]
    """Speed of the game around each kill: 1 is real time."""

    fps: NotRequired[int]
    """Frame rate of the clip in frames a second. Default: `30`."""

    resolution: NotRequired[Literal[1080, 1440]]
    """Shorter side of the picture in pixels: its height at 16:9. Default: `1080`."""

    aspect: NotRequired[Literal["16:9", "9:16", "1:1", "4:5"]]
    """
    Shape of the picture, width to height. Names and killfeed stay clear of the controls of phone apps. Default:
    `"16:9"`.
    """

    commands: NotRequired[Commands]

    hud_killfeed: NotRequired[bool]
    """
    Draw the service's own killfeed instead of the game's: it shows only this player's kills and lasts across
    cuts. Default: `false`.
    """

    hud_damage_ticker: NotRequired[bool]
    """Draw the damage that the player deals beside the crosshair. Default: `false`."""

    thumbnail_style: NotRequired[Literal["full", "killfeed", "none"]]
    """
    The overlay of the thumbnail: `full` shows a headline, the player, the round and the killfeed; `killfeed`
    only the killfeed; `none` nothing. Default: `"full"`.
    """

    thumbnail_tick: NotRequired[int]
    """
    Tick of the demo that the thumbnail shows, instead of the best moment. In timeline mode it must be in a
    segment. In round mode, the best moment is shown if no shot has it.
    """

    names: NotRequired[Literal["show", "hide"] | dict[str, str]]
    """
    `hide` replaces the names of players with `Player 1`, `Player 2` and so on, wherever the clip shows or names
    them. An object gives names by Steam id, 1 to 32 characters each; other players are numbered. Default:
    `show`, or `hide` if your account hides names.
    """

    watermark_image_id: NotRequired[str]
    """Image of yours for the top left corner of the safe area, drawn pixel for pixel at 1080."""

    intro_asset_id: NotRequired[str]
    """Image of yours that is shown first."""

    outro_asset_id: NotRequired[str]
    """Image of yours that is shown last."""

    title_card: NotRequired[bool]
    """Show a card with the title of the clip before its first shot. Default: `false`."""

    card_seconds: NotRequired[float]
    """Length in seconds of each card: intro, title, outro. Default: `3`."""

    music_asset_id: NotRequired[str]
    """Music of yours under the clip, cut to its length."""

    idempotency_key: NotRequired[str]
    """Your name for the job. The same key never queues a second job."""

    force: NotRequired[bool]
    """
    Whether to run an existing, finished job of the `idempotency_key` again, with this request. Default:
    `false`.
    """

    renderer: NotRequired[Literal["radar", "cs2"]]
    """
    Renderer of the clip. `cs2` is the game, through the player’s eyes. `radar` draws the match from above.
    Without it, the default of your account, else of the service.
    """

    fallback: NotRequired[Literal["radar"]]
    """
    If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view
    of the match from above, which needs no game. That is after a final `demo_incompatible` or
    `workshop_not_supported`, or after ten minutes without a host that could take the job; the operator may set
    another time.
    """

    extras: NotRequired[AnyJson]

    webhook_url: NotRequired[str]
    """Address to which the outcome is posted. Without it, no webhook is sent."""

    webhook_auth_header: NotRequired[str]
    """
    Value of the `Authorization` header of the webhook. Printable ASCII, with spaces and tabs only within. Needs
    a `webhook_url`, and is never shown again.
    """


class TimelineSegment(TypedDict):
    """A range of ticks, seen by one player."""

    steam64_id: str
    """The player through whose eyes the segment is seen."""

    start_tick: int
    """Tick of the demo at which the segment begins."""

    end_tick: int
    """Tick at which the segment ends: 64 to 64000 ticks after `start_tick`."""

    speed: NotRequired[float]
    """Speed of the game: 0.5 is slow motion, 2 is twice as fast. Default: `1`."""


class TryRuleBody(TypedDict):

    demo_url: str
    """
    Address of the demo: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. For an archive with
    several demos, add `#` and the name of one.
    """


class Upload(TypedDict):
    """A demo that is being uploaded, or was."""

    id: str
    """Id of the upload."""

    name: str
    """Your name for the demo. The service does not use it."""

    bytes: int
    """Length of the file in bytes; 0 for a file of FACEIT, which is not stored."""

    sha256: str | None
    """SHA-256 of the file, in lower-case hexadecimal. Null until all of it has arrived, and for a file of FACEIT."""

    source: Literal["upload", "ingest", "faceit"]
    """Whether a client, a game server or FACEIT sent it."""

    tag: str | None
    """Your word for the origin of the demo."""

    facts: UploadFacts | None

    state: Literal["open", "complete"]
    """The state of the upload: `open` until it is completed. Only a `complete` upload can be used."""

    demo_url: str
    """Address of the uploaded demo, for `demo_url` of a job. Only jobs of your account can use it."""

    created_at: str
    """Time when the upload began."""

    expires_at: str
    """Time when the upload is deleted. A request for the same upload, or a job that uses it, can postpone this."""

    parts: list[MissingPart]
    """Parts that are still to be sent, in any order."""


class UploadFacts(TypedDict):
    """Facts about the demo, from the game server."""

    file_name: NotRequired[str]
    """The name of the demo file."""

    match_id: NotRequired[str]
    """Id of the match on the game server."""

    map_number: NotRequired[int]
    """Number of the map in the match, from 0."""

    round_number: NotRequired[int]
    """Number of the last round."""


class UploadList(TypedDict):
    """A page of uploads, newest first."""

    uploads: list[UploadSummary]

    next_cursor: str | None
    """Value of `cursor` for the next page. Null on the last page."""


class UploadRequest(TypedDict):
    """A demo, plain or compressed, that is about to be sent."""

    name: str
    """Your name for the demo. The service does not use it."""

    bytes: int
    """Length of the file in bytes."""

    sha256: str
    """SHA-256 of the bytes, in lower-case hexadecimal."""

    tag: NotRequired[str]
    """Your word for the origin of the demo."""

    facts: NotRequired[UploadFacts]


class UploadSummary(TypedDict):
    """An upload without its parts."""

    id: str
    """Id of the upload."""

    name: str
    """Your name for the demo. The service does not use it."""

    bytes: int
    """Length of the file in bytes; 0 for a file of FACEIT, which is not stored."""

    sha256: str | None
    """SHA-256 of the file, in lower-case hexadecimal. Null until all of it has arrived, and for a file of FACEIT."""

    source: Literal["upload", "ingest", "faceit"]
    """Whether a client, a game server or FACEIT sent it."""

    tag: str | None
    """Your word for the origin of the demo."""

    facts: UploadFacts | None

    state: Literal["open", "complete"]
    """The state of the upload: `open` until it is completed. Only a `complete` upload can be used."""

    demo_url: str
    """Address of the uploaded demo, for `demo_url` of a job. Only jobs of your account can use it."""

    created_at: str
    """Time when the upload began."""

    expires_at: str
    """Time when the upload is deleted. A request for the same upload, or a job that uses it, can postpone this."""


Usage = TypedDict("Usage", {
    "from": 'str',
    "to": 'str',
    "usage": 'list[UsageLine]',
})
"""The seconds of clip that were rendered in a span of time."""


class UsageLine(TypedDict):
    """Seconds rendered at one tier, resolution and frame rate."""

    day: NotRequired[str]
    """The day (UTC) on which the clips were finished."""

    tier: Literal["metered", "reserved"]
    """The kind of key that submitted the jobs."""

    resolution: int
    """Shorter side of the picture in pixels."""

    fps: int
    """Frame rate in frames a second."""

    renderer: NotRequired[Literal["radar", "cs2"] | None]
    """The program that drew the clip: `cs2` is the game, `radar` draws a view from above. Null if unknown."""

    rendered_seconds: float
    """Seconds of clip. Each re-run counts."""


class Viewing(TypedDict):
    """Settings for the pages of your clips."""

    embed_sites: list[str] | None
    """
    Sites that may embed your clips and load their files, as `example.com` or `*.example.com`; an empty list for
    none but this service, null for any.
    """

    show_views: bool
    """Whether the page of a clip shows how often it was watched."""

    show_more: bool
    """
    Whether the page of a clip shows others of its match and of its player. Who has the address of one then
    finds more of them.
    """

    hide_names: bool
    """Whether new requests without `names` hide the names of players, as `names: "hide"` does."""


class ViewingChanges(TypedDict):
    """Fields to change. Fields that are left out keep their values."""

    embed_sites: NotRequired[list[str] | None]
    """
    Sites that may embed your clips and load their files, as `example.com` or `*.example.com`; an empty list for
    none but this service, null for any.
    """

    show_views: NotRequired[bool]
    """Whether the page of a clip shows how often it was watched."""

    show_more: NotRequired[bool]
    """
    Whether the page of a clip shows others of its match and of its player. Who has the address of one then
    finds more of them.
    """

    hide_names: NotRequired[bool]
    """Whether new requests without `names` hide the names of players, as `names: "hide"` does."""


class WebhookEvent(TypedDict):
    """The outcome of a job. Fields that do not apply are null, never absent."""

    event: Literal["job.completed", "job.failed"]
    """The outcome of the job."""

    job_id: str
    """Id of the job."""

    clip_id: str | None
    """Id of the clip. Null for a failed job."""

    clip_url: str | None
    """Address of the player alone, for an iframe. Null for a failed job."""

    video_url: str | None
    """Address of the MP4 file. Null for a failed job."""

    thumbnail_url: str | None
    """Address of the JPEG file. Null for a failed job."""

    clip_duration: float | None
    """Length of the clip in seconds. 0 if it could not be read. Null for a failed job."""

    status: Literal["processed", "error"]
    """`processed` with `job.completed`, else `error`."""

    error_code: JobErrorCode | None
    """The error code of a failed job. Null for a completed one."""

    extras: AnyJson


class WebhookSecret(TypedDict):
    """A secret that your webhooks are signed with."""

    id: str
    """Id of the secret, for deleting it."""

    hint: str
    """The first and last characters of the secret."""

    created_at: str
    """Time when the secret was made."""


class WebhookSecretList(TypedDict):
    """Your live secrets, oldest first."""

    secrets: list[WebhookSecret]


class WebhookSecretOnce(TypedDict):
    """A new secret for webhooks."""

    id: str
    """Id of the secret, for deleting it."""

    hint: str
    """The first and last characters of the secret."""

    created_at: str
    """Time when the secret was made."""

    secret: str
    """The secret itself. It is shown only once."""


class WebhookTest(TypedDict):
    """A webhook to try your receiver with."""

    webhook_url: str
    """Address to which the test is posted."""

    webhook_auth_header: NotRequired[str]
    """
    Value of the `Authorization` header of the webhook. Printable ASCII, with spaces and tabs only within. Needs
    a `webhook_url`, and is never shown again.
    """

    event: NotRequired[Literal["job.completed", "job.failed"]]
    """The outcome that the test reports. Default: `"job.completed"`."""


class WebhookTested(TypedDict):
    """The result of a test webhook."""

    delivery_id: str
    """Id of the webhook, as in `X-Service-Delivery-Id`."""

    delivered: bool
    """Whether your receiver answered with a 2xx in time."""

    http_status: int | None
    """HTTP status of your receiver. Null if it did not answer."""

    error: str | None
    """The reason why the test does not count as delivered. Null if it does."""

    duration_ms: int
    """Milliseconds until the answer came."""

    signatures: int
    """Number of your secrets with which the test was signed."""

AnyJson: TypeAlias = Any
"""Any JSON value. The service returns it unchanged."""

Facts: TypeAlias = dict[str, str | float | bool | None | list[str | float | bool | None]]
"""Facts about a failure, for programs, as in `{"round_asked": 9, "rounds": [1, 2, 3]}`."""

JobErrorCode: TypeAlias = Literal["demo_url_rejected", "demo_404", "demo_incompatible", "player_not_in_demo", "pov_only", "no_kills_found", "segment_not_in_demo", "clip_too_long", "workshop_not_supported", "demo_failed_parse", "decompress_failed", "download_timeout", "download_error", "cs2_unavailable", "render_failed", "upload_error", "finalize_failed", "canceled", "clip_removed"] | str
"""The reason why a job failed. Treat an unknown code as a failure."""

JobStatus: TypeAlias = Literal["pending", "prefetch", "render", "done", "retrying", "error"]
"""
`pending` waits for a render host, `prefetch` fetches the demo, `render` renders. `retrying` waits for the next
attempt after a temporary failure. `done` and `error` are the two outcomes.
"""
