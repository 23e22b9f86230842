"""The audit log as an export, page by page."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from engine import Engine, answer
from vectors import cases

from svc_sdk import ExportVerifier, SvcError, verify_export
from svc_sdk.audit_log_export import thinned

VALID = next(case for case in cases("exports.cases") if case["verdict"]["verified"])
LINES: list[str] = [cases("exports.lines")[place] for place in VALID["lines"]]
HEADER = json.loads(LINES[0])
RECORDS = [json.loads(line) for line in LINES if line.startswith('{"record"')]
NOTES = [json.loads(line)["checkpoint"] for line in LINES if line.startswith('{"checkpoint"')]


def page_of(request: Any) -> Any:
    """A small engine: two records a page."""
    wish = json.loads(request.content)["input"]
    after_seq = wish["after_seq"]
    previous = [HEADER["previous_hash"], *(one["record_hash"] for one in RECORDS)]
    records = [
        {**one["record"], "record_hash": one["record_hash"], "previous_hash": previous[seq]}
        for seq, one in enumerate(RECORDS)
    ][after_seq : after_seq + 2]
    notes = [{"size": int(note.split("\n")[1]), "note": note} for note in NOTES]
    last = records[-1]["seq"] if records else after_seq
    return answer(
        {
            "records": records,
            "keys": HEADER["keys"],
            "checkpoints": [note for note in notes if after_seq < note["size"] <= last],
            "newest_checkpoint": notes[-1],
            "next_after_seq": last,
        }
    )


def test_both_clients_export_what_verifies() -> None:
    for lines in Engine(page_of).both(lambda client: client.export_audit_log()):
        verdict = verify_export(lines, **VALID["options"])
        assert verdict.verified, verdict
        assert [line for line in lines if line.startswith('{"record"')] == [
            line for line in LINES if line.startswith('{"record"')
        ]

    async def verify() -> bool:
        verifier = ExportVerifier(**VALID["options"])
        async for line in Engine(page_of).async_client().export_audit_log():
            verifier.take(line)
        return verifier.finish().verified

    assert asyncio.run(verify())


def test_an_empty_log_and_a_foreign_page_are_said() -> None:
    for error in Engine(answer({"records": []})).both(lambda client: client.export_audit_log()):
        assert isinstance(error, SvcError) and error.reason == "nothing to export"
    pages: list[Any] = [{}, [], {"records": [{}], "newest_checkpoint": {"size": 1}}]
    for page in pages:
        for error in Engine(answer(page)).both(lambda client: client.export_audit_log()):
            assert isinstance(error, SvcError) and error.code == "bad_answer", page


def test_every_second_note_is_left_out_but_none_that_is_needed_or_the_last_of_a_witness() -> None:
    def note(size: int) -> dict[str, Any]:
        witness = "\n\u2014 witness AAAA" if size == 3 else ""
        return {"size": size, "note": f"svc/acme\n{size}\nroot\n\n\u2014 svc/acme BBBB{witness}\n"}

    remaining = thinned([note(size) for size in range(1, 10)], {5, 9})
    assert [one["size"] for one in remaining] == [2, 3, 4, 5, 6, 8, 9]


@pytest.mark.parametrize("cut", [1, -1])
def test_a_part_of_a_log_is_never_verified(cut: int) -> None:
    lines = LINES[:1] + LINES[2:] if cut > 0 else LINES[:cut]
    assert not verify_export(lines, **VALID["options"]).verified
