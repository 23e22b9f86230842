//! No amplification: what is lent, derived or granted is never more than what its giver holds, in name,
//! time, limits and caveats.
//!
//! ```
//! use svc_sdk::attenuation::{AgentCapability, attenuate, is_within};
//!
//! let held = AgentCapability { caveats: vec!["time:08-18".into()], ..AgentCapability::of("svc.mind.*") };
//! let wanted = AgentCapability::of("svc.mind.recall");
//! assert!(!is_within(&wanted, std::slice::from_ref(&held)));
//! let lent = attenuate(&wanted, &[held]).ok_or("nothing held covers it")?;
//! assert_eq!(lent.capability.caveats, ["time:08-18"]);
//! # Ok::<(), &str>(())
//! ```

use crate::capability::{GLOBAL_WILDCARD, covers};
use crate::moment::moment_ms;
use serde::{Deserialize, Deserializer, Serialize};

/// What may be absent may not be null: a signature covers what is written, and null is written nowhere.
pub(crate) fn stated<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// Bounds on the use of a capability; an absent one is no bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapabilityLimits {
    /// Basis points of the tenant budget per call.
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub max_per_call_bps: Option<u64>,
    /// Calls per hour.
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub max_per_hour: Option<u64>,
    /// Hard token ceiling per call.
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
}

impl CapabilityLimits {
    fn each(limits: Option<Self>) -> [Option<u64>; 3] {
        let Self { max_per_call_bps, max_per_hour, max_tokens } = limits.unwrap_or_default();
        [max_per_call_bps, max_per_hour, max_tokens]
    }

    /// None where nothing is bounded.
    fn of([max_per_call_bps, max_per_hour, max_tokens]: [Option<u64>; 3]) -> Option<Self> {
        let limits = Self { max_per_call_bps, max_per_hour, max_tokens };
        (limits != Self::default()).then_some(limits)
    }
}

/// A capability as somebody holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentCapability {
    /// Such as `svc.mind.recall` or `svc.mind.*`.
    pub name: String,
    /// RFC 3339 in UTC; without it, it has no end.
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Bounds on its use.
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub limits: Option<CapabilityLimits>,
    /// All of them must be satisfied.
    pub caveats: Vec<String>,
}

impl AgentCapability {
    /// Without end, limits and caveats.
    pub fn of(name: &str) -> Self {
        Self { name: name.to_owned(), expires_at: None, limits: None, caveats: Vec::new() }
    }
}

/// What may be handed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lent {
    /// Narrowed to what its giver holds.
    pub capability: AgentCapability,
    /// True where the giver's own bounds had to be added.
    pub attenuated: bool,
}

/// The capability as it may be handed on under one of those held, narrowed to that one; none where none
/// covers it.
pub fn attenuate(wanted: &AgentCapability, held: &[AgentCapability]) -> Option<Lent> {
    if wanted.name == GLOBAL_WILDCARD {
        return None;
    }
    let fits = |source: &&AgentCapability| covers(&source.name, &wanted.name) && reaches(wanted, source);
    let mut lent = held.iter().filter(fits).map(|source| narrow(wanted, source));
    let first = lent.next()?;
    // Where several would do, the one that adds least.
    if !first.attenuated {
        return Some(first);
    }
    lent.find(|lent| !lent.attenuated).or(Some(first))
}

/// Whether a capability is, as it stands, within one of those held.
pub fn is_within(capability: &AgentCapability, held: &[AgentCapability]) -> bool {
    held.iter().any(|source| {
        covers(&source.name, &capability.name)
            && !narrow(capability, source).attenuated
            && reaches(capability, source)
    })
}

/// What is left of something lent where its source has since become narrower: the lesser of both in
/// everything.
pub fn confine(lent: &AgentCapability, source: &AgentCapability) -> Option<AgentCapability> {
    if !covers(&source.name, &lent.name) {
        return None;
    }
    let limits = combine(lent.limits, source.limits, |one, other| match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    });
    let expires_at = earlier(lent.expires_at.as_deref(), source.expires_at.as_deref());
    Some(build(lent, expires_at, limits, missing_caveats(lent, source)))
}

/// The earlier of two ends; an absent one is no end.
pub fn earlier<'a>(one: Option<&'a str>, other: Option<&'a str>) -> Option<&'a str> {
    let (Some(one), Some(other)) = (one, other) else {
        return one.or(other);
    };
    // What is no moment counts as over, so it must not be replaced by one that is.
    match (moment_ms(one), moment_ms(other)) {
        (None, _) => Some(one),
        (Some(one_ms), Some(other_ms)) if other_ms >= one_ms => Some(one),
        _ => Some(other),
    }
}

/// Neither its end nor its limits go past the source's. What is missing is inherited, so it goes past
/// nothing.
fn reaches(wanted: &AgentCapability, source: &AgentCapability) -> bool {
    let ends = wanted.expires_at.as_deref().zip(source.expires_at.as_deref());
    let is_in_time = ends.is_none_or(|(wanted, source)| {
        moment_ms(wanted).zip(moment_ms(source)).is_some_and(|(wanted, source)| wanted <= source)
    });
    let limits = CapabilityLimits::each(wanted.limits).into_iter().zip(CapabilityLimits::each(source.limits));
    is_in_time
        && limits
            .into_iter()
            .all(|(asked, bound)| asked.zip(bound).is_none_or(|(asked, bound)| asked <= bound))
}

fn narrow(wanted: &AgentCapability, source: &AgentCapability) -> Lent {
    let missing = missing_caveats(wanted, source);
    let limits = combine(wanted.limits, source.limits, Option::or);
    let expires_at = wanted.expires_at.as_deref().or(source.expires_at.as_deref());
    let inherits_limits = CapabilityLimits::each(limits) != CapabilityLimits::each(wanted.limits);
    let attenuated = !missing.is_empty() || inherits_limits || expires_at != wanted.expires_at.as_deref();
    Lent { capability: build(wanted, expires_at, limits, missing), attenuated }
}

fn missing_caveats(wanted: &AgentCapability, source: &AgentCapability) -> Vec<String> {
    source.caveats.iter().filter(|caveat| !wanted.caveats.contains(caveat)).cloned().collect()
}

fn combine(
    wanted: Option<CapabilityLimits>,
    source: Option<CapabilityLimits>,
    choose: impl Fn(Option<u64>, Option<u64>) -> Option<u64>,
) -> Option<CapabilityLimits> {
    let (wanted, source) = (CapabilityLimits::each(wanted), CapabilityLimits::each(source));
    CapabilityLimits::of(std::array::from_fn(|place| choose(wanted[place], source[place])))
}

fn build(
    AgentCapability { name, caveats, .. }: &AgentCapability,
    expires_at: Option<&str>,
    limits: Option<CapabilityLimits>,
    added_caveats: Vec<String>,
) -> AgentCapability {
    let caveats = caveats.iter().cloned().chain(added_caveats).collect();
    AgentCapability { name: name.clone(), expires_at: expires_at.map(str::to_owned), limits, caveats }
}
