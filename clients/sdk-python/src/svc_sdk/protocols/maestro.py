# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MAESTRO v1.0.0. Planning: missions with their limits, goals broken into tasks with times and people, and replanning."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class CharterDeclareInput(Input):
    """Declare a mission with its objectives, constraints, budget, agents and ways of working."""

    name: str
    """Name of the charter through all its versions."""
    mission: str
    """What the organization is for, in words."""
    objectives: List[CharterDeclareObjective]
    """What is to be reached."""
    constraints: List[CharterDeclareConstraint] | None = None
    """What every plan must keep."""
    resources: CharterDeclareResources | None = None
    """What plans may use."""
    methods: List[CharterDeclareMethod] | None = None
    """Ways to do tasks, in the order in which they are preferred; for all its plans."""
    authority: str | None = None
    """Verdict that authorized it; absent: declared without one."""
    supersedes: str | None = None
    """The version it replaces; refused if a newer one exists. Absent: the newest."""


class CharterDeclareObjective(Input):
    """A part of the above."""

    id: str
    """Names the objective within the charter."""
    statement: str
    """What is to be reached, in words."""
    metric: CharterDeclareObjectiveMetric | None = None
    """How it is measured; absent: it cannot be."""
    deadline: str | None = None
    """When it must be reached; absent: no deadline."""
    weight: float | None = None
    """How much it counts. Default `1`."""


class CharterDeclareObjectiveMetric(Input):
    """How it is measured; absent: it cannot be."""

    source: str
    """What is measured: the name of a metric, or a reference."""
    comparator: Literal["<", "<=", "==", ">=", ">"]
    """How the measured value compares to the target."""
    target: float
    """Value to reach or keep."""


class CharterDeclareConstraint(Input):
    """A part of the above."""

    id: str
    """Names the constraint within the charter."""
    expr: str | None = None
    """CEL over plan (cost, makespan_ms, p90_ms, tasks) and state (facts after the plan): a plan that does not keep it is none."""
    text: str | None = None
    """For people to judge."""


class CharterDeclareResources(Input):
    """What plans may use."""

    budget: CharterDeclareResourcesBudget | None = None
    """What plans may spend; must fit into what is left for you."""
    agents: List[CharterDeclareResourcesAgent] | None = None
    """Who can work on it."""


class CharterDeclareResourcesBudget(Input):
    """What plans may spend; must fit into what is left for you."""

    tokens: int | None = None
    """Tokens at most."""
    usd: str | float | None = None
    """US dollars at most."""
    seconds: int | None = None
    """Seconds of work at most."""


class CharterDeclareResourcesAgent(Input):
    """A part of the above."""

    did: str
    """The agent."""
    skills: List[str] | None = None
    """What it can do, as operators name it."""
    capacity: float | None = None
    """The share of its time that may be planned with; tasks whose loads fit it run side by side. Default `1`."""


class CharterDeclareMethod(Input):
    """A part of the above."""

    name: str | None = None
    """For people: said in the decomposition."""
    task: str
    """Task that it does."""
    choose: List[CharterDeclareMethodChoose] | None = None
    """What is left open: each value of the list is tried in turn, as a further argument."""
    preconditions: str | List[str] | None = None
    """All must be true; a fact that is not there makes one false."""
    subtasks: List[CharterDeclareMethodSubtask]
    """What it is broken down into."""
    order: List[str] | List[List[str]] | None = None
    """Ids in the order they must be done in, or pairs of which the first comes before the second; an empty list leaves all open. Absent: as they stand."""


class CharterDeclareMethodChoose(Input):
    """A part of the above."""

    name: str
    """Name of the further argument."""
    from_: str = Field(validation_alias="from", serialization_alias="from")
    """CEL that gives a list."""


class CharterDeclareMethodSubtask(Input):
    """A part of the above."""

    id: str | None = None
    """Names the subtask within the method, for order."""
    task: str
    """Task or operator to do."""
    args: Dict[str, Any] | None = None
    """By name; any value in it may be {"$cel": "…"} over state and args."""


class CharterDeclareOutput(SecretOutput):
    """Answer of MAESTRO charter.declare."""

    charter_ref: str
    """Hash of the charter and of the version before it."""
    version: int
    """Of this name, counted from 1."""
    warnings: List[CharterDeclareOutputWarning]
    """What may be wrong with it; it is declared all the same."""


