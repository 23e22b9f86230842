//! Ed25519 over `<domain>\n` and canonical JSON: a signature made for one purpose is invalid for another.
//!
//! ```
//! use serde_json::json;
//! use svc_sdk::signature::{SigningDomain, SigningKey, is_object_signed_by};
//!
//! let key = SigningKey::from_seed(&[1; 32]);
//! let vote = json!({ "proposal": "p-1", "choice": "yes" });
//! let signature = key.sign_object(SigningDomain::Vote, &vote)?;
//! assert!(is_object_signed_by(&key.public_key(), SigningDomain::Vote, &vote, &signature));
//! assert!(!is_object_signed_by(&key.public_key(), SigningDomain::Treaty, &vote, &signature));
//! # Ok::<(), svc_sdk::canonical::NoCanonicalForm>(())
//! ```

use crate::bytes::{from_base64url, to_base64url};
use crate::canonical::{NoCanonicalForm, canonical_json, sha256_hex};
use crate::did::{Did, NotADid};
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde_json::Value;
use std::fmt;

const SIGNATURE_BYTES: usize = 64;

/// The purpose of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SigningDomain {
    /// A response to a MACS challenge.
    MacsChallenge,
    /// One lineage link.
    Lineage,
    /// An identity document.
    Document,
    /// A change of an identity's key.
    KeyEvent,
    /// A statement about another identity.
    Attestation,
    /// A delegation of authority.
    Delegation,
    /// A treaty between organizations.
    Treaty,
    /// A vote.
    Vote,
    /// A contract.
    Contract,
    /// A registry entry.
    Registry,
    /// A tool description.
    Tool,
    /// A change of audit keys.
    Audit,
    /// A report.
    Report,
    /// A device reading.
    Device,
    /// A plugin's manifest and files.
    Plugin,
}

impl SigningDomain {
    /// The prefix of the signed text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MacsChallenge => "svc-macs-challenge-v1",
            Self::Lineage => "svc-lineage-v1",
            Self::Document => "svc-document-v1",
            Self::KeyEvent => "svc-key-event-v1",
            Self::Attestation => "svc-attestation-v1",
            Self::Delegation => "svc-delegation-v1",
            Self::Treaty => "svc-treaty-v1",
            Self::Vote => "svc-vote-v1",
            Self::Contract => "svc-contract-v1",
            Self::Registry => "svc-registry-v1",
            Self::Tool => "svc-tool-v1",
            Self::Audit => "svc-audit-v1",
            Self::Report => "svc-report-v1",
            Self::Device => "svc-device-v1",
            Self::Plugin => "svc-plugin-v1",
        }
    }
}

/// A private key. Neither `Debug` nor any method reveals it.
pub struct SigningKey {
    pair: Ed25519KeyPair,
}

/// The system has no randomness to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRandomness;

impl fmt::Display for NoRandomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the system has no randomness to give")
    }
}

impl std::error::Error for NoRandomness {}

