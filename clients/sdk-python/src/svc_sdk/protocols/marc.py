# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MARC v1.0.0. Reasoning within a budget: proofs from premises, and causal analysis of published models."""

from __future__ import annotations

from typing import Dict, List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class CausalAnalysisInput(Input):
    """Ask a published model for the effect of an intervention, an observation or a counterfactual."""

    model_ref: str | None = None
    """A published model: the sha256 of its canonical JSON."""
    world_model_snapshot: str | None = None
    """A snapshot that names a model."""
    outcome: CausalAnalysisOutcome
    """Variable whose distribution is asked for."""
    do: Dict[str, str] | None = None
    """What is done: variable to state."""
    given: Dict[str, str] | None = None
    """What is seen: variable to state."""
    query: Literal["interventional", "observational", "ate", "counterfactual"] | None = None
    """Seeing, doing (default), the average effect of doing, or what would have been."""
    baseline: Dict[str, str] | None = None
    """For ate: what is done instead. By default the first state that differs, of each variable."""
    max_factor: int | None = None
    """Largest table in cells; beyond it the answer is sampled."""
    budget: CausalAnalysisBudget | None = None
    """What the call may use at most; absent means the defaults."""


class CausalAnalysisOutcome(Input):
    """Variable whose distribution is asked for."""

    variable: str
    """Name of a variable of the model."""
    state: str | None = None
    """Ask for the probability of this state; absent means the whole distribution."""


class CausalAnalysisBudget(Input):
    """What the call may use at most; absent means the defaults."""

    tokens: int
    """Tokens of question and answer."""
    deadline_ms: int
    """Milliseconds after which the call ends with a timeout."""


class CausalAnalysisOutput(Output):
    """Answer of MARC causal_analysis."""

    model_ref: str
    """A published model: the sha256 of its canonical JSON."""
    query: Literal["interventional", "observational", "ate", "counterfactual"] | str
    """Kind of question that was answered."""
    probability: float | None = None
    """Of the state asked for; absent where the whole distribution was asked."""
    distribution: Dict[str, float] | None = None
    """Probability of each state of the outcome."""
    exact: bool
    """Computed; false where it was estimated by sampling."""
    ci95: List[float] | Dict[str, List[float]] | None = None
    """If sampled; for ate, the interval of the effect."""
    identifiable: bool
    """The effect follows from the model; otherwise the call is refused."""
    strategy: Literal["mutilation", "backdoor", "frontdoor", "id"] | str | None = None
    """How it was identified: cut edges, back door, front door, or the ID algorithm."""
    adjustment_set: List[str] | None = None
    """Observed variables to condition on; absent if no set of them is enough."""
    front_door_set: List[str] | None = None
    """Mediators that carry the whole effect, with the strategy frontdoor: not to be conditioned on."""
    elimination_order: List[str] | None = None
    """Order in which variables were summed out; absent where sampled."""
    largest_factor: int
    """Cells of the largest table; the limit if it was exceeded and the answer was sampled."""
    sampling: CausalAnalysisOutputSampling | None = None
    """How it was estimated; absent where it is exact."""
    effect: CausalAnalysisOutputEffect | None = None
    """Only for ate: the average effect of doing against the baseline."""
    usage: CausalAnalysisOutputUsage
    """What the analysis used."""
    binding: bool
    """Always false: the result informs and decides nothing."""


class CausalAnalysisOutputSampling(Output):
    """How it was estimated; absent where it is exact."""

    method: Literal["likelihood_weighting"] | str
    """Samples weighted by how likely they make what is given."""
    samples: int
    """Number of samples drawn."""
    seed: str
    """Where the chance came from: the same seed gives the same estimate."""


class CausalAnalysisOutputEffect(Output):
    """Only for ate: the average effect of doing against the baseline."""

    ate: float
    """treated minus control."""
    treated: float
    """Expected outcome under do."""
    control: float
    """Expected outcome under the baseline."""
    baseline: Dict[str, str]
    """States it was compared with."""


class CausalAnalysisOutputUsage(Output):
    """What the analysis used."""

    tokens_in: int
    """Tokens of the question."""
    tokens_out: int
    """Tokens of the answer."""


class PublishModelInput(Input):
    """Publish a Bayesian or causal model of the world under a name and a version."""

    name: str
    """Name of the model."""
    version: str
    """Semantic version: name and version identify one model permanently."""
    variables: List[PublishModelVariable] | None = None
    """The model as JSON; give this or source."""
    bidirected: List[List[str]] | None = None
    """Pairs of variables with a common unobserved cause."""
    format: Literal["json", "bif"] | None = None
    """json (default): variables; bif: source."""
    source: str | None = None
    """The model as BIF text, instead of variables."""
    supersedes: str | None = None
    """A published model: the sha256 of its canonical JSON."""
    provenance: List[str] | None = None
    """What the model was made from."""


