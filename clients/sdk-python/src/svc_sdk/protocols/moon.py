# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MOON v1.0.0. Durable workflows: every step is a dispatched call that takes effect once, even if an engine crashes."""

from __future__ import annotations

from typing import Annotated, Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class ExecuteWorkflowInput(Input):
    """Run a workflow; ask how a run stands, signal it, cancel it, or try it again."""

    action: Literal["start", "status", "signal", "cancel", "retry", "undo"] | None = None
    """Default start; the others need run_ref. status only reads; retry starts a new run from a step; undo tries the undoings that failed again."""
    manifest_ref: str | None = None
    """For start: what to run; or name and version."""
    name: str | None = None
    """For start, with version: what to run."""
    version: str | None = None
    """For start, with name: what to run."""
    input: Any = None
    """What the steps see as input; fits input_schema."""
    run_key: str | None = None
    """Unique in the tenant: starting the same manifest again with the same key returns the first run."""
    attributes: Dict[str, str] | None = None
    """For start: what list finds the run by, such as {"order": "A-7"}. Kept sealed."""
    wait_ms: int | None = None
    """For start, status, retry and undo: wait up to this long for the run to end. Default `0`."""
    deadline_ms: int | None = None
    """The run fails when it takes longer."""
    run_ref: str | None = None
    """The run; for every action but start."""
    signal: ExecuteWorkflowSignal | None = None
    """For signal: what a waiting gate gets."""
    compensate: bool | None = None
    """With cancel: undo what was done. Default `false`."""
    from_step: str | None = None
    """With retry: this step and all after it begin anew."""
    undone: List[str] | None = None
    """With undo: steps of not_undone that somebody has undone by other means; nothing is called for them."""
    reason: str | None = None
    """Why, for those who read the call later."""


class ExecuteWorkflowSignal(Input):
    """For signal: what a waiting gate gets."""

    name: str
    """Name the gate waits for; outcome says what an unclear call did."""
    payload: Any = None
    """As its gate declares it; for outcome: { path, performed, data }."""
    verdict: str | None = None
    """Where a council may send it: its verdict, on the hash of run_ref, signal and payload."""


class ExecuteWorkflowOutput(SecretOutput):
    """Answer of MOON execute_workflow."""

    run_ref: str
    """A run, as its start answered it."""
    manifest_ref: str
    """What it runs."""
    state: Literal["pending", "running", "waiting", "compensating", "succeeded", "failed", "cancelled", "compensated", "compensation_failed"] | str
    """compensating: undoing what was done, then compensated, or compensation_failed if that did not work."""
    waiting_on: Literal["timer", "signal", "gate", "runway", "approval", "action", "run"] | str | None = None
    """What it waits for; absent: it does not wait."""
    awaiting: List[ExecuteWorkflowOutputAwaiting]
    """Signals it waits for."""
    steps: List[ExecuteWorkflowOutputStep]
    """Steps that have started."""
    not_undone: List[str] | None = None
    """With compensation_failed: steps that are done and could not be undone. undo tries again."""
    output: Any = None
    """What the run answered; absent until it succeeded."""
    error_code: str | None = None
    """Why the run failed; absent: it did not."""
    confidence_score: float
    """How sure the result is, 0 to 1."""
    audit_refs: List[str]
    """Audit records of the calls it made."""
    started_at: str | None = None
    """When its first step started."""
    ended_at: str | None = None
    """When it ended; absent: it has not."""


class ExecuteWorkflowOutputAwaiting(Output):
    """A part of the above."""

    path: str
    """The step that waits."""
    signal: str
    """Name of the signal; outcome: whether its outside call was made."""
    schema_: Any = Field(default=None, validation_alias="schema", serialization_alias="schema")
    """JSON Schema of its payload; absent: any."""
    from_: Any = Field(default=None, validation_alias="from", serialization_alias="from")
    """Who may send it, as its gate declares; absent: everybody."""
    until: str | None = None
    """When the gate decides without it; absent: never."""


class ExecuteWorkflowOutputStep(Output):
    """A part of the above."""

    path: str
    """Where the step is in the graph; unique."""
    state: Literal["running", "waiting", "succeeded", "failed", "skipped", "indeterminate"] | str
    """indeterminate: it is unclear whether its outside call was made."""
    attempt: int
    """Number of the attempt."""
    execution_time_ms: float
    """How long it took, in milliseconds."""
    confidence_score: float | None = None
    """How sure its answer is, 0 to 1."""
    skip_reason: str | None = None
    """Why it was skipped."""
    by_hand: str | None = None
    """Of an undoing that nobody called: who said that the step was undone by other means."""
    run_ref: str | None = None
    """The run that it started and waits for."""
    error: ExecuteWorkflowOutputStepError | None = None
    """Why it failed."""


class ExecuteWorkflowOutputStepError(Output):
    """Why it failed."""

    code: str
    """Error code."""
    message: str
    """What happened, why and what to do."""


class HistoryInput(Input):
    """Read what each step of a run was called with and answered, with all attempts and times."""

    run_ref: str
    """The run."""
    path: str | None = None
    """Only this step; its input and output are then shown in full."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class HistoryOutput(Output):
    """Answer of MOON history."""

    has_content: bool
    """Whether inputs and outputs are shown: to the identity as which the steps call, if no other made those taken over by a retry, and to charter members."""
    steps: List[HistoryOutputStep]
    """Steps, gates and undoings that have begun, the last begun first."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class HistoryOutputStep(Output):
    """A part of the above."""

    path: str
    """Where the step is in the graph; of a loop, rounds are numbers."""
    state: Literal["running", "waiting", "succeeded", "failed", "skipped", "indeterminate"] | str
    """indeterminate: it is unclear whether its outside call was made."""
    attempt: int
    """Number of the last attempt."""
    started_at: str
    """When the last attempt started."""
    ended_at: str | None = None
    """When it ended; absent: it has not."""
    execution_time_ms: float
    """How long the last call took, in milliseconds."""
    error_code: str | None = None
    """Why it failed."""
    message: str | None = None
    """What happened, for those who may read the answers of the run."""
    skip_reason: str | None = None
    """Why it was skipped."""
    by_hand: str | None = None
    """Of an undoing that nobody called: who said that the step was undone by other means."""
    record_id: str | None = None
    """The audit record of the call."""
    input: Any = None
    """What it was called with; absent: no call, or not shown."""
    output: Any = None
    """What it answered; absent: nothing, or not shown."""
    not_shown: List[Literal["input", "output"] | str] | None = None
    """What is longer than 16 KiB; ask with path to see it."""
    attempts: List[HistoryOutputStepAttempt]
    """Attempts before the last one, oldest first."""