impl SigningKey {
    /// Derives the key from a seed; deterministic.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        // The one thing ring can refuse is a seed of another length.
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).expect("a seed has 32 bytes");
        Self { pair }
    }

    /// A fresh seed, to be kept secret, for [`SigningKey::from_seed`].
    ///
    /// # Errors
    /// If the system has no randomness to give.
    pub fn new_seed() -> Result<[u8; 32], NoRandomness> {
        let mut seed = [0; 32];
        SystemRandom::new().fill(&mut seed).map_err(|_| NoRandomness)?;
        Ok(seed)
    }

    /// A seed as text, base64url: what `SVC_PRIVATE_KEY` and the client's option `private_key` take.
    pub fn seed_text(seed: &[u8; 32]) -> String {
        to_base64url(seed)
    }

    /// Its public half, base64url.
    pub fn public_key(&self) -> String {
        to_base64url(self.pair.public_key().as_ref())
    }

    /// Its public half, 32 bytes.
    pub fn public_key_bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.pair.public_key().as_ref());
        bytes
    }

    /// The SHA-256 of its public half, in lowercase hex: what commits to it before it is used.
    pub fn public_key_hash(&self) -> String {
        sha256_hex(self.public_key_bytes())
    }

    /// The DID this key certifies.
    ///
    /// # Errors
    /// If the namespace or kind is not allowed in a DID.
    pub fn did(&self, namespace: &str, entity_kind: &str) -> Result<Did, NotADid> {
        Did::of_key(namespace, entity_kind, &self.public_key_bytes())
    }

    /// The signature of exactly these bytes, base64url.
    pub fn sign(&self, bytes: impl AsRef<[u8]>) -> String {
        to_base64url(&self.sign_bytes(bytes.as_ref()))
    }

    pub(crate) fn sign_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        self.pair.sign(bytes).as_ref().to_vec()
    }

    /// The signature of an object for one purpose, base64url.
    ///
    /// # Errors
    /// If the object has no canonical form.
    pub fn sign_object(&self, domain: SigningDomain, object: &Value) -> Result<String, NoCanonicalForm> {
        Ok(self.sign(signing_input(domain, object)?))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("public_key", &self.public_key()).finish_non_exhaustive()
    }
}

/// The exact text that is signed.
///
/// # Errors
/// If the object has no canonical form.
pub fn signing_input(domain: SigningDomain, object: &Value) -> Result<String, NoCanonicalForm> {
    Ok(format!("{}\n{}", domain.as_str(), canonical_json(object)?))
}

/// False for anything but a valid signature of these bytes, including malformed keys. Key and signature are
/// base64url in one accepted spelling each, so a replay cannot hide behind another spelling.
pub fn is_signed_by(public_key: &str, bytes: impl AsRef<[u8]>, signature: &str) -> bool {
    let key = key_bytes(public_key);
    let signature = from_base64url(signature).filter(|bytes| bytes.len() == SIGNATURE_BYTES);
    key.zip(signature).is_some_and(|(key, signature)| verifies(&key, bytes.as_ref(), &signature))
}

/// Whether this key signed this object for this purpose.
pub fn is_object_signed_by(public_key: &str, domain: SigningDomain, object: &Value, signature: &str) -> bool {
    signing_input(domain, object).is_ok_and(|text| is_signed_by(public_key, text, signature))
}

/// Whether this key (base64url) is the one the DID certifies: its first. For later ones see
/// [`crate::key_events`].
pub fn is_key_of(did: &str, public_key: &str) -> bool {
    let did = did.parse::<Did>().ok();
    did.zip(key_bytes(public_key)).is_some_and(|(did, key)| did.is_of_key(&key))
}

pub(crate) fn key_bytes(public_key: &str) -> Option<[u8; 32]> {
    from_base64url(public_key)?.try_into().ok()
}

pub(crate) fn verifies(public_key: &[u8; 32], message: &[u8], signature: &[u8]) -> bool {
    let nonce = signature.first_chunk::<32>();
    let is_sound = nonce.is_some_and(|nonce| !is_small_order(public_key) && !is_small_order(nonce));
    is_sound && UnparsedPublicKey::new(&ED25519, public_key).verify(message, signature).is_ok()
}

/// Whether a point has small order: anybody can sign under such a key, and ring accepts it.
fn is_small_order(point: &[u8; 32]) -> bool {
    let mut low = *point;
    // The sign bit does not matter: these points occur with both signs.
    low[31] &= 0x7f;
    let [first, middle @ .., last] = &low;
    let all = |byte: u8| middle.iter().all(|one| *one == byte);
    // 0, 1, -1 and the non-canonical encodings of 0 and 1; then the four points of order eight.
    (*first <= 1 && all(0) && *last == 0)
        || ((0xec..=0xee).contains(first) && all(0xff) && *last == 0x7f)
        || ORDER_EIGHT.contains(&low)
}

const ORDER_EIGHT: [[u8; 32]; 2] = [
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a,
        0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5,
        0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
];
