//! The keys of an identity over time, checked offline. Its DID certifies the first key. Each later one was
//! committed to by its hash before it was used, or was put in place by others whom the identity had named.
//!
//! ```
//! use svc_sdk::key_events::{
//!     KeyEvent, KeyEventKind, Recovery, is_ever_key_of, key_events_fault, place_after,
//! };
//! use svc_sdk::signature::SigningKey;
//!
//! let [first, second, third, parent] = [1, 2, 3, 4].map(|seed| SigningKey::from_seed(&[seed; 32]));
//! let did = first.did("acme", "agent")?.to_string();
//! let parent_did = parent.did("acme", "human-root")?.to_string();
//! let event_of = |kind, key: &SigningKey, next: &SigningKey, previous| KeyEvent {
//!     kind,
//!     public_key: key.public_key(),
//!     next_key_hash: next.public_key_hash(),
//!     recovery: Some(Recovery { dids: vec![parent_did.clone()], threshold: 1 }),
//!     at: "2026-11-15T10:00:00Z".into(),
//!     previous,
//!     signatures: Vec::new(),
//! };
//! // It commits to the second key, and changes to it.
//! let mut events = Vec::new();
//! for (kind, key, next) in
//!     [(KeyEventKind::Inception, &first, &second), (KeyEventKind::Rotation, &second, &third)]
//! {
//!     let event = event_of(kind, key, next, place_after(&did, &events)?);
//!     events.push(event.signed(&did, &did, key));
//! }
//! assert_eq!(key_events_fault(&did, &events), None);
//! assert!(is_ever_key_of(&did, &second.public_key(), &events));
//!
//! // The third is lost: its parent puts a fresh one in place.
//! let (fresh, later) = (SigningKey::from_seed(&[5; 32]), SigningKey::from_seed(&[6; 32]));
//! let event = event_of(KeyEventKind::Recovery, &fresh, &later, place_after(&did, &events)?);
//! events.push(event.signed(&did, &did, &fresh));
//! let fault = "key event 2: too few of those who may recover signed it";
//! assert_eq!(key_events_fault(&did, &events).as_deref(), Some(fault));
//! events[2] = events[2].clone().signed(&did, &parent_did, &parent);
//! assert_eq!(key_events_fault(&did, &events), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::attenuation::stated;
use crate::bytes::hash_from_hex;
use crate::canonical::{NoCanonicalForm, content_hash, sha256_hex};
use crate::did::Did;
use crate::moment::moment_ms;
use crate::signature::{SigningDomain, SigningKey, is_key_of, is_signed_by, key_bytes, signing_input};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The maximum number of events of an identity.
pub const KEY_EVENTS_MAX: usize = 64;

const RECOVERERS_MAX: usize = 9;
/// Who recovers may have been recovered; deeper than this nothing is believed.
const NESTED_MAX: usize = 3;
/// With those nested in them: each costs verified signatures.
pub(crate) const EVENTS_CHECKED_MAX: usize = 256;
const PUBLIC_KEY_CHARS: usize = 43;
const SIGNATURE_CHARS: usize = 86;

/// Who can give this identity a new key, and how many of them it takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recovery {
    /// One to nine identities.
    pub dids: Vec<String>,
    /// At least one.
    pub threshold: u32,
}

/// What an event does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyEventKind {
    /// Commits to the second key, with the first.
    Inception,
    /// Changes to the key committed to.
    Rotation,
    /// Others put a new key in place.
    Recovery,
}

/// One signature of an event: by its new key, or by one of those who recover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventSignature {
    /// Who signed.
    pub did: String,
    /// With this key, base64url.
    pub public_key: String,
    /// Base64url.
    pub signature: String,
    /// How `did` came to that key, unless it is its first. If they are not [`KeyEvent`]s, this signature does
    /// not count.
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub key_events: Option<Vec<Map<String, Value>>>,
}

/// One change of an identity's key. Timestamps are RFC 3339 in UTC, keys and signatures base64url.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyEvent {
    /// What it does.
    pub kind: KeyEventKind,
    /// The key from this moment on.
    pub public_key: String,
    /// The [`key_hash`] of the key after it.
    pub next_key_hash: String,
    /// Who can recover the identity from this moment on; nobody, if absent.
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Recovery>,
    /// Not before the event before.
    pub at: String,
    /// [`place_after`] the events before.
    pub previous: String,
    /// By the new key itself; for a recovery also by those who were named.
    pub signatures: Vec<EventSignature>,
}