class CharterDeclareOutputWarning(Output):
    """A part of the above."""

    kind: Literal["unmeasurable_objective", "deadline_conflict", "target_conflict", "unweighed"] | str
    """unmeasurable_objective: no metric. Conflicts: no value or time can meet it. unweighed: all weights are 0."""
    objective_id: str | None = None
    """Objective it is about."""
    message: str
    """What is wrong, in words."""


class GoalRefineInput(Input):
    """Break a goal into tasks that can be done, with their order, times, cost and who does them."""

    charter_ref: str | None = None
    """Charter whose methods, agents and constraints count; absent: none."""
    goal: GoalRefineGoalObject | str
    """What to plan: the name of a task, a task with arguments, or a wish in words."""
    state: Dict[str, Any] | None = None
    """Facts, as expressions see them."""
    methods: List[GoalRefineMethod] | None = None
    """Ways to do a task, in the order in which they are preferred."""
    operators: List[GoalRefineOperator] | None = None
    """Tasks that need no breaking down: what they change, and who or what does them."""
    hddl: str | None = None
    """A domain, and a problem if there is one, in HDDL; methods, operators and state beside it add to it. The initial network of the problem is the task htn, predicates are facts keyed by their arguments, and only a plan after which its :goal is true is one."""
    minimize: Literal["makespan", "cost", "steps"] | GoalRefineMinimizeObject | None = None
    """What the best plan has least of; absent: makespan. Replanning keeps it."""
    budget: GoalRefineBudget | None = None
    """What the search may use."""


class GoalRefineGoalObject(Input):
    """A part of the above."""

    task: str
    """Task to plan."""
    args: Dict[str, Any] | None = None
    """Arguments by name."""


class GoalRefineMethod(Input):
    """A part of the above."""

    name: str | None = None
    """For people: said in the decomposition."""
    task: str
    """Task that it does."""
    choose: List[GoalRefineMethodChoose] | None = None
    """What is left open: each value of the list is tried in turn, as a further argument."""
    preconditions: str | List[str] | None = None
    """All must be true; a fact that is not there makes one false."""
    subtasks: List[GoalRefineMethodSubtask]
    """What it is broken down into."""
    order: List[str] | List[List[str]] | None = None
    """Ids in the order they must be done in, or pairs of which the first comes before the second; an empty list leaves all open. Absent: as they stand."""


class GoalRefineMethodChoose(Input):
    """A part of the above."""

    name: str
    """Name of the further argument."""
    from_: str = Field(validation_alias="from", serialization_alias="from")
    """CEL that gives a list."""


class GoalRefineMethodSubtask(Input):
    """A part of the above."""

    id: str | None = None
    """Names the subtask within the method, for order."""
    task: str
    """Task or operator to do."""
    args: Dict[str, Any] | None = None
    """By name; any value in it may be {"$cel": "…"} over state and args."""


class GoalRefineOperator(Input):
    """A part of the above."""

    name: str
    """Name that methods use."""
    preconditions: str | List[str] | None = None
    """All must be true; a fact that is not there makes one false."""
    effects: List[GoalRefineOperatorEffectBySet | GoalRefineOperatorEffectByUnset | GoalRefineOperatorEffectByIncrement] | None = None
    """What is true after it."""
    protocol: str | None = None
    """With operation: what is called to do it."""
    operation: str | None = None
    """With protocol: what is called to do it."""
    payload: Dict[str, Any] | None = None
    """What the operation is called with; any value may be {"$cel": "…"}. The arguments where absent."""
    skill: str | None = None
    """What an agent must be able to do for it."""
    load: float | None = None
    """How much of an agent it takes; all of its capacity where absent."""
    duration: GoalRefineOperatorDuration | None = None
    """At best, most likely and at worst, in milliseconds."""
    cost: float | None = None
    """US dollars."""


class GoalRefineOperatorEffectBySet(Input):
    """A part of the above."""

    set: str
    """Fact that gets a value, such as at.{truck}."""
    to: Any
    """A value, or {"$cel": "…"}."""


class GoalRefineOperatorEffectByUnset(Input):
    """A part of the above."""

    unset: str
    """Fact that is removed, such as at.{truck}."""


