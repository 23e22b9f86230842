"""Somebody with the role `finance` approves the first call that waits for them.

Set SVC_API_URL, SVC_AGENT_DID and SVC_API_KEY to theirs, or run `svc login` as them.
"""

from __future__ import annotations

import sys
import time

from svc_sdk import Client

LOOKS_MAX = 300

with Client() as finance:
    for _ in range(LOOKS_MAX):
        waiting = finance.maxim.approvals(side="to_decide", state="PENDING").items
        if waiting:
            finance.maxim.approval_decide(approval_id=waiting[0].approval_id, decision="approve")
            print(f"finance: approved {waiting[0].operation}")
            break
        time.sleep(0.2)
    else:
        sys.exit("Nothing waited for the approval of finance.")