class HistoryOutputStepAttempt(Output):
    """A part of the above."""

    attempt: int
    """Number of the attempt."""
    started_at: str
    """When it started."""
    ended_at: str
    """When it ended."""
    execution_time_ms: float
    """How long its call took, in milliseconds."""
    error_code: str
    """Why it failed."""
    message: str | None = None
    """What happened, for those who may read the answers of the run."""
    output: Any = None
    """What was answered, if that was the failure. More than 1 KiB is shown with path only, more than 16 KiB never."""
    record_id: str | None = None
    """The audit record of its call."""


class ListInput(Input):
    """List runs, or the manifests they run, newest first; of one of them the graph of its steps."""

    kind: Literal["runs", "manifests"] | None = None
    """What to list. Default `"runs"`."""
    state: Literal["pending", "running", "waiting", "compensating", "succeeded", "failed", "cancelled", "compensated", "compensation_failed", "active", "paused", "inactive"] | None = None
    """For runs, the run state; for manifests, active, paused or inactive."""
    manifest_ref: str | None = None
    """Only this manifest, or only its runs."""
    run_ref: str | None = None
    """Only this run."""
    name: str | None = None
    """Only manifests of this name, or only their runs."""
    parent_run_ref: str | None = None
    """For runs: only those that steps of this run have started."""
    attributes: Dict[str, str] | None = None
    """For runs: only those that were started with all of these attributes."""
    include_detail: bool | None = None
    """With run_ref, or manifest_ref of manifests: its graph. Default `false`."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MOON list."""

    runs: List[ListOutputRun] | None = None
    """Runs, newest first; for kind runs."""
    manifests: List[ListOutputManifest] | None = None
    """Manifests, newest first; for kind manifests."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputRun(Output):
    """A part of the above."""

    run_ref: str
    """Names the run in execute_workflow."""
    manifest_ref: str
    """What it runs."""
    name: str
    """Name of its manifest."""
    version: str
    """Version of its manifest."""
    owner_did: str
    """Identity as which its steps call."""
    state: Literal["pending", "running", "waiting", "compensating", "succeeded", "failed", "cancelled", "compensated", "compensation_failed"] | str
    """compensating: undoing what was done, then compensated, or compensation_failed if that did not work."""
    waiting_on: Literal["timer", "signal", "gate", "runway", "approval", "action", "run"] | str | None = None
    """What it waits for; absent: it does not wait."""
    cancelling: Literal["stop", "compensate"] | str | None = None
    """Set while it is cancelled: stop only, or also undo what was done."""
    error_code: str | None = None
    """Why it failed; absent: it did not."""
    confidence_score: float | None = None
    """How sure its result is, 0 to 1; absent: not known yet."""
    progress: ListOutputRunProgress
    """Steps by state."""
    correlation_id: str
    """Request in whose records the run is found."""
    retry_of: str | None = None
    """Run that it repeats."""
    parent_run_ref: str | None = None
    """Run of which a step has started it."""
    attributes: Dict[str, str] | None = None
    """What it was started with to be found by."""
    created_at: str
    """When it was asked for."""
    started_at: str | None = None
    """When its first step started."""
    ended_at: str | None = None
    """When it ended; absent: it has not."""
    deadline_at: str | None = None
    """It fails if it has not ended by then."""
    detail: ListOutputRunDetail | None = None
    """Its graph; with include_detail."""


class ListOutputRunProgress(Output):
    """Steps by state."""

    steps_total: int | None = None
    """Number of steps, sub-recipes included; absent: not known."""
    running: int
    """Steps that run now."""
    waiting: int
    """Steps that wait."""
    succeeded: int
    """Steps that succeeded."""
    failed: int
    """Steps that failed."""
    skipped: int
    """Steps that were skipped."""
    indeterminate: int
    """Steps of which it is unclear whether their outside call was made."""


class ListOutputRunDetail(Output):
    """Its graph; with include_detail."""

    steps: List[ListOutputRunDetailStep]
    """Steps with what they depend on, sub-recipes included."""
    answers: List[ListOutputRunDetailAnswer] | None = None
    """What steps of a run answered, each up to 16 KiB; for the identity as which they call, if no other made those taken over by a retry, and charter members."""
    unplanned: str | None = None
    """Why it cannot be planned any more; execute_workflow status tells what was done."""


class ListOutputRunDetailStep(Output):
    """A part of the above."""

    path: str
    """Where the step is in the graph; unique."""
    kind: Literal["Protocol", "Gate", "Audit", "SubRecipe", "Parallel", "Fail", "ForEach", "Repeat", "Round", "Run", "Wait", "GovernanceGate", "Compensation"] | str
    """What the step is."""
    depends_on: List[str]
    """Steps that must end before it."""
    within: str | None = None
    """The path of the step that holds it."""
    branch: Literal["on_true", "on_false"] | str | None = None
    """Branch of its gate in which it is."""
    protocol: str | None = None
    """Protocol it calls."""
    operation: str | None = None
    """Operation it calls."""
    optional: bool
    """Whether its failure lets the run go on."""
    state: Literal["pending", "running", "waiting", "succeeded", "failed", "skipped", "indeterminate"] | str
    """indeterminate: it is unclear whether its outside call was made. pending in a manifest."""
    attempt: int | None = None
    """Number of the attempt; absent: it has not started."""
    started_at: str | None = None
    """When it started."""
    ended_at: str | None = None
    """When it ended."""
    due_at: str | None = None
    """When it is looked at again."""
    execution_time_ms: float | None = None
    """How long it took, in milliseconds."""
    error_code: str | None = None
    """Why it failed."""
    skip_reason: str | None = None
    """Why it was skipped."""
    record_id: str | None = None
    """The audit record of the call it made."""


class ListOutputRunDetailAnswer(Output):
    """A part of the above."""

    path: str
    """Path of the step in the graph."""
    data: Any
    """What it answered."""


class ListOutputManifest(Output):
    """A part of the above."""

    manifest_ref: str
    """Hash of what was submitted."""
    name: str
    """Name its runs are started by."""
    version: str
    """Version its runs are started by."""
    recipe_id: str
    """Hash of its steps, gates and checkpoints."""
    submitted_by: str
    """Identity as which scheduled runs call."""
    submitted_at: str
    """When it was submitted."""
    state: Literal["active", "paused", "inactive"] | str
    """paused: its schedule stopped. inactive: kept, nobody can start it."""
    paused_reason: str | None = None
    """Why its schedule stopped."""
    schedule: ListOutputManifestSchedule | None = None
    """When runs start by themselves; absent: they do not."""
    steps_total: int | None = None
    """Number of steps, sub-recipes included; absent: not known."""
    open_runs: int
    """Number of runs that have not ended."""
    last_run: ListOutputManifestLastRun | None = None
    """Its newest run; absent: there was none."""
    detail: ListOutputRunDetail | None = None
    """Its graph; with include_detail."""


class ListOutputManifestSchedule(Output):
    """When runs start by themselves; absent: they do not."""

    cron: str
    """Times, in five fields, or six with seconds."""
    tz: str
    """Time zone of these times."""
    overlap: Literal["skip", "queue"] | str
    """If the run before has not ended: skip this one, or queue it."""
    next_at: str | None = None
    """When the next run starts."""


class ListOutputManifestLastRun(Output):
    """Its newest run; absent: there was none."""

    run_ref: str
    """Names the run."""
    state: Literal["pending", "running", "waiting", "compensating", "succeeded", "failed", "cancelled", "compensated", "compensation_failed"] | str
    """compensating: undoing what was done, then compensated, or compensation_failed if that did not work."""
    created_at: str
    """When it was asked for."""


class SubmitManifestInput(Input):
    """Register a workflow: its steps are typed, checked against what this engine serves, and kept under their hash."""

    manifest: SubmitManifestManifest | None = None
    """The workflow; this or an intent."""
    intent: SubmitManifestIntent | None = None
    """Instead of a manifest: a model compiles one. Needs the capability recipe-llm-compile. The result is kept inactive and answered, for a person to read and submit."""
    budget: SubmitManifestBudget | None = None
    """What compiling an intent may use."""
    activate: bool | None = None
    """False keeps it without letting anybody start it, its schedule included. What comes of an intent is always kept so. Default `true`."""


class SubmitManifestManifest(Input):
    """The workflow; this or an intent."""

    name: str
    """What runs of it are started by, together with the version."""
    version: str
    """Semantic version; a name and version always mean the same content."""
    input_schema: Dict[str, Any] | None = None
    """JSON Schema that the input of a run must fit."""
    steps: List[SubmitManifestInputRecipeStepProtocol | SubmitManifestInputRecipeStepGate | SubmitManifestInputRecipeStepAudit | SubmitManifestInputRecipeStepSubRecipe | SubmitManifestInputRecipeStepFail | SubmitManifestInputRecipeStepForEach | SubmitManifestInputRecipeStepRepeat | SubmitManifestInputRecipeStepRun | SubmitManifestInputRecipeStepParallel | SubmitManifestInputRecipeStepWait]
    """What is done. Kinds of steps: Protocol, Gate, Audit, SubRecipe, Parallel, Fail, ForEach, Repeat, Run, Wait. The schema describes the fields of each under RecipeStep, and docs/workflows.md explains them."""
    defaults: SubmitManifestManifestDefaults | None = None
    """For steps that say nothing of their own."""
    compensation: Dict[str, SubmitManifestInputRecipeStepProtocol | SubmitManifestInputRecipeStepGate | SubmitManifestInputRecipeStepAudit | SubmitManifestInputRecipeStepSubRecipe | SubmitManifestInputRecipeStepFail | SubmitManifestInputRecipeStepForEach | SubmitManifestInputRecipeStepRepeat | SubmitManifestInputRecipeStepRun | SubmitManifestInputRecipeStepParallel | SubmitManifestInputRecipeStepWait] | None = None
    """By step: what undoes it. Run in reverse order when the run fails, or is cancelled with compensate."""
    schedule: SubmitManifestManifestSchedule | None = None
    """When runs start by themselves; absent: they do not."""
    concurrency: SubmitManifestManifestConcurrency | None = None
    """How many runs may run in parallel; absent: no limit."""
    governance_gates: List[SubmitManifestManifestGovernanceGate] | None = None
    """Decisions that must allow a step."""
    audit_checkpoints: List[str] | None = None
    """Steps whose end is written to the audit log."""
    output: str | None = None
    """CEL over input and steps: what the run answers."""


class SubmitManifestInputRecipeStepProtocol(Input):
    """A part of the above."""

    kind: Literal["Protocol"]
    """A call of an operation."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    protocol: str
    """Protocol to call."""
    operation: str
    """Operation of the protocol."""
    payload: Dict[str, Any]
    """The input. A value in it may be {"$ref":"steps.<name>.data.<field>"}, {"$ref":"input.<field>"}, {"$cel":"…"} or {"$literal":…}."""
    retry: SubmitManifestInputRecipeStepProtocolRetry | None = None
    """When and how often a failed attempt is repeated; default: that of the manifest."""
    on_unknown: Literal["fail", "retry", "escalate"] | None = None
    """What to do when a crash leaves it unknown whether an outside call was made."""
    success_when: str | None = None
    """CEL over data (the answer), input and steps; false: the step has failed, with the error unsuccessful. Default: what the operation says of its answers."""
    errors: List[SubmitManifestInputRecipeStepProtocolError] | None = None
    """Answers that are failures, by name; the first that holds counts, before success_when."""


