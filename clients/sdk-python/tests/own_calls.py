"""An engine that only knows functions of its callers: what they began with, and how they ended."""

from __future__ import annotations

import json
from typing import Any

import httpx
from engine import Engine, answer, refusal

BEGUN = {"call_id": "call-1", "tool_id": "own:refund", "args_commitment": "0" * 64, "args_salt": "s" * 22}
PENDING = {
    "reason": "approval required",
    "details": {"approval_id": "approval-1", "approval_tenant": "dev"},
}


class OwnCalls(Engine):
    """Refuses amounts over 100, until somebody approves; `cannot_end` refuses every report."""

    def __init__(self, *, cannot_end: bool = False) -> None:
        super().__init__(self._answered)
        self._cannot_end = cannot_end
        self.is_approved = False

    def _answered(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        operation, content = body["operation"], body["input"]
        if operation == "approval_get":
            self.is_approved = True
            return answer({"state": "APPROVED"})
        if operation == "end_call":
            return refusal(503, "unavailable") if self._cannot_end else answer({})
        if content["arguments"].get("amount", 0) > 100 and not self.is_approved:
            return refusal(403, "approval_required", **PENDING)
        return answer(BEGUN)

    def log(self) -> list[Any]:
        """Arguments of what was begun, outcomes of what ended."""
        inputs = [(body["operation"], body["input"]) for body in self.bodies()]
        return [content.get("outcome", content.get("arguments")) for _, content in inputs]
