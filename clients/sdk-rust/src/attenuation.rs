//! No amplification: a delegated, derived or granted capability never exceeds what the giver holds, in name,
//! time, limits and caveats.
//!
//! ```
//! use svc_sdk::attenuation::{AgentCapability, attenuate, is_within};
//!
//! let held = AgentCapability { caveats: vec!["time:08-18".into()], ..AgentCapability::of("svc.mind.*") };
//! let wanted = AgentCapability::of("svc.mind.recall");
//! assert!(!is_within(&wanted, std::slice::from_ref(&held)));
//! let delegated = attenuate(&wanted, &[held]).ok_or("nothing held covers it")?;
//! assert_eq!(delegated.capability.caveats, ["time:08-18"]);
//! # Ok::<(), &str>(())
//! ```

use crate::capability::{GLOBAL_WILDCARD, covers};
use crate::moment::moment_ms;
use serde::{Deserialize, Deserializer, Serialize};

/// Optional fields reject null: a signature covers what is written, and null is never written.
pub(crate) fn stated<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// Limits on the use of a capability; an absent one means no limit.
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

    /// None if nothing is limited.
    fn of([max_per_call_bps, max_per_hour, max_tokens]: [Option<u64>; 3]) -> Option<Self> {
        let limits = Self { max_per_call_bps, max_per_hour, max_tokens };
        (limits != Self::default()).then_some(limits)
    }
}

/// A capability as its holder has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentCapability {
    /// Such as `svc.mind.recall` or `svc.mind.*`.
    pub name: String,
    /// RFC 3339 in UTC; absent means it does not expire.
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Limits on its use.
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub limits: Option<CapabilityLimits>,
    /// All of them must be satisfied.
    pub caveats: Vec<String>,
}

impl AgentCapability {
    /// Without expiry, limits and caveats.
    pub fn of(name: &str) -> Self {
        Self { name: name.to_owned(), expires_at: None, limits: None, caveats: Vec::new() }
    }
}

/// A capability that may be passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lent {
    /// Narrowed to what the giver holds.
    pub capability: AgentCapability,
    /// True if the giver's own restrictions had to be added.
    pub attenuated: bool,
}

/// The capability as it may be passed on under one of those held, narrowed to that one; none if none covers
/// it.
pub fn attenuate(wanted: &AgentCapability, held: &[AgentCapability]) -> Option<Lent> {
    if wanted.name == GLOBAL_WILDCARD {
        return None;
    }
    let fits = |source: &&AgentCapability| covers(&source.name, &wanted.name) && reaches(wanted, source);
    let mut delegated = held.iter().filter(fits).map(|source| narrow(wanted, source));
    let first = delegated.next()?;
    // Prefer a source that adds no restriction.
    if !first.attenuated {
        return Some(first);
    }
    delegated.find(|delegated| !delegated.attenuated).or(Some(first))
}

/// Whether one of the held capabilities covers this one without narrowing it.
pub fn is_within(capability: &AgentCapability, held: &[AgentCapability]) -> bool {
    held.iter().any(|source| {
        covers(&source.name, &capability.name)
            && !narrow(capability, source).attenuated
            && reaches(capability, source)
    })
}

/// What remains of a delegated capability after its source was narrowed: the stricter of both in every field.
pub fn confine(delegated: &AgentCapability, source: &AgentCapability) -> Option<AgentCapability> {
    if !covers(&source.name, &delegated.name) {
        return None;
    }
    let limits = combine(delegated.limits, source.limits, |one, other| match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    });
    let expires_at = earlier(delegated.expires_at.as_deref(), source.expires_at.as_deref());
    Some(build(delegated, expires_at, limits, missing_caveats(delegated, source)))
}

/// The earlier of two expiries; an absent one means no expiry.
pub fn earlier<'a>(one: Option<&'a str>, other: Option<&'a str>) -> Option<&'a str> {
    let (Some(one), Some(other)) = (one, other) else {
        return one.or(other);
    };
    // An invalid timestamp counts as expired, so a valid one must not replace it.
    match (moment_ms(one), moment_ms(other)) {
        (None, _) => Some(one),
        (Some(one_ms), Some(other_ms)) if other_ms >= one_ms => Some(one),
        _ => Some(other),
    }
}

/// Neither expiry nor limits exceed the source's. Absent fields are inherited, so they exceed nothing.
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
