"""Checks exports, receipts and proofs of audit logs offline: `python verify_export.py [options] FILE...`

Prints one verdict per file as a line of JSON. Exit code 0: all verified by what you trust; 8: one is consistent but nothing
you trust vouches for it; 1: one is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from svc_sdk import verify_export, verify_proof, verify_receipt
from svc_sdk.json_text import NotJson, read_json


def read_value(path: str) -> Any:
    """None if the file is not JSON, so that the remaining files are still checked."""
    try:
        return read_json(Path(path).read_bytes().decode())
    except (NotJson, UnicodeDecodeError):
        return None


def verdict_on(path: str, options: argparse.Namespace) -> dict[str, Any]:
    kept = [Path(file).read_text(encoding="utf-8") for file in options.checkpoint]
    if options.receipts:
        return verify_receipt(read_value(path), options.key or []).to_json()
    if options.proofs:
        return verify_proof(read_value(path), trusted_keys=options.key or [], checkpoints=kept).to_json()
    with open(path, "rb") as lines:
        return verify_export(
            lines,
            trusted_keys=options.key,
            checkpoints=kept,
            heads=options.head,
            witness_keys=options.witness_key,
            witnesses_needed=options.witnesses,
        ).to_json()


def join_keys(words: list[str]) -> list[str]:
    """`--key -abc` as `--key=-abc`: a key may begin with a dash, which argparse takes for an option."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] in ("--key", "--witness-key"):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--key", action="append", help="a key you trust")
    parser.add_argument(
        "--checkpoint", action="append", default=[], help="the file of a signed note you kept"
    )
    parser.add_argument("--head", action="append", default=[], help="an audit_head you received")
    parser.add_argument("--witness-key", action="append", default=[], help="a witness you trust")
    parser.add_argument("--witnesses", type=int, default=0, help="how many of them must have cosigned")
    parser.add_argument("--receipts", action="store_true", help="the files are receipts")
    parser.add_argument("--proofs", action="store_true", help="the files are answers of MAZE prove")
    options = parser.parse_args(join_keys(sys.argv[1:]))
    verdicts = [verdict_on(path, options) for path in options.files]
    for verdict in verdicts:
        print(json.dumps(verdict))
    if not all(verdict["ok"] for verdict in verdicts):
        return 1
    # A receipt is never ok without a trusted key.
    is_verified = (verdict.get("verified", verdict.get("vouched", True)) for verdict in verdicts)
    return 0 if all(is_verified) else 8


if __name__ == "__main__":
    sys.exit(main())