class SubmitManifestInputRecipeStepProtocolRetry(Input):
    """When and how often a failed attempt is repeated; default: that of the manifest."""

    max: int
    """Retries after the first attempt."""
    retry_penalty: float | None = None
    """Each retry multiplies the confidence by one minus this. Default `0.05`."""
    backoff_ms: int | None = None
    """The wait before the first retry. Default `1000`."""
    factor: float | None = None
    """Each further wait is this many times the previous one, at most an hour. Default `2`."""
    jitter: float | None = None
    """The random share of a wait. Default `0`."""
    on: List[str] | None = None
    """Only after these errors: types that steps declare, unsuccessful, or codes such as timeout. Absent: after every failure."""


class SubmitManifestInputRecipeStepProtocolError(Input):
    """A part of the above."""

    type: str
    """What the error is called, in retries and in the status of the run."""
    when: str
    """CEL over data (the answer), input and steps; true: the step has failed with this error."""


class SubmitManifestInputRecipeStepGate(Input):
    """A part of the above."""

    kind: Literal["Gate"]
    """A decision between two branches."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    condition: str
    """CEL over input, steps and signal; must answer true or false."""
    await_: SubmitManifestInputRecipeStepGateAwait | None = Field(default=None, validation_alias="await", serialization_alias="await")
    """What the gate waits for first; signal is null on timeout."""
    on_true: List[SubmitManifestInputRecipeStepProtocol | SubmitManifestInputRecipeStepGate | SubmitManifestInputRecipeStepAudit | SubmitManifestInputRecipeStepSubRecipe | SubmitManifestInputRecipeStepFail | SubmitManifestInputRecipeStepForEach | SubmitManifestInputRecipeStepRepeat | SubmitManifestInputRecipeStepRun | SubmitManifestInputRecipeStepParallel | SubmitManifestInputRecipeStepWait]
    """Steps to run when the condition is true."""
    on_false: List[SubmitManifestInputRecipeStepProtocol | SubmitManifestInputRecipeStepGate | SubmitManifestInputRecipeStepAudit | SubmitManifestInputRecipeStepSubRecipe | SubmitManifestInputRecipeStepFail | SubmitManifestInputRecipeStepForEach | SubmitManifestInputRecipeStepRepeat | SubmitManifestInputRecipeStepRun | SubmitManifestInputRecipeStepParallel | SubmitManifestInputRecipeStepWait]
    """Steps to run when it is false."""


class SubmitManifestInputRecipeStepGateAwait(Input):
    """What the gate waits for first; signal is null on timeout."""

    signal: str | None = None
    """Signal it waits for; absent: only for the time."""
    after_ms: int | None = None
    """Maximum wait; alone it is a timer."""
    schema_: Dict[str, Any] | None = Field(default=None, validation_alias="schema", serialization_alias="schema")
    """JSON Schema that the payload of the signal must fit. Absent: any payload."""
    from_: SubmitManifestInputRecipeStepGateAwaitFrom | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """Who may send it. Without agents, roles and council: everybody who may signal a run."""
    on_timeout: Literal["condition", "true", "false", "fail"] | None = None
    """What no signal in time means: the condition with signal null, a decision, or the failure timeout. Default `"condition"`."""
    on_refusal: Literal["false", "fail"] | None = None
    """What a signal means for which the condition is false: on_false, or the failure policy_denied. Default `"false"`."""


class SubmitManifestInputRecipeStepGateAwaitFrom(Input):
    """Who may send it. Without agents, roles and council: everybody who may signal a run."""

    agents: List[str] | None = None
    """Identities that may send it."""
    roles: List[str] | None = None
    """Roles of which the credential of the sender must bring one."""
    council: bool | None = None
    """Also whoever brings a verdict of MACE that binds MOON.execute_workflow to this signal. Default `false`."""
    not_starter: bool | None = None
    """Four eyes: neither whoever started the run nor an identity with the same root may send it. Default `false`."""


class SubmitManifestInputRecipeStepAudit(Input):
    """A part of the above."""

    kind: Literal["Audit"]
    """An entry in the audit log."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    event_type: str
    """What happened, as the audit log names it."""
    metadata: Dict[str, Any]
    """What the entry says."""


