# Written by `npm run openapi` out of the operations of the service.
"""Everything that the API takes and answers. An answer may have more fields than are listed here."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class Asset(TypedDict):
    """An uploaded image, or music."""

    id: str
    """What a submit names."""

    kind: Literal["watermark", "intro", "outro", "music"]
    """What it is for. Each field of a submit that names an asset takes one kind."""

    name: str | None
    """As it was uploaded; null without one."""

    content_type: Literal["image/png", "image/jpeg", "image/webp", "audio/wav", "audio/mpeg", "audio/flac", "audio/ogg"]
    """What the file is."""

    width: int | None
    """Pixels; a watermark is drawn so at 1080p, in proportion at 1440p. Null for music."""

    height: int | None
    """Pixels, likewise."""

    seconds: float | None
    """Length of music, as its file states; null for an image."""

    bytes: int
    """Length of the file."""

    created_at: str
    """When it was uploaded."""


class AssetList(TypedDict):
    """A page of assets, newest first."""

    assets: list[Asset]

    next_cursor: str | None
    """Ask for it as `cursor` to go on; null at the end."""


class Attempt(TypedDict):
    """One attempt of a host to make the clip."""

    host: str | None
    """What the operator calls the host; null where it has no name here."""

    outcome: Literal["working", "completed", "failed", "handed_back", "canceled"]
    """`working` is under way. `handed_back`: its host was stopped, which costs the job no attempt."""

    phase: Literal["prefetch", "render"]
    """How far it came."""

    stage: Literal["download", "decompress", "parse", "capture", "encode", "thumbnail", "upload"] | None
    """The step that the host last reported; null before that."""

    started_at: str
    """When the host got the job."""

    ended_at: str | None
    """Null while it is under way."""

    error_code: JobErrorCode | None
    """Why it failed; null where it did not."""

    summary: str | None
    """Why, and what you can do, in a sentence or two."""

    facts: Facts | None
    """What it goes by, for programs; null where there is nothing."""

    retryable: bool
    """Whether another attempt may go better, without anything being changed."""

    retry_at: str | None
    """When the job goes on by itself; null where it does not."""


class BatchAnswer(TypedDict):
    """What became of each submit, in their order."""

    results: list[BatchResult]


class BatchRequest(TypedDict):
    """Submits that share some of their fields."""

    defaults: NotRequired[dict[str, Any]]
    """Fields of a `SubmitRequest` that all of them share. One that has the field itself goes by that."""

    clips: list[dict[str, Any]]
    """The submits: each, with the defaults, a `SubmitRequest`."""


class BatchResult(TypedDict):
    """What became of one submit."""

    index: int
    """Its place in `clips`, from 0."""

    status: int
    """As `POST /api/clips` alone would have answered: 201, 200, 400 and so on."""

    job_id: str | None
    """The job; null where the submit was refused."""

    replayed: bool
    """As `Idempotent-Replayed`."""

    body_differs: bool
    """As `Idempotency-Body-Differs`."""

    problem: Problem | None
    """Why it was refused; null where it was not."""


class Clip(TypedDict):
    """A clip, with the included fields."""

    id: str
    """The clip, as its public addresses name it. Another id than the job’s."""

    state: Literal["ready", "deleted"]
    """`deleted` by you, the operator or its age."""

    is_saved: bool
    """Kept for good. Other clips expire."""

    title: str
    """Made from the demo: what happens, who, and where."""

    resolution: int
    """Height of the picture in pixels."""

    fps: int
    """Frames a second."""

    tier: Literal["metered", "reserved"]
    """Which key submitted its job."""

    duration_seconds: float
    """Its length; 0 where it could not be read."""

    size: str
    """Bytes of the MP4, as a string of decimal digits."""

    job_id: str | None
    """The job that made it."""

    created_at: str
    """When it first became ready."""

    urls: NotRequired[ClipUrls]
    """Its public addresses. Those of a deleted clip say that it is gone."""

    expires_at: NotRequired[str | None]
    """When it is deleted unless it is saved until then; null where it is saved, or deleted already."""

    renderer: NotRequired[Literal["radar", "cs2"] | None]
    """What made the clip: `cs2` is the game, `radar` draws a view from above; null where it is not known."""

    removal: NotRequired[ClipRemoval | None]
    """Null unless the operator took it down."""


class ClipList(TypedDict):
    """A page of clips, newest first."""

    clips: list[Clip]

    next_cursor: str | None
    """Ask for it as `cursor` to go on; null at the end."""


class ClipRemoval(TypedDict):
    """Why it was taken down."""

    at: str
    """When."""

    reason: str
    """The operator’s words."""


class ClipUrls(TypedDict):
    """The public addresses of a clip."""

    page: str
    """The page to share."""

    embed: str
    """The player alone, for an iframe."""

    video: str
    """The MP4."""

    thumbnail: str
    """The JPEG."""


class ClipViews(TypedDict):
    """How often a clip was watched, by day."""

    clip_id: str
    """The clip."""

    since: str
    """The first day (UTC) that is still known."""

    total: int
    """Views since then."""

    days: list[ClipViewsDay]
    """Days with views, the oldest first."""


class ClipViewsDay(TypedDict):

    date: str
    """The day (UTC)."""

    views: int
    """Players that began to play the clip."""


class Commands(TypedDict):
    """Settings of the game that a clip may change."""

    spec_show_xray: NotRequired[Literal["0", "1"]]
    """`"1"` shows the outlines of players through walls. Default: `"0"`."""

    cl_draw_only_deathnotices: NotRequired[Literal["0", "1"]]
    """`"1"` hides the HUD except for the killfeed, `"0"` shows all of it. Default: `"1"`."""


class Delivery(TypedDict):
    """One webhook or post with its attempts."""

    id: str
    """As in `X-Service-Delivery-Id`."""

    event: str
    """`job.completed` or `job.failed`; `discord` for the post of a rule."""

    status: Literal["queued", "delivered", "exhausted", "canceled"]
    """
    `queued` has an attempt to come, `delivered` was answered with a 2xx, `exhausted` is out of attempts,
    `canceled` was replaced by a re-run; a post then has nothing to send any more.
    """

    url: str
    """Where it goes. A Discord address has no token here."""

    created_at: str
    """When the outcome, or the resend, made it."""

    next_attempt_at: str | None
    """When it is tried next; null unless `queued`."""

    attempts: list[DeliveryAttempt]
    """Every attempt made, first to last."""


class DeliveryAttempt(TypedDict):
    """One attempt to deliver a webhook."""

    attempt: int
    """Its number, from 1."""

    at: str
    """When it was made."""

    http_status: int | None
    """What your receiver answered; null if it did not."""

    error: str | None
    """Why it does not count as delivered; null if it does."""


class DeliveryList(TypedDict):
    """The webhooks of a job, oldest first."""

    deliveries: list[Delivery]


class DeliveryRef(TypedDict):
    """Names a webhook."""

    delivery_id: str
    """What the webhook carries in `X-Service-Delivery-Id`."""


class Demo(TypedDict):
    """A demo that was looked into."""

    id: str
    """The demo."""

    demo_url: str
    """As it was sent."""

    state: Literal["pending", "ready", "error"]
    """`pending` until a host has read it, then `ready`, or `error` if it cannot be read and never was."""

    error_code: JobErrorCode | None
    """Why the last try failed, as of a job. While `pending`, there will be another."""

    diagnosis: Diagnosis | None
    """The same, with its cause; null where `error_code` is."""

    created_at: str
    """When it was asked for."""

    finished_at: str | None
    """When it was read, or given up; null before."""

    expires_at: str | None
    """When this is forgotten; null while `pending`."""

    replay_url: NotRequired[str | None]
    """The page that plays the demo; null while there is none. Absent unless `replay` was asked for."""

    match: DemoMatch | None
    """What is in it, once it is `ready`. A demo that is read again keeps what was found before."""


class DemoDamage(TypedDict):
    """Damage in the file: only the ticks before it are read. Absent for a file without damage."""

    tick: int
    """The last tick before the damage."""

    reason: str
    """What is damaged in the file."""


class DemoHighlight(TypedDict):
    """What one player did in one round: docs/rules.md has the scores."""

    kind: str
    """The most valuable of `kinds`, such as `ace` or `clutch_1v3`."""

    kinds: list[str]
    """All that makes it one, the most valuable first."""

    player: int
    """A player, by his place in `players` from 0."""

    round: int
    """The round, as on the scoreboard."""

    start_tick: int
    """Its first tick, without any padding."""

    end_tick: int
    """Its last."""

    score: float
    """How much it is worth seeing."""

    request: DemoHighlightRequest
    """The body of a submit that makes a clip of it."""


class DemoHighlightRequest(TypedDict):
    """The body of a submit that makes a clip of it."""

    demo_url: str
    """
    Where the demo lies: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. Of an archive with
    several, `#` and a name chooses one.
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
    """When."""

    round: int
    """The round, as on the scoreboard."""

    attacker: int
    """A player, by his place in `players` from 0."""

    victim: int
    """A player, by his place in `players` from 0."""

    assister: int | None
    """Who helped, likewise; null for nobody."""

    weapon: str
    """The game's name of it, such as `ak47`."""

    headshot: bool

    wallbang: bool

    no_scope: bool

    through_smoke: bool

    attacker_blind: bool

    ends_round: NotRequired[bool]
    """Set if it decided the round for the killer."""


