//! What a plugin knows about the current call.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Identity;

/// The call's `InvokeContext`, as created by the engine.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Invocation {
    /// Passed through the call and into each of its records.
    pub correlation_id: String,
    /// The tenant whose data this call uses.
    pub tenant_id: String,
    /// The caller.
    pub agent_did: String,
    /// What the identity service knows about the caller; absent if nothing.
    #[serde(default)]
    pub resolved_identity: Option<Identity>,
    /// W3C Trace Context, if the caller sent one.
    #[serde(default)]
    pub trace_context: Option<TraceContext>,
    /// When the call arrived, RFC 3339: the only clock of a plugin without the clock permission.
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
    /// The caller; unresolved, with only a DID, if the engine knows no more.
    pub fn identity(&self) -> Identity {
        let resolved = self.resolved_identity.clone();
        resolved.unwrap_or_else(|| Identity::unresolved(&self.agent_did))
    }

    /// The caller's entity kind; taken from its DID if nothing more is known.
    pub fn caller_entity_kind(&self) -> String {
        self.identity().entity_kind
    }

    /// The human responsible for the caller, if known.
    pub fn caller_human_root(&self) -> Option<&str> {
        self.resolved_identity.as_ref()?.human_root_did.as_deref()
    }

    /// Whether the caller's lineage was verified; false for an unknown caller.
    pub fn caller_lineage_verified(&self) -> bool {
        let identity = self.resolved_identity.as_ref();
        identity.is_some_and(|caller| caller.lineage_verified)
    }

    /// The plugin's configuration in this call; empty if none. `Context::config` reads it as a type.
    pub fn plugin_config(&self) -> Map<String, Value> {
        let config = self.metadata.get("plugin_config").and_then(Value::as_object);
        config.cloned().unwrap_or_default()
    }
}
