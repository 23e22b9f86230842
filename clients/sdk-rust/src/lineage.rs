//! Lineage, checked offline: each link is signed by a key of the parent, each DID certifies its key, and the
//! last parent is a root.
//!
//! ```
//! use svc_sdk::lineage::{Descent, LineageFacts, derive_child, verify_lineage};
//! use svc_sdk::signature::SigningKey;
//!
//! let seed = [1; 32];
//! let root = SigningKey::from_seed(&seed).did("acme", "human-root")?;
//! let descent = Descent { entity_kind: "Agent", label: "clerk", index: 0 };
//! let child = derive_child(&seed, &root, &descent, "2026-11-15T10:00:00Z", None)?;
//! let facts = LineageFacts::at("2026-11-15T12:00:00Z");
//! let verdict = verify_lineage(&child.did.to_string(), &[child.statement], &facts);
//! assert!(verdict.verified, "{:?}", verdict.reason);
//! # Ok::<(), svc_sdk::did::NotADid>(())
//! ```

use crate::attenuation::stated;
use crate::bytes::sha256;
use crate::did::{Did, NotADid};
use crate::key_events::{EVENTS_CHECKED_MAX, KeyEvent, count_events, is_ever_key_of};
use crate::moment::moment_ms;
use crate::signature::{SigningDomain, SigningKey, is_key_of, is_object_signed_by};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cmp::Ordering;

/// The maximum number of links between an identity and its root.
pub const LINEAGE_DEPTH_MAX: usize = 16;

const ROOT_KINDS: [&str; 3] = ["HumanRoot", "MultiHumanRoot", "EntityNameRecord"];
const DERIVED_KINDS: [&str; 8] =
    ["Agent", "AgentInstance", "Tool", "Skill", "Workflow", "Model", "Dataset", "Service"];

/// One lineage link, signed by the parent. Timestamps are RFC 3339 in UTC, keys and signature base64url.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineageStatement {
    /// The child.
    pub child_did: String,
    /// The key of the child's DID.
    pub child_public_key: String,
    /// The parent.
    pub parent_did: String,
    /// A key of the parent's DID, the signing key.
    pub parent_public_key: String,
    /// What the child is, such as `AgentInstance`.
    pub entity_kind: String,
    /// Its name among its siblings.
    pub label: String,
    /// Its index among siblings with the same label.
    pub index: u32,
    /// Valid from this moment.
    pub created_at: String,
    /// Invalid from this moment.
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// How the parent came to its key, unless it is its first.
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub parent_key_events: Option<Vec<KeyEvent>>,
    /// The parent's signature over all of the above.
    pub signature: String,
}

impl LineageStatement {
    /// The signed content: everything but the signature.
    fn unsigned(&self) -> Value {
        let mut value = serde_json::to_value(self).expect("a struct of texts and numbers is JSON");
        value.as_object_mut().map(|fields| fields.remove("signature"));
        value
    }

    /// The same statement with the parent's signature, replacing any earlier one.
    #[must_use]
    pub fn signed(mut self, parent: &SigningKey) -> Self {
        let signature = parent.sign_object(SigningDomain::Lineage, &self.unsigned());
        self.signature = signature.expect("a few levels of texts and numbers have a canonical form");
        self
    }
}

/// Identifies a child among its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descent<'a> {
    /// Such as `AgentInstance`.
    pub entity_kind: &'a str,
    /// Up to 64 lowercase letters, digits, dots, dashes and underscores.
    pub label: &'a str,
    /// Up to 2^31 - 1.
    pub index: u32,
}

/// Derived from the parent's seed, so the parent can always recreate it.
pub fn child_seed(parent_seed: &[u8; 32], parent_did: &Did, descent: &Descent<'_>) -> [u8; 32] {
    let Descent { entity_kind, label, index } = descent;
    let info = format!("svc-lineage-v1|{entity_kind}|{label}|{index}");
    let salt = Salt::new(HKDF_SHA256, &sha256(parent_did.to_string().as_bytes()));
    let mut seed = [0; 32];
    let expanded = salt.extract(parent_seed);
    let filled = expanded.expand(&[info.as_bytes()], SeedLength).and_then(|okm| okm.fill(&mut seed));
    filled.expect("HKDF gives up to 255 times as much");
    seed
}

struct SeedLength;

impl KeyType for SeedLength {
    fn len(&self) -> usize {
        32
    }
}

/// A derived identity with its parent's statement.
#[derive(Debug)]
pub struct Child {
    /// Its DID.
    pub did: Did,
    /// Its signing key.
    pub key: SigningKey,
    /// The link to its parent.
    pub statement: LineageStatement,
}

/// Creates and signs a child. The same descent always gives the same child.
///
/// # Errors
/// If the kind is not allowed in a DID.
pub fn derive_child(
    parent_seed: &[u8; 32],
    parent_did: &Did,
    descent: &Descent<'_>,
    created_at: &str,
    expires_at: Option<&str>,
) -> Result<Child, NotADid> {
    let parent = SigningKey::from_seed(parent_seed);
    let key = SigningKey::from_seed(&child_seed(parent_seed, parent_did, descent));
    let did = key.did(parent_did.namespace(), &kind_segment(descent.entity_kind))?;
    let statement = LineageStatement {
        child_did: did.to_string(),
        child_public_key: key.public_key(),
        parent_did: parent_did.to_string(),
        parent_public_key: parent.public_key(),
        entity_kind: descent.entity_kind.to_owned(),
        label: descent.label.to_owned(),
        index: descent.index,
        created_at: created_at.to_owned(),
        expires_at: expires_at.map(str::to_owned),
        parent_key_events: None,
        signature: String::new(),
    };
    Ok(Child { did, key, statement: statement.signed(&parent) })
}

