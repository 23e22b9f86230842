// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.

/** Every protocol by its id: its version, and whether an operation reads or writes. */
export const protocols = {
  "Aegis": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
      "challenge": "write",
      "delegate": "write",
      "policy": "write"
    }
  },
  "Arsenal": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
      "fetch": "read",
      "list": "read"
    }
  },
  "MACE": {
    "version": "v1.0.0",
    "category": "svc-governance",
    "operations": {
      "convene": "write",
      "deliberate": "write",
      "list": "read",
      "tally": "write"
    }
  },
  "MACS": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
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
      "withdraw_invitation": "write"
    }
  },
  "MADE": {
    "version": "v1.0.0",
    "category": "svc-commerce",
    "operations": {
      "account_history": "read",
      "asset_definition_publish": "write",
      "economic_contract_create": "write",
      "economic_contract_settle": "write",
      "list": "read"
    }
  },
  "MAESTRO": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
      "charter.declare": "write",
      "goal.refine": "write",
      "graph.replan": "write"
    }
  },
  "MAGE": {
    "version": "v1.0.0",
    "category": "svc-cognitive",
    "operations": {
      "diff": "read",
      "draft": "write",
      "fetch": "read",
      "publish": "write"
    }
  },
  "MAGI": {
    "version": "v1.0.0",
    "category": "svc-cognitive",
    "operations": {
      "trace": "read"
    }
  },
  "MAKER": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
      "emergency_stop": "write",
      "execute_action": "write",
      "list": "read",
      "status": "read"
    }
  },
  "MAME": {
    "version": "v1.0.0",
    "category": "svc-cognitive",
    "operations": {
      "edit": "write",
      "redact": "write"
    }
  },
  "MANA": {
    "version": "v1.0.0",
    "category": "svc-commerce",
    "operations": {
      "agent_profile": "write",
      "allocate": "write",
      "bid_submission": "write",
      "budget": "read",
      "hold": "write",
      "list": "read",
      "throttle": "write"
    }
  },
  "MANTIC": {
    "version": "v1.0.0",
    "category": "svc-cognitive",
    "operations": {
      "calibrate": "write",
      "forecast": "write",
      "list_questions": "read",
      "open_question": "write",
      "resolve": "write",
      "upload_forecasts": "write"
    }
  },
  "MANTLE": {
    "version": "v1.0.0",
    "category": "svc-cognitive",
    "operations": {
      "consolidate": "write"
    }
  },
  "MARC": {
    "version": "v1.0.0",
    "category": "svc-cognitive",
    "operations": {
      "causal_analysis": "read",
      "publish_model": "write",
      "reasoning_task": "write"
    }
  },
  "MARE": {
    "version": "v1.0.0",
    "category": "svc-cognitive",
    "operations": {
      "score": "write"
    }
  },
  "MARI": {
    "version": "v1.0.0",
    "category": "svc-cognitive",
    "operations": {
      "inquire": "write",
      "synthesize": "write"
    }
  },
  "MARKET": {
    "version": "v1.0.0",
    "category": "svc-commerce",
    "operations": {
      "cancel_orders": "write",
      "create_order": "write",
      "create_orders": "write",
      "execute_trade": "write",
      "follow_book": "read",
      "query_orderbook": "read",
      "set_rules": "write"
    }
  },
  "MARS": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
      "discovery": "read",
      "query_registry": "read",
      "register_agent": "write"
    }
  },
  "MAT": {
    "version": "v1.0.0",
    "category": "svc-commerce",
    "operations": {
      "begin_call": "write",
      "end_call": "write",
      "tool": "write",
      "tool_discovery": "read"
    }
  },
  "MATA": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
      "pool": "write",
      "weight": "write"
    }
  },
  "MAUSOLEUM": {
    "version": "v1.0.0",
    "category": "svc-governance",
    "operations": {
      "initiate": "write",
      "list": "read",
      "seal": "write"
    }
  },
  "MAVEN": {
    "version": "v1.0.0",
    "category": "svc-cognitive",
    "operations": {
      "attest": "write",
      "cite": "write",
      "contradict": "write"
    }
  },
  "MAX": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
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
      "view_file": "read"
    }
  },
  "MAXIM": {
    "version": "v1.0.0",
    "category": "svc-governance",
    "operations": {
      "approval_decide": "write",
      "approval_get": "read",
      "approvals": "read",
      "author": "write",
      "backtest": "read",
      "constitutional_interpretation": "read",
      "deliberate_dilemma": "write",
      "list": "read"
    }
  },
  "MAZE": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
      "list": "read",
      "prove": "read",
      "topology": "read"
    }
  },
  "MEAL": {
    "version": "v1.0.0",
    "category": "svc-cognitive",
    "operations": {
      "admin": "write",
      "admin_set_rate": "write",
      "meter": "write",
      "reconcile": "write",
      "statement": "read"
    }
  },
  "MERIT": {
    "version": "v1.0.0",
    "category": "svc-governance",
    "operations": {
      "evaluate_ethics": "write",
      "list": "read",
      "list_concerns": "read",
      "remove_concern": "write",
      "revoke": "write",
      "set_concern": "write"
    }
  },
  "MIM": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
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
      "topic_unsubscribe": "write"
    }
  },
  "MIMESIS": {
    "version": "v1.0.0",
    "category": "svc-governance",
    "operations": {
      "formalize": "write",
      "surface": "write"
    }
  },
  "MIND": {
    "version": "v1.0.0",
    "category": "svc-cognitive",
    "operations": {
      "associate_memories": "write",
      "fusion_request": "write",
      "query_knowledge": "read",
      "recall_memory": "read",
      "store_memory": "write"
    }
  },
  "MOAT": {
    "version": "v1.0.0",
    "category": "svc-governance",
    "operations": {
      "compliance_query": "read",
      "enforce": "write",
      "list": "read",
      "propose": "write",
      "propose_amendment": "write",
      "sign": "write",
      "sign_amendment": "write",
      "terminate": "write"
    }
  },
  "MOMENT": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
      "slo": "read",
      "snapshot": "read"
    }
  },
  "MOON": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
      "execute_workflow": "write",
      "history": "read",
      "list": "read",
      "submit_manifest": "write"
    }
  },
  "MOOT": {
    "version": "v1.0.0",
    "category": "svc-governance",
    "operations": {
      "file": "write",
      "hear": "write",
      "list": "read",
      "plead": "write",
      "rule": "write"
    }
  },
  "MOTE": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
      "actuator_set_state": "write",
      "list": "read",
      "sensor_read": "read"
    }
  },
  "MOTET": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
      "emit": "write",
      "list_logs": "read",
      "list_spans": "read"
    }
  },
  "MOTIF": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
      "acknowledge_alert": "write",
      "detect": "read",
      "history": "read",
      "list_alert_rules": "read",
      "list_alerts": "read",
      "list_metrics": "read",
      "query": "read",
      "remove_alert_rule": "write",
      "set_alert_rule": "write",
      "silence_alert_rule": "write"
    }
  },
  "OAS": {
    "version": "v1.0.0",
    "category": "svc-infrastructure",
    "operations": {
      "resolve": "read",
      "verify_lineage": "read"
    }
  }
} as const

