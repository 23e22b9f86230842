"""No amplification: a delegated, derived or granted capability never exceeds what the giver holds, in name, time, limits and caveats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from .capability import GLOBAL_WILDCARD, covers
from .moment import moment_ms
from .signed_value import SignedValue

_Count = Annotated[int, Field(ge=0)]


class CapabilityLimits(SignedValue):
    """Limits on the use of a capability; an absent one means no limit."""

    max_per_call_bps: _Count | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: _Count | None = None
    """Calls per hour."""
    max_tokens: _Count | None = None
    """Hard token ceiling per call."""


class AgentCapability(SignedValue):
    """A capability as its holder has it."""

    name: str
    """Such as `svc.mind.recall` or `svc.mind.*`."""
    expires_at: str | None = None
    """RFC 3339 in UTC; absent means it does not expire."""
    limits: CapabilityLimits | None = None
    caveats: list[str]
    """All of them must be satisfied."""


@dataclass(frozen=True)
class Attenuated:
    """A capability that may be passed on."""

    capability: AgentCapability
    """Narrowed to what the giver holds."""
    attenuated: bool
    """True if the giver's own restrictions had to be added."""


def attenuate(capability: AgentCapability, holdings: Sequence[AgentCapability]) -> Attenuated | None:
    """As it may be passed on under one of those held, narrowed to that one; None if none covers it."""
    if capability.name == GLOBAL_WILDCARD:
        return None
    fitting = (
        _narrow(capability, source)
        for source in holdings
        if covers(source.name, capability.name) and _reaches(capability, source)
    )
    narrowed = list(fitting)
    # Prefer a source that adds no restriction.
    unchanged = (one for one in narrowed if not one.attenuated)
    return next(unchanged, narrowed[0] if narrowed else None)


def is_within(capability: AgentCapability, holdings: Sequence[AgentCapability]) -> bool:
    """Whether one of the held capabilities covers this one without narrowing it."""
    return any(
        covers(source.name, capability.name)
        and not _narrow(capability, source).attenuated
        and _reaches(capability, source)
        for source in holdings
    )


def confine(delegated: AgentCapability, source: AgentCapability) -> AgentCapability | None:
    """What remains of a delegated capability after its source was narrowed: the stricter of both in every field."""
    if not covers(source.name, delegated.name):
        return None

    def stricter(one: int | None, other: int | None) -> int | None:
        return min(one, other) if one is not None and other is not None else _first(one, other)

    limits = _combine(delegated.limits, source.limits, stricter)
    expires_at = earlier(delegated.expires_at, source.expires_at)
    return _build(delegated, expires_at, limits, _missing_caveats(delegated, source))


def earlier(one: str | None, other: str | None) -> str | None:
    """The earlier of two expiries; an absent one means no expiry."""
    if one is None or other is None:
        return other if one is None else one
    one_ms, other_ms = moment_ms(one), moment_ms(other)
    # An invalid timestamp counts as expired, so a valid one must not replace it.
    if one_ms is None or (other_ms is not None and other_ms >= one_ms):
        return one
    return other


def _reaches(capability: AgentCapability, source: AgentCapability) -> bool:
    """Neither expiry nor limits exceed the source's. Absent fields are inherited, so they exceed nothing."""
    if capability.expires_at is not None and source.expires_at is not None:
        end_ms, source_ms = moment_ms(capability.expires_at), moment_ms(source.expires_at)
        if end_ms is None or source_ms is None or end_ms > source_ms:
            return False
    pairs = zip(_each(capability.limits), _each(source.limits))
    return all(one is None or bound is None or one <= bound for one, bound in pairs)


def _narrow(capability: AgentCapability, source: AgentCapability) -> Attenuated:
    missing = _missing_caveats(capability, source)
    limits = _combine(capability.limits, source.limits, _first)
    expires_at = capability.expires_at if capability.expires_at is not None else source.expires_at
    inherits_limits = _each(limits) != _each(capability.limits)
    attenuated = bool(missing) or inherits_limits or expires_at != capability.expires_at
    return Attenuated(_build(capability, expires_at, limits, missing), attenuated)


def _missing_caveats(capability: AgentCapability, source: AgentCapability) -> list[str]:
    return [caveat for caveat in source.caveats if caveat not in capability.caveats]


def _first(one: int | None, other: int | None) -> int | None:
    return other if one is None else one


def _each(limits: CapabilityLimits | None) -> tuple[int | None, int | None, int | None]:
    if limits is None:
        return (None, None, None)
    return (limits.max_per_call_bps, limits.max_per_hour, limits.max_tokens)


def _combine(
    one: CapabilityLimits | None,
    other: CapabilityLimits | None,
    choose: Callable[[int | None, int | None], int | None],
) -> CapabilityLimits | None:
    per_call, per_hour, tokens = (choose(*pair) for pair in zip(_each(one), _each(other)))
    if per_call is None and per_hour is None and tokens is None:
        return None
    return CapabilityLimits.model_construct(
        max_per_call_bps=per_call, max_per_hour=per_hour, max_tokens=tokens
    )


def _build(
    capability: AgentCapability,
    expires_at: str | None,
    limits: CapabilityLimits | None,
    added_caveats: list[str],
) -> AgentCapability:
    caveats = [*capability.caveats, *added_caveats]
    return AgentCapability.model_construct(
        name=capability.name, expires_at=expires_at, limits=limits, caveats=caveats
    )
