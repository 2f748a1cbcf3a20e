# Written by `npm run openapi` out of the operations of the service.
from __future__ import annotations

from typing import Any, Literal

from . import types as t
from ._events import Stream
from ._transport import Transport, segment


class Calls:
    """Every call of the API, by its name in the service's reference at /docs/reference."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def submit_clip(self, body: t.SubmitRequest) -> t.JobRef:
        """Submit a render job. POST /api/clips; the key needs the scope submit."""
        return self._transport.call("POST", "/api/clips", body=body, is_repeatable="idempotency_key" in body)

    def submit_batch(self, body: t.BatchRequest) -> t.BatchAnswer:
        """Submit many render jobs. POST /api/clips/batch; the key needs the scope submit."""
        return self._transport.call("POST", "/api/clips/batch", body=body, is_repeatable=False)

    def plan_clip(self, body: t.SubmitRequest) -> t.Plan:
        """Plan a clip. POST /api/plan; the key needs the scope read."""
        return self._transport.call("POST", "/api/plan", body=body)

    def list_clips(
        self,
        *,
        created_from: str | None = None,
        created_to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        state: Literal["ready", "deleted"] | None = None,
        include: str | None = None,
        saved: Literal["true", "false"] | None = None,
    ) -> t.ClipList:
        """List clips. GET /api/clips; the key needs the scope read."""
        return self._transport.call(
            "GET",
            "/api/clips",
            query={"created_from": created_from, "created_to": created_to, "limit": limit, "cursor": cursor, "state": state, "include": include, "saved": saved},
        )

    def get_clip(self, id: str, *, include: str | None = None) -> t.Clip:
        """Read a clip. GET /api/clips/:id; the key needs the scope read."""
        return self._transport.call("GET", f"/api/clips/{segment(id)}", query={"include": include})

    def save_clip(self, id: str) -> None:
        """Keep a clip for good. POST /api/clips/:id/save; the key needs the scope manage."""
        self._transport.call("POST", f"/api/clips/{segment(id)}/save")

    def unsave_clip(self, id: str) -> None:
        """Let a clip expire. POST /api/clips/:id/unsave; the key needs the scope manage."""
        self._transport.call("POST", f"/api/clips/{segment(id)}/unsave")

    def delete_clip(self, id: str) -> None:
        """Delete a clip's files. DELETE /api/clips/:id; the key needs the scope manage."""
        self._transport.call("DELETE", f"/api/clips/{segment(id)}")

    def get_clip_views(self, id: str) -> t.ClipViews:
        """Count the views of a clip. GET /api/clips/:id/views; the key needs the scope read."""
        return self._transport.call("GET", f"/api/clips/{segment(id)}/views")

    def list_jobs(
        self,
        *,
        created_from: str | None = None,
        created_to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        status: Literal["pending", "prefetch", "render", "done", "retrying", "error"] | None = None,
        mode: Literal["round", "timeline"] | None = None,
    ) -> t.JobList:
        """List jobs. GET /api/jobs; the key needs the scope read."""
        return self._transport.call(
            "GET",
            "/api/jobs",
            query={"created_from": created_from, "created_to": created_to, "limit": limit, "cursor": cursor, "status": status, "mode": mode},
        )

    def get_job(self, id: str, *, include: str | None = None) -> t.Job:
        """Read a job. GET /api/jobs/:id; the key needs the scope read."""
        return self._transport.call("GET", f"/api/jobs/{segment(id)}", query={"include": include})

    def watch_job(
        self,
        id: str,
        *,
        include: str | None = None,
        last_event_id: str | None = None,
    ) -> Stream[t.JobNotice]:
        """Follow a job. GET /api/jobs/:id/events; the key needs the scope read."""
        return self._transport.stream(
            "GET",
            f"/api/jobs/{segment(id)}/events",
            query={"include": include},
            last_event_id=last_event_id,
        )

    def publish_replay(self, id: str) -> t.JobReplay:
        """Publish the replay of a job. POST /api/jobs/:id/replay; the key needs the scope manage."""
        return self._transport.call("POST", f"/api/jobs/{segment(id)}/replay")

    def cancel_job(self, id: str) -> t.JobRef:
        """Cancel a job. POST /api/jobs/:id/cancel; the key needs the scope submit."""
        return self._transport.call("POST", f"/api/jobs/{segment(id)}/cancel", is_repeatable=False)

    def resubmit_job(self, id: str) -> t.JobRef:
        """Run a job again. POST /api/jobs/:id/resubmit; the key needs the scope submit."""
        return self._transport.call("POST", f"/api/jobs/{segment(id)}/resubmit", is_repeatable=False)

    def resend_webhook(self, id: str) -> t.DeliveryRef:
        """Send the outcome webhook again. POST /api/jobs/:id/resend-webhook; the key needs the scope submit."""
        return self._transport.call("POST", f"/api/jobs/{segment(id)}/resend-webhook", is_repeatable=False)

    def list_deliveries(self, id: str) -> t.DeliveryList:
        """List a job's webhooks. GET /api/jobs/:id/deliveries; the key needs the scope read."""
        return self._transport.call("GET", f"/api/jobs/{segment(id)}/deliveries")

    def upload_asset(
        self,
        body: bytes,
        content_type: str = "application/octet-stream",
        *,
        kind: Literal["watermark", "intro", "outro", "music"],
        name: str | None = None,
    ) -> t.Asset:
        """Upload an image or music. POST /api/assets; the key needs the scope manage."""
        return self._transport.call(
            "POST",
            "/api/assets",
            query={"kind": kind, "name": name},
            body=body,
            content_type=content_type,
            is_repeatable=False,
        )

    def list_assets(
        self,
        *,
        created_from: str | None = None,
        created_to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        kind: Literal["watermark", "intro", "outro", "music"] | None = None,
    ) -> t.AssetList:
        """List assets. GET /api/assets; the key needs the scope read."""
        return self._transport.call(
            "GET",
            "/api/assets",
            query={"created_from": created_from, "created_to": created_to, "limit": limit, "cursor": cursor, "kind": kind},
        )

    def get_asset(self, id: str) -> t.Asset:
        """Read an asset. GET /api/assets/:id; the key needs the scope read."""
        return self._transport.call("GET", f"/api/assets/{segment(id)}")

    def delete_asset(self, id: str) -> None:
        """Delete an asset. DELETE /api/assets/:id; the key needs the scope manage."""
        self._transport.call("DELETE", f"/api/assets/{segment(id)}")

    def inspect_demo(self, body: t.InspectRequest) -> t.Demo:
        """Inspect a demo. POST /api/demos; the key needs the scope submit."""
        return self._transport.call("POST", "/api/demos", body=body)

    def get_demo(
        self,
        id: str,
        *,
        weapon: str | None = None,
        headshot: Literal["true", "false"] | None = None,
        victim: str | None = None,
        round: int | None = None,
        kind: str | None = None,
        team: Literal["T", "CT"] | None = None,
        best_of: int | None = None,
    ) -> t.Demo:
        """Read what is in a demo. GET /api/demos/:id; the key needs the scope read."""
        return self._transport.call(
            "GET",
            f"/api/demos/{segment(id)}",
            query={"weapon": weapon, "headshot": headshot, "victim": victim, "round": round, "kind": kind, "team": team, "best_of": best_of},
        )

    def delete_demo(self, id: str) -> None:
        """Delete an inspection. DELETE /api/demos/:id; the key needs the scope submit."""
        self._transport.call("DELETE", f"/api/demos/{segment(id)}")

    def ingest_demo(
        self,
        body: bytes,
        content_type: str = "application/octet-stream",
        *,
        tag: str | None = None,
    ) -> t.Upload:
        """Send a demo from a game server. POST /api/ingest; the key needs the scope ingest."""
        return self._transport.call("POST", "/api/ingest", query={"tag": tag}, body=body, content_type=content_type)

    def ingest_faceit(self, body: t.FaceitEvent, *, tag: str | None = None, key: str | None = None) -> None:
        """Take a webhook of FACEIT. POST /api/ingest/faceit; the key needs the scope ingest."""
        self._transport.call("POST", "/api/ingest/faceit", query={"tag": tag, "key": key}, body=body)

    def create_upload(self, body: t.UploadRequest) -> t.Upload:
        """Upload a demo. POST /api/uploads; the key needs the scope ingest."""
        return self._transport.call("POST", "/api/uploads", body=body)

    def list_uploads(
        self,
        *,
        created_from: str | None = None,
        created_to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.UploadList:
        """List uploads. GET /api/uploads; the key needs the scope read."""
        return self._transport.call(
            "GET",
            "/api/uploads",
            query={"created_from": created_from, "created_to": created_to, "limit": limit, "cursor": cursor},
        )

    def get_upload(self, id: str) -> t.Upload:
        """Read an upload. GET /api/uploads/:id; the key needs the scope read."""
        return self._transport.call("GET", f"/api/uploads/{segment(id)}")

    def send_upload_part(
        self,
        id: str,
        body: bytes,
        content_type: str = "application/octet-stream",
        *,
        part: int,
    ) -> None:
        """Send a part. PUT /api/uploads/:id/part; the key needs the scope ingest."""
        self._transport.call(
            "PUT",
            f"/api/uploads/{segment(id)}/part",
            query={"part": part},
            body=body,
            content_type=content_type,
        )

    def complete_upload(self, id: str) -> t.Upload:
        """Complete an upload. POST /api/uploads/:id/complete; the key needs the scope ingest."""
        return self._transport.call("POST", f"/api/uploads/{segment(id)}/complete")

    def delete_upload(self, id: str) -> None:
        """Delete an upload. DELETE /api/uploads/:id; the key needs the scope submit."""
        self._transport.call("DELETE", f"/api/uploads/{segment(id)}")

    def create_rule(self, body: t.RuleRequest) -> t.Rule:
        """Make a rule. POST /api/rules; the key needs the scope submit."""
        return self._transport.call("POST", "/api/rules", body=body, is_repeatable=False)

    def list_rules(self) -> t.ListRulesAnswer:
        """List rules. GET /api/rules; the key needs the scope read."""
        return self._transport.call("GET", "/api/rules")

    def get_rule(self, id: str) -> t.Rule:
        """Read a rule. GET /api/rules/:id; the key needs the scope read."""
        return self._transport.call("GET", f"/api/rules/{segment(id)}")

    def change_rule(self, id: str, body: t.RuleChange) -> t.Rule:
        """Change a rule. PATCH /api/rules/:id; the key needs the scope submit."""
        return self._transport.call("PATCH", f"/api/rules/{segment(id)}", body=body)

    def delete_rule(self, id: str) -> None:
        """Delete a rule. DELETE /api/rules/:id; the key needs the scope submit."""
        self._transport.call("DELETE", f"/api/rules/{segment(id)}")

    def try_rule(self, id: str, body: t.TryRuleBody) -> t.RuleTrial:
        """Try a rule. POST /api/rules/:id/try; the key needs the scope read."""
        return self._transport.call("POST", f"/api/rules/{segment(id)}/try", body=body)

    def get_usage(self, *, from_: str | None = None, to: str | None = None, include: str | None = None) -> t.Usage:
        """Count rendered seconds. GET /api/usage; the key needs the scope read."""
        return self._transport.call("GET", "/api/usage", query={"from": from_, "to": to, "include": include})

    def get_viewing(self) -> t.Viewing:
        """Read how your clips are shown. GET /api/viewing; the key needs the scope read."""
        return self._transport.call("GET", "/api/viewing")

    def change_viewing(self, body: t.ViewingChanges) -> t.Viewing:
        """Change how your clips are shown. PATCH /api/viewing; the key needs the scope manage."""
        return self._transport.call("PATCH", "/api/viewing", body=body)

    def watch_events(self, *, last_event_id: str | None = None) -> Stream[t.JobSummary]:
        """Follow all jobs. GET /api/events; the key needs the scope read."""
        return self._transport.stream("GET", "/api/events", last_event_id=last_event_id)

    def list_webhook_secrets(self) -> t.WebhookSecretList:
        """List webhook secrets. GET /api/webhook-secrets; the key needs the scope read."""
        return self._transport.call("GET", "/api/webhook-secrets")

    def create_webhook_secret(self) -> t.WebhookSecretOnce:
        """Create a webhook secret. POST /api/webhook-secrets; the key needs the scope manage."""
        return self._transport.call("POST", "/api/webhook-secrets", is_repeatable=False)

    def delete_webhook_secret(self, id: str) -> None:
        """Delete a webhook secret. DELETE /api/webhook-secrets/:id; the key needs the scope manage."""
        self._transport.call("DELETE", f"/api/webhook-secrets/{segment(id)}")

    def test_webhook(self, body: t.WebhookTest) -> t.WebhookTested:
        """Try a receiver. POST /api/webhooks/test; the key needs the scope manage."""
        return self._transport.call("POST", "/api/webhooks/test", body=body, is_repeatable=False)

    def list_own_keys(self, *, limit: int | None = None, cursor: str | None = None) -> t.OwnKeyList:
        """List your keys. GET /api/keys; the key needs the scope read."""
        return self._transport.call("GET", "/api/keys", query={"limit": limit, "cursor": cursor})

    def create_own_key(self, body: t.NewKey) -> t.KeyOnce:
        """Make a key. POST /api/keys; the key needs the scope manage."""
        return self._transport.call("POST", "/api/keys", body=body, is_repeatable=False)

    def revoke_own_key(self, id: str, *, keep_made: Literal["true", "false"] | None = None) -> None:
        """Revoke a key. DELETE /api/keys/:id; the key needs the scope manage."""
        self._transport.call("DELETE", f"/api/keys/{segment(id)}", query={"keep_made": keep_made})