class GoalRefineOperatorEffectByIncrement(Input):
    """A part of the above."""

    increment: str
    """Number that is counted up, such as loads.{truck}."""
    by: Any = None
    """A number, or {"$cel": "…"}; 1 where absent."""


class GoalRefineOperatorDuration(Input):
    """At best, most likely and at worst, in milliseconds."""

    opt: float
    """At best, in milliseconds."""
    likely: float
    """Most likely, in milliseconds."""
    pess: float
    """At worst, in milliseconds."""


class GoalRefineMinimizeObject(Input):
    """Weights: what they make of a plan is added up."""

    makespan: float | None = None
    """Weight of a millisecond of the expected time."""
    cost: float | None = None
    """Weight of a US dollar."""
    steps: float | None = None
    """Weight of a task."""


class GoalRefineBudget(Input):
    """What the search may use."""

    expansions: int | None = None
    """Steps of the search: ways tried, those that were rejected included. Absent: only deadline_ms ends it, or 20000 of them without one."""
    deadline_ms: int | None = None
    """Time of the search, in milliseconds; it goes on looking for a better plan until then, or until the best is proven. Default `30000`."""


class GoalRefineOutput(SecretOutput):
    """Answer of MAESTRO goal.refine."""

    feasible: bool
    """Whether there is a plan."""
    reason: Literal["no_plan", "out_of_budget", "goal_not_reached", "limits", "size"] | str | None = None
    """Why there is no plan; absent: there is one."""
    failing: GoalRefineOutputFailing | None = None
    """Of the attempt that came furthest, the first thing that did not hold."""
    graph_ref: str | None = None
    """Names the plan, to change it later; absent: there is none."""
    version: int | None = None
    """Version of the plan; send it to graph.replan."""
    starts_at: str | None = None
    """Time from which offsets count."""
    tasks: List[GoalRefineOutputTask]
    """Steps of the plan with their times."""
    critical_path: List[str]
    """Tasks that decide how long the plan takes."""
    makespan: GoalRefineOutputMakespan | None = None
    """Milliseconds from starts_at: with mean durations and the agents there are; and in nine cases of ten."""
    cost: float | None = None
    """US dollars."""
    objective: GoalRefineOutputObjective | None = None
    """How good the plan is; absent: there is none."""
    decomposition: List[GoalRefineOutputDecomposition]
    """How the goal was broken down, as a tree."""
    alternatives: List[GoalRefineOutputAlternative]
    """Other plans that were found, the best first; none is better."""
    executable_manifest: Dict[str, Any] | None = None
    """For MOON submit_manifest as it is; absent where nothing is left to do, or more than it can hold."""
    unrefined: List[str]
    """Tasks that nobody knows how to do."""
    at_risk_objectives: List[GoalRefineOutputAtRiskObjective]
    """Objectives of the charter that will be late."""
    search: GoalRefineOutputSearch
    """How far the search went."""
    methods_from: Literal["given", "model", "none"] | str
    """A model only proposes: its methods were carried out symbolically before they counted."""


class GoalRefineOutputFailing(Output):
    """Of the attempt that came furthest, the first thing that did not hold."""

    task: str | None = None
    """Task that could not be done."""
    args: Dict[str, Any] | None = None
    """Arguments by name."""
    of: str | None = None
    """What did not hold: an operator, method, choice, effect, constraint, or the goal."""
    name: str | None = None
    """Of the operator, the method or the constraint."""
    precondition: str | None = None
    """Condition that was false, in CEL."""
    why: str
    """What was wrong, in words."""


class GoalRefineOutputTask(Output):
    """A part of the above."""

    id: str
    """Names the task within the plan."""
    kind: Literal["operation", "skill", "step", "unrefined"] | str
    """A call, the skill of an agent, a step that somebody takes, or a task nobody knows how to do."""
    status: Literal["pending", "done"] | str
    """Whether it was reported as done."""
    operator: str
    """What is done, by the name of its operator."""
    args: Dict[str, Any]
    """Arguments by name."""
    depends_on: List[str]
    """Tasks that must end before it."""
    duration: GoalRefineOutputTaskDuration
    """PERT, in milliseconds."""
    es: float
    """Earliest start, in ms from starts_at."""
    ef: float
    """Earliest finish, in ms from starts_at."""
    ls: float
    """Latest start, in ms from starts_at."""
    lf: float
    """Latest finish, in ms from starts_at."""
    slack: float
    """How much later it may start without making the plan longer."""
    critical: bool
    """Whether a delay of it delays the plan."""
    start: float
    """When it starts with the agents there are, in ms from starts_at."""
    finish: float
    """When it ends then, in ms from starts_at."""
    assignee: str | None = None
    """Who does it; absent: nobody is needed, or nobody was found."""


