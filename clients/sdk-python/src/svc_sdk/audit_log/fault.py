"""A fault of an export, and the first record it concerns."""

from __future__ import annotations


class Fault(Exception):
    def __init__(self, reason: str, seq: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.seq = seq
