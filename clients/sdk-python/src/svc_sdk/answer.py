"""The shapes of answers, and the checks that reject foreign JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from .errors import AnswerHeaders, SvcError, bad_answer, refusal_of
from .models import Output

T = TypeVar("T")


class Usage(Output):
    """What a call costs, as the service metered it."""

    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0
    watt_hours: float = 0
    amount_usd: str = ""
    """Decimal text, to avoid rounding."""
    waiting_seconds: float = 0
    """Time spent waiting for others, for instance for mail: not charged."""


class AnswerMetadata(Output):
    """Metadata about the call."""

    correlation_id: str = ""
    """Identifies the call in the audit log."""
    protocol: str = ""
    version: str = ""
    operation: str = ""
    audit_head: str | None = None
    """The newest record hash of your tenant's chain that this engine knows."""
    audit_record_id: str = ""
    usage: Usage = Usage()
    replayed: bool = False
    """True if this is the stored answer to an earlier call with the same idempotency key."""
    receipt: dict[str, Any] | None = None
    """Present if `wait_for_audit` was set and the record was committed in time. Unchanged, because the proof covers it."""


@dataclass(frozen=True)
class Answer(Generic[T]):
    """The output of an operation with the service's metadata about the call."""

    output: T
    metadata: AnswerMetadata
    headers: AnswerHeaders
    """Trace and rate limit."""


@dataclass(frozen=True)
class Progress:
    """A progress report of a stream."""

    data: dict[str, Any]


@dataclass(frozen=True)
class Result(Generic[T]):
    """The last event of a stream."""

    answer: Answer[T]


class StageVerdict(Output):
    """The verdict of one stage of a dry run."""

    stage: int
    name: str
    verdict: str
    knew: dict[str, Any] = {}
    """What the stage based its verdict on."""


@dataclass(frozen=True)
class DryRun:
    """The result of a dry run, stage by stage."""

    allowed: bool
    stages: list[StageVerdict]
    error: SvcError | None
    """The error the real call would be refused with."""
    correlation_id: str | None
    """The correlation id under which the dry run itself is recorded."""


class WhoamiIdentity(Output):
    """What the identity resolver knows about the caller."""

    entity_kind: str
    name: str | None = None
    conformance_level: str
    lineage_verified: bool
    lineage_depth: int | None = None
    """Links between the identity and its root; absent in engines before 0.11."""
    creator_did: str | None = None
    """Its parent."""
    human_root_did: str | None = None
    revoked: bool


class WhoamiOperation(Output):
    """One operation, and whether the caller may call it."""

    protocol: str
    operation: str
    version: str | None = None
    capability: str
    effect: str | None = None
    """`read` or `write`; engines before 0.11 omit it."""
    may: str
    """`yes`, `no`, or `depends` if the input of a call decides."""
    reason: str | None = None
    why_not: str | None = None


class Whoami(Output):
    """Who the caller is, and what it may call."""

    agent_did: str
    tenant_id: str
    tier: str
    credential: str
    """The kind of credential, such as `api_key`."""
    mcp_url: str | None = None
    identity: WhoamiIdentity
    operations: list[WhoamiOperation]


@dataclass(frozen=True)
class Reply:
    """A parsed body with its headers."""

    body: Any
    headers: AnswerHeaders
    api_url: str
    raw_headers: dict[str, str] = field(default_factory=dict)


def answer_of(reply: Reply, output: type[T] | None) -> Answer[T]:
    body = reply.body
    if not isinstance(body, dict) or "output" not in body or not isinstance(body.get("metadata"), dict):
        raise _not_an_answer(reply, "an answer")
    try:
        metadata = AnswerMetadata.model_validate(body["metadata"])
    except ValidationError:
        raise _not_an_answer(reply, "an answer") from None
    if output is None or not issubclass(output, BaseModel):
        return Answer(body["output"], metadata, reply.headers)
    try:
        # Arguments of a generic cannot be narrowed by issubclass.
        value: Any = output.model_validate(body["output"])
    except ValidationError as error:
        raise _another_output(metadata, reply, error) from None
    return Answer(value, metadata, reply.headers)


def dry_run_of(reply: Reply) -> DryRun:
    body: dict[str, Any] = reply.body if isinstance(reply.body, dict) else {}
    run = body.get("dry_run")
    if not isinstance(run, dict) or not isinstance(run.get("verdict"), str):
        raise _not_an_answer(reply, "a dry run")
    try:
        stages = [StageVerdict.model_validate(stage) for stage in run["stages"]]
    except (KeyError, TypeError, ValidationError):
        raise _not_an_answer(reply, "a dry run") from None
    error = refusal_of(run, 200, {}, reply.api_url) if isinstance(run.get("error"), dict) else None
    metadata = body["metadata"] if isinstance(body.get("metadata"), dict) else {}
    correlation_id = metadata.get("correlation_id")
    own_id = correlation_id if isinstance(correlation_id, str) else reply.headers.correlation_id
    return DryRun(run["verdict"] == "allowed", stages, error, own_id)


def whoami_of(reply: Reply) -> Whoami:
    try:
        return Whoami.model_validate(reply.body)
    except ValidationError:
        raise _not_an_answer(reply, "a caller") from None


def _not_an_answer(reply: Reply, what: str) -> SvcError:
    message = f"{reply.api_url} answered with JSON that is not {what} of svc; check api_url."
    return bad_answer(message, {}, reply.headers)


def _another_output(metadata: AnswerMetadata, reply: Reply, error: ValidationError) -> SvcError:
    """The call succeeded; only the model does not fit the output."""
    call = f"{metadata.protocol} {metadata.operation} {metadata.version}"
    # Without the value, which may be a secret.
    misfits: list[dict[str, Any]] = [
        {"path": list(each["loc"]), "fault": each["type"]} for each in error.errors()[:8]
    ]
    first = f"{'.'.join(map(str, misfits[0]['path']))}: {misfits[0]['fault']}"
    message = (
        f"{call} was done, but its output is not what this version of svc-sdk expects ({first}); "
        "call it with dispatch, which takes any output, or install another version of svc-sdk."
    )
    return bad_answer(message, {"misfits": misfits}, reply.headers)