class SubmitManifestInputRecipeStepSubRecipe(Input):
    """A part of the above."""

    kind: Literal["SubRecipe"]
    """Another recipe, run as a step."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    recipe_id: str
    """The recipe to run."""
    params: Dict[str, Any]
    """The input of the inner recipe; values as in a payload."""
    retry: SubmitManifestInputRecipeStepProtocolRetry | None = None
    """When and how often a failed attempt is repeated; default: that of the manifest."""


class SubmitManifestInputRecipeStepFail(Input):
    """A part of the above."""

    kind: Literal["Fail"]
    """Fails the run here, or what holds it if that is optional."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    error: str
    """What the failure is called."""
    message: str
    """What happened, for those who read the run."""


class SubmitManifestInputRecipeStepForEach(Input):
    """A part of the above."""

    kind: Literal["ForEach"]
    """The same steps for each element of a list."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    items: Any
    """The list, at most 1000 elements: values as in a payload, such as {"$ref":"steps.read.data.orders"}."""
    concurrency: int | None = None
    """Rounds that may be under way at the same time. Default `1`."""
    steps: List[SubmitManifestInputRecipeStepProtocol | SubmitManifestInputRecipeStepGate | SubmitManifestInputRecipeStepAudit | SubmitManifestInputRecipeStepSubRecipe | SubmitManifestInputRecipeStepFail | SubmitManifestInputRecipeStepForEach | SubmitManifestInputRecipeStepRepeat | SubmitManifestInputRecipeStepRun | SubmitManifestInputRecipeStepParallel | SubmitManifestInputRecipeStepWait]
    """Steps of a round; they read item and index."""


class SubmitManifestInputRecipeStepRepeat(Input):
    """A part of the above."""

    kind: Literal["Repeat"]
    """The same steps again, until or while a condition holds."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    until: str | None = None
    """CEL over input, steps, item and index after each round; true ends the loop."""
    while_: str | None = Field(default=None, validation_alias="while", serialization_alias="while")
    """Instead of until: CEL after each round; false ends the loop."""
    max: int
    """Rounds at most; if the loop has not ended by then, it fails with unsuccessful."""
    pause_ms: int | None = None
    """Wait between two rounds, in milliseconds. Default `0`."""
    steps: List[SubmitManifestInputRecipeStepProtocol | SubmitManifestInputRecipeStepGate | SubmitManifestInputRecipeStepAudit | SubmitManifestInputRecipeStepSubRecipe | SubmitManifestInputRecipeStepFail | SubmitManifestInputRecipeStepForEach | SubmitManifestInputRecipeStepRepeat | SubmitManifestInputRecipeStepRun | SubmitManifestInputRecipeStepParallel | SubmitManifestInputRecipeStepWait]
    """Steps of a round; they read index, and as item what the round before answered."""