class PublishModelVariable(Input):
    """A part of the above."""

    name: str
    """Name by which parents and questions refer to the variable."""
    states: List[str]
    """Values the variable can take."""
    parents: List[str] | None = None
    """Variables that cause it directly; none for a root."""
    cpt: List[float] | List[List[float]] | None = None
    """A row per combination of states of the parents, the last parent fastest; each row sums to 1. Flat, or a list of rows. Parents that are latent without a cpt are not counted."""
    cpt_given: List[str] | None = None
    """What the cpt is conditioned on, where that is not the observed parents: with hidden causes a variable depends on more than what causes it, as y on m and x where x and y share one and m lies between them."""
    latent: bool | None = None
    """Not observed. Default `false`."""


class PublishModelOutput(Output):
    """Answer of MARC publish_model."""

    model_ref: str
    """A published model: the sha256 of its canonical JSON."""
    variables: int
    """Number of variables."""
    edges: int
    """Number of edges between them."""
    parameters: int
    """Number of probabilities in all tables."""
    treewidth_bound: int
    """Upper bound, by the min-fill order."""
    warnings: List[str]
    """What was changed or ignored in the model."""


class ReasoningTaskInput(Input):
    """Answer a question from premises and known facts, with its proof, within a budget."""

    intent: str
    """A statement to judge, a yes-or-no question, or one that asks who or what; in English, or after "datalog:"."""
    premises: List[str] | None = None
    """Controlled English, or clauses after "datalog:". Each is one leaf of proofs."""
    world_model_snapshot: str | None = None
    """Additional known facts."""
    budget: ReasoningTaskBudget
    """What the task may use; at its end you get what was derived until then."""
    return_fields: List[Literal["derivation", "citations", "confidence", "alternatives"]] | None = None
    """Parts of the result to include beside the answer. Default none."""
    assumption: Literal["open", "closed"] | None = None
    """Closed: what cannot be derived is false, and "not" in a condition means just that. Default `"open"`."""
    rules: Literal["auto", "implications", "one_way"] | None = None
    """Whether a denied conclusion denies a condition (contraposition) in the open world: for every rule (implications), for none (one_way), or (auto) for all but rules over descriptions alone, such as "kind people are nice". Never for hedged rules or datalog. Default `"auto"`."""
    strict: bool | None = None
    """Refuse if a premise or the intent cannot be parsed. Default `false`."""
    backend: Literal["auto", "builtin", "model"] | None = None
    """What parses text that is not controlled English; the result is always proved by the engine. Default `"auto"`."""
    premise_confidence: List[float] | None = None
    """One for each premise; default 1."""


class ReasoningTaskBudget(Input):
    """What the task may use; at its end you get what was derived until then."""

    tokens: int
    """For text read, text written, and one for each rule that fires and for every 16 candidates tried."""
    deadline_ms: int
    """Limited by your tier; usage.deadline_ms shows the granted value."""


class ReasoningTaskOutput(Output):
    """Answer of MARC reasoning_task."""

    task_ref: str
    """Names this task, for citations."""
    status: Literal["complete", "budget_exhausted", "deadline"] | str
    """Whether reasoning was completed, or ended at the token budget or the deadline."""
    answer: Literal["true", "false", "unknown", "contradictory"] | str
    """contradictory: both it and its negation can be derived."""
    bindings: List[Dict[str, str]] | None = None
    """Values of the question's variables; only for who and what questions."""
    derivation: List[ReasoningTaskOutputDerivation] | None = None
    """The proof, step by step."""
    citations: List[ReasoningTaskOutputCitation] | None = None
    """Premises and facts the proof rests on."""
    confidence: float | None = None
    """Probability that the answer holds, from the confidence of its premises."""
    calibrated_confidence: float | None = None
    """The confidence after calibration (MANTIC)."""
    confidence_upper: float | None = None
    """Present if confidence is a lower bound."""
    alternatives: List[ReasoningTaskOutputAlternative] | None = None
    """Other answers, and what would have to hold for them."""
    unparsed: List[ReasoningTaskOutputUnparsed]
    """Texts that were not understood and not used."""
    readings: List[ReasoningTaskOutputReading]
    """How each text was read, in one normal form."""
    hedges: List[ReasoningTaskOutputHedge] | None = None
    """Present if the answer rests on hedged premises; confidence is then shown as well."""
    cut: List[Literal["alternatives", "bindings", "citations", "derivation", "readings"] | str] | None = None
    """Parts of this result that were left out or shortened to stay within a limit; absent if none was."""
    verified: bool
    """False if only a model says so, or if what was asked was not understood."""
    method: Literal["builtin", "model_translation", "model"] | str
    """Who read the texts: the engine or a model; with model, nothing was proved."""
    usage: ReasoningTaskOutputUsage
    """What the task used."""
    binding: bool
    """Always false: the result informs and decides nothing."""


