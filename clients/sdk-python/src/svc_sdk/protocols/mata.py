# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MATA v1.0.0. Opinion pooling, and weights of sources by their track record."""

from __future__ import annotations

from typing import ClassVar, Dict, List, Literal

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class PoolInput(Input):
    """Combine several opinions into one, and list who disagrees."""

    question: str | None = None
    """What the opinions are about; stored with persist."""
    topic: str | None = None
    """Topic; * is everything."""
    opinions: List[PoolOpinion]
    """One of each source, all of the same kind."""
    method: Literal["linear", "log", "median"] | None = None
    """How to combine: log (default) favours agreement, linear is the mean, median ignores extremes."""
    weights: Literal["given", "learned", "equal"] | None = None
    """Whose opinion counts more; default given if there are any, then learned, then equal."""
    extremize: float | None = None
    """Of the log pool. Default `1`."""
    epsilon: float | None = None
    """Of the log pool. Default `0.0001`."""
    fill: Literal["zero"] | None = None
    """Labels that a source does not name have probability 0; otherwise labels must agree."""
    persist: bool | None = None
    """Store the result under a pool_ref. Default `false`."""


class PoolOpinion(Input):
    """Exactly one of probability, distribution and quantiles, which are pairs of a level between 0 and 1 and its value."""

    source: str
    """A DID, a ref, or protocol:<ID>."""
    probability: float | None = None
    """Probability of the event."""
    distribution: Dict[str, float] | None = None
    """Label to probability; they add up to one."""
    quantiles: List[List[float]] | None = None
    """Pairs of a level between 0 and 1 and its value, levels rising."""
    weight: float | None = None
    """How much this opinion counts; all of them need one where weights are given."""


class PoolOutput(Output):
    """Answer of MATA pool."""

    probability: float | None = None
    """Probability of the event."""
    distribution: Dict[str, float] | None = None
    """Label to probability; they add up to one."""
    quantiles: List[List[float]] | None = None
    """Pairs of a level between 0 and 1 and its value."""
    method: Literal["linear", "log", "median", "quantile_average"] | str
    """How they were combined; quantiles are always averaged."""
    weighting: Literal["given", "learned", "equal"] | str
    """Which weights were used."""
    weights: Dict[str, float]
    """Share of each source; they add up to one."""
    independent_sources: int
    """Different roots behind the sources: of a ref, the root of its author; all protocols of this engine are one. Unknown ones are none."""
    entropy: float | None = None
    """Bits; not of quantiles."""
    disagreement: float
    """How far the sources are apart, from 0 to 1."""
    contributions: List[PoolOutputContribution]
    """What each source added."""
    dissent: List[PoolOutputDissent]
    """Opinions far from the pool, as they were given."""
    pool_ref: str | None = None
    """Names the stored result; only with persist."""


class PoolOutputContribution(Output):
    """A part of the above."""

    source: str
    """A DID, a ref, or protocol:<ID>."""
    weight: float
    """Share of the source."""
    bits: float | None = None
    """Divergence from the pool."""
    disagreement_share: float
    """Its share of the disagreement."""


class PoolOutputDissent(Output):
    """A part of the above."""

    source: str
    """A DID, a ref, or protocol:<ID>."""
    bits: float | None = None
    """Divergence from the pool."""
    probability: float | None = None
    """Probability of the event."""
    distribution: Dict[str, float] | None = None
    """Label to probability; they add up to one."""
    quantiles: List[List[float]] | None = None
    """Pairs of a level between 0 and 1 and its value."""


class WeightInput(Input):
    """Read how reliable a source has been by its resolved forecasts, or set its weight."""

    source: str
    """A DID, a ref, or protocol:<ID>."""
    topic: str | None = None
    """Topic; * is everything."""
    half_life_days: int | None = None
    """After this many days a resolved forecast counts half. Default `180`."""
    set: WeightSet | None = None
    """Set the weight by hand instead of learning it."""


class WeightSet(Input):
    """Set the weight by hand instead of learning it."""

    null_fields: ClassVar[frozenset[str]] = frozenset(["weight"])

    weight: float | None
    """Null removes the manual weight."""
    authority: str
    """Charter verdict that allows it."""