class DemoMatch(TypedDict):
    """What is in a demo."""

    map: str
    """The map, as the game names it."""

    game_patch: int | None
    """The version of the game, as 14160 for 1.41.6.0; null if the demo lacks it."""

    build: int | None
    """Its build; null if the demo lacks it."""

    tick_rate: float
    """Ticks a second."""

    first_tick: int
    """The first tick that can be shown."""

    last_tick: int
    """The last."""

    is_complete: bool
    """Whether the recording was ended properly. All else of it can be shown."""

    damage: NotRequired[DemoDamage]

    recorded_by: str | None
    """The one player who can be shown, in their own recording; null where all can."""

    reader: NotRequired[int]
    """
    The version of the program that read the demo; absent for the oldest. If there is a newer one, a request
    reads the demo again.
    """

    players: list[DemoPlayer]
    """In the order of the demo."""

    rounds: list[DemoRound]
    """In their order."""

    gaps: NotRequired[list[DemoMatchGap]]
    """
    Ticks that clips leave out, because the recording or the game paused. Absent if the host does not report all
    that decides the shots of a clip.
    """

    parts: NotRequired[list[DemoMatchPart]]
    """
    Parts of the demo that do not count as the match, such as rounds before a restart. They are not in `rounds`
    and `kills`, but a `timeline` can show their ticks. Absent if there are none.
    """

    archive: NotRequired[list[str]]
    """The demos of the archive that this one came in: `demo_url` and `#` with a name chooses."""

    kills: list[DemoKill]
    """Those that count, in their order."""

    kills_left_out: NotRequired[int]
    """How many kills are not in `kills`, because there are too many. Absent if none is left out."""

    highlights: list[DemoHighlight]
    """The best first."""

    best_of: NotRequired[DemoMatchBestOf | None]
    """
    The body of a submit that shows the best highlights one after the other; null if there is none. Absent
    without `best_of` in the query.
    """


