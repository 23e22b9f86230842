// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.

/// What a client must know of a protocol while it runs.
pub(crate) struct Row {
    pub id: &'static str,
    pub version: &'static str,
    /// Each with whether it only reads.
    pub operations: &'static [(&'static str, bool)],
}

pub(crate) static ROWS: &[Row] = &[
    Row {
        id: "Aegis",
        version: "v1.0.0",
        operations: &[("challenge", false), ("delegate", false), ("policy", false)],
    },
    Row { id: "Arsenal", version: "v1.0.0", operations: &[("fetch", true), ("list", true)] },
    Row {
        id: "MACE",
        version: "v1.0.0",
        operations: &[("convene", false), ("deliberate", false), ("list", true), ("tally", false)],
    },
    Row {
        id: "MACS",
        version: "v1.0.0",
        operations: &[
            ("auth_negotiation", false),
            ("authorization_request", true),
            ("create_key", false),
            ("derive", false),
            ("explain_access", true),
            ("generate_challenge", false),
            ("list", true),
            ("list_keys", true),
            ("revoke_key", false),
            ("verify_response", false),
        ],
    },
    Row {
        id: "MADE",
        version: "v1.0.0",
        operations: &[
            ("asset_definition_publish", false),
            ("economic_contract_create", false),
            ("economic_contract_settle", false),
            ("list", true),
        ],
    },
    Row {
        id: "MAESTRO",
        version: "v1.0.0",
        operations: &[("charter.declare", false), ("goal.refine", false), ("graph.replan", false)],
    },
    Row {
        id: "MAGE",
        version: "v1.0.0",
        operations: &[("draft", false), ("fetch", true), ("publish", false)],
    },
    Row { id: "MAGI", version: "v1.0.0", operations: &[("trace", true)] },
    Row {
        id: "MAKER",
        version: "v1.0.0",
        operations: &[("emergency_stop", false), ("execute_action", false)],
    },
    Row { id: "MAME", version: "v1.0.0", operations: &[("edit", false), ("redact", false)] },
    Row {
        id: "MANA",
        version: "v1.0.0",
        operations: &[
            ("agent_profile", false),
            ("allocate", false),
            ("bid_submission", false),
            ("budget", true),
            ("hold", false),
            ("list", true),
            ("throttle", false),
        ],
    },
    Row { id: "MANTIC", version: "v1.0.0", operations: &[("calibrate", false)] },
    Row { id: "MANTLE", version: "v1.0.0", operations: &[("consolidate", false)] },
    Row {
        id: "MARC",
        version: "v1.0.0",
        operations: &[("causal_analysis", true), ("publish_model", false), ("reasoning_task", false)],
    },
    Row { id: "MARE", version: "v1.0.0", operations: &[("score", false)] },
    Row { id: "MARI", version: "v1.0.0", operations: &[("inquire", false), ("synthesize", false)] },
    Row {
        id: "MARKET",
        version: "v1.0.0",
        operations: &[("create_order", false), ("execute_trade", false), ("query_orderbook", true)],
    },
    Row {
        id: "MARS",
        version: "v1.0.0",
        operations: &[("discovery", true), ("query_registry", true), ("register_agent", false)],
    },
    Row { id: "MAT", version: "v1.0.0", operations: &[("tool", false), ("tool_discovery", true)] },
    Row { id: "MATA", version: "v1.0.0", operations: &[("pool", false), ("weight", false)] },
    Row {
        id: "MAUSOLEUM",
        version: "v1.0.0",
        operations: &[("initiate", false), ("list", true), ("seal", false)],
    },
    Row {
        id: "MAVEN",
        version: "v1.0.0",
        operations: &[("attest", false), ("cite", false), ("contradict", false)],
    },
    Row {
        id: "MAX",
        version: "v1.0.0",
        operations: &[
            ("audit_log_entry", false),
            ("audit_query", true),
            ("compliance_report", false),
            ("explainability_request", true),
            ("traceability_graph", true),
        ],
    },
    Row {
        id: "MAXIM",
        version: "v1.0.0",
        operations: &[
            ("approval_decide", false),
            ("approval_get", true),
            ("approvals", true),
            ("author", false),
            ("backtest", true),
            ("constitutional_interpretation", true),
            ("deliberate_dilemma", false),
            ("list", true),
        ],
    },
    Row {
        id: "MAZE",
        version: "v1.0.0",
        operations: &[("list", true), ("prove", true), ("topology", true)],
    },
    Row {
        id: "MEAL",
        version: "v1.0.0",
        operations: &[
            ("admin", false),
            ("admin_set_rate", false),
            ("meter", false),
            ("reconcile", false),
            ("statement", true),
        ],
    },
    Row {
        id: "MERIT",
        version: "v1.0.0",
        operations: &[("evaluate_ethics", false), ("list", true), ("revoke", false)],
    },
    Row {
        id: "MIM",
        version: "v1.0.0",
        operations: &[("list", true), ("message_receive", false), ("message_send", false)],
    },
    Row { id: "MIMESIS", version: "v1.0.0", operations: &[("formalize", false), ("surface", false)] },
    Row {
        id: "MIND",
        version: "v1.0.0",
        operations: &[
            ("associate_memories", false),
            ("fusion_request", false),
            ("query_knowledge", true),
            ("recall_memory", true),
            ("store_memory", false),
        ],
    },
    Row {
        id: "MOAT",
        version: "v1.0.0",
        operations: &[
            ("compliance_query", true),
            ("enforce", false),
            ("list", true),
            ("propose", false),
            ("propose_amendment", false),
            ("sign", false),
            ("sign_amendment", false),
            ("terminate", false),
        ],
    },
    Row { id: "MOMENT", version: "v1.0.0", operations: &[("slo", true), ("snapshot", true)] },
    Row {
        id: "MOON",
        version: "v1.0.0",
        operations: &[("execute_workflow", false), ("list", true), ("submit_manifest", false)],
    },
    Row {
        id: "MOOT",
        version: "v1.0.0",
        operations: &[("file", false), ("hear", false), ("list", true), ("plead", false), ("rule", false)],
    },
    Row {
        id: "MOTE",
        version: "v1.0.0",
        operations: &[("actuator_set_state", false), ("list", true), ("sensor_read", true)],
    },
    Row { id: "MOTET", version: "v1.0.0", operations: &[("emit", false)] },
    Row { id: "MOTIF", version: "v1.0.0", operations: &[("detect", true), ("query", true)] },
    Row { id: "OAS", version: "v1.0.0", operations: &[("resolve", true), ("verify_lineage", true)] },
];

/// Every way the service says no.
#[cfg(test)]
pub(crate) static REFUSALS: &[&str] = &[
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
];
