# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""Arsenal v1.0.0. The catalogue of tools and skills: signed by their publishers, pinned by digest."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class FetchInput(Input):
    """Get one definition; its digest and publisher are verified."""

    id: str
    """acme/summarize as published, svc/<protocol>.<operation> of this engine, mcp/<server>/<tool> as approved in MAT."""
    version: str | None = None
    """A full version, or a major such as v1 for its newest release."""
    digest: str | None = None
    """Accept only the definition with this hash."""


class FetchOutput(Output):
    """Answer of Arsenal fetch."""

    definition: FetchOutputDefinition
    """The tool as its publisher defines it."""
    digest: str
    """Hash of the definition."""
    id: str
    """acme/summarize as published, svc/<protocol>.<operation> of this engine, mcp/<server>/<tool> as approved in MAT."""
    version: str
    """The version that was fetched."""
    publisher_did: str
    """Who publishes it."""
    source: Literal["published", "built_in", "approved"] | str
    """Signed by its publisher; an operation of this engine; or approved in MAT by your organization."""
    signature_valid: bool
    """False for tools of this engine, which come from nowhere else and are not signed."""
    trusted_publisher: bool
    """Whether this engine trusts the publisher."""
    previous: FetchOutputPrevious | None = None
    """The version before it."""


class FetchOutputDefinition(Output):
    """The tool as its publisher defines it."""

    name: str
    """Name by which it is called."""
    description: str
    """What it does, for those who choose tools."""
    input_schema: Dict[str, Any] = Field(validation_alias="inputSchema", serialization_alias="inputSchema")
    """JSON Schema of its input."""
    output_schema: Dict[str, Any] | None = Field(default=None, validation_alias="outputSchema", serialization_alias="outputSchema")
    """JSON Schema of its output; absent: not declared."""
    endpoint: str | None = None
    """Where it is called; absent: not over the network."""
    annotations: Dict[str, Any]
    """What its publisher says of it, such as whether it only reads."""


class FetchOutputPrevious(Output):
    """The version before it."""

    version: str
    """Its version."""
    digest: str
    """Hash of its definition."""


class ListInput(Input):
    """Browse tools, skills, workflows, models and datasets."""

    kind: Literal["tool", "skill", "workflow", "model", "dataset"] | None = None
    """Only entries of this kind."""
    query: str | None = None
    """Search terms; supports "a phrase", or, and -not."""
    tag: str | None = None
    """Only entries with this tag."""
    publisher_did: str | None = None
    """Only entries of this publisher."""
    capability: str | None = None
    """Only entries that need this capability."""
    limit: int | None = None
    """Entries per page at most. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of Arsenal list."""

    items: List[ListOutputItem]
    """Published entries by name, then the tools of this engine."""
    next_cursor: str | None = None
    """There are more entries."""
    rejected: int
    """Number of entries on this page without a valid signature."""


class ListOutputItem(Output):
    """A part of the above."""

    id: str
    """acme/summarize as published, svc/<protocol>.<operation> of this engine, mcp/<server>/<tool> as approved in MAT."""
    name: str
    """Name by which it is called."""
    version: str
    """A semantic version, e.g. v1.2.0."""
    kind: Literal["tool", "skill", "workflow", "model", "dataset"] | str
    """What the entry is."""
    publisher_did: str
    """Who publishes it."""
    summary: str
    """What it does, in a few sentences."""
    digest: str
    """Hash of its definition."""
    required_capabilities: List[str]
    """Capabilities that its use needs."""
    tags: List[str]
    """Short words to find it by."""
    deprecated: bool
    """Whether its publisher advises against new use."""
    source: Literal["published", "built_in", "approved"] | str
    """Signed by its publisher; an operation of this engine; or approved in MAT by your organization."""


class Arsenal(Operations):
    """The catalogue of tools and skills: signed by their publishers, pinned by digest."""

    protocol = "Arsenal"

    def fetch(
        self,
        *,
        id: str,
        version: str | None = None,
        digest: str | None = None,
    ) -> FetchOutput:
        """Get one definition; its digest and publisher are verified. A read: retried."""
        return self._call("fetch", FetchInput, FetchOutput, {
            "id": id,
            "version": version,
            "digest": digest,
        })

    def list(
        self,
        *,
        kind: Literal["tool", "skill", "workflow", "model", "dataset"] | None = None,
        query: str | None = None,
        tag: str | None = None,
        publisher_did: str | None = None,
        capability: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """Browse tools, skills, workflows, models and datasets. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "kind": kind,
            "query": query,
            "tag": tag,
            "publisher_did": publisher_did,
            "capability": capability,
            "limit": limit,
            "cursor": cursor,
        })


class AsyncArsenal(AsyncOperations):
    """The catalogue of tools and skills: signed by their publishers, pinned by digest."""

    protocol = "Arsenal"

    async def fetch(
        self,
        *,
        id: str,
        version: str | None = None,
        digest: str | None = None,
    ) -> FetchOutput:
        """Get one definition; its digest and publisher are verified. A read: retried."""
        return await self._call("fetch", FetchInput, FetchOutput, {
            "id": id,
            "version": version,
            "digest": digest,
        })

    async def list(
        self,
        *,
        kind: Literal["tool", "skill", "workflow", "model", "dataset"] | None = None,
        query: str | None = None,
        tag: str | None = None,
        publisher_did: str | None = None,
        capability: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """Browse tools, skills, workflows, models and datasets. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "kind": kind,
            "query": query,
            "tag": tag,
            "publisher_did": publisher_did,
            "capability": capability,
            "limit": limit,
            "cursor": cursor,
        })