class GoalRefineOutputTaskDuration(Output):
    """PERT, in milliseconds."""

    mean: float
    """Expected time, in milliseconds."""
    sd: float
    """Standard deviation, in milliseconds."""


class GoalRefineOutputMakespan(Output):
    """Milliseconds from starts_at: with mean durations and the agents there are; and in nine cases of ten."""

    mean: float
    """Expected, in milliseconds."""
    p90: float
    """In nine cases of ten, in milliseconds."""


class GoalRefineOutputObjective(Output):
    """How good the plan is; absent: there is none."""

    minimize: Literal["makespan", "cost", "steps"] | str | GoalRefineOutputObjectiveMinimizeObject
    """As it was asked for; makespan where nothing was."""
    value: float
    """What the objective makes of this plan: the smaller, the better."""
    proven_best: bool
    """Whether no plan of these methods and operators is better, each scheduled as plans are here; false: the search ended before that was known."""


class GoalRefineOutputObjectiveMinimizeObject(Output):
    """Weights: what they make of a plan is added up."""

    makespan: float | None = None
    """Weight of a millisecond of the expected time."""
    cost: float | None = None
    """Weight of a US dollar."""
    steps: float | None = None
    """Weight of a task."""


class GoalRefineOutputDecomposition(Output):
    """A part of the above."""

    id: int
    """Names the entry within the tree."""
    parent: int | None = None
    """Entry that it is a part of; absent: the goal."""
    task: str
    """Task that was broken down."""
    args: Dict[str, Any]
    """Arguments by name."""
    method: str | None = None
    """How it is done."""
    task_id: str | None = None
    """Task of the plan that does it; absent: it was broken down."""
    past: bool | None = None
    """Done for a way that was given up."""


class GoalRefineOutputAlternative(Output):
    """A part of the above."""

    tasks: List[GoalRefineOutputAlternativeTask]
    """What would be done."""
    makespan_ms: float
    """Expected time, in milliseconds."""
    cost: float
    """US dollars."""
    value: float
    """What the objective makes of it."""


class GoalRefineOutputAlternativeTask(Output):
    """A part of the above."""

    operator: str
    """What is done, by the name of its operator."""
    args: Dict[str, Any]
    """Arguments by name."""


class GoalRefineOutputAtRiskObjective(Output):
    """Objectives that will be late."""

    id: str
    """The objective."""
    deadline: str
    """When it must be reached."""
    expected: str
    """When it will be reached, in nine cases of ten."""


class GoalRefineOutputSearch(Output):
    """How far the search went."""

    expansions: int
    """Steps of the search that were taken."""
    ended: Literal["complete", "expansions", "deadline", "expression", "size"] | str
    """complete: everything was tried, or can be no better. expansions, deadline: that budget was used up before. expression: a condition, choice or value took more work than one may, and what depends on it was left out. size: plans longer or deeper than can be kept were left out."""


class GraphReplanInput(Input):
    """Report events that affect a plan, and get back the repaired plan."""

    graph_ref: str
    """Plan to change."""
    expected_version: int
    """Version you know; another one is refused."""
    events: List[GraphReplanEvent]
    """What happened since; taken in order of time."""
    policy: Literal["minimal_change", "optimal"] | None = None
    """Whether order and people stay as far as they can, or all that is left is scheduled anew. Both keep the objective. Default `"minimal_change"`."""
    freeze_window_ms: int | None = None
    """What starts within it keeps its people, and starts no earlier. Default `0`."""
    budget: GraphReplanBudget | None = None
    """What the search may use."""


class GraphReplanEvent(Input):
    """A part of the above."""

    task_id: str | None = None
    """Task it is about; for done, failed, late and cancelled."""
    kind: Literal["done", "failed", "late", "cancelled", "resource_lost", "resource_added", "new_fact", "new_deadline"]
    """What happened; resource_lost and resource_added are about agents."""
    at: str | None = None
    """When it happened; default now."""
    data: GraphReplanEventData | None = None
    """What is needed to know of it, by kind."""