class ReasoningTaskOutputDerivation(Output):
    """A part of the above."""

    step: int
    """Number of the step, from 1."""
    conclusion: str
    """In datalog; "not" before what is not derivable."""
    rule: str
    """premise:<index>, the reference of a fact, fact:<index>, granted, naf or comparison."""
    from_: List[int] = Field(validation_alias="from", serialization_alias="from")
    """Steps it follows from."""


class ReasoningTaskOutputCitation(Output):
    """A part of the above."""

    premise_index: int | None = None
    """Which of the premises, from 0."""
    ref: str | None = None
    """Fact of the snapshot, or the snapshot itself."""
    text_commitment: str
    """Hash that commits to the text without showing it."""
    status: Literal["valid", "redacted"] | str
    """redacted: its content has since been destroyed."""


class ReasoningTaskOutputAlternative(Output):
    """A part of the above."""

    answer: Literal["true", "false", "unknown", "contradictory"] | str | None = None
    """The answer that would result."""
    binding: Dict[str, str] | None = None
    """Other values of the question's variables."""
    missing_facts: List[str] | None = None
    """Additional facts with which the answer would be this."""
    confidence: float
    """How likely this alternative is."""


class ReasoningTaskOutputUnparsed(Output):
    """A part of the above."""

    index: int
    """Of the premise; -1 for the intent."""
    reason: str
    """Why it was not understood."""


class ReasoningTaskOutputReading(Output):
    """A part of the above."""

    index: int
    """Of the premise; -1 for the intent."""
    clauses: List[str]
    """What it says, in datalog: past and future are predicates of their own."""
    hedges: List[ReasoningTaskOutputReadingHedge]
    """Words that make it less than certain."""


class ReasoningTaskOutputReadingHedge(Output):
    """A part of the above."""

    word: str
    """The hedge."""
    probability: float
    """Of the sentence, by this engine's scale (docs/reasoning.md)."""


class ReasoningTaskOutputHedge(Output):
    """A part of the above."""

    index: int
    """Of the premise."""
    word: str
    """The hedge, such as probably."""
    probability: float
    """Of the sentence, by this engine's scale (docs/reasoning.md)."""


class ReasoningTaskOutputUsage(Output):
    """What the task used."""

    tokens_in: int
    """Tokens of the texts read."""
    tokens_out: int
    """Tokens of the text written."""
    work: int
    """Steps of reasoning; they count against the budget and are not charged."""
    deadline_ms: int | None = None
    """Present if your tier allows less than requested."""
    tokens: int | None = None
    """Present if fewer tokens were granted than requested."""