impl KeyEvent {
    /// The same event of `did` with the signature of `signer`, replacing an earlier one. The new key signs as
    /// `did` itself.
    #[must_use]
    pub fn signed(mut self, did: &str, signer: &str, key: &SigningKey) -> Self {
        let signature = EventSignature {
            did: signer.to_owned(),
            public_key: key.public_key(),
            signature: key.sign(key_event_input(did, &self)),
            key_events: None,
        };
        self.signatures.retain(|by| by.did != signer);
        self.signatures.push(signature);
        self
    }
}

/// The exact text that is signed: all but the signatures, and whose event it is.
pub fn key_event_input(did: &str, event: &KeyEvent) -> String {
    let mut value = with_did(did, event);
    value.as_object_mut().map(|fields| fields.remove("signatures"));
    signing_input(SigningDomain::KeyEvent, &value).expect("texts and one number have a canonical form")
}

/// What the next event must have as `previous`: the content hash of the last one, signatures included, or the
/// DID itself if there is none.
///
/// # Errors
/// If the `key_events` of a signature have no canonical form.
pub fn place_after(did: &str, events: &[KeyEvent]) -> Result<String, NoCanonicalForm> {
    events.last().map_or_else(|| Ok(did.to_owned()), |last| content_hash(&with_did(did, last)))
}

/// The SHA-256 of a public key's 32 bytes, in lowercase hex; none if it is not such a key in base64url.
pub fn key_hash(public_key: &str) -> Option<String> {
    key_bytes(public_key).map(sha256_hex)
}

/// Whether this is, or once was, a key of the DID. Whether it is now, the service that follows its events
/// knows. Without events only the first key counts.
pub fn is_ever_key_of(did: &str, public_key: &str, events: &[KeyEvent]) -> bool {
    is_ever_key_within(did, public_key, events, 0)
}

/// Why these events do not lead from the DID's first key to the last one; none if they do.
pub fn key_events_fault(did: &str, events: &[KeyEvent]) -> Option<String> {
    fault_within(did, events, 0)
}

fn with_did(did: &str, event: &KeyEvent) -> Value {
    let mut value = serde_json::to_value(event).expect("a struct of texts and numbers is JSON");
    value.as_object_mut().map(|fields| fields.insert("did".to_owned(), did.into()));
    value
}

fn is_ever_key_within(did: &str, public_key: &str, events: &[KeyEvent], nested: usize) -> bool {
    if events.is_empty() {
        return is_key_of(did, public_key);
    }
    fault_within(did, events, nested).is_none() && events.iter().any(|event| event.public_key == public_key)
}

/// Those nested in signatures too, as deep as they are looked at.
pub(crate) fn count_events(events: &[KeyEvent]) -> usize {
    let nested = events.iter().flat_map(|event| &event.signatures).filter_map(|by| by.key_events.as_ref());
    events.len() + nested.map(|events| count_maps(events, NESTED_MAX - 1)).sum::<usize>()
}

fn count_maps(events: &[Map<String, Value>], depth_left: usize) -> usize {
    let signatures = events.iter().filter_map(|event| event.get("signatures")?.as_array()).flatten();
    let nested = signatures.filter_map(|by| by.get("key_events")?.as_array());
    let deeper = |events: &Vec<Value>| {
        let maps: Vec<_> = events.iter().filter_map(|event| event.as_object().cloned()).collect();
        depth_left.checked_sub(1).map_or(0, |left| count_maps(&maps, left))
    };
    events.len() + nested.map(deeper).sum::<usize>()
}

fn fault_within(did: &str, events: &[KeyEvent], nested: usize) -> Option<String> {
    if nested > NESTED_MAX {
        return Some("key events nested too deep".to_owned());
    }
    if events.len() > KEY_EVENTS_MAX {
        return Some(format!("more than {KEY_EVENTS_MAX} key events"));
    }
    if nested == 0 && count_events(events) > EVENTS_CHECKED_MAX {
        return Some("too many key events to check".to_owned());
    }
    events.iter().enumerate().find_map(|(index, event)| {
        let earlier = &events[..index];
        // What the schema refuses on the wire never gets further than this.
        let form = (!has_form(event)).then_some("it does not have the form of one");
        let fault = form
            .or_else(|| order_fault(did, event, earlier))
            .or_else(|| signature_fault(did, event, earlier.last(), nested));
        fault.map(|fault| format!("key event {index}: {fault}"))
    })
}