class GraphReplanEventData(Input):
    """What is needed to know of it, by kind."""

    effects: List[GraphReplanEventDataEffectBySet | GraphReplanEventDataEffectByUnset | GraphReplanEventDataEffectByIncrement] | None = None
    """Further facts that are true now; needed for new_fact."""
    remaining_ms: int | None = None
    """late: how long it still takes."""
    did: str | None = None
    """resource_lost and resource_added: the agent."""
    skills: List[str] | None = None
    """resource_added: what the agent can do."""
    capacity: float | None = None
    """resource_added: share of its time that may be planned with. Default `1`."""
    objective_id: str | None = None
    """new_deadline: the objective."""
    deadline: str | None = None
    """new_deadline: when it must be reached now."""


class GraphReplanEventDataEffectBySet(Input):
    """A part of the above."""

    set: str
    """Fact that gets a value, such as at.{truck}."""
    to: Any
    """A value, or {"$cel": "…"}."""


class GraphReplanEventDataEffectByUnset(Input):
    """A part of the above."""

    unset: str
    """Fact that is removed, such as at.{truck}."""


class GraphReplanEventDataEffectByIncrement(Input):
    """A part of the above."""

    increment: str
    """Number that is counted up, such as loads.{truck}."""
    by: Any = None
    """A number, or {"$cel": "…"}; 1 where absent."""


class GraphReplanBudget(Input):
    """What the search may use."""

    expansions: int | None = None
    """Steps of the search: ways tried, those that were rejected included. Absent: only deadline_ms ends it, or 20000 of them without one."""
    deadline_ms: int | None = None
    """Time of the search, in milliseconds; it goes on looking for a better plan until then, or until the best is proven. Default `30000`."""


class GraphReplanOutput(SecretOutput):
    """Answer of MAESTRO graph.replan."""

    graph_ref: str
    """A plan; it keeps its name through all its versions."""
    version: int
    """Version of the changed plan."""
    feasible: bool
    """Whether the rest can still be done."""
    reason: Literal["no_plan", "out_of_budget", "goal_not_reached", "limits", "size"] | str | None = None
    """Why the rest cannot be done; absent: it can."""
    failing: GraphReplanOutputFailing | None = None
    """Of the attempt that came furthest, the first thing that did not hold."""
    diff: GraphReplanOutputDiff
    """What changed in the plan."""
    stability: float
    """Twice the tasks that stayed with who had them, over all tasks before and all after."""
    starts_at: str
    """Time from which offsets count."""
    tasks: List[GraphReplanOutputTask]
    """Steps of the plan with their times, done ones included."""
    critical_path: List[str]
    """Tasks that decide how long the rest takes."""
    makespan: GraphReplanOutputMakespan
    """Milliseconds from starts_at: with mean durations and the agents there are; and in nine cases of ten."""
    cost: float
    """US dollars."""
    objective: GraphReplanOutputObjective
    """How good the plan is by the objective it was made for; proven_best is about the ways to do what broke, and false if nothing did."""
    decomposition: List[GraphReplanOutputDecomposition]
    """How the goal was broken down, as a tree."""
    executable_manifest: Dict[str, Any] | None = None
    """What is left to do, for MOON submit_manifest; absent where that is nothing, or not feasible."""
    at_risk_objectives: List[GraphReplanOutputAtRiskObjective]
    """Objectives of the charter that will be late."""
    search: GraphReplanOutputSearch
    """How far the search went."""


class GraphReplanOutputFailing(Output):
    """Of the attempt that came furthest, the first thing that did not hold."""

    task: str | None = None
    """Task that could not be done."""
    args: Dict[str, Any] | None = None
    """Arguments by name."""
    of: str | None = None
    """What did not hold: an operator, method, choice, effect, constraint, or the goal."""
    name: str | None = None
    """Of the operator, the method or the constraint."""
    precondition: str | None = None
    """Condition that was false, in CEL."""
    why: str
    """What was wrong, in words."""


class GraphReplanOutputDiff(Output):
    """What changed in the plan."""

    added: List[str]
    """New tasks."""
    removed: List[str]
    """Tasks that are no longer needed."""
    moved: List[str]
    """Tasks with other times."""
    reassigned: List[str]
    """Tasks that somebody else does now."""


