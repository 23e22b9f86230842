//! What a plugin is told about the call it works on.

use serde::Deserialize;
use serde_json::{Map, Value};

/// The call's `InvokeContext`, as the engine made it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Invocation {
    /// Threaded through the call and every record of it.
    pub correlation_id: String,
    /// Whose data this call is about.
    pub tenant_id: String,
    /// Who calls.
    pub agent_did: String,
    /// What the identity service knows of the caller; absent where it knows nothing.
    #[serde(default)]
    pub resolved_identity: Option<Identity>,
    /// W3C Trace Context, where the caller sent one.
    #[serde(default)]
    pub trace_context: Option<TraceContext>,
    /// When the call came in, RFC 3339: the only clock of a plugin that asked for none.
    pub timestamp: String,
    /// Free-form; `plugin_config` in it is the plugin's configuration.
    #[serde(default)]
    pub metadata: Map<String, Value>,
}

/// A caller as the identity service resolved it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Identity {
    /// Its decentralized identifier.
    pub did: String,
    /// `Agent`, `HumanRoot`, `Service` and so on, or `Unknown(…)`.
    pub entity_kind: String,
    /// What it calls itself.
    #[serde(default)]
    pub name: Option<String>,
    /// The human who answers for it.
    #[serde(default)]
    pub human_root_did: Option<String>,
    /// How many steps it is away from its root.
    pub lineage_depth: u64,
    /// Whether its descent was checked, signature by signature.
    pub lineage_verified: bool,
    /// Who made it.
    #[serde(default)]
    pub creator_did: Option<String>,
    /// `L0`, `L1` or `L2`.
    pub conformance_level: String,
    /// What it may do, by its own document.
    #[serde(default)]
    pub capabilities: Vec<Capability>,
    /// Where it can be reached.
    #[serde(default)]
    pub service_endpoints: Vec<ServiceEndpoint>,
    /// Whether its identity was taken back.
    pub revoked: bool,
    /// How it proved who it is.
    pub auth_method: String,
    /// What newer documents say beyond this.
    #[serde(default)]
    pub extended: Map<String, Value>,
}

/// Something a caller may do.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Capability {
    /// `svc.<protocol>.<operation>`, or with `*` for the last or both.
    pub name: String,
    /// Until when, RFC 3339.
    #[serde(default)]
    pub expires_at: Option<String>,
    /// How much of it.
    #[serde(default)]
    pub limits: Option<Map<String, Value>>,
    /// Under which conditions.
    #[serde(default)]
    pub caveats: Vec<String>,
}

/// Where a caller can be reached.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ServiceEndpoint {
    /// What kind of service it is.
    pub kind: String,
    /// Its address.
    pub url: String,
    /// The protocols it speaks.
    #[serde(default)]
    pub protocols: Vec<String>,
}

/// W3C Trace Context.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct TraceContext {
    /// The `traceparent` header.
    pub traceparent: String,
    /// The `tracestate` header.
    #[serde(default)]
    pub tracestate: Option<String>,
}

impl Invocation {
    /// What kind of entity calls, where known.
    pub fn caller_entity_kind(&self) -> Option<&str> {
        Some(&self.resolved_identity.as_ref()?.entity_kind)
    }

    /// The human who answers for the caller, where known.
    pub fn caller_human_root(&self) -> Option<&str> {
        self.resolved_identity.as_ref()?.human_root_did.as_deref()
    }

    /// Whether the caller's descent was checked; false for a caller of whom nothing is known.
    pub fn caller_lineage_verified(&self) -> bool {
        let identity = self.resolved_identity.as_ref();
        identity.is_some_and(|caller| caller.lineage_verified)
    }
}