/** Every refusal code: HTTP status, exit code of the command line, and whether a retry helps. */
export const refusals = {
  "invalid_request": {
    "status": 400,
    "exit": 1,
    "retry": "never"
  },
  "unauthenticated": {
    "status": 401,
    "exit": 2,
    "retry": "never"
  },
  "capability_denied": {
    "status": 403,
    "exit": 3,
    "retry": "never"
  },
  "missing_capability": {
    "status": 403,
    "exit": 3,
    "retry": "never"
  },
  "approval_required": {
    "status": 403,
    "exit": 9,
    "retry": "never"
  },
  "not_found": {
    "status": 404,
    "exit": 1,
    "retry": "never"
  },
  "unknown_protocol": {
    "status": 404,
    "exit": 1,
    "retry": "never"
  },
  "unknown_version": {
    "status": 404,
    "exit": 1,
    "retry": "never"
  },
  "unknown_operation": {
    "status": 404,
    "exit": 1,
    "retry": "never"
  },
  "idempotency_in_flight": {
    "status": 409,
    "exit": 4,
    "retry": "after_delay"
  },
  "payload_too_large": {
    "status": 413,
    "exit": 1,
    "retry": "never"
  },
  "invalid_payload": {
    "status": 422,
    "exit": 1,
    "retry": "never"
  },
  "policy_denied": {
    "status": 422,
    "exit": 7,
    "retry": "never"
  },
  "idempotency_key_reused": {
    "status": 422,
    "exit": 1,
    "retry": "never"
  },
  "rate_limited": {
    "status": 429,
    "exit": 4,
    "retry": "after_delay"
  },
  "protocol_error": {
    "status": 500,
    "exit": 6,
    "retry": "never"
  },
  "internal": {
    "status": 500,
    "exit": 6,
    "retry": "never"
  },
  "adapter_error": {
    "status": 502,
    "exit": 6,
    "retry": "back_off"
  },
  "circuit_open": {
    "status": 503,
    "exit": 6,
    "retry": "back_off"
  },
  "no_endpoint_available": {
    "status": 503,
    "exit": 6,
    "retry": "back_off"
  },
  "draining": {
    "status": 503,
    "exit": 6,
    "retry": "back_off"
  },
  "unavailable": {
    "status": 503,
    "exit": 6,
    "retry": "back_off"
  },
  "timeout": {
    "status": 504,
    "exit": 5,
    "retry": "back_off"
  }
} as const