class GraphReplanOutputTask(Output):
    """A part of the above."""

    id: str
    """Names the task within the plan."""
    kind: Literal["operation", "skill", "step", "unrefined"] | str
    """A call, the skill of an agent, a step that somebody takes, or a task nobody knows how to do."""
    status: Literal["pending", "done"] | str
    """Whether it was reported as done."""
    operator: str
    """What is done, by the name of its operator."""
    args: Dict[str, Any]
    """Arguments by name."""
    depends_on: List[str]
    """Tasks that must end before it."""
    duration: GraphReplanOutputTaskDuration
    """PERT, in milliseconds."""
    es: float
    """Earliest start, in ms from starts_at."""
    ef: float
    """Earliest finish, in ms from starts_at."""
    ls: float
    """Latest start, in ms from starts_at."""
    lf: float
    """Latest finish, in ms from starts_at."""
    slack: float
    """How much later it may start without making the plan longer."""
    critical: bool
    """Whether a delay of it delays the plan."""
    start: float
    """When it starts with the agents there are, in ms from starts_at."""
    finish: float
    """When it ends then, in ms from starts_at."""
    assignee: str | None = None
    """Who does it; absent: nobody is needed, or nobody was found."""


class GraphReplanOutputTaskDuration(Output):
    """PERT, in milliseconds."""

    mean: float
    """Expected time, in milliseconds."""
    sd: float
    """Standard deviation, in milliseconds."""


class GraphReplanOutputMakespan(Output):
    """Milliseconds from starts_at: with mean durations and the agents there are; and in nine cases of ten."""

    mean: float
    """Expected, in milliseconds."""
    p90: float
    """In nine cases of ten, in milliseconds."""


class GraphReplanOutputObjective(Output):
    """How good the plan is by the objective it was made for; proven_best is about the ways to do what broke, and false if nothing did."""

    minimize: Literal["makespan", "cost", "steps"] | str | GraphReplanOutputObjectiveMinimizeObject
    """As it was asked for; makespan where nothing was."""
    value: float
    """What the objective makes of this plan: the smaller, the better."""
    proven_best: bool
    """Whether no plan of these methods and operators is better, each scheduled as plans are here; false: the search ended before that was known."""


class GraphReplanOutputObjectiveMinimizeObject(Output):
    """Weights: what they make of a plan is added up."""

    makespan: float | None = None
    """Weight of a millisecond of the expected time."""
    cost: float | None = None
    """Weight of a US dollar."""
    steps: float | None = None
    """Weight of a task."""


class GraphReplanOutputDecomposition(Output):
    """A part of the above."""

    id: int
    """Names the entry within the tree."""
    parent: int | None = None
    """Entry that it is a part of; absent: the goal."""
    task: str
    """Task that was broken down."""
    args: Dict[str, Any]
    """Arguments by name."""
    method: str | None = None
    """How it is done."""
    task_id: str | None = None
    """Task of the plan that does it; absent: it was broken down."""
    past: bool | None = None
    """Done for a way that was given up."""


class GraphReplanOutputAtRiskObjective(Output):
    """Objectives that will be late."""

    id: str
    """The objective."""
    deadline: str
    """When it must be reached."""
    expected: str
    """When it will be reached, in nine cases of ten."""


class GraphReplanOutputSearch(Output):
    """How far the search went."""

    expansions: int
    """Steps of the search that were taken."""
    ended: Literal["complete", "expansions", "deadline", "expression", "size"] | str
    """complete: everything was tried, or can be no better. expansions, deadline: that budget was used up before. expression: a condition, choice or value took more work than one may, and what depends on it was left out. size: plans longer or deeper than can be kept were left out."""


