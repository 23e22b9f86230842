//! `did:oas:<namespace>:<entity_kind>:<identifier>`; the identifier is the SHA-256 of the raw Ed25519 public
//! key.
//!
//! ```
//! use svc_sdk::did::Did;
//!
//! let did = Did::of_key("acme", "agent-instance", &[7; 32])?;
//! assert!(did.is_of_key(&[7; 32]));
//! assert_eq!(did.to_string().parse::<Did>()?, did);
//! # Ok::<(), svc_sdk::did::NotADid>(())
//! ```

use crate::bytes::{hash_from_hex, sha256, to_hex};
use std::fmt;
use std::str::FromStr;

const PART_CHARS_MAX: usize = 63;

/// A DID in its three parts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Did {
    namespace: String,
    entity_kind: String,
    identifier: String,
}

/// The text is not a DID of exactly this form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotADid;

impl fmt::Display for NotADid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is no DID; one reads did:oas:<tenant>:<kind>:<64 hex>")
    }
}

impl std::error::Error for NotADid {}

impl Did {
    /// The DID that a public key certifies: no other key has this digest.
    ///
    /// # Errors
    /// If the namespace or kind is not allowed in a DID.
    pub fn of_key(namespace: &str, entity_kind: &str, public_key: &[u8; 32]) -> Result<Self, NotADid> {
        Self::from_parts(namespace, entity_kind, &to_hex(&sha256(public_key))).ok_or(NotADid)
    }

    /// The tenant it belongs to.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// What it names, such as `agent-instance`.
    pub fn entity_kind(&self) -> &str {
        &self.entity_kind
    }

    /// The digest of its key, in lowercase hex.
    pub fn identifier(&self) -> &str {
        &self.identifier
    }

    /// Whether this is the key it certifies.
    pub fn is_of_key(&self, public_key: &[u8; 32]) -> bool {
        self.identifier == to_hex(&sha256(public_key))
    }

    fn from_parts(namespace: &str, entity_kind: &str, identifier: &str) -> Option<Self> {
        let is_namespace = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        let is_kind = |byte: u8| matches!(byte, b'a'..=b'z' | b'-');
        let has_form = is_word(namespace, is_namespace)
            && is_word(entity_kind, is_kind)
            && !entity_kind.starts_with('-')
            && hash_from_hex(identifier).is_some();
        has_form.then(|| Self {
            namespace: namespace.to_owned(),
            entity_kind: entity_kind.to_owned(),
            identifier: identifier.to_owned(),
        })
    }
}

fn is_word(text: &str, allows: impl Fn(u8) -> bool) -> bool {
    (1..=PART_CHARS_MAX).contains(&text.len()) && text.bytes().all(allows)
}

impl FromStr for Did {
    type Err = NotADid;

    fn from_str(text: &str) -> Result<Self, NotADid> {
        let mut parts = text.split(':');
        let mut next = || parts.next().ok_or(NotADid);
        if (next()?, next()?) != ("did", "oas") {
            return Err(NotADid);
        }
        let did = Self::from_parts(next()?, next()?, next()?);
        did.filter(|_| parts.next().is_none()).ok_or(NotADid)
    }
}

impl fmt::Display for Did {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "did:oas:{}:{}:{}", self.namespace, self.entity_kind, self.identifier)
    }
}