/// `AgentInstance` becomes `agent-instance` in a DID.
pub fn kind_segment(entity_kind: &str) -> String {
    let mut segment = String::new();
    for (place, letter) in entity_kind.char_indices() {
        if place > 0 && letter.is_ascii_uppercase() {
            segment.push('-');
        }
        segment.extend(letter.to_lowercase());
    }
    segment
}

/// Facts beside the statements.
pub struct LineageFacts<'a> {
    /// RFC 3339 in UTC.
    pub now: &'a str,
    /// Whether an identity was revoked.
    pub is_revoked: &'a dyn Fn(&str) -> bool,
}

impl<'a> LineageFacts<'a> {
    /// At this moment, with nothing revoked.
    pub fn at(now: &'a str) -> Self {
        Self { now, is_revoked: &|_| false }
    }
}

/// What a lineage proves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineageVerdict {
    /// Every link is valid, up to a root.
    pub verified: bool,
    /// The number of links between the identity and its root.
    pub depth: usize,
    /// Present if verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_did: Option<String>,
    /// Present if verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_kind: Option<String>,
    /// From the identity up to the last valid link.
    pub chain: Vec<String>,
    /// The first invalid link; 0 is the identity's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_at: Option<usize>,
    /// Why, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Checks statements from the identity up to a root. A root identity needs none.
pub fn verify_lineage(
    did: &str,
    statements: &[LineageStatement],
    facts: &LineageFacts<'_>,
) -> LineageVerdict {
    let mut chain = vec![did.to_owned()];
    let found = climb(&mut chain, statements, facts);
    let (broken, root) = match found {
        Ok(root_kind) => (None, chain.last().cloned().zip(Some(root_kind))),
        Err(broken) => (Some(broken), None),
    };
    let (root_did, root_kind) = root.unzip();
    let verified = broken.is_none();
    let (broken_at, reason) = broken.unzip();
    LineageVerdict { verified, depth: statements.len(), root_did, root_kind, chain, broken_at, reason }
}

/// The kind of the root, or which link is invalid and why.
fn climb(
    chain: &mut Vec<String>,
    statements: &[LineageStatement],
    facts: &LineageFacts<'_>,
) -> Result<String, (usize, String)> {
    let mut current = chain[0].clone();
    if (facts.is_revoked)(&current) {
        return Err((0, "identity revoked".to_owned()));
    }
    if statements.len() > LINEAGE_DEPTH_MAX {
        return Err((LINEAGE_DEPTH_MAX, format!("deeper than {LINEAGE_DEPTH_MAX}")));
    }
    let events = statements.iter().filter_map(|one| one.parent_key_events.as_deref());
    if events.map(count_events).sum::<usize>() > EVENTS_CHECKED_MAX {
        return Err((0, "too many key events to check".to_owned()));
    }
    for (depth, statement) in statements.iter().enumerate() {
        if let Some(fault) = fault_of(statement, &current, facts) {
            return Err((depth, fault.to_owned()));
        }
        if chain.contains(&statement.parent_did) {
            return Err((depth, "cycle".to_owned()));
        }
        current.clone_from(&statement.parent_did);
        chain.push(current.clone());
    }
    let root_kind = kind_of(&current);
    if ROOT_KINDS.contains(&root_kind.as_str()) {
        return Ok(root_kind);
    }
    Err((statements.len(), format!("{root_kind} is not a root kind")))
}

fn fault_of(statement: &LineageStatement, child: &str, facts: &LineageFacts<'_>) -> Option<&'static str> {
    let LineageStatement { child_did, parent_did, entity_kind, .. } = statement;
    if child_did != child {
        return Some("it speaks of another child");
    }
    if !is_key_of(child_did, &statement.child_public_key) {
        return Some("child public key does not match DID");
    }
    let parent_key_events = statement.parent_key_events.as_deref().unwrap_or_default();
    if !is_ever_key_of(parent_did, &statement.parent_public_key, parent_key_events) {
        return Some("parent public key does not match DID");
    }
    let child = child.parse::<Did>().ok();
    if child.is_none_or(|child| child.entity_kind() != kind_segment(entity_kind)) {
        return Some("the DID names another kind");
    }
    if !DERIVED_KINDS.contains(&entity_kind.as_str()) {
        return Some("its kind cannot be derived");
    }
    if (facts.is_revoked)(parent_did) {
        return Some("parent revoked");
    }
    // An invalid timestamp is neither past nor future.
    let against_now = |one: &str| moment_ms(one).zip(moment_ms(facts.now)).map(|(one, now)| one.cmp(&now));
    if against_now(&statement.created_at).is_none_or(Ordering::is_gt) {
        return Some("it lies in the future");
    }
    if statement.expires_at.as_deref().is_some_and(|end| against_now(end) != Some(Ordering::Greater)) {
        return Some("expired");
    }
    let LineageStatement { parent_public_key, signature, .. } = statement;
    let is_signed =
        is_object_signed_by(parent_public_key, SigningDomain::Lineage, &statement.unsigned(), signature);
    (!is_signed).then_some("signature invalid")
}

/// `human-root` in a DID is the kind `HumanRoot`.
fn kind_of(did: &str) -> String {
    let did = did.parse::<Did>();
    let words = did.iter().flat_map(|did| did.entity_kind().split('-'));
    words.map(|word| word[..word.len().min(1)].to_uppercase() + word.get(1..).unwrap_or("")).collect()
}
