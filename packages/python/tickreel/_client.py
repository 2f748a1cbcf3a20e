"""The client of an account."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Unpack
from urllib.parse import urlsplit

from . import _webhooks
from . import types as t
from ._calls import Calls
from ._clips import Clips
from ._demos import Demos
from ._files import Assets, Uploads
from ._follow import JobChange, follow_account
from ._jobs import Jobs
from ._listing import joined
from ._transport import Transport


class Tickreel:
    """
    A client of one account. Threads can share it. Raises `ValueError` if the address or the key is missing.

    `base_url` and `api_key` default to TICKREEL_URL and TICKREEL_API_KEY of the environment, `webhook_secret` to
    TICKREEL_WEBHOOK_SECRET. `timeout` has the seconds of one attempt, of which connecting may take `connect_timeout`.
    A call is repeated after a transient error up to `max_retries` times.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = 60,
        connect_timeout: float = 10,
        max_retries: float = 4,
        webhook_secret: str | None = None,
    ) -> None:
        address = _required("base_url", base_url, "TICKREEL_URL").rstrip("/")
        url = urlsplit(address)
        # A port that is no number raises.
        if url.scheme not in ("http", "https") or not url.hostname or (url.port or 1) < 1 or "@" in url.netloc:
            raise ValueError("base_url has to be http:// or https://, a host and maybe a port and a path.")
        token = _required("api_key", api_key, "TICKREEL_API_KEY").strip()
        if not re.fullmatch("[ -~]+", token):
            raise ValueError("api_key has characters that no key has.")
        self._use(Transport(address, token, timeout, connect_timeout, max_retries), webhook_secret)

    def _use(self, transport: Transport, webhook_secret: str | None) -> None:
        self._transport = transport
        self._webhook_secret = webhook_secret
        self.api = Calls(transport)
        """Every call of the API by its name in the service's reference."""
        self.jobs = Jobs(transport)
        self.clips = Clips(transport, self.jobs)
        self.demos = Demos(transport)
        self.uploads = Uploads(transport)
        self.assets = Assets(transport)
        self.rules = Rules(transport)
        self.viewing = Viewing(transport)
        self.webhooks = Webhooks(transport, webhook_secret)

    def with_options(self, *, timeout: float | None = None, max_retries: float | None = None) -> Tickreel:
        """Returns the same client with other limits: `tickreel.with_options(timeout=5).jobs.get(job_id)`."""
        changes = {"timeout": timeout, "max_retries": max_retries}
        other = object.__new__(Tickreel)
        given = {name: value for name, value in changes.items() if value is not None}
        other._use(self._transport.replace(**given), self._webhook_secret)
        return other

    def events(self, after: str | None = None) -> Iterator[JobChange]:
        """
        Yields each change of each job of the account, for as long as you read. Reconnects after an outage, and
        continues after the last change. `after` is the `id` of the last change that you know.
        """
        return follow_account(self._transport, after)

    def usage(self, *, from_: str | None = None, to: str | None = None, include: Iterable[str] = ()) -> t.Usage:
        """Returns what was rendered in a span of time."""
        return self.api.get_usage(from_=from_, to=to, include=joined(include))


class Rules:
    """What is rendered and sent by itself when a demo arrives."""

    def __init__(self, transport: Transport) -> None:
        self._calls = Calls(transport)

    def create(self, **rule: Unpack[t.RuleRequest]) -> t.Rule:
        """The new rule acts with the scope of the client's key."""
        return self._calls.create_rule(rule)

    def list(self) -> Sequence[t.Rule]:
        """Returns all rules, oldest first."""
        return self._calls.list_rules()["rules"]

    def get(self, rule_id: str) -> t.Rule:
        """Returns a rule with its latest runs."""
        return self._calls.get_rule(rule_id)

    def change(self, rule_id: str, **changes: Unpack[t.RuleChange]) -> t.Rule:
        """A given field replaces all of that field. `enabled=True` also resumes a paused rule."""
        return self._calls.change_rule(rule_id, changes)

    def delete(self, rule_id: str) -> None:
        self._calls.delete_rule(rule_id)

    def try_on(self, rule_id: str, demo_url: str) -> t.RuleTrial:
        """Returns the clips that the rule would make of an inspected demo. Makes none."""
        return self._calls.try_rule(rule_id, {"demo_url": demo_url})


class Viewing:
    """How the account's clips are shown: who may embed them, and what their pages show."""

    def __init__(self, transport: Transport) -> None:
        self._calls = Calls(transport)

    def get(self) -> t.Viewing:
        return self._calls.get_viewing()

    def change(self, **changes: Unpack[t.ViewingChanges]) -> t.Viewing:
        """Changes the given fields only."""
        return self._calls.change_viewing(changes)


class Webhooks:
    def __init__(self, transport: Transport, secret: str | None) -> None:
        self._calls = Calls(transport)
        self._secret = secret

    def unwrap(
        self,
        raw: bytes | str,
        headers: _webhooks.AnyHeaders,
        secret: str | Iterable[str] | None = None,
        *,
        insecure: bool = False,
    ) -> t.WebhookEvent | t.RuleEnded:
        """The function `unwrap` of this package, with the secret of the client."""
        own = secret if secret is not None or insecure else self._secret
        return _webhooks.unwrap(raw, headers, own, insecure=insecure)

    def test(self, **request: Unpack[t.WebhookTest]) -> t.WebhookTested:
        """Posts an example of an outcome to a receiver, and returns its answer."""
        return self._calls.test_webhook(request)

    def secrets(self) -> Sequence[t.WebhookSecret]:
        return self._calls.list_webhook_secrets()["secrets"]

    def create_secret(self) -> t.WebhookSecretOnce:
        """Creates a secret, which is returned only once. Webhooks of the account are then signed with it."""
        return self._calls.create_webhook_secret()

    def delete_secret(self, secret_id: str) -> None:
        self._calls.delete_webhook_secret(secret_id)


def _required(option: str, given: str | None, variable: str) -> str:
    value = given or os.environ.get(variable)
    if not value:
        raise ValueError(f"Give {option}, or set {variable} in the environment.")
    return value