class SubmitManifestInputRecipeStepRun(Input):
    """A part of the above."""

    kind: Literal["Run"]
    """A run of another manifest, which the step waits for."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    manifest: str
    """Name of the manifest to run."""
    version: str
    """Version of the manifest to run."""
    input: Dict[str, Any] | None = None
    """Input of the run; values as in a payload."""
    retry: SubmitManifestInputRecipeStepProtocolRetry | None = None
    """When and how often a failed run is started anew; default: that of the manifest."""


class SubmitManifestInputRecipeStepParallel(Input):
    """A part of the above."""

    kind: Literal["Parallel"]
    """Several steps at a time."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    steps: List[SubmitManifestInputRecipeStepProtocol | SubmitManifestInputRecipeStepGate | SubmitManifestInputRecipeStepAudit | SubmitManifestInputRecipeStepSubRecipe | SubmitManifestInputRecipeStepFail | SubmitManifestInputRecipeStepForEach | SubmitManifestInputRecipeStepRepeat | SubmitManifestInputRecipeStepRun | SubmitManifestInputRecipeStepParallel | SubmitManifestInputRecipeStepWait]
    """All may run at the same time."""


class SubmitManifestInputRecipeStepWait(Input):
    """A part of the above."""

    kind: Literal["Wait"]
    """A timer."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    for_ms: int | None = None
    """How long, in milliseconds."""
    until: Any = None
    """Instead of for_ms: the time it waits for, RFC 3339, as a text, {"$ref":…} or {"$cel":…}. After a time that is past it goes on at once."""


class SubmitManifestManifestDefaults(Input):
    """For steps that say nothing of their own."""

    timeout_ms: int | None = None
    """How long one attempt may take, in milliseconds."""
    retry: SubmitManifestInputRecipeStepProtocolRetry | None = None
    """When and how often a failed attempt is repeated."""


class SubmitManifestManifestSchedule(Input):
    """When runs start by themselves; absent: they do not."""

    cron: str
    """Five fields, or six with seconds."""
    tz: str | None = None
    """Time zone of the times, such as Europe/Berlin. Default `"UTC"`."""
    overlap: Literal["skip", "queue"] | None = None
    """When the run before it has not ended. Default `"skip"`."""


class SubmitManifestManifestConcurrency(Input):
    """How many runs may run in parallel; absent: no limit."""

    key: str
    """CEL over input: runs with the same value stand in one line."""
    max: int
    """Runs with the same value that may run in parallel."""


class SubmitManifestManifestGovernanceGate(Input):
    """A part of the above."""

    at_step: str
    """It is judged before this step."""
    kind: Literal["MAXIM", "MACE-quorum", "MOAT-treaty"]
    """Who judges: the policies, the verdict of a council, or a treaty between two parties."""
    on_pass: Literal["Abort", "Continue", "Escalate"]
    """What happens if it passes. Abort fails the run, Continue goes on, Escalate waits for a MOOT ruling."""
    on_fail: Literal["Abort", "Continue", "Escalate"]
    """What happens if it does not. Abort fails the run, Continue goes on, Escalate waits for a MOOT ruling."""
    question: Dict[str, Any] | None = None
    """The request to the judging protocol, such as the motion or the parties."""
    escalation: Dict[str, Any] | None = None
    """With Escalate: the input of MOOT.file; at least respondent_did."""


class SubmitManifestIntent(Input):
    """Instead of a manifest: a model compiles one. Needs the capability recipe-llm-compile. The result is kept inactive and answered, for a person to read and submit."""

    text: str
    """What the workflow is to do, in plain words."""
    name: str
    """What runs of it are started by, together with the version."""
    version: str
    """Semantic version; a name and version always mean the same content."""


class SubmitManifestBudget(Input):
    """What compiling an intent may use."""

    tokens: int
    """What compiling an intent may use in all; without it nothing is reserved."""
    deadline_ms: int | None = None
    """Time at most, in milliseconds. Default `30000`."""


class SubmitManifestOutput(Output):
    """Answer of MOON submit_manifest."""

    manifest_ref: str
    """The hash of what was submitted."""
    recipe_id: str
    """Hash of its steps, gates and checkpoints."""
    is_new: bool
    """False if the same content was submitted before."""
    warnings: List[str]
    """What only a run can decide, with its place."""
    critical_path_ms: int
    """Length of the longest chain of steps without retries, in milliseconds. A step takes as long as usual in the last runs of this name (the median), and its time limit while it has not been run."""
    unmeasured_steps: int
    """Calls that no run of this name has made yet: of these critical_path_ms has the time limit."""
    required_capabilities: List[str]
    """What whoever runs it must hold; checked again at each step."""
    next_run_at: str | None = None
    """When its schedule starts it next; absent: it has none."""
    proposed: SubmitManifestOutputProposed | None = None
    """What a model made of the intent. Submit the manifest to activate it."""


class SubmitManifestOutputProposed(Output):
    """What a model made of the intent. Submit the manifest to activate it."""

    manifest: SubmitManifestOutputProposedManifest
    """The workflow the model made."""
    model: str
    """Name of the model."""


class SubmitManifestOutputProposedManifest(Output):
    """The workflow the model made."""

    name: str
    """What runs of it are started by, together with the version."""
    version: str
    """Semantic version; a name and version always mean the same content."""
    input_schema: Dict[str, Any] | None = None
    """JSON Schema that the input of a run must fit."""
    steps: List[Annotated[SubmitManifestOutputRecipeStepProtocol | SubmitManifestOutputRecipeStepGate | SubmitManifestOutputRecipeStepAudit | SubmitManifestOutputRecipeStepSubRecipe | SubmitManifestOutputRecipeStepFail | SubmitManifestOutputRecipeStepForEach | SubmitManifestOutputRecipeStepRepeat | SubmitManifestOutputRecipeStepRun | SubmitManifestOutputRecipeStepParallel | SubmitManifestOutputRecipeStepWait | Dict[str, Any], Field(union_mode="left_to_right")]]
    """What is done. Kinds of steps: Protocol, Gate, Audit, SubRecipe, Parallel, Fail, ForEach, Repeat, Run, Wait. The schema describes the fields of each under RecipeStep, and docs/workflows.md explains them."""
    defaults: SubmitManifestOutputProposedManifestDefaults | None = None
    """For steps that say nothing of their own."""
    compensation: Dict[str, Annotated[SubmitManifestOutputRecipeStepProtocol | SubmitManifestOutputRecipeStepGate | SubmitManifestOutputRecipeStepAudit | SubmitManifestOutputRecipeStepSubRecipe | SubmitManifestOutputRecipeStepFail | SubmitManifestOutputRecipeStepForEach | SubmitManifestOutputRecipeStepRepeat | SubmitManifestOutputRecipeStepRun | SubmitManifestOutputRecipeStepParallel | SubmitManifestOutputRecipeStepWait | Dict[str, Any], Field(union_mode="left_to_right")]] | None = None
    """By step: what undoes it. Run in reverse order when the run fails, or is cancelled with compensate."""
    schedule: SubmitManifestOutputProposedManifestSchedule | None = None
    """When runs start by themselves; absent: they do not."""
    concurrency: SubmitManifestOutputProposedManifestConcurrency | None = None
    """How many runs may run in parallel; absent: no limit."""
    governance_gates: List[SubmitManifestOutputProposedManifestGovernanceGate] | None = None
    """Decisions that must allow a step."""
    audit_checkpoints: List[str] | None = None
    """Steps whose end is written to the audit log."""
    output: str | None = None
    """CEL over input and steps: what the run answers."""


class SubmitManifestOutputRecipeStepProtocol(Output):
    """A part of the above."""

    kind: Literal["Protocol"]
    """A call of an operation."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    protocol: str
    """Protocol to call."""
    operation: str
    """Operation of the protocol."""
    payload: Dict[str, Any]
    """The input. A value in it may be {"$ref":"steps.<name>.data.<field>"}, {"$ref":"input.<field>"}, {"$cel":"…"} or {"$literal":…}."""
    retry: SubmitManifestOutputRecipeStepProtocolRetry | None = None
    """When and how often a failed attempt is repeated; default: that of the manifest."""
    on_unknown: Literal["fail", "retry", "escalate"] | str | None = None
    """What to do when a crash leaves it unknown whether an outside call was made."""
    success_when: str | None = None
    """CEL over data (the answer), input and steps; false: the step has failed, with the error unsuccessful. Default: what the operation says of its answers."""
    errors: List[SubmitManifestOutputRecipeStepProtocolError] | None = None
    """Answers that are failures, by name; the first that holds counts, before success_when."""


