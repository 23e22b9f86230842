# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MARE v1.0.0. Risk in money and on a scale of 0 to 100."""

from __future__ import annotations

from typing import Dict, List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class ScoreInput(Input):
    """Score a risk from its factors, its CVSS vector, or the audit log."""

    subject: str
    """A reference, or a description."""
    factors: List[ScoreFactor] | None = None
    """What can go wrong; give this, cvss_vector or from_history."""
    cvss_vector: str | None = None
    """Version 3.1 or 4.0."""
    from_history: ScoreFromHistory | None = None
    """Estimate from how often an operation failed, as the audit log says."""
    horizon_days: int | None = None
    """Span of time that the losses are estimated for. Default `365`."""
    appetite: ScoreAppetite | None = None
    """What may be lost; by default the day's and the month's limit of the caller's MANA envelope."""
    iterations: int | None = None
    """Runs of the simulation. Default `10000`."""
    persist: bool | None = None
    """Stores the request as well. Default `false`."""


class ScoreFactor(Input):
    """A part of the above."""

    id: str
    """Names the factor in depends_on and contributions."""
    frequency: ScoreFactorFrequencyObject | float
    """Events per year; three points are a PERT distribution."""
    loss_usd: ScoreFactorLossUsdByLow | ScoreFactorLossUsdByP5 | float
    """Per event; three points are a PERT distribution, p5 and p95 a lognormal one."""
    controls: List[ScoreFactorControl] | None = None
    """What makes the events rarer."""
    depends_on: List[str] | None = None
    """Factors that must occur in the same period for this one to occur."""


class ScoreFactorFrequencyObject(Input):
    """A part of the above."""

    low: float
    """Lowest plausible value."""
    mode: float
    """Likeliest value."""
    high: float
    """Highest plausible value."""


class ScoreFactorLossUsdByLow(Input):
    """A part of the above."""

    low: float
    """Lowest plausible value."""
    mode: float
    """Likeliest value."""
    high: float
    """Highest plausible value."""


class ScoreFactorLossUsdByP5(Input):
    """A part of the above."""

    p5: float
    """One in twenty events costs less."""
    p95: float
    """One in twenty events costs more."""


class ScoreFactorControl(Input):
    """A part of the above."""

    name: str
    """What the control is."""
    effectiveness: float
    """Share of the events that it prevents."""


class ScoreFromHistory(Input):
    """Estimate from how often an operation failed, as the audit log says."""

    protocol: str
    """Protocol of the operation."""
    operation: str
    """Operation to judge."""
    window_days: int
    """How many days back to look."""
    loss_usd: ScoreFactorLossUsdByLow | ScoreFactorLossUsdByP5 | float | None = None
    """Per event; three points are a PERT distribution, p5 and p95 a lognormal one."""


class ScoreAppetite(Input):
    """What may be lost; by default the day's and the month's limit of the caller's MANA envelope."""

    expected_loss_usd: float | None = None
    """Mean loss that is acceptable."""
    var95_usd: float | None = None
    """Loss that may be exceeded in one of twenty cases."""


class ScoreOutput(Output):
    """Answer of MARE score."""

    score: float
    """0 to 100; 25, 50 and 75 are where the bands begin."""
    band: Literal["low", "moderate", "high", "critical"] | str
    """The score in a word."""
    recommendation: Literal["proceed", "review", "refuse"] | str
    """What to do: refuse if critical, review if high or above the appetite."""
    expected_loss_usd: float | None = None
    """Mean loss over the horizon; absent where no losses were given."""
    var_95: float | None = None
    """Loss in USD that is exceeded in one of twenty cases."""
    cvar_95: float | None = None
    """Mean loss in USD of the worst twentieth."""
    interval95: List[float] | None = None
    """Interval of the score over repeated runs."""
    exceedance: List[List[float]] | None = None
    """How likely larger losses are."""
    contributions: Dict[str, float] | None = None
    """Share of each factor in cvar_95, by Shapley."""
    failure_rate: ScoreOutputFailureRate | None = None
    """Only with from_history."""
    cvss_score: float | None = None
    """Only with cvss_vector."""
    appetite: ScoreOutputAppetite
    """Losses it was compared with."""
    rationale: ScoreOutputRationale | None = None
    """Explanation by a model; only where the band was in doubt."""
    iterations: int | None = None
    """Runs that were made; absent where nothing was simulated."""
    seed: str
    """Seed of the random numbers, derived from the subject and its factors."""
    risk_ref: str
    """Names this score; MAKER asks for it."""


class ScoreOutputFailureRate(Output):
    """Only with from_history."""

    calls: int
    """Calls in the window."""
    failures: int
    """How many of them failed."""
    mean: float
    """Estimated share of failures."""
    p95: float
    """Upper bound of that share, at 95 %."""


class ScoreOutputAppetite(Output):
    """Losses it was compared with."""

    expected_loss_usd: float
    """Mean loss that is acceptable."""
    var95_usd: float
    """Loss that may be exceeded in one of twenty cases."""
    from_: Literal["given", "envelope", "default"] | str = Field(validation_alias="from", serialization_alias="from")
    """Whether it was given, comes from the caller's envelope, or is the default."""


class ScoreOutputRationale(Output):
    """Explanation by a model; only where the band was in doubt."""

    text: str
    """What drives the risk, and what would lower it."""
    model: str
    """Who wrote it."""
    verified: bool
    """Always false: nothing of it was checked."""


class Mare(Operations):
    """Risk in money and on a scale of 0 to 100."""

    protocol = "MARE"

    def score(
        self,
        *,
        subject: str,
        factors: List[ScoreFactor] | None = None,
        cvss_vector: str | None = None,
        from_history: ScoreFromHistory | None = None,
        horizon_days: int | None = None,
        appetite: ScoreAppetite | None = None,
        iterations: int | None = None,
        persist: bool | None = None,
    ) -> ScoreOutput:
        """Score a risk from its factors, its CVSS vector, or the audit log. A write: never retried."""
        return self._call("score", ScoreInput, ScoreOutput, {
            "subject": subject,
            "factors": factors,
            "cvss_vector": cvss_vector,
            "from_history": from_history,
            "horizon_days": horizon_days,
            "appetite": appetite,
            "iterations": iterations,
            "persist": persist,
        })


class AsyncMare(AsyncOperations):
    """Risk in money and on a scale of 0 to 100."""

    protocol = "MARE"

    async def score(
        self,
        *,
        subject: str,
        factors: List[ScoreFactor] | None = None,
        cvss_vector: str | None = None,
        from_history: ScoreFromHistory | None = None,
        horizon_days: int | None = None,
        appetite: ScoreAppetite | None = None,
        iterations: int | None = None,
        persist: bool | None = None,
    ) -> ScoreOutput:
        """Score a risk from its factors, its CVSS vector, or the audit log. A write: never retried."""
        return await self._call("score", ScoreInput, ScoreOutput, {
            "subject": subject,
            "factors": factors,
            "cvss_vector": cvss_vector,
            "from_history": from_history,
            "horizon_days": horizon_days,
            "appetite": appetite,
            "iterations": iterations,
            "persist": persist,
        })