class DemoMatchBestOf(TypedDict):
    """
    The body of a submit that shows the best highlights one after the other; null if there is none. Absent
    without `best_of` in the query.
    """

    demo_url: str
    """
    Where the demo lies: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. Of an archive with
    several, `#` and a name chooses one.
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
    """How many of its rounds were decided."""

    players: list[int]
    """The players of the part."""


class DemoPlayer(TypedDict):
    """A player of a demo."""

    steam64_id: str
    """What `steam64_id` of a request names; `0` for some bots."""

    name: str
    """As the demo has it."""

    is_bot: bool
    """Played by the game."""

    team: Literal["T", "CT"] | None
    """The side he starts on; null for one who was on none."""

    kills: int
    """Kills that count."""

    deaths: int
    """Deaths in rounds that count."""

    kills_by_round: dict[str, int]
    """Kills by round; rounds without any are left out."""


class DemoRound(TypedDict):
    """A round of a demo."""

    round: int
    """The round, as on the scoreboard."""

    start_tick: int
    """Where it begins."""

    end_tick: int | None
    """Where it is decided; null where the demo does not say."""

    official_end_tick: NotRequired[int | None]
    """Where the announcement of the win ends; null where the demo does not say."""

    winner: Literal["T", "CT"] | None
    """The side that won it; null where the demo does not say."""

    reason: str | None
    """Why it ended, such as `bomb_defused`."""

    score: DemoRoundScore | None
    """The scoreboard then, by the side that each team plays."""


class DemoRoundScore(TypedDict):
    """The scoreboard then, by the side that each team plays."""

    T: int

    CT: int


class Diagnosis(TypedDict):
    """Why the job is in `error` or `retrying`."""

    error_code: JobErrorCode
    """As in the job."""

    summary: str
    """Why, and what you can do, in a sentence or two."""

    facts: Facts | None
    """What it goes by, for programs; null where there is nothing."""

    retryable: bool
    """Whether another attempt may go better, without anything being changed."""

    retry_at: str | None
    """When the job goes on by itself; null where it does not."""

    docs_url: str
    """The page on this code: causes, and what to do."""


class FieldError(TypedDict):
    """One broken rule."""

    path: str
    """The field, as in `timeline[2].end_tick`; empty for the whole body."""

    message: str
    """The rule that it breaks."""


class InspectRequest(TypedDict):
    """A demo to look into."""

    demo_url: str
    """Where the demo lies, or the `demo_url` of one of your uploads."""

    replay: NotRequired[bool]
    """
    Whether the demo can also be played from above, in a browser: `replay_url` then names the page. Whoever has
    that address can open it.
    """


class Job(TypedDict):
    """A render job, with the included fields."""

    id: str
    """The job."""

    status: JobStatus

    priority: bool
    """Submitted with the reserved key."""

    fps: int | None
    """As it was asked for; null leaves it at the default of 30."""

    resolution: int
    """Height of the picture in pixels."""

    clip_id: str | None
    """The clip, once the job is `done`."""

    error_code: JobErrorCode | None
    """Why the last attempt failed, while `retrying` or in `error`."""

    created_at: str
    """When the job was submitted."""

    finished_at: str | None
    """When the outcome was reached; null before."""

    payload: JobPayload

    diagnosis: NotRequired[Diagnosis | None]
    """Null if nothing is wrong."""

    attempts: NotRequired[list[Attempt]]
    """The latest of this run, first to last."""

    progress: NotRequired[Progress]

    queue: NotRequired[QueuePlace | None]
    """Null unless the job waits."""

    renderer: NotRequired[Literal["radar", "cs2"] | None]
    """What made the clip: `cs2` is the game, `radar` draws a view from above; null where it is not known."""

    rule: NotRequired[JobRule | None]
    """The rule that made the job, and its run; null for a job of a client."""

    replay: NotRequired[str | None]
    """
    The page that plays the ticks of the clip until the video is there; null if the demo was not inspected with
    `replay`.
    """


class JobList(TypedDict):
    """A page of jobs, newest first."""

    jobs: list[JobSummary]

    next_cursor: str | None
    """Ask for it as `cursor` to go on; null at the end."""


class JobNotice(TypedDict):
    """A change of a job, for those who follow it."""

    status: JobStatus

    progress: float | None
    """0 to 1 of the whole job; null while no host works on it."""

    attempt: int
    """Attempts begun since the job was last queued by you."""

    error_code: JobErrorCode | None
    """Why the last attempt failed, while `retrying` or in `error`."""

    diagnosis: NotRequired[Diagnosis | None]
    """Null if nothing is wrong."""

    attempts: NotRequired[list[Attempt]]
    """The latest of this run, first to last."""

    queue: NotRequired[QueuePlace | None]
    """Null unless the job waits."""

    renderer: NotRequired[Literal["radar", "cs2"] | None]
    """What made the clip: `cs2` is the game, `radar` draws a view from above; null where it is not known."""

    rule: NotRequired[JobNoticeRule | None]
    """The rule that made the job, and its run; null for a job of a client."""

    replay: NotRequired[str | None]
    """
    The page that plays the ticks of the clip until the video is there; null if the demo was not inspected with
    `replay`.
    """

    stage: NotRequired[Literal["download", "decompress", "parse", "capture", "encode", "thumbnail", "upload"] | None]
    """The step that the host last reported; null before that."""

    heard_at: NotRequired[str | None]
    """When its host last called."""


class JobNoticeRule(TypedDict):
    """The rule that made the job, and its run; null for a job of a client."""

    id: str

    run: str


class JobPayload(TypedDict):
    """The request as it is kept: what was sent, without `force` and the auth header."""

    demo_url: str
    """As it was sent; empty once the request is no longer kept."""

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
    """Round mode: whose view of a kill is shown: one, or one after the other. Default: `"killer"`."""

    merge_gap: NotRequired[float]
    """Round mode: windows of a round with no larger gap stay in one shot. Default: `0`."""

    kill_slowdown: NotRequired[float]
    """Speed of the game around each kill: 1 is real time."""

    fps: NotRequired[int]
    """Frames a second of the clip. Default: `30`."""

    resolution: int
    """As it was asked for, else the default."""

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
    What is laid over the thumbnail: `full` a headline, the player, the round and the killfeed; `killfeed` that
    alone; `none` nothing. Default: `"full"`.
    """

    watermark_image_id: NotRequired[str]
    """Laid over the top left; drawn pixel for pixel at 1080p."""

    intro_asset_id: NotRequired[str]
    """A picture of yours that is shown first."""

    outro_asset_id: NotRequired[str]
    """A picture of yours that is shown last."""

    title_card: NotRequired[bool]
    """Show a card with the title of the clip before its first shot. Default: `false`."""

    card_seconds: NotRequired[float]
    """Length of each card: intro, title, outro. Default: `3`."""

    music_asset_id: NotRequired[str]
    """Music of yours under the clip, cut to its length."""

    idempotency_key: str | None
    """As it was sent, or null."""

    fallback: NotRequired[Literal["radar"]]
    """
    If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view
    of the match from above, which needs no game. That is after a final `demo_incompatible` or
    `workshop_not_supported`, or after ten minutes without a host that could take the job; the operator may set
    another time.
    """

    extras: str | None
    """The sent value as JSON text; null if none was sent."""

    webhook_url: NotRequired[str]
    """Where the outcome is posted. Without it, nothing is."""


