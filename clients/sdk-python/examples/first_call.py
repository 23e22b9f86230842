"""A first call, and most of what follows: replay, proof, export, stream, refusal, dry run, typed calls.

Set SVC_API_URL, SVC_AGENT_DID and SVC_API_KEY (or SVC_PRIVATE_KEY), or run `svc login`.
"""

from __future__ import annotations

import sys

from svc_sdk import Client, Progress, Result, SvcError, verify_export, verify_receipt
from svc_sdk.protocols.mata import PoolOpinion


def main() -> None:
    with Client() as client:
        hello = {"event_type": "custom.hello", "meta": {"from": "python"}}
        first = client.dispatch(
            "MAX", "audit_log_entry", hello, idempotency_key="hello-1", wait_for_audit=True
        )
        print(f"written: {first.metadata.correlation_id}")
        again = client.dispatch("MAX", "audit_log_entry", hello, idempotency_key="hello-1")
        print(f"replayed: {again.metadata.replayed and again.output == first.output}")

        # Store the keys where the engine cannot change them; the first time they come from the engine.
        page = client.max.audit_query(after_seq=0, limit=1, include_checkpoints=True)
        keys = [key.public_key for key in page.keys or []]
        print(f"proved: {verify_receipt(first.metadata.receipt, keys).ok}")
        print(f"audit log: {verify_export(client.export_audit_log(), trusted_keys=keys).verified}")

        for event in client.stream("MAX", "audit_query", {"outcome": "success", "verify": True}):
            if isinstance(event, Progress):
                print(event.data.get("message"), file=sys.stderr)
            elif isinstance(event, Result):
                print(f"streamed: {event.answer.output['verified']['ok']}")

        try:
            client.dispatch("MAX", "audit_query", {}, tenant_id="somebody-else")
        except SvcError as error:
            print(f"refused: {error.code} at stage {error.stage}, {error.reason}")

        checked = client.dry_run("MAX", "audit_query", {}, tenant_id="somebody-else")
        print(f"dry run: {checked.error.code if checked.error else 'allowed'}")

        capabilities = client.macs.authorization_request(agent_did=client.settings.agent_did).capabilities
        print(f"MACS: {len(capabilities)} capabilities")
        opinions = [
            PoolOpinion(source="protocol:MARC", probability=0.8, weight=1),
            PoolOpinion(source="maven://claim/planner", probability=0.6, weight=1),
        ]
        print(f"MATA: {client.mata.pool(opinions=opinions).probability:.2f}")


if __name__ == "__main__":
    try:
        main()
    except SvcError as error:
        sys.exit(str(error))