class WeightOutput(Output):
    """Answer of MATA weight."""

    source: str
    """A DID, a ref, or protocol:<ID>."""
    topic: str
    """Topic; * is everything."""
    weight: float
    """Its share among the sources of the topic, unless it was set; without comparison that of an average one. 0 if nobody with a verified lineage answers for it."""
    manual: bool
    """Whether the organization set it."""
    n: int
    """Its forecasts that were locked before their question was resolved; nothing else counts."""
    n_compared: int
    """Of these, on questions that somebody of another root forecast as well: only they move the weight."""
    n_effective: float
    """The same, with old ones counting less, and siblings of one root together as one."""
    excess: float
    """Sum of its losses (0 to 1 each) less the median of those of the other roots on the same question, old ones counting less: the weight follows from it. Below zero is better than others."""
    brier: float | None = None
    """Brier score: of events (p - o)², of categories the sum over all of them (0 to 2)."""
    log_loss: float | None = None
    """Logarithmic loss of events and categories, in nats."""
    crps: float | None = None
    """Continuous ranked probability score of quantities, in their own unit."""
    quantile_loss: float | None = None
    """Mean pinball loss of the quantiles of quantities, in their own unit."""
    interval95: List[float]
    """Of its mean loss, 0 to 1, however hard the questions were."""
    rank: int
    """1 is the most reliable; ties share a rank. Who counts nothing is last."""
    sources: int
    """Number of ranked sources."""
    history: List[WeightOutputHistory]
    """Newest resolved forecasts."""


class WeightOutputHistory(Output):
    """A part of the above."""

    question_ref: str
    """The question, with its resolution and citation."""
    at: str
    """When the outcome was known."""
    brier: float | None = None
    """Brier score: of events (p - o)², of categories the sum over all of them (0 to 2)."""
    log_loss: float | None = None
    """Logarithmic loss of events and categories, in nats."""
    crps: float | None = None
    """Continuous ranked probability score of quantities, in their own unit."""
    quantile_loss: float | None = None
    """Mean pinball loss of the quantiles of quantities, in their own unit."""


class Mata(Operations):
    """Opinion pooling, and weights of sources by their track record."""

    protocol = "MATA"

    def pool(
        self,
        *,
        question: str | None = None,
        topic: str | None = None,
        opinions: List[PoolOpinion],
        method: Literal["linear", "log", "median"] | None = None,
        weights: Literal["given", "learned", "equal"] | None = None,
        extremize: float | None = None,
        epsilon: float | None = None,
        fill: Literal["zero"] | None = None,
        persist: bool | None = None,
    ) -> PoolOutput:
        """Combine several opinions into one, and list who disagrees. A write: never retried."""
        return self._call("pool", PoolInput, PoolOutput, {
            "question": question,
            "topic": topic,
            "opinions": opinions,
            "method": method,
            "weights": weights,
            "extremize": extremize,
            "epsilon": epsilon,
            "fill": fill,
            "persist": persist,
        })

    def weight(
        self,
        *,
        source: str,
        topic: str | None = None,
        half_life_days: int | None = None,
        set: WeightSet | None = None,
    ) -> WeightOutput:
        """Read how reliable a source has been by its resolved forecasts, or set its weight. A write: never retried."""
        return self._call("weight", WeightInput, WeightOutput, {
            "source": source,
            "topic": topic,
            "half_life_days": half_life_days,
            "set": set,
        })


class AsyncMata(AsyncOperations):
    """Opinion pooling, and weights of sources by their track record."""

    protocol = "MATA"

    async def pool(
        self,
        *,
        question: str | None = None,
        topic: str | None = None,
        opinions: List[PoolOpinion],
        method: Literal["linear", "log", "median"] | None = None,
        weights: Literal["given", "learned", "equal"] | None = None,
        extremize: float | None = None,
        epsilon: float | None = None,
        fill: Literal["zero"] | None = None,
        persist: bool | None = None,
    ) -> PoolOutput:
        """Combine several opinions into one, and list who disagrees. A write: never retried."""
        return await self._call("pool", PoolInput, PoolOutput, {
            "question": question,
            "topic": topic,
            "opinions": opinions,
            "method": method,
            "weights": weights,
            "extremize": extremize,
            "epsilon": epsilon,
            "fill": fill,
            "persist": persist,
        })

    async def weight(
        self,
        *,
        source: str,
        topic: str | None = None,
        half_life_days: int | None = None,
        set: WeightSet | None = None,
    ) -> WeightOutput:
        """Read how reliable a source has been by its resolved forecasts, or set its weight. A write: never retried."""
        return await self._call("weight", WeightInput, WeightOutput, {
            "source": source,
            "topic": topic,
            "half_life_days": half_life_days,
            "set": set,
        })