class Marc(Operations):
    """Reasoning within a budget: proofs from premises, and causal analysis of published models."""

    protocol = "MARC"

    def causal_analysis(
        self,
        *,
        model_ref: str | None = None,
        world_model_snapshot: str | None = None,
        outcome: CausalAnalysisOutcome,
        do: Dict[str, str] | None = None,
        given: Dict[str, str] | None = None,
        query: Literal["interventional", "observational", "ate", "counterfactual"] | None = None,
        baseline: Dict[str, str] | None = None,
        max_factor: int | None = None,
        budget: CausalAnalysisBudget | None = None,
    ) -> CausalAnalysisOutput:
        """Ask a published model for the effect of an intervention, an observation or a counterfactual. A read: retried."""
        return self._call("causal_analysis", CausalAnalysisInput, CausalAnalysisOutput, {
            "model_ref": model_ref,
            "world_model_snapshot": world_model_snapshot,
            "outcome": outcome,
            "do": do,
            "given": given,
            "query": query,
            "baseline": baseline,
            "max_factor": max_factor,
            "budget": budget,
        })

    def publish_model(
        self,
        *,
        name: str,
        version: str,
        variables: List[PublishModelVariable] | None = None,
        bidirected: List[List[str]] | None = None,
        format: Literal["json", "bif"] | None = None,
        source: str | None = None,
        supersedes: str | None = None,
        provenance: List[str] | None = None,
    ) -> PublishModelOutput:
        """Publish a Bayesian or causal model of the world under a name and a version. A write: never retried."""
        return self._call("publish_model", PublishModelInput, PublishModelOutput, {
            "name": name,
            "version": version,
            "variables": variables,
            "bidirected": bidirected,
            "format": format,
            "source": source,
            "supersedes": supersedes,
            "provenance": provenance,
        })

    def reasoning_task(
        self,
        *,
        intent: str,
        premises: List[str] | None = None,
        world_model_snapshot: str | None = None,
        budget: ReasoningTaskBudget,
        return_fields: List[Literal["derivation", "citations", "confidence", "alternatives"]] | None = None,
        assumption: Literal["open", "closed"] | None = None,
        rules: Literal["auto", "implications", "one_way"] | None = None,
        strict: bool | None = None,
        backend: Literal["auto", "builtin", "model"] | None = None,
        premise_confidence: List[float] | None = None,
    ) -> ReasoningTaskOutput:
        """Answer a question from premises and known facts, with its proof, within a budget. A write: never retried."""
        return self._call("reasoning_task", ReasoningTaskInput, ReasoningTaskOutput, {
            "intent": intent,
            "premises": premises,
            "world_model_snapshot": world_model_snapshot,
            "budget": budget,
            "return_fields": return_fields,
            "assumption": assumption,
            "rules": rules,
            "strict": strict,
            "backend": backend,
            "premise_confidence": premise_confidence,
        })


class AsyncMarc(AsyncOperations):
    """Reasoning within a budget: proofs from premises, and causal analysis of published models."""

    protocol = "MARC"

    async def causal_analysis(
        self,
        *,
        model_ref: str | None = None,
        world_model_snapshot: str | None = None,
        outcome: CausalAnalysisOutcome,
        do: Dict[str, str] | None = None,
        given: Dict[str, str] | None = None,
        query: Literal["interventional", "observational", "ate", "counterfactual"] | None = None,
        baseline: Dict[str, str] | None = None,
        max_factor: int | None = None,
        budget: CausalAnalysisBudget | None = None,
    ) -> CausalAnalysisOutput:
        """Ask a published model for the effect of an intervention, an observation or a counterfactual. A read: retried."""
        return await self._call("causal_analysis", CausalAnalysisInput, CausalAnalysisOutput, {
            "model_ref": model_ref,
            "world_model_snapshot": world_model_snapshot,
            "outcome": outcome,
            "do": do,
            "given": given,
            "query": query,
            "baseline": baseline,
            "max_factor": max_factor,
            "budget": budget,
        })

    async def publish_model(
        self,
        *,
        name: str,
        version: str,
        variables: List[PublishModelVariable] | None = None,
        bidirected: List[List[str]] | None = None,
        format: Literal["json", "bif"] | None = None,
        source: str | None = None,
        supersedes: str | None = None,
        provenance: List[str] | None = None,
    ) -> PublishModelOutput:
        """Publish a Bayesian or causal model of the world under a name and a version. A write: never retried."""
        return await self._call("publish_model", PublishModelInput, PublishModelOutput, {
            "name": name,
            "version": version,
            "variables": variables,
            "bidirected": bidirected,
            "format": format,
            "source": source,
            "supersedes": supersedes,
            "provenance": provenance,
        })

    async def reasoning_task(
        self,
        *,
        intent: str,
        premises: List[str] | None = None,
        world_model_snapshot: str | None = None,
        budget: ReasoningTaskBudget,
        return_fields: List[Literal["derivation", "citations", "confidence", "alternatives"]] | None = None,
        assumption: Literal["open", "closed"] | None = None,
        rules: Literal["auto", "implications", "one_way"] | None = None,
        strict: bool | None = None,
        backend: Literal["auto", "builtin", "model"] | None = None,
        premise_confidence: List[float] | None = None,
    ) -> ReasoningTaskOutput:
        """Answer a question from premises and known facts, with its proof, within a budget. A write: never retried."""
        return await self._call("reasoning_task", ReasoningTaskInput, ReasoningTaskOutput, {
            "intent": intent,
            "premises": premises,
            "world_model_snapshot": world_model_snapshot,
            "budget": budget,
            "return_fields": return_fields,
            "assumption": assumption,
            "rules": rules,
            "strict": strict,
            "backend": backend,
            "premise_confidence": premise_confidence,
        })
