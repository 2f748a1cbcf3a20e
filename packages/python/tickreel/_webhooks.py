"""Receiving webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any, cast

from ._errors import WebhookInvalidError
from .types import RuleEnded, WebhookEvent

AnyHeaders = Mapping[str, Any] | Iterable[tuple[str | bytes, Any]]
"""Headers of a framework, or pairs of names and values."""

_Pairs = list[tuple[str | bytes, Any]]

TOLERANCE = 300
"""The most seconds that clocks may differ. An older webhook may be replayed by an attacker."""


def unwrap(
    raw: bytes | str, headers: AnyHeaders, secret: str | Iterable[str] | None = None, *, insecure: bool = False
) -> WebhookEvent | RuleEnded:
    """
    Checks who sent a webhook, and parses it. `raw` is the unchanged body. `secret` is one or several, and defaults to
    `TICKREEL_WEBHOOK_SECRET` of the environment. `insecure` takes webhooks of anybody, for an account without a secret.
    Raises `WebhookInvalidError`, `ValueError` if there is no secret at all, and `TypeError` for a parsed body.
    """
    if not isinstance(raw, (str, bytes, bytearray, memoryview)):
        raise TypeError("Pass the raw body as text or bytes, not the parsed body: the signature is of the raw bytes.")
    body = raw.encode() if isinstance(raw, str) else bytes(raw)
    if insecure and secret is not None:
        raise ValueError("Give a secret or insecure=True, not both.")
    if secret is None:
        secret = os.environ.get("TICKREEL_WEBHOOK_SECRET")
    if not insecure:
        if secret is None or secret == "":
            raise ValueError("Give a secret, or set TICKREEL_WEBHOOK_SECRET; insecure=True takes unsigned webhooks.")
        _check_signature(body, _pairs(headers), [secret] if isinstance(secret, str) else secret)
    try:
        event = json.loads(body)
    except ValueError as error:
        raise WebhookInvalidError("The body is no JSON.") from error
    if not isinstance(event, dict) or event.get("event") not in ("job.completed", "job.failed", "rule.ended"):
        raise WebhookInvalidError("The body is no webhook.")
    return cast(WebhookEvent | RuleEnded, event)


def delivery_id(headers: AnyHeaders) -> str | None:
    """Returns the id by which to ignore a webhook that comes again."""
    return _header(_pairs(headers), "x-service-delivery-id")


def _check_signature(body: bytes, headers: _Pairs, secrets: Iterable[str]) -> None:
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not _header(headers, name):
            raise WebhookInvalidError(f"The header {name} is missing: the webhook is unsigned, or a proxy removed it.")
    timestamp = _header(headers, "webhook-timestamp") or ""
    is_recent = re.fullmatch("[0-9]{1,12}", timestamp) and abs(time.time() - int(timestamp)) <= TOLERANCE
    signed = f"{_header(headers, 'webhook-id') or ''}.{timestamp}.".encode() + body
    # There may be several, while a secret is being replaced.
    given = (_header(headers, "webhook-signature") or "").split(" ")[:8]
    for secret in map(str.strip, secrets):
        key = _base64(secret.removeprefix("whsec_")) if secret.startswith("whsec_") else None
        if key is None or len(key) < 24:
            raise WebhookInvalidError("This is no webhook secret: one begins with whsec_.")
        expected = hmac.new(key, signed, hashlib.sha256).digest()
        signatures = (_base64(one.removeprefix("v1,")) for one in given if one.startswith("v1,"))
        if is_recent and any(one is not None and hmac.compare_digest(one, expected) for one in signatures):
            return
    raise WebhookInvalidError("The webhook is not signed under this secret, or its time is too far from now.")


def _base64(text: str) -> bytes | None:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _pairs(headers: AnyHeaders) -> _Pairs:
    """Reads an iterator once: a second look-up would find nothing in it."""
    return list(headers.items() if hasattr(headers, "items") else headers)


def _header(headers: _Pairs, name: str) -> str | None:
    """Frameworks write names in any case, and some have lists of values. ASGI has pairs of bytes."""
    for key, value in headers:
        if _text(key).lower() == name:
            first = value if isinstance(value, (str, bytes)) else next(iter(value), None)
            return None if first is None else _text(first)
    return None


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("latin-1")