class JobRef(TypedDict):
    """Names a job."""

    job_id: str
    """The job."""


class JobRule(TypedDict):
    """The rule that made the job, and its run; null for a job of a client."""

    id: str

    run: str


class JobSummary(TypedDict):
    """A job without its payload."""

    id: str
    """The job."""

    status: JobStatus

    priority: bool
    """Submitted with the reserved key."""

    fps: int | None
    """As it was asked for; null leaves it at the default of 30."""

    resolution: int
    """Height of the picture in pixels."""

    clip_id: str | None
    """The clip, once the job is `done`."""

    error_code: JobErrorCode | None
    """Why the last attempt failed, while `retrying` or in `error`."""

    created_at: str
    """When the job was submitted."""

    finished_at: str | None
    """When the outcome was reached; null before."""

    mode: Literal["round", "timeline"]
    """How its moments are chosen."""


class KeyOnce(TypedDict):
    """A new API key."""

    key_id: str
    """The key, for revoking it."""

    kind: Literal["metered", "reserved", "test"]
    """`metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing."""

    name: str | None
    """For people to tell keys apart."""

    scope: Literal["ingest", "read", "submit", "manage"]
    """
    `ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and
    submits jobs; `manage` does everything, such as deleting clips.
    """

    key: str
    """The key itself, shown this once."""

    expires_at: str | None
    """Until when it is good; null for good."""

    ingest_limits: KeyOnceIngestLimits | None
    """What a key of scope `ingest` may cause on a day (UTC), where it has its own limits."""

    created_at: str
    """When it was made."""


class KeyOnceIngestLimits(TypedDict):
    """What a key of scope `ingest` may cause on a day (UTC), where it has its own limits."""

    mib: NotRequired[int]
    """MiB of demos."""

    demos: NotRequired[int]
    """Demos."""

    clips: NotRequired[int]
    """Clips that rules make of its demos."""


class ListRulesAnswer(TypedDict):

    rules: list[Rule]


class MissingPart(TypedDict):
    """A part of the file that has not come yet."""

    part: int
    """Its place in the file, from 1."""

    offset: int
    """Where in the file it begins."""

    bytes: int
    """Its length."""

    url: str
    """Where to `PUT` these bytes of the file."""


class NewKey(TypedDict):
    """An API key to make."""

    kind: Literal["metered", "reserved", "test"]
    """`metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing."""

    name: NotRequired[str]
    """For people to tell them apart."""

    scope: NotRequired[Literal["ingest", "read", "submit", "manage"]]
    """
    `ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and
    submits jobs; `manage` does everything, such as deleting clips. Default: `"manage"`.
    """

    expires_at: NotRequired[str]
    """Until when it is good. Without it: for good if the operator makes it, else as long as the key that makes it."""

    ingest_limits: NotRequired[NewKeyIngestLimits]
    """What a key of scope `ingest` may cause on a day (UTC), where it has its own limits."""


class NewKeyIngestLimits(TypedDict):
    """What a key of scope `ingest` may cause on a day (UTC), where it has its own limits."""

    mib: NotRequired[int]
    """MiB of demos."""

    demos: NotRequired[int]
    """Demos."""

    clips: NotRequired[int]
    """Clips that rules make of its demos."""