class SubmitManifestOutputRecipeStepProtocolRetry(Output):
    """When and how often a failed attempt is repeated; default: that of the manifest."""

    max: int
    """Retries after the first attempt."""
    retry_penalty: float | None = None
    """Each retry multiplies the confidence by one minus this. Default `0.05`."""
    backoff_ms: int | None = None
    """The wait before the first retry. Default `1000`."""
    factor: float | None = None
    """Each further wait is this many times the previous one, at most an hour. Default `2`."""
    jitter: float | None = None
    """The random share of a wait. Default `0`."""
    on: List[str] | None = None
    """Only after these errors: types that steps declare, unsuccessful, or codes such as timeout. Absent: after every failure."""


class SubmitManifestOutputRecipeStepProtocolError(Output):
    """A part of the above."""

    type: str
    """What the error is called, in retries and in the status of the run."""
    when: str
    """CEL over data (the answer), input and steps; true: the step has failed with this error."""


class SubmitManifestOutputRecipeStepGate(Output):
    """A part of the above."""

    kind: Literal["Gate"]
    """A decision between two branches."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    condition: str
    """CEL over input, steps and signal; must answer true or false."""
    await_: SubmitManifestOutputRecipeStepGateAwait | None = Field(default=None, validation_alias="await", serialization_alias="await")
    """What the gate waits for first; signal is null on timeout."""
    on_true: List[Annotated[SubmitManifestOutputRecipeStepProtocol | SubmitManifestOutputRecipeStepGate | SubmitManifestOutputRecipeStepAudit | SubmitManifestOutputRecipeStepSubRecipe | SubmitManifestOutputRecipeStepFail | SubmitManifestOutputRecipeStepForEach | SubmitManifestOutputRecipeStepRepeat | SubmitManifestOutputRecipeStepRun | SubmitManifestOutputRecipeStepParallel | SubmitManifestOutputRecipeStepWait | Dict[str, Any], Field(union_mode="left_to_right")]]
    """Steps to run when the condition is true."""
    on_false: List[Annotated[SubmitManifestOutputRecipeStepProtocol | SubmitManifestOutputRecipeStepGate | SubmitManifestOutputRecipeStepAudit | SubmitManifestOutputRecipeStepSubRecipe | SubmitManifestOutputRecipeStepFail | SubmitManifestOutputRecipeStepForEach | SubmitManifestOutputRecipeStepRepeat | SubmitManifestOutputRecipeStepRun | SubmitManifestOutputRecipeStepParallel | SubmitManifestOutputRecipeStepWait | Dict[str, Any], Field(union_mode="left_to_right")]]
    """Steps to run when it is false."""


class SubmitManifestOutputRecipeStepGateAwait(Output):
    """What the gate waits for first; signal is null on timeout."""

    signal: str | None = None
    """Signal it waits for; absent: only for the time."""
    after_ms: int | None = None
    """Maximum wait; alone it is a timer."""
    schema_: Dict[str, Any] | None = Field(default=None, validation_alias="schema", serialization_alias="schema")
    """JSON Schema that the payload of the signal must fit. Absent: any payload."""
    from_: SubmitManifestOutputRecipeStepGateAwaitFrom | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """Who may send it. Without agents, roles and council: everybody who may signal a run."""
    on_timeout: Literal["condition", "true", "false", "fail"] | str | None = None
    """What no signal in time means: the condition with signal null, a decision, or the failure timeout. Default `"condition"`."""
    on_refusal: Literal["false", "fail"] | str | None = None
    """What a signal means for which the condition is false: on_false, or the failure policy_denied. Default `"false"`."""


class SubmitManifestOutputRecipeStepGateAwaitFrom(Output):
    """Who may send it. Without agents, roles and council: everybody who may signal a run."""

    agents: List[str] | None = None
    """Identities that may send it."""
    roles: List[str] | None = None
    """Roles of which the credential of the sender must bring one."""
    council: bool | None = None
    """Also whoever brings a verdict of MACE that binds MOON.execute_workflow to this signal. Default `false`."""
    not_starter: bool | None = None
    """Four eyes: neither whoever started the run nor an identity with the same root may send it. Default `false`."""


class SubmitManifestOutputRecipeStepAudit(Output):
    """A part of the above."""

    kind: Literal["Audit"]
    """An entry in the audit log."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    event_type: str
    """What happened, as the audit log names it."""
    metadata: Dict[str, Any]
    """What the entry says."""


