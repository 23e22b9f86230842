//! Delegation tokens: part of one agent's authority, delegated to another for a limited time; chains of them.
//!
//! ```
//! use svc_sdk::attenuation::AgentCapability;
//! use svc_sdk::delegation::DelegationToken;
//! use svc_sdk::signature::SigningKey;
//!
//! let delegator = SigningKey::from_seed(&[1; 32]);
//! let token = DelegationToken {
//!     from_did: delegator.did("acme", "agent")?.to_string(),
//!     to_did: SigningKey::from_seed(&[2; 32]).did("acme", "agent")?.to_string(),
//!     capabilities: vec![AgentCapability::of("svc.mind.recall")],
//!     max_redelegation_depth: 0,
//!     expires_at: "2026-12-01T00:00:00Z".into(),
//!     revocation_url: None,
//!     signature: String::new(),
//! }
//! .signed(&delegator);
//! assert_eq!(token.forgery(&delegator.public_key(), &[]), None);
//! # Ok::<(), svc_sdk::did::NotADid>(())
//! ```

use crate::attenuation::{AgentCapability, confine, earlier, is_within, stated};
use crate::canonical::content_hash;
use crate::capability::GLOBAL_WILDCARD;
use crate::did::Did;
use crate::key_events::{KeyEvent, is_ever_key_of};
use crate::moment::moment_ms;
use crate::signature::{SigningDomain, SigningKey, is_object_signed_by};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The maximum number of times a delegation may be delegated further.
pub const REDELEGATION_DEPTH_MAX: u32 = 8;

/// A delegation and every redelegation that its depth allows.
const CHAIN_LINKS_MAX: usize = REDELEGATION_DEPTH_MAX as usize + 1;

/// What the Aegis delegate operation issues. Never exceeds what the delegator holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelegationToken {
    /// The delegator.
    pub from_did: String,
    /// The delegate.
    pub to_did: String,
    /// The delegated capabilities.
    pub capabilities: Vec<AgentCapability>,
    /// How many times this may be delegated further; 0 means never.
    pub max_redelegation_depth: u32,
    /// RFC 3339 in UTC.
    pub expires_at: String,
    /// Where to check whether this token is still valid.
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub revocation_url: Option<String>,
    /// The delegator's signature, base64url.
    pub signature: String,
}

impl DelegationToken {
    /// The same token with the delegator's signature, replacing any earlier one.
    #[must_use]
    pub fn signed(mut self, delegator: &SigningKey) -> Self {
        let signature = delegator.sign_object(SigningDomain::Delegation, &self.unsigned());
        self.signature = signature.expect("a few levels of texts and numbers have a canonical form");
        self
    }

    /// The content hash of the unsigned token: the same delegation always has the same id.
    pub fn id(&self) -> String {
        content_hash(&self.unsigned()).expect("a few levels of texts and numbers have a canonical form")
    }

    /// Why the delegator did not sign this; none if it did. The events prove how the delegator came to this
    /// key; its first needs none.
    pub fn forgery(&self, public_key: &str, key_events: &[KeyEvent]) -> Option<&'static str> {
        if !is_ever_key_of(&self.from_did, public_key, key_events) {
            return Some("public key does not match DID");
        }
        let unsigned = self.unsigned();
        let is_signed =
            is_object_signed_by(public_key, SigningDomain::Delegation, &unsigned, &self.signature);
        (!is_signed).then_some("signature invalid")
    }

    /// The delegated capabilities, each with its effective expiry: its own or the token's, whichever is
    /// earlier.
    pub fn lent(&self) -> Vec<AgentCapability> {
        let ended = |capability: &AgentCapability| AgentCapability {
            expires_at: earlier(capability.expires_at.as_deref(), Some(&self.expires_at)).map(str::to_owned),
            ..capability.clone()
        };
        self.capabilities.iter().map(ended).collect()
    }

    fn unsigned(&self) -> Value {
        let mut value = serde_json::to_value(self).expect("a struct of texts and numbers is JSON");
        value.as_object_mut().map(|fields| fields.remove("signature"));
        value
    }
}

