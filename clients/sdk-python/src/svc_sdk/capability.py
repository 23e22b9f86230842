"""Capability names and which covers which: the exact name, the protocol wildcard, the global wildcard; nothing in between."""

from __future__ import annotations

import re

GLOBAL_WILDCARD = "svc.*.*"
"""Covers everything. It can be neither delegated nor derived."""

RECIPE_LLM_COMPILE = "recipe-llm-compile"
"""The one name outside the scheme: letting a model compile a recipe. No wildcard covers it."""

# pre-release is not an operation, but the right to use versions that are not yet stable.
_FORM = re.compile(r"svc\.([a-z]+)\.(?:\*|pre-release|[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*)")


def capability_for(protocol: str, operation: str) -> str:
    """The capability a call requires. An operation may contain dots (`charter.declare`): part of its name."""
    return f"svc.{protocol.lower()}.{operation}"


def names_that_grant(capability: str) -> list[str]:
    """The names that grant a capability, in the order an engine tries them; empty if it is not a valid name."""
    protocol = _protocol_of(capability)
    # No wildcard makes its holder one who approves: a role is held by its own name.
    if capability == RECIPE_LLM_COMPILE or protocol == "role":
        return [capability]
    return [] if protocol is None else [capability, f"svc.{protocol}.*", GLOBAL_WILDCARD]


def covers(holding: str, capability: str) -> bool:
    """Whether holding one name suffices for another. `svc.*` and `svc.*.read` are not valid names: they cover nothing."""
    if capability == GLOBAL_WILDCARD:
        return holding == capability
    return holding in names_that_grant(capability)


def is_capability_name(name: str) -> bool:
    return name in (GLOBAL_WILDCARD, RECIPE_LLM_COMPILE) or _protocol_of(name) is not None


def _protocol_of(name: str) -> str | None:
    """The protocol of a well-formed name other than the global wildcard."""
    form = _FORM.fullmatch(name)
    return form.group(1) if form else None
