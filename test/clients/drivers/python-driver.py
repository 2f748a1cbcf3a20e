"""Drives the Python client: test/clients/protocol.ts."""

from __future__ import annotations

import itertools
import json
import pathlib
import sys
import time
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "packages/python"))

import tickreel
from tickreel import Tickreel, TickreelError


class Interrupted(BaseException):
    """As KeyboardInterrupt is."""


def outcome_of(task: dict[str, Any]) -> dict[str, Any]:
    progress: list[Any] = []
    waits: list[float] = []
    outcome: dict[str, Any] = {"progress": progress, "waits": waits}
    try:
        options = dict(task["client"])
        if "timeout_s" in options:
            options["timeout"] = options.pop("timeout_s")
        keeps_waits = options.pop("keeps_waits", False)
        client = Tickreel(**options)

        def sleep(seconds: float) -> None:
            waits.append(seconds)
            if keeps_waits:
                time.sleep(seconds)

        # A transport is private, so only this program replaces its waits.
        client._use(client._transport.replace(sleep=sleep), client._webhook_secret)
        outcome["value"] = value_of(client, task["call"], progress)
    except Interrupted:
        outcome["error"] = {"class": "interrupted", "message": "interrupted"}
    except Exception as error:
        outcome["error"] = failure_of(error)
    return outcome


def value_of(client: Tickreel, call: dict[str, Any], progress: list[Any]) -> Any:
    do = call.pop("do")
    clips, jobs = client.clips, client.jobs

    def report(now: Any) -> None:
        progress.append({name: value for name, value in now.items() if name != "job_id"})
        if call.get("interrupt"):
            raise Interrupted

    if do == "submit":
        return clips.submit(**call["request"])
    if do == "submit_batch":
        return clips.submit_batch(call["requests"], call.get("defaults"))
    if do == "plan":
        return clips.plan(**call["request"])
    if do == "render":
        stops = bool(call.get("interrupt"))
        timeout = call.get("timeout_s")
        return clips.render(on_progress=report, timeout=timeout, cancel_on_interrupt=stops, **call["request"])
    if do == "get_job":
        return jobs.get(call["id"], include=call.get("include", ()))
    if do == "wait_job":
        return jobs.wait(call["id"], on_progress=report)
    if do in ("resubmit_job", "cancel_job"):
        return getattr(jobs, do.removesuffix("_job"))(call["id"])
    if do in ("save_clip", "delete_clip"):
        return getattr(clips, do.removesuffix("_clip"))(call["id"])
    if do in ("list_jobs", "list_clips"):
        listing = (jobs if do == "list_jobs" else clips).list(**call.get("query", {}))
        return [item["id"] for item in itertools.islice(listing, call.get("take"))]
    if do == "events":
        changes = itertools.islice(client.events(after=call.get("after")), call["take"])
        return [{"id": one["id"], "job_id": one["job"]["id"], "status": one["job"]["status"]} for one in changes]
    if do == "inspect":
        return client.demos.inspect(call["demo"])
    if do == "upload":
        count = lambda arrived, _: progress.append(arrived)
        return client.uploads.send(call["path"], name=call["name"], tag=call.get("tag"), on_progress=count)
    if do == "download":
        return clips.download(call["id"], call["path"])
    if do == "unwrap":
        insecure = call.get("insecure", False)
        body = json.loads(call["body"]) if call.get("as") == "parsed" else call["body"]
        headers = call["headers"]
        if call.get("as") == "pairs":
            headers = ((name.encode(), value.encode()) for name, value in headers.items())
        return client.webhooks.unwrap(body, headers, call.get("secrets"), insecure=insecure)
    raise NotImplementedError(do)


CLASSES = {
    tickreel.ApiError: "problem",
    tickreel.NotReachedError: "no_answer",
    tickreel.JobFailedError: "job_failed",
    tickreel.WebhookInvalidError: "webhook_invalid",
    ValueError: "usage",
    TypeError: "usage",
}


def failure_of(error: Exception) -> dict[str, Any]:
    name = next((name for one, name in CLASSES.items() if isinstance(error, one)), "other")
    if not isinstance(error, TickreelError):
        return {"class": name, "message": f"{type(error).__name__}: {error}"}
    # A kind that this version knows has a class of its own.
    words = "".join(word.capitalize() for word in error.code.split("_"))
    own = getattr(tickreel, f"{words}Error", None)
    assert own is None or isinstance(error, own), f"{error.code} is not a {own}"
    return {
        "class": name,
        "code": error.code,
        "status": error.status,
        "request_id": error.request_id,
        "errors": error.errors or None,
        "retry_after_s": error.retry_after,
        "docs_url": error.docs_url,
        "diagnosis": error.diagnosis,
        "is_transient": error.is_transient,
        "message": str(error),
    }


for line in sys.stdin:
    print(json.dumps(outcome_of(json.loads(line))), flush=True)