/** The stages of a call by number: 0 comes before the pipeline, 1 to 8 are the pipeline. */
export const stages = [
  {
    "number": 0,
    "id": "resolve_identity",
    "title": "Identity"
  },
  {
    "number": 1,
    "id": "resolve_version",
    "title": "Version"
  },
  {
    "number": 2,
    "id": "enrich_context",
    "title": "Context"
  },
  {
    "number": 3,
    "id": "limit_rate",
    "title": "Rate limit"
  },
  {
    "number": 4,
    "id": "gate_capability",
    "title": "Capability"
  },
  {
    "number": 5,
    "id": "break_circuit",
    "title": "Circuit breaker and budget"
  },
  {
    "number": 6,
    "id": "choose_endpoint",
    "title": "Endpoint"
  },
  {
    "number": 7,
    "id": "invoke_module",
    "title": "Invocation"
  },
  {
    "number": 8,
    "id": "record_outcome",
    "title": "Audit"
  }
] as const

/** Texts of examples and scenes that stand for the caller's own, for those of others, and for times from now. */
export const stand_ins = {
  "tenant": "acme",
  "did": "did:oas:acme:agent:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
  "partner_tenant": "globex",
  "partner_did": "did:oas:globex:agent:b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2",
  "operator_tenant": "operator",
  "operator_did": "did:oas:operator:agent:c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3",
  "asset": "acme-compute-hours",
  "now": "2026-12-01T00:00:00Z",
  "a_month_ago": "2026-11-01T00:00:00Z",
  "an_hour_ago": "2026-11-30T23:00:00Z",
  "a_minute_ago": "2026-11-30T23:59:00Z",
  "in_an_hour": "2026-12-01T01:00:00Z",
  "tomorrow": "2026-12-02T00:00:00Z",
  "in_a_month": "2027-01-01T00:00:00Z",
  "in_a_year": "2027-12-01T00:00:00Z"
} as const
