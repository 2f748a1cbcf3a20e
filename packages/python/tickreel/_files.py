"""What is uploaded: demos, images and music."""

from __future__ import annotations

import hashlib
import mimetypes
import os
from collections.abc import Callable
from typing import Any, BinaryIO, Literal, cast

from . import types as t
from ._calls import Calls
from ._listing import Listing
from ._transport import Transport

LONG_TIMEOUT = 600.0
"""Seconds of an attempt that sends a file, or has the service read one."""


class Uploads:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._calls = Calls(transport)

    def send(
        self,
        file: str | os.PathLike[str] | BinaryIO,
        *,
        name: str | None = None,
        sha256: str | None = None,
        tag: str | None = None,
        facts: t.UploadFacts | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Upload:
        """
        Uploads a demo: a path, or a file that can seek. Jobs of the account name the `demo_url` of the answer. Parts
        that the service already has are not sent again, so a call after an interrupted one continues it. `on_progress`
        gets the bytes that have arrived, and all bytes.
        """
        if isinstance(file, (str, os.PathLike)):
            with open(file, "rb") as opened:
                name = name or os.path.basename(file)
                return self.send(opened, name=name, sha256=sha256, tag=tag, facts=facts, on_progress=on_progress)
        size = file.seek(0, os.SEEK_END)
        if sha256 is None:
            file.seek(0)
            sha256 = hashlib.file_digest(cast(Any, file), "sha256").hexdigest()
        body: t.UploadRequest = {"name": name or os.path.basename(file.name), "bytes": size, "sha256": sha256}
        if tag is not None:
            body["tag"] = tag
        if facts is not None:
            body["facts"] = facts
        upload = self._calls.create_upload(body)
        patient = self._transport.replace(timeout=max(LONG_TIMEOUT, self._transport.timeout))
        arrived = size - sum(part["bytes"] for part in upload["parts"])
        for part in upload["parts"]:
            if on_progress is not None:
                on_progress(arrived, size)
            file.seek(part["offset"])
            piece = file.read(part["bytes"])
            Calls(patient).send_upload_part(upload["id"], piece, part=part["part"])
            arrived += part["bytes"]
        if on_progress is not None:
            on_progress(arrived, size)
        return upload if upload["state"] == "complete" else Calls(patient).complete_upload(upload["id"])

    def get(self, upload_id: str) -> t.Upload:
        return self._calls.get_upload(upload_id)

    def list(
        self, *, created_from: str | None = None, created_to: str | None = None, limit: int | None = None
    ) -> Listing[t.UploadSummary]:
        query = {"created_from": created_from, "created_to": created_to, "limit": limit}
        return Listing("uploads", self._calls.list_uploads, query)

    def delete(self, upload_id: str) -> None:
        self._calls.delete_upload(upload_id)


class Assets:
    """Watermarks, intros, outros and music."""

    def __init__(self, transport: Transport) -> None:
        self._calls = Calls(transport)
        self._patient = Calls(transport.replace(timeout=max(LONG_TIMEOUT, transport.timeout)))

    def upload(
        self,
        path: str | os.PathLike[str],
        *,
        kind: Literal["watermark", "intro", "outro", "music"],
        name: str | None = None,
        content_type: str | None = None,
    ) -> t.Asset:
        """Uploads an image or music. The `content_type` follows from the name of the file if you give none."""
        with open(path, "rb") as file:
            data = file.read()
        guessed = content_type or mimetypes.guess_type(path)[0] or "application/octet-stream"
        return self._patient.upload_asset(data, guessed, kind=kind, name=name or os.path.basename(path))

    def get(self, asset_id: str) -> t.Asset:
        return self._calls.get_asset(asset_id)

    def list(
        self,
        *,
        kind: Literal["watermark", "intro", "outro", "music"] | None = None,
        created_from: str | None = None,
        created_to: str | None = None,
        limit: int | None = None,
    ) -> Listing[t.Asset]:
        query = {"kind": kind, "created_from": created_from, "created_to": created_to, "limit": limit}
        return Listing("assets", self._calls.list_assets, query)

    def delete(self, asset_id: str) -> None:
        self._calls.delete_asset(asset_id)
