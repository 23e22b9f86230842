"""The tenant's audit log as the lines of an export, page by page through MAX audit_query; without input and output."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Union

from .canonical import NoCanonicalForm, canonical_json
from .errors import SvcError, bad_answer

_PAGE_RECORDS = 500
# About 12 MB of notes; beyond that every second one is dropped, which loses no proof: the last covers all.
_NOTES_KEPT_MAX = 50_000
_SIGNER = re.compile(r"^\u2014 (\S+) ", re.MULTILINE)


@dataclass(frozen=True)
class Ask:
    """The input of an audit_query, whose output is to be sent back."""

    content: dict[str, Any]


ExportStep = Union[Ask, str]


def export_steps(from_seq: int = 1, to_seq: int | None = None) -> Generator[ExportStep, Any, None]:
    """Yields questions and lines. Only a whole log, from record 1, can be proved."""
    covering: int | None = None
    if to_seq is not None:
        # Past the end of the chain there is no proof; then the newest checkpoint is used.
        wish = {"after_seq": to_seq - 1, "limit": 1, "include_proofs": True}
        proofs = _list_of((yield Ask(wish)), "proofs")
        covering = proofs[0]["tree_size"] if proofs else None
    page = yield _page_after(from_seq - 1)
    # The end is fixed here, because each query is recorded and would extend the log.
    newest = page.get("newest_checkpoint") or {}
    last_seq: int = covering if covering is not None else newest.get("size", 0)
    if not page["records"] or last_seq < from_seq:
        raise _nothing_to_export(from_seq, last_seq)
    keys = _list_of(page, "keys")
    yield _header(page["records"][0], keys, from_seq, last_seq)
    needed = {last_seq, *(key["until_seq"] for key in keys)}
    notes: list[dict[str, Any]] = []
    reached = from_seq - 1
    while True:
        yield from (_line_of(record) for record in page["records"] if record["seq"] <= last_seq)
        notes += [note for note in _list_of(page, "checkpoints") if note["size"] <= last_seq]
        if len(notes) > _NOTES_KEPT_MAX:
            notes = thinned(notes, needed)
        after_seq = page["records"][-1]["seq"] if page["records"] else last_seq
        # A page without progress ends the export; verification then reports what is missing.
        if after_seq >= last_seq or after_seq <= reached or page.get("next_after_seq") is None:
            break
        reached = after_seq
        page = yield _page_after(after_seq)
    yield from (_json({"checkpoint": note["note"]}) for note in notes)


def advance(steps: Generator[ExportStep, Any, None], outcome: Any = None) -> ExportStep | None:
    """The next step; None after the last."""
    try:
        return steps.send(outcome)
    except StopIteration:
        return None
    except (AttributeError, IndexError, KeyError, TypeError):
        raise bad_answer("A page of the audit log is not one of MAX audit_query; check api_url.") from None


def thinned(notes: list[dict[str, Any]], needed: set[int]) -> list[dict[str, Any]]:
    """Keeps the newest note of each witness, which shows how far the audit log is witnessed."""
    signers: set[str] = set()
    remaining: list[dict[str, Any]] = []
    for place in range(len(notes) - 1, -1, -1):
        note = notes[place]
        names = set(_SIGNER.findall(note["note"]))
        if names - signers or place % 2 == 1 or note["size"] in needed:
            remaining.append(note)
        signers |= names
    return remaining[::-1]


def _page_after(after_seq: int) -> Ask:
    return Ask({"limit": _PAGE_RECORDS, "include_checkpoints": True, "after_seq": after_seq})


def _header(first: dict[str, Any], keys: list[Any], from_seq: int, to_seq: int) -> str:
    tenant_id = first["tenant_id"]
    return _json(
        {
            "format": "svc-audit-export/1",
            "tenant_id": tenant_id,
            "origin": f"svc/{tenant_id}",
            "keys": keys,
            "from_seq": from_seq,
            "to_seq": to_seq,
            "previous_hash": first["previous_hash"],
        }
    )


def _line_of(record: dict[str, Any]) -> str:
    body = {name: value for name, value in record.items() if name not in ("previous_hash", "record_hash")}
    line = {"record": body, "record_hash": record["record_hash"]}
    try:
        return canonical_json(line)
    except NoCanonicalForm:
        # A tampered record is exported unchanged, so that verification fails.
        return _json(line)


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _list_of(page: dict[str, Any], name: str) -> list[Any]:
    return page.get(name) or []


def _nothing_to_export(from_seq: int, to_seq: int) -> SvcError:
    extent = "holds no signed record yet" if to_seq == 0 else f"is signed up to record {to_seq}"
    message = f"The audit log {extent}, so there is nothing to export from record {from_seq} on."
    return SvcError("invalid_request", message, reason="nothing to export")