class OwnKey(TypedDict):
    """An API key of your account, without its secret."""

    key_id: str
    """The key, for revoking it."""

    kind: Literal["metered", "reserved", "test"]
    """`metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing."""

    name: str | None
    """For people to tell keys apart."""

    scope: Literal["ingest", "read", "submit", "manage"]
    """
    `ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and
    submits jobs; `manage` does everything, such as deleting clips.
    """

    hint: str
    """Its beginning and end."""

    expires_at: str | None
    """Until when it is good; null for good."""

    ingest_limits: OwnKeyIngestLimits | None
    """What a key of scope `ingest` may cause on a day (UTC), where it has its own limits."""

    last_used: str | None
    """To an hour; null before its first use."""

    made_by: str | None
    """The key that made it; null if the operator did."""

    created_at: str
    """When it was made."""

    revoked_at: str | None
    """When it was revoked; null while it is good."""

    is_this: bool
    """Whether it is the key of this request."""


class OwnKeyIngestLimits(TypedDict):
    """What a key of scope `ingest` may cause on a day (UTC), where it has its own limits."""

    mib: NotRequired[int]
    """MiB of demos."""

    demos: NotRequired[int]
    """Demos."""

    clips: NotRequired[int]
    """Clips that rules make of its demos."""


class OwnKeyList(TypedDict):
    """A page of your keys, the oldest first, the revoked ones too."""

    keys: list[OwnKey]

    next_cursor: str | None
    """Ask for it as `cursor` to go on; null at the end."""


class Plan(TypedDict):
    """The shots that a job of this request would show."""

    seconds: float
    """The length of the clip."""

    is_estimate: bool
    """
    Whether the clip may differ, because the host that inspected the demo did not report gaps and win
    announcements.
    """

    shots: list[PlanShot]
    """In the order of the clip."""

    cards: NotRequired[list[PlanCard]]
    """In the order of the clip. Absent if there are none."""

    price: NotRequired[PlanPrice]
    """What one successful run costs. Absent for a reserved key, and if the operator has set no price for it."""


class PlanCard(TypedDict):
    """A still picture before the shots (intro, title) or after them (outro)."""

    kind: Literal["intro", "title", "outro"]

    seconds: float


class PlanPrice(TypedDict):
    """What one successful run costs. Absent for a reserved key, and if the operator has set no price for it."""

    amount: float
    """Rounded to four decimals."""

    currency: str
    """The ISO 4217 code."""


class PlanShot(TypedDict):
    """A part of the clip without a cut."""

    steam64_id: str
    """The player that it follows."""

    subject_steam64_id: NotRequired[str]
    """Whose kills it shows. Absent if it follows them."""

    round: int | None
    """The round in which it begins; null before the first."""

    start_tick: int
    """Its first tick."""

    end_tick: int
    """The tick after its last."""

    seconds: float
    """Its length in the clip."""

    speed: NotRequired[float]
    """The lowest speed of the game in it. Absent if it is 1."""

    kill_ticks: list[int]
    """The ticks of the kills of its subject in it; only kills that count."""


class Problem(TypedDict):
    """Every error is answered with one (RFC 9457)."""

    type: str
    """The kind of problem, as the URL that explains it."""

    title: str
    """The kind in a few words, always the same."""

    status: int
    """The HTTP status again."""

    detail: str
    """What went wrong this time."""

    error: str
    """The same text as `detail`, for clients that read `error`."""

    request_id: str
    """As in `X-Request-Id`. Name it when you ask for help."""

    error_code: NotRequired[JobErrorCode]
    """Only of a plan: why its job would fail, or why its demo could not be read."""

    errors: NotRequired[list[FieldError]]
    """Every broken rule of an invalid request."""


class Progress(TypedDict):
    """How far the job is."""

    phase: JobStatus

    stage: Literal["download", "decompress", "parse", "capture", "encode", "thumbnail", "upload"] | None
    """The step that the host last reported; null before that."""

    progress: float | None
    """0 to 1 of the whole job; null while no host works on it."""

    heard_at: str | None
    """When its host last called."""


class QueuePlace(TypedDict):
    """Why a job waits, and its position in the queue."""

    position: int | None
    """From 1 to about 1,000, or null."""

    estimate_s: int | None
    """Seconds until a host takes it, at the pace of the last minutes; null where there is none."""

    reason: str
    """A code such as `hosts_busy`; others may follow."""

    text: str
    """The same in words."""

    hosts: int
    """Able hosts."""

    until: str | None
    """Its end, if known."""


class Rule(TypedDict):
    """A rule."""

    id: str
    """The rule."""

    name: str
    """For people to tell rules apart."""

    enabled: bool
    """Whether it acts on new demos."""

    when: RuleWhen

    render: RuleRender

    options: RuleOptions

    send: RuleSendValue
    """Without its secrets."""

    budget: RuleBudget

    used: RuleUsed
    """What it has used of its budget on this day."""

    paused: RulePaused | None
    """Why the service has disabled it."""

    failures: int
    """Failed runs in a row. Five pause it."""

    made_by: RuleMadeBy
    """The key it acts with."""

    created_at: str
    """When it was made."""

    last_run: RuleRun | None
    """The latest; null before the first."""

    runs: NotRequired[list[RuleRun]]
    """The latest 20; absent in lists."""


