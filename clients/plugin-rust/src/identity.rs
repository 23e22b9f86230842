//! The caller, and questions about it, answered as for the engine's own protocols.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A caller as the identity service resolved it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Identity {
    /// Its DID.
    pub did: String,
    /// `Agent`, `HumanRoot`, `Service` and so on, or `Unknown(…)`.
    pub entity_kind: String,
    /// The name it declares.
    #[serde(default)]
    pub name: Option<String>,
    /// The responsible human.
    #[serde(default)]
    pub human_root_did: Option<String>,
    /// The number of links to its root.
    pub lineage_depth: u64,
    /// Whether its lineage was verified, signature by signature.
    pub lineage_verified: bool,
    /// The parent.
    #[serde(default)]
    pub creator_did: Option<String>,
    /// `L0`, `L1` or `L2`.
    pub conformance_level: String,
    /// The capabilities its own document declares.
    #[serde(default)]
    pub capabilities: Vec<Capability>,
    /// Where it can be reached.
    #[serde(default)]
    pub service_endpoints: Vec<ServiceEndpoint>,
    /// Whether it was revoked.
    pub revoked: bool,
    /// How it authenticated.
    pub auth_method: String,
    /// Further fields of newer documents.
    #[serde(default)]
    pub extended: Map<String, Value>,
}

/// A capability of a caller.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Capability {
    /// `svc.<protocol>.<operation>`, with `*` for the last part or for both.
    pub name: String,
    /// The expiry, RFC 3339.
    #[serde(default)]
    pub expires_at: Option<String>,
    /// The limits on its use.
    #[serde(default)]
    pub limits: Option<Map<String, Value>>,
    /// The conditions on its use.
    #[serde(default)]
    pub caveats: Vec<String>,
}

/// Where a caller can be reached.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ServiceEndpoint {
    /// The kind of service.
    pub kind: String,
    /// Its address.
    pub url: String,
    /// The protocols it speaks.
    #[serde(default)]
    pub protocols: Vec<String>,
}

const ROOT_KINDS: [&str; 3] = ["HumanRoot", "MultiHumanRoot", "EntityNameRecord"];
const DERIVED_KINDS: [&str; 8] =
    ["Agent", "AgentInstance", "Tool", "Skill", "Workflow", "Model", "Dataset", "Service"];

impl Identity {
    /// Whether it is one human.
    pub fn is_human_root(&self) -> bool {
        self.entity_kind == "HumanRoot"
    }

    /// Whether it is an autonomous organization.
    pub fn is_autonomous_org(&self) -> bool {
        matches!(self.entity_kind.as_str(), "EntityNameRecord" | "MultiHumanRoot")
    }

    /// Whether its lineage was verified and it was not revoked since.
    pub fn has_verified_lineage(&self) -> bool {
        self.lineage_verified && !self.revoked
    }

    /// The root responsible for it: its human root if known, or itself if it is a root.
    pub fn effective_root_did(&self) -> Option<&str> {
        let own = ROOT_KINDS.contains(&self.entity_kind.as_str()).then_some(self.did.as_str());
        self.human_root_did.as_deref().or(own)
    }

    /// Whether the declared capabilities cover a name. The engine checks expiry and caveats beforehand.
    pub fn has_capability(&self, name: &str) -> bool {
        self.capabilities.iter().any(|held| covers(&held.name, name))
    }

    /// The fallback when resolution fails: a DID and nothing else.
    pub fn unresolved(did: &str) -> Self {
        Self {
            did: did.into(),
            entity_kind: kind_of_did(did),
            name: None,
            human_root_did: None,
            lineage_depth: 0,
            lineage_verified: false,
            creator_did: None,
            conformance_level: "L0".into(),
            capabilities: Vec::new(),
            service_endpoints: Vec::new(),
            revoked: false,
            auth_method: "unresolved".into(),
            extended: Map::new(),
        }
    }

    /// Development only: allows everything. Not in components: no production gateway issues it.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn local_admin(did: &str) -> Self {
        let everything =
            Capability { name: GLOBAL_WILDCARD.into(), expires_at: None, limits: None, caveats: Vec::new() };
        Self {
            name: Some("local admin".into()),
            lineage_verified: true,
            conformance_level: "L2".into(),
            capabilities: vec![everything],
            auth_method: "local-admin".into(),
            ..Self::unresolved(did)
        }
    }
}

const GLOBAL_WILDCARD: &str = "svc.*.*";
/// The one name outside the scheme; no wildcard covers it.
const RECIPE_LLM_COMPILE: &str = "recipe-llm-compile";

/// Exact name, the protocol's wildcard, the global wildcard; nothing in between.
fn covers(held: &str, wanted: &str) -> bool {
    if matches!(wanted, GLOBAL_WILDCARD | RECIPE_LLM_COMPILE) {
        return held == wanted;
    }
    let Some(protocol) = protocol_of(wanted) else {
        return false;
    };
    let is_protocol_wildcard =
        held.strip_prefix("svc.").and_then(|rest| rest.strip_suffix(".*")) == Some(protocol);
    held == wanted || is_protocol_wildcard || held == GLOBAL_WILDCARD
}

/// The protocol of a well-formed name other than the global wildcard.
fn protocol_of(name: &str) -> Option<&str> {
    let (protocol, operation) = name.strip_prefix("svc.")?.split_once('.')?;
    let is_protocol = !protocol.is_empty() && protocol.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_operation = matches!(operation, "*" | "pre-release") || operation.split('.').all(is_word);
    (is_protocol && is_operation).then_some(protocol)
}

fn is_word(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}

fn kind_of_did(did: &str) -> String {
    let segment = segment_of(did).unwrap_or("none");
    let kind: String = segment.split('-').map(capitalised).collect();
    let known = ROOT_KINDS.iter().chain(&DERIVED_KINDS).any(|each| *each == kind);
    if known { kind } else { format!("Unknown({segment})") }
}

/// The entity kind in `did:oas:<namespace>:<entity_kind>:<64 hex>`; none for any other text.
fn segment_of(did: &str) -> Option<&str> {
    let mut parts = did.strip_prefix("did:oas:")?.split(':');
    let (namespace, kind, identifier) = (parts.next()?, parts.next()?, parts.next()?);
    let is_namespace = (1..=63).contains(&namespace.len())
        && namespace.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    let is_kind = (1..=63).contains(&kind.len())
        && kind.starts_with(|first: char| first.is_ascii_lowercase())
        && kind.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'-'));
    let is_identifier =
        identifier.len() == 64 && identifier.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (parts.next().is_none() && is_namespace && is_kind && is_identifier).then_some(kind)
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    first.to_uppercase() + rest
}
