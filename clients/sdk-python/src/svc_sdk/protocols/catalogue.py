# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""What a client must know of a protocol while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Row:
    version: str
    operations: dict[str, Literal["read", "write"]]


PROTOCOLS: dict[str, Row] = {
    "AEGIS": Row(
        "v1.0.0",
        {
            "challenge": "write",
            "delegate": "write",
            "policy": "write",
        },
    ),
    "ARSENAL": Row(
        "v1.0.0",
        {
            "fetch": "read",
            "list": "read",
        },
    ),
    "MACE": Row(
        "v1.0.0",
        {
            "convene": "write",
            "deliberate": "write",
            "list": "read",
            "tally": "write",
        },
    ),
    "MACS": Row(
        "v1.0.0",
        {
            "access_requests": "read",
            "add_workload": "write",
            "auth_negotiation": "write",
            "authorization_request": "read",
            "create_key": "write",
            "decide_access": "write",
            "derive": "write",
            "explain_access": "read",
            "generate_challenge": "write",
            "invite": "write",
            "list": "read",
            "list_keys": "read",
            "list_workloads": "read",
            "people": "read",
            "recover_key": "write",
            "remove_workload": "write",
            "request_access": "write",
            "revoke_key": "write",
            "roles": "read",
            "rotate_key": "write",
            "set_person": "write",
            "set_role": "write",
            "set_state": "write",
            "update_identity": "write",
            "verify_response": "write",
            "withdraw_invitation": "write",
        },
    ),
    "MADE": Row(
        "v1.0.0",
        {
            "account_history": "read",
            "asset_definition_publish": "write",
            "economic_contract_create": "write",
            "economic_contract_settle": "write",
            "list": "read",
        },
    ),
    "MAESTRO": Row(
        "v1.0.0",
        {
            "charter.declare": "write",
            "goal.refine": "write",
            "graph.replan": "write",
        },
    ),
    "MAGE": Row(
        "v1.0.0",
        {
            "diff": "read",
            "draft": "write",
            "fetch": "read",
            "publish": "write",
        },
    ),
    "MAGI": Row(
        "v1.0.0",
        {
            "trace": "read",
        },
    ),
    "MAKER": Row(
        "v1.0.0",
        {
            "emergency_stop": "write",
            "execute_action": "write",
            "list": "read",
            "status": "read",
        },
    ),
    "MAME": Row(
        "v1.0.0",
        {
            "edit": "write",
            "redact": "write",
        },
    ),
    "MANA": Row(
        "v1.0.0",
        {
            "agent_profile": "write",
            "allocate": "write",
            "bid_submission": "write",
            "budget": "read",
            "hold": "write",
            "list": "read",
            "throttle": "write",
        },
    ),
    "MANTIC": Row(
        "v1.0.0",
        {
            "calibrate": "write",
            "forecast": "write",
            "list_questions": "read",
            "open_question": "write",
            "resolve": "write",
            "upload_forecasts": "write",
        },
    ),
    "MANTLE": Row(
        "v1.0.0",
        {
            "consolidate": "write",
        },
    ),
    "MARC": Row(
        "v1.0.0",
        {
            "causal_analysis": "read",
            "publish_model": "write",
            "reasoning_task": "write",
        },
    ),
    "MARE": Row(
        "v1.0.0",
        {
            "score": "write",
        },
    ),
    "MARI": Row(
        "v1.0.0",
        {
            "inquire": "write",
            "synthesize": "write",
        },
    ),
    "MARKET": Row(
        "v1.0.0",
        {
            "cancel_orders": "write",
            "create_order": "write",
            "create_orders": "write",
            "execute_trade": "write",
            "follow_book": "read",
            "query_orderbook": "read",
            "set_rules": "write",
        },
    ),
    "MARS": Row(
        "v1.0.0",
        {
            "discovery": "read",
            "query_registry": "read",
            "register_agent": "write",
        },
    ),
    "MAT": Row(
        "v1.0.0",
        {
            "begin_call": "write",
            "end_call": "write",
            "tool": "write",
            "tool_discovery": "read",
        },
    ),
    "MATA": Row(
        "v1.0.0",
        {
            "pool": "write",
            "weight": "write",
        },
    ),
    "MAUSOLEUM": Row(
        "v1.0.0",
        {
            "initiate": "write",
            "list": "read",
            "seal": "write",
        },
    ),
    "MAVEN": Row(
        "v1.0.0",
        {
            "attest": "write",
            "cite": "write",
            "contradict": "write",
        },
    ),
    "MAX": Row(
        "v1.0.0",
        {
            "audit_log_entry": "write",
            "audit_query": "read",
            "compliance_report": "write",
            "compliance_report_file": "read",
            "explainability_request": "read",
            "list_views": "read",
            "list_webhooks": "read",
            "remove_view": "write",
            "remove_webhook": "write",
            "set_view": "write",
            "set_webhook": "write",
            "traceability_graph": "read",
            "view_file": "read",
        },
    ),
    "MAXIM": Row(
        "v1.0.0",
        {
            "approval_decide": "write",
            "approval_get": "read",
            "approvals": "read",
            "author": "write",
            "backtest": "read",
            "constitutional_interpretation": "read",
            "deliberate_dilemma": "write",
            "list": "read",
        },
    ),
    "MAZE": Row(
        "v1.0.0",
        {
            "list": "read",
            "prove": "read",
            "topology": "read",
        },
    ),
    "MEAL": Row(
        "v1.0.0",
        {
            "admin": "write",
            "admin_set_rate": "write",
            "meter": "write",
            "reconcile": "write",
            "statement": "read",
        },
    ),
    "MERIT": Row(
        "v1.0.0",
        {
            "evaluate_ethics": "write",
            "list": "read",
            "list_concerns": "read",
            "remove_concern": "write",
            "revoke": "write",
            "set_concern": "write",
        },
    ),
    "MIM": Row(
        "v1.0.0",
        {
            "list": "read",
            "mailbox_declare": "write",
            "message_receive": "write",
            "message_send": "write",
            "message_send_many": "write",
            "task_cancel": "write",
            "task_get": "read",
            "task_list": "read",
            "task_send": "write",
            "topic_declare": "write",
            "topic_subscribe": "write",
            "topic_unsubscribe": "write",
        },
    ),
    "MIMESIS": Row(
        "v1.0.0",
        {
            "formalize": "write",
            "surface": "write",
        },
    ),
    "MIND": Row(
        "v1.0.0",
        {
            "associate_memories": "write",
            "fusion_request": "write",
            "query_knowledge": "read",
            "recall_memory": "read",
            "store_memory": "write",
        },
    ),
    "MOAT": Row(
        "v1.0.0",
        {
            "compliance_query": "read",
            "enforce": "write",
            "list": "read",
            "propose": "write",
            "propose_amendment": "write",
            "sign": "write",
            "sign_amendment": "write",
            "terminate": "write",
        },
    ),
    "MOMENT": Row(
        "v1.0.0",
        {
            "slo": "read",
            "snapshot": "read",
        },
    ),
    "MOON": Row(
        "v1.0.0",
        {
            "execute_workflow": "write",
            "history": "read",
            "list": "read",
            "submit_manifest": "write",
        },
    ),
    "MOOT": Row(
        "v1.0.0",
        {
            "file": "write",
            "hear": "write",
            "list": "read",
            "plead": "write",
            "rule": "write",
        },
    ),
    "MOTE": Row(
        "v1.0.0",
        {
            "actuator_set_state": "write",
            "list": "read",
            "sensor_read": "read",
        },
    ),
    "MOTET": Row(
        "v1.0.0",
        {
            "emit": "write",
            "list_logs": "read",
            "list_spans": "read",
        },
    ),
    "MOTIF": Row(
        "v1.0.0",
        {
            "acknowledge_alert": "write",
            "detect": "read",
            "history": "read",
            "list_alert_rules": "read",
            "list_alerts": "read",
            "list_metrics": "read",
            "query": "read",
            "remove_alert_rule": "write",
            "set_alert_rule": "write",
            "silence_alert_rule": "write",
        },
    ),
    "OAS": Row(
        "v1.0.0",
        {
            "resolve": "read",
            "verify_lineage": "read",
        },
    ),
}

REFUSALS = frozenset(
    [
        "invalid_request",
        "unauthenticated",
        "capability_denied",
        "missing_capability",
        "approval_required",
        "not_found",
        "unknown_protocol",
        "unknown_version",
        "unknown_operation",
        "idempotency_in_flight",
        "payload_too_large",
        "invalid_payload",
        "policy_denied",
        "idempotency_key_reused",
        "rate_limited",
        "protocol_error",
        "internal",
        "adapter_error",
        "circuit_open",
        "no_endpoint_available",
        "draining",
        "unavailable",
        "timeout",
    ]
)