class SubmitManifestOutputRecipeStepSubRecipe(Output):
    """A part of the above."""

    kind: Literal["SubRecipe"]
    """Another recipe, run as a step."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    recipe_id: str
    """The recipe to run."""
    params: Dict[str, Any]
    """The input of the inner recipe; values as in a payload."""
    retry: SubmitManifestOutputRecipeStepProtocolRetry | None = None
    """When and how often a failed attempt is repeated; default: that of the manifest."""


class SubmitManifestOutputRecipeStepFail(Output):
    """A part of the above."""

    kind: Literal["Fail"]
    """Fails the run here, or what holds it if that is optional."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    error: str
    """What the failure is called."""
    message: str
    """What happened, for those who read the run."""


class SubmitManifestOutputRecipeStepForEach(Output):
    """A part of the above."""

    kind: Literal["ForEach"]
    """The same steps for each element of a list."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    items: Any
    """The list, at most 1000 elements: values as in a payload, such as {"$ref":"steps.read.data.orders"}."""
    concurrency: int | None = None
    """Rounds that may be under way at the same time. Default `1`."""
    steps: List[Annotated[SubmitManifestOutputRecipeStepProtocol | SubmitManifestOutputRecipeStepGate | SubmitManifestOutputRecipeStepAudit | SubmitManifestOutputRecipeStepSubRecipe | SubmitManifestOutputRecipeStepFail | SubmitManifestOutputRecipeStepForEach | SubmitManifestOutputRecipeStepRepeat | SubmitManifestOutputRecipeStepRun | SubmitManifestOutputRecipeStepParallel | SubmitManifestOutputRecipeStepWait | Dict[str, Any], Field(union_mode="left_to_right")]]
    """Steps of a round; they read item and index."""


class SubmitManifestOutputRecipeStepRepeat(Output):
    """A part of the above."""

    kind: Literal["Repeat"]
    """The same steps again, until or while a condition holds."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    until: str | None = None
    """CEL over input, steps, item and index after each round; true ends the loop."""
    while_: str | None = Field(default=None, validation_alias="while", serialization_alias="while")
    """Instead of until: CEL after each round; false ends the loop."""
    max: int
    """Rounds at most; if the loop has not ended by then, it fails with unsuccessful."""
    pause_ms: int | None = None
    """Wait between two rounds, in milliseconds. Default `0`."""
    steps: List[Annotated[SubmitManifestOutputRecipeStepProtocol | SubmitManifestOutputRecipeStepGate | SubmitManifestOutputRecipeStepAudit | SubmitManifestOutputRecipeStepSubRecipe | SubmitManifestOutputRecipeStepFail | SubmitManifestOutputRecipeStepForEach | SubmitManifestOutputRecipeStepRepeat | SubmitManifestOutputRecipeStepRun | SubmitManifestOutputRecipeStepParallel | SubmitManifestOutputRecipeStepWait | Dict[str, Any], Field(union_mode="left_to_right")]]
    """Steps of a round; they read index, and as item what the round before answered."""


class SubmitManifestOutputRecipeStepRun(Output):
    """A part of the above."""

    kind: Literal["Run"]
    """A run of another manifest, which the step waits for."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    manifest: str
    """Name of the manifest to run."""
    version: str
    """Version of the manifest to run."""
    input: Dict[str, Any] | None = None
    """Input of the run; values as in a payload."""
    retry: SubmitManifestOutputRecipeStepProtocolRetry | None = None
    """When and how often a failed run is started anew; default: that of the manifest."""


class SubmitManifestOutputRecipeStepParallel(Output):
    """A part of the above."""

    kind: Literal["Parallel"]
    """Several steps at a time."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    steps: List[Annotated[SubmitManifestOutputRecipeStepProtocol | SubmitManifestOutputRecipeStepGate | SubmitManifestOutputRecipeStepAudit | SubmitManifestOutputRecipeStepSubRecipe | SubmitManifestOutputRecipeStepFail | SubmitManifestOutputRecipeStepForEach | SubmitManifestOutputRecipeStepRepeat | SubmitManifestOutputRecipeStepRun | SubmitManifestOutputRecipeStepParallel | SubmitManifestOutputRecipeStepWait | Dict[str, Any], Field(union_mode="left_to_right")]]
    """All may run at the same time."""


class SubmitManifestOutputRecipeStepWait(Output):
    """A part of the above."""

    kind: Literal["Wait"]
    """A timer."""
    name: str | None = None
    """Unique within its recipe, steps inside of gates and parallels included."""
    depends_on: List[str] | None = None
    """Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none."""
    optional: bool | None = None
    """Its failure skips it and lowers confidence; the run goes on. Default `false`."""
    weight: float | None = None
    """Its weight where scores of parallel steps are combined. Default `1`."""
    timeout_ms: int | None = None
    """How long one attempt may take."""
    when: str | None = None
    """CEL over input and steps; false skips the step."""
    for_ms: int | None = None
    """How long, in milliseconds."""
    until: Any = None
    """Instead of for_ms: the time it waits for, RFC 3339, as a text, {"$ref":…} or {"$cel":…}. After a time that is past it goes on at once."""


class SubmitManifestOutputProposedManifestDefaults(Output):
    """For steps that say nothing of their own."""

    timeout_ms: int | None = None
    """How long one attempt may take, in milliseconds."""
    retry: SubmitManifestOutputRecipeStepProtocolRetry | None = None
    """When and how often a failed attempt is repeated."""


class SubmitManifestOutputProposedManifestSchedule(Output):
    """When runs start by themselves; absent: they do not."""

    cron: str
    """Five fields, or six with seconds."""
    tz: str | None = None
    """Time zone of the times, such as Europe/Berlin. Default `"UTC"`."""
    overlap: Literal["skip", "queue"] | str | None = None
    """When the run before it has not ended. Default `"skip"`."""


class SubmitManifestOutputProposedManifestConcurrency(Output):
    """How many runs may run in parallel; absent: no limit."""

    key: str
    """CEL over input: runs with the same value stand in one line."""
    max: int
    """Runs with the same value that may run in parallel."""


class SubmitManifestOutputProposedManifestGovernanceGate(Output):
    """A part of the above."""

    at_step: str
    """It is judged before this step."""
    kind: Literal["MAXIM", "MACE-quorum", "MOAT-treaty"] | str
    """Who judges: the policies, the verdict of a council, or a treaty between two parties."""
    on_pass: Literal["Abort", "Continue", "Escalate"] | str
    """What happens if it passes. Abort fails the run, Continue goes on, Escalate waits for a MOOT ruling."""
    on_fail: Literal["Abort", "Continue", "Escalate"] | str
    """What happens if it does not. Abort fails the run, Continue goes on, Escalate waits for a MOOT ruling."""
    question: Dict[str, Any] | None = None
    """The request to the judging protocol, such as the motion or the parties."""
    escalation: Dict[str, Any] | None = None
    """With Escalate: the input of MOOT.file; at least respondent_did."""