/// Why these tokens, starting with the first delegator's, do not form a chain; none if they do. Signatures
/// are checked by [`DelegationToken::forgery`]; only an engine knows revocations and the delegators'
/// policies.
pub fn chain_fault(tokens: &[DelegationToken]) -> Option<String> {
    let Some(first) = tokens.first() else {
        return Some("it is empty".to_owned());
    };
    if tokens.len() > CHAIN_LINKS_MAX {
        return Some(format!("it has more than {CHAIN_LINKS_MAX} links"));
    }
    let mut met = vec![first.from_did.as_str()];
    for (place, token) in tokens.iter().enumerate() {
        if namespace_of(&token.to_did) != namespace_of(&token.from_did) {
            return Some("it crosses tenants".to_owned());
        }
        if met.contains(&token.to_did.as_str()) {
            return Some("it leads back".to_owned());
        }
        met.push(&token.to_did);
        let Some(above) = place.checked_sub(1).map(|above| &tokens[above]) else {
            continue;
        };
        if token.from_did != above.to_did {
            return Some("a link is missing".to_owned());
        }
        if token.max_redelegation_depth >= above.max_redelegation_depth {
            return Some("its depth does not fall".to_owned());
        }
    }
    None
}

/// What the last token grants at a moment: what every link passes on of the first delegator's own
/// capabilities. An engine may know of revocations and rules that reduce it further, never extend it.
pub fn worth_of(tokens: &[DelegationToken], own: &[AgentCapability], now: &str) -> Vec<AgentCapability> {
    let is_over = |token: &DelegationToken| !is_live(Some(&token.expires_at), now);
    let is_too_deep =
        |(below, token): (usize, &DelegationToken)| below > token.max_redelegation_depth as usize;
    // An empty chain grants nothing, not everything the delegator holds.
    if tokens.is_empty() || tokens.iter().any(is_over) || tokens.iter().rev().enumerate().any(is_too_deep) {
        return Vec::new();
    }
    let mut carried = own.to_vec();
    let mut above: Option<Vec<AgentCapability>> = None;
    for token in tokens {
        let delegated = token.lent();
        // The global wildcard cannot be delegated, and anything beyond the link above is void.
        let is_delegable = |delegated: &&AgentCapability| {
            delegated.name != GLOBAL_WILDCARD
                && above.as_ref().is_none_or(|above| is_within(delegated, above))
        };
        carried = delegated
            .iter()
            .filter(is_delegable)
            .filter_map(|delegated| widest(delegated, &carried, now))
            .collect();
        above = Some(delegated);
    }
    carried
}

/// If several sources cover it, the least restrictive one. Returning several would multiply along a chain.
fn widest(delegated: &AgentCapability, sources: &[AgentCapability], now: &str) -> Option<AgentCapability> {
    let is_alive = |capability: &AgentCapability| is_live(capability.expires_at.as_deref(), now);
    let live: Vec<_> = sources.iter().filter(|source| is_alive(source)).cloned().collect();
    if is_within(delegated, &live) {
        return is_alive(delegated).then(|| delegated.clone());
    }
    let left = sources.iter().filter_map(|source| confine(delegated, source));
    left.filter(is_alive).min_by_key(|found| found.caveats.len())
}

/// An expiry that is not a valid timestamp counts as expired.
fn is_live(expires_at: Option<&str>, now: &str) -> bool {
    let is_later = |end: &str| moment_ms(end).zip(moment_ms(now)).is_some_and(|(end, now)| end > now);
    expires_at.is_none_or(is_later)
}

fn namespace_of(did: &str) -> Option<String> {
    did.parse::<Did>().ok().map(|did| did.namespace().to_owned())
}
