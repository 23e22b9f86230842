//! What a plugin is told about the call it works on.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Identity;

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
    /// The caller; unresolved, a bare DID, where the engine knows nothing more.
    pub fn identity(&self) -> Identity {
        let resolved = self.resolved_identity.clone();
        resolved.unwrap_or_else(|| Identity::unresolved(&self.agent_did))
    }

    /// What kind of entity calls; by its DID where nothing more is known.
    pub fn caller_entity_kind(&self) -> String {
        self.identity().entity_kind
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

    /// The plugin's configuration as it travels with the call; empty where there is none. `Context::config` reads it as a type.
    pub fn plugin_config(&self) -> Map<String, Value> {
        let config = self.metadata.get("plugin_config").and_then(Value::as_object);
        config.cloned().unwrap_or_default()
    }
}