/// The limits of the wire that the types do not have.
fn has_form(event: &KeyEvent) -> bool {
    let is_did = |did: &String| did.parse::<Did>().is_ok();
    let is_recovery = |recovery: &Recovery| {
        (1..=RECOVERERS_MAX).contains(&recovery.dids.len())
            && recovery.dids.iter().all(is_did)
            && (1..=RECOVERERS_MAX).contains(&(recovery.threshold as usize))
    };
    let is_signature = |by: &EventSignature| {
        is_did(&by.did)
            && is_base64url(&by.public_key, PUBLIC_KEY_CHARS)
            && is_base64url(&by.signature, SIGNATURE_CHARS)
            && by.key_events.as_ref().is_none_or(|events| (1..=KEY_EVENTS_MAX).contains(&events.len()))
    };
    is_base64url(&event.public_key, PUBLIC_KEY_CHARS)
        && hash_from_hex(&event.next_key_hash).is_some()
        && event.recovery.as_ref().is_none_or(is_recovery)
        && moment_ms(&event.at).is_some()
        && (1..=RECOVERERS_MAX + 1).contains(&event.signatures.len())
        && event.signatures.iter().all(is_signature)
}

fn is_base64url(text: &str, chars: usize) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.len() == chars && text.bytes().all(is_digit)
}

fn order_fault(did: &str, event: &KeyEvent, earlier: &[KeyEvent]) -> Option<&'static str> {
    if (event.kind == KeyEventKind::Inception) != earlier.is_empty() {
        return Some("an inception comes first, and once");
    }
    if place_after(did, earlier).as_ref() != Ok(&event.previous) {
        return Some("it does not follow the one before");
    }
    let Some(before) = earlier.last() else {
        return (!is_key_of(did, &event.public_key)).then_some("public key does not match DID");
    };
    let is_later = |(at, before)| at >= before;
    if !moment_ms(&event.at).zip(moment_ms(&before.at)).is_some_and(is_later) {
        return Some("it is older than the one before");
    }
    let Some(hash) = key_hash(&event.public_key) else {
        return Some("public key is not 32 bytes in base64url");
    };
    if earlier.iter().any(|before| before.public_key == event.public_key) {
        return Some("the key was used before");
    }
    let is_other = event.kind == KeyEventKind::Rotation && hash != before.next_key_hash;
    is_other.then_some("the key is not the one committed to")
}

fn signature_fault(
    did: &str,
    event: &KeyEvent,
    before: Option<&KeyEvent>,
    nested: usize,
) -> Option<&'static str> {
    let text = key_event_input(did, event);
    let holds = |by: &EventSignature| is_signed_by(&by.public_key, &text, &by.signature);
    let is_own = |by: &EventSignature| by.did == did && by.public_key == event.public_key && holds(by);
    if !event.signatures.iter().any(is_own) {
        return Some("the key itself did not sign it");
    }
    if event.kind != KeyEventKind::Recovery {
        return None;
    }
    let is_enough = before.and_then(|before| before.recovery.as_ref()).is_some_and(|recovery| {
        let counts = |by: &&EventSignature| {
            by.did != did && recovery.dids.contains(&by.did) && is_own_key(by, nested) && holds(by)
        };
        let signers: BTreeSet<_> = event.signatures.iter().filter(counts).map(|by| &by.did).collect();
        signers.len() >= recovery.threshold as usize
    });
    (!is_enough).then_some("too few of those who may recover signed it")
}

/// Whether the key that signed is the signer's, by the events that came with it.
fn is_own_key(by: &EventSignature, nested: usize) -> bool {
    let read = |event: &Map<String, Value>| serde_json::from_value(Value::Object(event.clone())).ok();
    let events: Option<Vec<KeyEvent>> = by.key_events.iter().flatten().map(read).collect();
    events.is_some_and(|events| is_ever_key_within(&by.did, &by.public_key, &events, nested + 1))
}