class Maestro(Operations):
    """Planning: missions with their limits, goals broken into tasks with times and people, and replanning."""

    protocol = "MAESTRO"

    def charter_declare(
        self,
        *,
        name: str,
        mission: str,
        objectives: List[CharterDeclareObjective],
        constraints: List[CharterDeclareConstraint] | None = None,
        resources: CharterDeclareResources | None = None,
        methods: List[CharterDeclareMethod] | None = None,
        authority: str | None = None,
        supersedes: str | None = None,
    ) -> CharterDeclareOutput:
        """Declare a mission with its objectives, constraints, budget, agents and ways of working. A write: never retried."""
        return self._call("charter.declare", CharterDeclareInput, CharterDeclareOutput, {
            "name": name,
            "mission": mission,
            "objectives": objectives,
            "constraints": constraints,
            "resources": resources,
            "methods": methods,
            "authority": authority,
            "supersedes": supersedes,
        })

    def goal_refine(
        self,
        *,
        charter_ref: str | None = None,
        goal: GoalRefineGoalObject | str,
        state: Dict[str, Any] | None = None,
        methods: List[GoalRefineMethod] | None = None,
        operators: List[GoalRefineOperator] | None = None,
        hddl: str | None = None,
        minimize: Literal["makespan", "cost", "steps"] | GoalRefineMinimizeObject | None = None,
        budget: GoalRefineBudget | None = None,
    ) -> GoalRefineOutput:
        """Break a goal into tasks that can be done, with their order, times, cost and who does them. A write: never retried."""
        return self._call("goal.refine", GoalRefineInput, GoalRefineOutput, {
            "charter_ref": charter_ref,
            "goal": goal,
            "state": state,
            "methods": methods,
            "operators": operators,
            "hddl": hddl,
            "minimize": minimize,
            "budget": budget,
        })

    def graph_replan(
        self,
        *,
        graph_ref: str,
        expected_version: int,
        events: List[GraphReplanEvent],
        policy: Literal["minimal_change", "optimal"] | None = None,
        freeze_window_ms: int | None = None,
        budget: GraphReplanBudget | None = None,
    ) -> GraphReplanOutput:
        """Report events that affect a plan, and get back the repaired plan. A write: never retried."""
        return self._call("graph.replan", GraphReplanInput, GraphReplanOutput, {
            "graph_ref": graph_ref,
            "expected_version": expected_version,
            "events": events,
            "policy": policy,
            "freeze_window_ms": freeze_window_ms,
            "budget": budget,
        })


class AsyncMaestro(AsyncOperations):
    """Planning: missions with their limits, goals broken into tasks with times and people, and replanning."""

    protocol = "MAESTRO"

    async def charter_declare(
        self,
        *,
        name: str,
        mission: str,
        objectives: List[CharterDeclareObjective],
        constraints: List[CharterDeclareConstraint] | None = None,
        resources: CharterDeclareResources | None = None,
        methods: List[CharterDeclareMethod] | None = None,
        authority: str | None = None,
        supersedes: str | None = None,
    ) -> CharterDeclareOutput:
        """Declare a mission with its objectives, constraints, budget, agents and ways of working. A write: never retried."""
        return await self._call("charter.declare", CharterDeclareInput, CharterDeclareOutput, {
            "name": name,
            "mission": mission,
            "objectives": objectives,
            "constraints": constraints,
            "resources": resources,
            "methods": methods,
            "authority": authority,
            "supersedes": supersedes,
        })

    async def goal_refine(
        self,
        *,
        charter_ref: str | None = None,
        goal: GoalRefineGoalObject | str,
        state: Dict[str, Any] | None = None,
        methods: List[GoalRefineMethod] | None = None,
        operators: List[GoalRefineOperator] | None = None,
        hddl: str | None = None,
        minimize: Literal["makespan", "cost", "steps"] | GoalRefineMinimizeObject | None = None,
        budget: GoalRefineBudget | None = None,
    ) -> GoalRefineOutput:
        """Break a goal into tasks that can be done, with their order, times, cost and who does them. A write: never retried."""
        return await self._call("goal.refine", GoalRefineInput, GoalRefineOutput, {
            "charter_ref": charter_ref,
            "goal": goal,
            "state": state,
            "methods": methods,
            "operators": operators,
            "hddl": hddl,
            "minimize": minimize,
            "budget": budget,
        })

    async def graph_replan(
        self,
        *,
        graph_ref: str,
        expected_version: int,
        events: List[GraphReplanEvent],
        policy: Literal["minimal_change", "optimal"] | None = None,
        freeze_window_ms: int | None = None,
        budget: GraphReplanBudget | None = None,
    ) -> GraphReplanOutput:
        """Report events that affect a plan, and get back the repaired plan. A write: never retried."""
        return await self._call("graph.replan", GraphReplanInput, GraphReplanOutput, {
            "graph_ref": graph_ref,
            "expected_version": expected_version,
            "events": events,
            "policy": policy,
            "freeze_window_ms": freeze_window_ms,
            "budget": budget,
        })
