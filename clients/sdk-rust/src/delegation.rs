//! Delegation tokens: part of one agent's authority, lent to another for a while, and chains of them.
//!
//! ```
//! use svc_sdk::attenuation::AgentCapability;
//! use svc_sdk::delegation::DelegationToken;
//! use svc_sdk::signature::SigningKey;
//!
//! let lender = SigningKey::from_seed(&[1; 32]);
//! let token = DelegationToken {
//!     from_did: lender.did("acme", "agent")?.to_string(),
//!     to_did: SigningKey::from_seed(&[2; 32]).did("acme", "agent")?.to_string(),
//!     capabilities: vec![AgentCapability::of("svc.mind.recall")],
//!     max_redelegation_depth: 0,
//!     expires_at: "2026-12-01T00:00:00Z".into(),
//!     revocation_url: None,
//!     signature: String::new(),
//! }
//! .signed(&lender);
//! assert_eq!(token.forgery(&lender.public_key()), None);
//! # Ok::<(), svc_sdk::did::NotADid>(())
//! ```

use crate::attenuation::{AgentCapability, confine, earlier, is_within, stated};
use crate::canonical::content_hash;
use crate::capability::GLOBAL_WILDCARD;
use crate::did::Did;
use crate::moment::moment_ms;
use crate::signature::{SigningDomain, SigningKey, is_key_of, is_object_signed_by};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How often a loan may be lent on at most.
pub const REDELEGATION_DEPTH_MAX: u32 = 8;

/// A loan and as many loans of it as its depth allows.
const CHAIN_LINKS_MAX: usize = REDELEGATION_DEPTH_MAX as usize + 1;

/// What the Aegis delegate operation issues. Never more than the lender holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelegationToken {
    /// Who lends.
    pub from_did: String,
    /// Who may use it.
    pub to_did: String,
    /// What is lent.
    pub capabilities: Vec<AgentCapability>,
    /// How often this may be lent on; 0 means never.
    pub max_redelegation_depth: u32,
    /// RFC 3339 in UTC.
    pub expires_at: String,
    /// Where to ask whether this token still stands.
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub revocation_url: Option<String>,
    /// The lender's, base64url.
    pub signature: String,
}

impl DelegationToken {
    /// The same token with the lender's signature, whatever it had before.
    #[must_use]
    pub fn signed(mut self, lender: &SigningKey) -> Self {
        let signature = lender.sign_object(SigningDomain::Delegation, &self.unsigned());
        self.signature = signature.expect("a few levels of texts and numbers have a canonical form");
        self
    }

    /// The same loan has the same id, whoever asks and however often.
    pub fn id(&self) -> String {
        content_hash(&self.unsigned()).expect("a few levels of texts and numbers have a canonical form")
    }

    /// Why this is not its lender's own word; none where it is.
    pub fn forgery(&self, public_key: &str) -> Option<&'static str> {
        if !is_key_of(&self.from_did, public_key) {
            return Some("public key does not match DID");
        }
        let unsigned = self.unsigned();
        let is_signed =
            is_object_signed_by(public_key, SigningDomain::Delegation, &unsigned, &self.signature);
        (!is_signed).then_some("signature invalid")
    }

    /// What it lends, each with the end it really has: its own, or the token's where that comes first.
    pub fn lent(&self) -> Vec<AgentCapability> {
        let ended = |lent: &AgentCapability| AgentCapability {
            expires_at: earlier(lent.expires_at.as_deref(), Some(&self.expires_at)).map(str::to_owned),
            ..lent.clone()
        };
        self.capabilities.iter().map(ended).collect()
    }

    fn unsigned(&self) -> Value {
        let mut value = serde_json::to_value(self).expect("a struct of texts and numbers is JSON");
        value.as_object_mut().map(|fields| fields.remove("signature"));
        value
    }
}

/// Why these tokens, from the first lender's down, are no chain of loans; none where they are. Each one's
/// own signature is judged by [`DelegationToken::forgery`]; whether one was revoked, and what its lenders'
/// rules say, only an engine knows.
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

/// What the last token is worth at a moment: as much as every link above it gives, down from what the first
/// lender holds itself. An engine may know of revocations and rules that leave less of it, never more.
pub fn worth_of(tokens: &[DelegationToken], own: &[AgentCapability], now: &str) -> Vec<AgentCapability> {
    let is_over = |token: &DelegationToken| !is_live(Some(&token.expires_at), now);
    let is_too_deep =
        |(below, token): (usize, &DelegationToken)| below > token.max_redelegation_depth as usize;
    // Nothing lent is worth nothing, not what the lender holds.
    if tokens.is_empty() || tokens.iter().any(is_over) || tokens.iter().rev().enumerate().any(is_too_deep) {
        return Vec::new();
    }
    let mut carried = own.to_vec();
    let mut above: Option<Vec<AgentCapability>> = None;
    for token in tokens {
        let lent = token.lent();
        // Nobody may lend everything, and whoever signed more than was lent to it signed nothing.
        let is_lendable = |lent: &&AgentCapability| {
            lent.name != GLOBAL_WILDCARD && above.as_ref().is_none_or(|above| is_within(lent, above))
        };
        carried = lent.iter().filter(is_lendable).filter_map(|lent| widest(lent, &carried, now)).collect();
        above = Some(lent);
    }
    carried
}

/// Where several sources carry it, the one that takes least away: one answer each, or chains would multiply.
fn widest(lent: &AgentCapability, sources: &[AgentCapability], now: &str) -> Option<AgentCapability> {
    let is_alive = |capability: &AgentCapability| is_live(capability.expires_at.as_deref(), now);
    let live: Vec<_> = sources.iter().filter(|source| is_alive(source)).cloned().collect();
    if is_within(lent, &live) {
        return is_alive(lent).then(|| lent.clone());
    }
    let left = sources.iter().filter_map(|source| confine(lent, source));
    left.filter(is_alive).min_by_key(|found| found.caveats.len())
}

/// What is no moment counts as over.
fn is_live(expires_at: Option<&str>, now: &str) -> bool {
    let is_later = |end: &str| moment_ms(end).zip(moment_ms(now)).is_some_and(|(end, now)| end > now);
    expires_at.is_none_or(is_later)
}

fn namespace_of(did: &str) -> Option<String> {
    did.parse::<Did>().ok().map(|did| did.namespace().to_owned())
}
