# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MANTLE v1.0.0. Consolidation: repeated experience becomes knowledge, unused memories are archived."""

from __future__ import annotations

from typing import List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class ConsolidateInput(Input):
    """Turn recent experience into lasting knowledge."""

    namespace: str | None = None
    """Memories of one namespace do not evict those of another. Default `"default"`."""
    scope: Literal["private", "tenant"] | None = None
    """tenant: memories of the whole tenant; private: the own private ones. Default `"tenant"`."""
    window: ConsolidateWindow | None = None
    """Memories of this period; default: those recorded since the last run."""
    targets: List[Literal["episodic", "semantic", "procedural"]] | None = None
    """What to make: episodes, facts, procedures; default all."""
    min_support: int | None = None
    """How often something must be seen to become knowledge. Default `3`."""
    max_cells: int | None = None
    """Memories examined at most. Default `1000`."""
    dry_run: bool | None = None
    """Returns the result without storing anything. Default `false`."""


class ConsolidateWindow(Input):
    """Memories of this period; default: those recorded since the last run."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """First moment of the period."""
    to: str
    """End of the period, itself not included."""


class ConsolidateOutput(SecretOutput):
    """Answer of MANTLE consolidate."""

    consolidation_ref: str | None = None
    """Reference of the stored result; absent after dry_run."""
    examined: int
    """Number of memories examined."""
    promoted: List[str]
    """Working memories that became episodic."""
    episodes: List[ConsolidateOutputEpisode]
    """Memories that belong together in time and content."""
    semantic_created: List[ConsolidateOutputSemanticCreated]
    """Facts seen often enough to become memories."""
    procedural_created: List[ConsolidateOutputProceduralCreated]
    """Sequences of calls that succeeded often enough to become procedures."""
    archived: List[str]
    """Memories unused for long; they rank lower and are never deleted."""
    conflicts: List[ConsolidateOutputConflict]
    """New facts that contradict surer ones."""
    watermark: str | None
    """Next run without window starts here; null: there was none."""
    truncated: bool
    """There are more than max_cells cells: call again."""
    dry_run: bool
    """Whether nothing was stored."""


class ConsolidateOutputEpisode(Output):
    """A part of the above."""

    episode_ref: str | None = None
    """Reference of the new memory; absent after dry_run."""
    cells: List[str]
    """Memories it consists of."""
    from_: str = Field(validation_alias="from", serialization_alias="from")
    """When its first memory happened."""
    to: str
    """When its last memory happened."""
    silhouette: float
    """How clearly its memories belong together, -1 to 1."""
    name: str | None = None
    """Proposed by a model; not verified."""


class ConsolidateOutputSemanticCreated(Output):
    """A part of the above."""

    ref: str | None = None
    """Reference of the new memory; absent after dry_run."""
    support: int
    """How often it was seen."""
    confidence: float
    """How sure it is, 0 to 1."""


class ConsolidateOutputProceduralCreated(Output):
    """A part of the above."""

    ref: str | None = None
    """Reference of the new memory; absent after dry_run."""
    steps: List[str]
    """Operations in order."""
    support: int
    """How often it was seen."""
    recipe_id: str
    """Draft of a recipe with these steps."""


class ConsolidateOutputConflict(Output):
    """A part of the above."""

    fact_ref: str
    """The new fact."""
    against: List[str]
    """Facts it contradicts."""


class Mantle(Operations):
    """Consolidation: repeated experience becomes knowledge, unused memories are archived."""

    protocol = "MANTLE"

    def consolidate(
        self,
        *,
        namespace: str | None = None,
        scope: Literal["private", "tenant"] | None = None,
        window: ConsolidateWindow | None = None,
        targets: List[Literal["episodic", "semantic", "procedural"]] | None = None,
        min_support: int | None = None,
        max_cells: int | None = None,
        dry_run: bool | None = None,
    ) -> ConsolidateOutput:
        """Turn recent experience into lasting knowledge. A write: never retried."""
        return self._call("consolidate", ConsolidateInput, ConsolidateOutput, {
            "namespace": namespace,
            "scope": scope,
            "window": window,
            "targets": targets,
            "min_support": min_support,
            "max_cells": max_cells,
            "dry_run": dry_run,
        })


class AsyncMantle(AsyncOperations):
    """Consolidation: repeated experience becomes knowledge, unused memories are archived."""

    protocol = "MANTLE"

    async def consolidate(
        self,
        *,
        namespace: str | None = None,
        scope: Literal["private", "tenant"] | None = None,
        window: ConsolidateWindow | None = None,
        targets: List[Literal["episodic", "semantic", "procedural"]] | None = None,
        min_support: int | None = None,
        max_cells: int | None = None,
        dry_run: bool | None = None,
    ) -> ConsolidateOutput:
        """Turn recent experience into lasting knowledge. A write: never retried."""
        return await self._call("consolidate", ConsolidateInput, ConsolidateOutput, {
            "namespace": namespace,
            "scope": scope,
            "window": window,
            "targets": targets,
            "min_support": min_support,
            "max_cells": max_cells,
            "dry_run": dry_run,
        })