class Moon(Operations):
    """Durable workflows: every step is a dispatched call that takes effect once, even if an engine crashes."""

    protocol = "MOON"

    def execute_workflow(
        self,
        *,
        action: Literal["start", "status", "signal", "cancel", "retry", "undo"] | None = None,
        manifest_ref: str | None = None,
        name: str | None = None,
        version: str | None = None,
        input: Any = None,
        run_key: str | None = None,
        attributes: Dict[str, str] | None = None,
        wait_ms: int | None = None,
        deadline_ms: int | None = None,
        run_ref: str | None = None,
        signal: ExecuteWorkflowSignal | None = None,
        compensate: bool | None = None,
        from_step: str | None = None,
        undone: List[str] | None = None,
        reason: str | None = None,
    ) -> ExecuteWorkflowOutput:
        """Run a workflow; ask how a run stands, signal it, cancel it, or try it again. A write: never retried."""
        return self._call("execute_workflow", ExecuteWorkflowInput, ExecuteWorkflowOutput, {
            "action": action,
            "manifest_ref": manifest_ref,
            "name": name,
            "version": version,
            "input": input,
            "run_key": run_key,
            "attributes": attributes,
            "wait_ms": wait_ms,
            "deadline_ms": deadline_ms,
            "run_ref": run_ref,
            "signal": signal,
            "compensate": compensate,
            "from_step": from_step,
            "undone": undone,
            "reason": reason,
        })

    def history(
        self,
        *,
        run_ref: str,
        path: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> HistoryOutput:
        """Read what each step of a run was called with and answered, with all attempts and times. A read: retried."""
        return self._call("history", HistoryInput, HistoryOutput, {
            "run_ref": run_ref,
            "path": path,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def list(
        self,
        *,
        kind: Literal["runs", "manifests"] | None = None,
        state: Literal["pending", "running", "waiting", "compensating", "succeeded", "failed", "cancelled", "compensated", "compensation_failed", "active", "paused", "inactive"] | None = None,
        manifest_ref: str | None = None,
        run_ref: str | None = None,
        name: str | None = None,
        parent_run_ref: str | None = None,
        attributes: Dict[str, str] | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List runs, or the manifests they run, newest first; of one of them the graph of its steps. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "kind": kind,
            "state": state,
            "manifest_ref": manifest_ref,
            "run_ref": run_ref,
            "name": name,
            "parent_run_ref": parent_run_ref,
            "attributes": attributes,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def submit_manifest(
        self,
        *,
        manifest: SubmitManifestManifest | None = None,
        intent: SubmitManifestIntent | None = None,
        budget: SubmitManifestBudget | None = None,
        activate: bool | None = None,
    ) -> SubmitManifestOutput:
        """Register a workflow: its steps are typed, checked against what this engine serves, and kept under their hash. A write: never retried."""
        return self._call("submit_manifest", SubmitManifestInput, SubmitManifestOutput, {
            "manifest": manifest,
            "intent": intent,
            "budget": budget,
            "activate": activate,
        })


class AsyncMoon(AsyncOperations):
    """Durable workflows: every step is a dispatched call that takes effect once, even if an engine crashes."""

    protocol = "MOON"

    async def execute_workflow(
        self,
        *,
        action: Literal["start", "status", "signal", "cancel", "retry", "undo"] | None = None,
        manifest_ref: str | None = None,
        name: str | None = None,
        version: str | None = None,
        input: Any = None,
        run_key: str | None = None,
        attributes: Dict[str, str] | None = None,
        wait_ms: int | None = None,
        deadline_ms: int | None = None,
        run_ref: str | None = None,
        signal: ExecuteWorkflowSignal | None = None,
        compensate: bool | None = None,
        from_step: str | None = None,
        undone: List[str] | None = None,
        reason: str | None = None,
    ) -> ExecuteWorkflowOutput:
        """Run a workflow; ask how a run stands, signal it, cancel it, or try it again. A write: never retried."""
        return await self._call("execute_workflow", ExecuteWorkflowInput, ExecuteWorkflowOutput, {
            "action": action,
            "manifest_ref": manifest_ref,
            "name": name,
            "version": version,
            "input": input,
            "run_key": run_key,
            "attributes": attributes,
            "wait_ms": wait_ms,
            "deadline_ms": deadline_ms,
            "run_ref": run_ref,
            "signal": signal,
            "compensate": compensate,
            "from_step": from_step,
            "undone": undone,
            "reason": reason,
        })

    async def history(
        self,
        *,
        run_ref: str,
        path: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> HistoryOutput:
        """Read what each step of a run was called with and answered, with all attempts and times. A read: retried."""
        return await self._call("history", HistoryInput, HistoryOutput, {
            "run_ref": run_ref,
            "path": path,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def list(
        self,
        *,
        kind: Literal["runs", "manifests"] | None = None,
        state: Literal["pending", "running", "waiting", "compensating", "succeeded", "failed", "cancelled", "compensated", "compensation_failed", "active", "paused", "inactive"] | None = None,
        manifest_ref: str | None = None,
        run_ref: str | None = None,
        name: str | None = None,
        parent_run_ref: str | None = None,
        attributes: Dict[str, str] | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List runs, or the manifests they run, newest first; of one of them the graph of its steps. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "kind": kind,
            "state": state,
            "manifest_ref": manifest_ref,
            "run_ref": run_ref,
            "name": name,
            "parent_run_ref": parent_run_ref,
            "attributes": attributes,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def submit_manifest(
        self,
        *,
        manifest: SubmitManifestManifest | None = None,
        intent: SubmitManifestIntent | None = None,
        budget: SubmitManifestBudget | None = None,
        activate: bool | None = None,
    ) -> SubmitManifestOutput:
        """Register a workflow: its steps are typed, checked against what this engine serves, and kept under their hash. A write: never retried."""
        return await self._call("submit_manifest", SubmitManifestInput, SubmitManifestOutput, {
            "manifest": manifest,
            "intent": intent,
            "budget": budget,
            "activate": activate,
        })