class RuleBudget(TypedDict):
    """For the demos of a day (UTC): by default 20 and 50."""

    demos_a_day: int
    """Demos that are inspected."""

    clips_a_day: int
    """Clips that are rendered."""


class RuleChange(TypedDict):
    """A field that is sent replaces all of that field."""

    name: NotRequired[str]
    """For people to tell rules apart."""

    enabled: NotRequired[bool]
    """Whether it acts on new demos."""

    when: NotRequired[RuleWhen]

    render: NotRequired[RuleRender]

    options: NotRequired[RuleOptions]

    send: NotRequired[RuleSend]

    budget: NotRequired[RuleBudget]


class RuleMadeBy(TypedDict):
    """The key it acts with."""

    key_id: str

    name: str | None


class RuleOptions(TypedDict):
    """Fields of `SubmitRequest` for each clip."""

    pre_kill_padding: NotRequired[float]
    """Round mode: seconds shown before each kill. Default: `3`."""

    post_kill_padding: NotRequired[float]
    """Round mode: seconds shown after each kill. Default: `2`."""

    pov: NotRequired[Literal["killer", "victim", "both"]]
    """Round mode: whose view of a kill is shown: one, or one after the other. Default: `"killer"`."""

    merge_gap: NotRequired[float]
    """Round mode: windows of a round with no larger gap stay in one shot. Default: `0`."""

    kill_slowdown: NotRequired[float]
    """Speed of the game around each kill: 1 is real time."""

    fps: NotRequired[int]
    """Frames a second of the clip. Default: `30`."""

    resolution: NotRequired[Literal[1080, 1440]]
    """Height of the picture in pixels; its width follows at 16:9. Default: `1080`."""

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
    What is laid over the thumbnail: `full` a headline, the player, the round and the killfeed; `killfeed` that
    alone; `none` nothing. Default: `"full"`.
    """

    watermark_image_id: NotRequired[str]
    """Laid over the top left; drawn pixel for pixel at 1080p."""

    intro_asset_id: NotRequired[str]
    """A picture of yours that is shown first."""

    outro_asset_id: NotRequired[str]
    """A picture of yours that is shown last."""

    title_card: NotRequired[bool]
    """Show a card with the title of the clip before its first shot. Default: `false`."""

    card_seconds: NotRequired[float]
    """Length of each card: intro, title, outro. Default: `3`."""

    music_asset_id: NotRequired[str]
    """Music of yours under the clip, cut to its length."""

    fallback: NotRequired[Literal["radar"]]
    """
    If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view
    of the match from above, which needs no game. That is after a final `demo_incompatible` or
    `workshop_not_supported`, or after ten minutes without a host that could take the job; the operator may set
    another time.
    """


class RulePaused(TypedDict):
    """Why the service has disabled it."""

    at: str

    reason: str


class RuleRender(TypedDict):
    """Which moments become clips."""

    what: Literal["highlights", "kills", "best_of_each"]
    """The best moments; all kills of a player, a clip for each player; or the best moment of each player."""

    limit: NotRequired[int]
    """The most clips of a demo: by default 3 of `highlights`, else 10."""

    kinds: NotRequired[list[str]]
    """Kinds of highlights, such as `ace`. Not with `kills`."""

    players: NotRequired[list[str]]
    """Steam ids: one of these players, who are no bots."""

    team: NotRequired[Literal["T", "CT"]]
    """The side that a player starts on."""


class RuleRequest(TypedDict):
    """A rule."""

    name: str
    """For people to tell rules apart."""

    enabled: NotRequired[bool]
    """Whether it acts on new demos."""

    when: NotRequired[RuleWhen]

    render: RuleRender

    options: NotRequired[RuleOptions]

    send: NotRequired[RuleSend]

    budget: NotRequired[RuleBudget]


class RuleRun(TypedDict):
    """What a rule does with one demo."""

    id: str

    state: Literal["waiting", "submitting", "running", "done", "failed", "skipped"]
    """`failed`: no clip was made. `skipped`: none was submitted."""

    upload_id: str
    """The demo."""

    clips: int
    """How many it makes."""

    detail: str | None
    """Why it makes none, or fewer."""

    jobs: list[RuleRunJob]

    created_at: str
    """When the demo came."""

    ended_at: str | None


class RuleRunJob(TypedDict):

    id: str
    """The job."""

    status: JobStatus

    error_code: JobErrorCode | None
    """Why the last attempt failed, while `retrying` or in `error`."""


class RuleSend(TypedDict):
    """Where the outcome goes."""

    webhook_url: NotRequired[str]
    """Where the outcome is posted. Without it, nothing is."""

    webhook_auth_header: NotRequired[str]
    """
    Sent as it is in the `Authorization` header of the webhook. Printable ASCII, with spaces and tabs only
    within. Needs a `webhook_url`; never shown again.
    """

    discord_url: NotRequired[str]
    """A Discord webhook: one post for each demo."""


class RuleSendValue(TypedDict):
    """Without its secrets."""

    webhook_url: NotRequired[str]
    """Where the outcome is posted. Without it, nothing is."""

    discord_url: NotRequired[str]
    """A Discord webhook: one post for each demo."""


class RuleTrial(TypedDict):
    """What a rule would do with a demo."""

    mismatch: str | None
    """Why it renders nothing."""

    clips: list[RuleTrialClip]


class RuleTrialClip(TypedDict):

    request: RuleTrialClipRequest

    plan: Plan | None
    """Its shots and price; null if it cannot be made."""

    problem: str | None
    """Why it cannot be made."""


class RuleTrialClipRequest(TypedDict):

    demo_url: NotRequired[str]
    """
    Where the demo lies: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. Of an archive with
    several, `#` and a name chooses one.
    """

    steam64_id: NotRequired[str]
    """Round mode: the player whose kills are shown."""

    round: NotRequired[int]
    """Round mode: the round to take, from 1. Without it, every round of the demo."""

    timeline: NotRequired[list[TimelineSegment]]
    """Timeline mode: the ranges to show, in this order. Those of one player and speed that touch become one."""


class RuleUsed(TypedDict):
    """What it has used of its budget on this day."""

    demos_a_day: int

    clips_a_day: int


class RuleWhen(TypedDict):
    """Which demos: those that fit each list."""

    sources: NotRequired[list[Literal["upload", "ingest"]]]
    """How the demo came."""

    tags: NotRequired[list[str]]
    """Its tag."""

    maps: NotRequired[list[str]]
    """Its map, such as `de_mirage`."""

    players: NotRequired[list[str]]
    """Steam ids: one of these players, who are no bots."""


class SubmitRequest(TypedDict):
    """What to render. Exactly one of `steam64_id` (round mode) and `timeline` (timeline mode) is sent."""

    demo_url: str
    """
    Where the demo lies: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. Of an archive with
    several, `#` and a name chooses one.
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
    """Round mode: whose view of a kill is shown: one, or one after the other. Default: `"killer"`."""

    merge_gap: NotRequired[float]
    """Round mode: windows of a round with no larger gap stay in one shot. Default: `0`."""

    kill_slowdown: NotRequired[float]
    """Speed of the game around each kill: 1 is real time."""

    fps: NotRequired[int]
    """Frames a second of the clip. Default: `30`."""

    resolution: NotRequired[Literal[1080, 1440]]
    """Height of the picture in pixels; its width follows at 16:9. Default: `1080`."""

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
    What is laid over the thumbnail: `full` a headline, the player, the round and the killfeed; `killfeed` that
    alone; `none` nothing. Default: `"full"`.
    """

    watermark_image_id: NotRequired[str]
    """Laid over the top left; drawn pixel for pixel at 1080p."""

    intro_asset_id: NotRequired[str]
    """A picture of yours that is shown first."""

    outro_asset_id: NotRequired[str]
    """A picture of yours that is shown last."""

    title_card: NotRequired[bool]
    """Show a card with the title of the clip before its first shot. Default: `false`."""

    card_seconds: NotRequired[float]
    """Length of each card: intro, title, outro. Default: `3`."""

    music_asset_id: NotRequired[str]
    """Music of yours under the clip, cut to its length."""

    idempotency_key: NotRequired[str]
    """Names the job on your side: the same key never queues a second job."""

    force: NotRequired[bool]
    """With an `idempotency_key`: run its job again, with this request, if it has finished. Default: `false`."""

    fallback: NotRequired[Literal["radar"]]
    """
    If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view
    of the match from above, which needs no game. That is after a final `demo_incompatible` or
    `workshop_not_supported`, or after ten minutes without a host that could take the job; the operator may set
    another time.
    """

    extras: NotRequired[AnyJson]

    webhook_url: NotRequired[str]
    """Where the outcome is posted. Without it, nothing is."""

    webhook_auth_header: NotRequired[str]
    """
    Sent as it is in the `Authorization` header of the webhook. Printable ASCII, with spaces and tabs only
    within. Needs a `webhook_url`; never shown again.
    """


class TimelineSegment(TypedDict):
    """A range of ticks, seen by one player."""

    steam64_id: str
    """The player through whose eyes the segment is seen."""

    start_tick: int
    """Tick of the demo at which the segment begins."""

    end_tick: int
    """Tick at which it ends: 64 to 64000 ticks after `start_tick`."""

    speed: NotRequired[float]
    """Speed of the game: 0.5 is slow motion, 2 is twice as fast. Default: `1`."""


class TryRuleBody(TypedDict):

    demo_url: str
    """
    Where the demo lies: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. Of an archive with
    several, `#` and a name chooses one.
    """


class Upload(TypedDict):
    """A demo that is being uploaded, or was."""

    id: str
    """The upload."""

    name: str
    """For you to tell your demos apart; the service does not care."""

    bytes: int
    """Length of the file."""

    sha256: str | None
    """Of the file, in hexadecimal; null while it is still coming."""

    source: Literal["upload", "ingest"]
    """Whether a client or a game server sent it."""

    tag: str | None
    """Your word for where the demo comes from."""

    facts: UploadFacts | None

    state: Literal["open", "complete"]
    """`open` until it was completed; only a `complete` one can be used."""

    demo_url: str
    """What a job names as its `demo_url`. It opens for jobs of your account alone."""

    created_at: str
    """When it was begun."""

    expires_at: str
    """When the upload is removed. A request for the same upload, or a job that uses it, can postpone this."""

    parts: list[MissingPart]
    """What is still to be sent, in any order."""


class UploadFacts(TypedDict):
    """What the game server says about the demo."""

    file_name: NotRequired[str]
    """The name of its file."""

    match_id: NotRequired[str]
    """The match."""

    map_number: NotRequired[int]
    """The map of the match."""

    round_number: NotRequired[int]
    """The last round."""


class UploadList(TypedDict):
    """A page of uploads, newest first."""

    uploads: list[UploadSummary]

    next_cursor: str | None
    """Ask for it as `cursor` to go on; null at the end."""


class UploadRequest(TypedDict):
    """A demo, plain or compressed, that is about to be sent."""

    name: str
    """For you to tell your demos apart; the service does not care."""

    bytes: int
    """Length of the file."""

    sha256: str
    """SHA-256 of the bytes, in lower-case hexadecimal."""

    tag: NotRequired[str]
    """Your word for where the demo comes from."""

    facts: NotRequired[UploadFacts]


class UploadSummary(TypedDict):
    """An upload without its parts."""

    id: str
    """The upload."""

    name: str
    """For you to tell your demos apart; the service does not care."""

    bytes: int
    """Length of the file."""

    sha256: str | None
    """Of the file, in hexadecimal; null while it is still coming."""

    source: Literal["upload", "ingest"]
    """Whether a client or a game server sent it."""

    tag: str | None
    """Your word for where the demo comes from."""

    facts: UploadFacts | None

    state: Literal["open", "complete"]
    """`open` until it was completed; only a `complete` one can be used."""

    demo_url: str
    """What a job names as its `demo_url`. It opens for jobs of your account alone."""

    created_at: str
    """When it was begun."""

    expires_at: str
    """When the upload is removed. A request for the same upload, or a job that uses it, can postpone this."""


Usage = TypedDict("Usage", {
    "from": 'str',
    "to": 'str',
    "usage": 'list[UsageLine]',
})
"""What was rendered in a span of time."""


class UsageLine(TypedDict):
    """Seconds rendered at one tier, resolution and frame rate."""

    day: NotRequired[str]
    """The day (UTC) on which the clips were finished."""

    tier: Literal["metered", "reserved"]
    """Which key submitted."""

    resolution: int
    """Height of the picture in pixels."""

    fps: int
    """Frames a second."""

    renderer: NotRequired[Literal["radar", "cs2"] | None]
    """What made the clip: `cs2` is the game, `radar` draws a view from above; null where it is not known."""

    rendered_seconds: float
    """Seconds of clip, each re-run counted."""


class Viewing(TypedDict):
    """How your clips are shown."""

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


class ViewingChanges(TypedDict):
    """What to change; the rest stays."""

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


class WebhookEvent(TypedDict):
    """The outcome of a job. What does not apply is null, never absent."""

    event: Literal["job.completed", "job.failed"]
    """Which outcome."""

    job_id: str
    """The job."""

    clip_id: str | None
    """The clip; null for a failed job."""

    clip_url: str | None
    """Page with the player alone, for an iframe."""

    video_url: str | None
    """The MP4."""

    thumbnail_url: str | None
    """The JPEG."""

    clip_duration: float | None
    """Seconds; 0 where the length could not be read, null for a failed job."""

    status: Literal["processed", "error"]
    """`processed` with `job.completed`, else `error`."""

    error_code: JobErrorCode | None
    """Why the job failed; null for a completed one."""

    extras: AnyJson


class WebhookSecret(TypedDict):
    """A secret that your webhooks are signed with."""

    id: str
    """The secret, for deleting it."""

    hint: str
    """Its beginning and end, so that you can tell which one it is."""

    created_at: str
    """When it was made."""


class WebhookSecretList(TypedDict):
    """Your live secrets, oldest first."""

    secrets: list[WebhookSecret]


class WebhookSecretOnce(TypedDict):
    """A new secret."""

    id: str
    """The secret, for deleting it."""

    hint: str
    """Its beginning and end, so that you can tell which one it is."""

    created_at: str
    """When it was made."""

    secret: str
    """The secret itself, shown this once."""


class WebhookTest(TypedDict):
    """A webhook to try your receiver with."""

    webhook_url: str
    """Where the test is posted."""

    webhook_auth_header: NotRequired[str]
    """
    Sent as it is in the `Authorization` header of the webhook. Printable ASCII, with spaces and tabs only
    within. Needs a `webhook_url`; never shown again.
    """

    event: NotRequired[Literal["job.completed", "job.failed"]]
    """Which outcome it tells. Default: `"job.completed"`."""


class WebhookTested(TypedDict):
    """What became of it."""

    delivery_id: str
    """As in `X-Service-Delivery-Id`."""

    delivered: bool
    """Whether your receiver answered with a 2xx in time."""

    http_status: int | None
    """What it answered; null if it did not."""

    error: str | None
    """Why it does not count as delivered; null if it does."""

    duration_ms: int
    """How long the answer took."""

    signatures: int
    """Under how many of your secrets it was signed."""

AnyJson: TypeAlias = Any
"""Any JSON value; kept as it is."""

Facts: TypeAlias = dict[str, str | float | bool | None | list[str | float | bool | None]]
"""What a failure goes by, for the client to act on, as in `{"round_asked": 9, "rounds": [1, 2, 3]}`."""

JobErrorCode: TypeAlias = Literal["demo_url_rejected", "demo_404", "demo_incompatible", "player_not_in_demo", "pov_only", "no_kills_found", "segment_not_in_demo", "clip_too_long", "workshop_not_supported", "demo_failed_parse", "decompress_failed", "download_timeout", "download_error", "cs2_unavailable", "render_failed", "upload_error", "finalize_failed", "canceled", "clip_removed"] | str
"""Why a job failed. Treat an unknown code as a failure."""

JobStatus: TypeAlias = Literal["pending", "prefetch", "render", "done", "retrying", "error"]
"""
`pending` waits for a render host, `prefetch` fetches the demo, `render` renders. `retrying` waits for the next
attempt after a temporary failure. `done` and `error` are the two outcomes.
"""
