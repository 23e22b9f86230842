# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MANTIC v1.0.0. Questions, forecasts of them, and calibration of probabilities."""

from __future__ import annotations

from typing import Dict, List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class CalibrateInput(Input):
    """Compare forecasts with their outcomes, and fit a map that corrects later ones."""

    forecaster: str
    """A DID, a ref, or protocol:<ID>."""
    forecasts: List[CalibrateForecast] | None = None
    """What was forecast and what happened, as you say; give this, uploaded or stored."""
    uploaded: str | None = None
    """Instead of forecasts: those that you uploaded in parts, as many as 100,000."""
    stored: CalibrateStored | None = None
    """Instead of forecasts: those of this forecaster that were locked before their question was resolved, newest first."""
    method: Literal["auto", "none", "platt", "isotonic", "beta", "temperature"] | None = None
    """Map to fit; auto (default) takes the one that does best in cross-validation."""
    bins: int | None = None
    """Of equal mass. Default `10`."""
    folds: int | None = None
    """Parts of the cross-validation. Default `5`."""
    apply: List[float] | None = None
    """Probabilities to calibrate with the result."""
    persist: bool | None = None
    """Store the map, so that it corrects the forecaster's confidence from now on. Without stored it needs an authority. Default `false`."""
    authority: str | None = None
    """Charter verdict that lets a map be stored from forecasts and outcomes that were only reported."""


class CalibrateForecast(Input):
    """For calibration the likeliest label of a distribution counts, and whether it occurred; of quantiles each level, and whether the value was at most that."""

    p: float | None = None
    """Probability that was forecast; give this, distribution or quantiles."""
    distribution: Dict[str, float] | None = None
    """Label to probability; they add up to one."""
    quantiles: List[List[float]] | None = None
    """Pairs of a level between 0 and 1 and its value, levels rising."""
    outcome: bool | float | str
    """Whether it occurred, which label of the distribution did, or the value."""
    at: str | None = None
    """When it was forecast."""
    weight: float | None = None
    """How much this forecast counts. Default `1`."""


class CalibrateStored(Input):
    """Instead of forecasts: those of this forecaster that were locked before their question was resolved, newest first."""

    from_: str | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """Only forecasts from this time on."""
    to: str | None = None
    """Only forecasts before this time."""
    topic: str | None = None
    """Topic; * is everything."""


class CalibrateOutput(Output):
    """Answer of MANTIC calibrate."""

    n: int
    """Forecasts that were used."""
    base_rate: float
    """How often the event occurred."""
    brier: float
    """Mean Brier score: of events (p - o)², of distributions the sum over all labels, 0 to 2; of quantiles as in decomposition."""
    crps: float | None = None
    """Mean continuous ranked probability score, in the unit of the outcomes; of quantiles only."""
    quantile_loss: float | None = None
    """Mean pinball loss, in the unit of the outcomes; of quantiles only."""
    decomposition: CalibrateOutputDecomposition
    """Brier = reliability - resolution + uncertainty; resolution is less the variance and plus the covariance within bins."""
    log_score: float
    """Mean loss in nats, of distributions that of the label that occurred; less is better."""
    ece: float
    """Expected calibration error: mean gap between forecast and frequency, over bins."""
    mce: float
    """Maximum calibration error: the largest gap of a bin."""
    sharpness: float
    """Variance of the forecasts."""
    curve: List[CalibrateOutputCurve]
    """Calibration curve, bin by bin."""
    cross_validated: CalibrateOutputCrossValidated
    """Scores of each map on forecasts it was not fitted to; absent where not tried."""
    chosen: Literal["none", "platt", "isotonic", "beta", "temperature"] | str
    """Map that is used."""
    map_ref: str | None = None
    """Names the stored map; only with persist."""
    calibrated: List[float] | None = None
    """The probabilities of apply after calibration, in their order."""


class CalibrateOutputDecomposition(Output):
    """Brier = reliability - resolution + uncertainty; resolution is less the variance and plus the covariance within bins."""

    brier: float
    """Mean squared error that the parts add up to: of the likeliest label, where distributions were given."""
    reliability: float
    """How far forecasts are from what happened; less is better."""
    resolution: float
    """How well forecasts tell cases apart; more is better."""
    uncertainty: float
    """Variance of the outcomes, which no forecaster can change."""
    within_bin_variance: float
    """Variance of the forecasts within bins."""
    within_bin_covariance: float
    """Covariance of forecasts and outcomes within bins."""


class CalibrateOutputCurve(Output):
    """A part of the above."""

    mean_p: float
    """Mean forecast of the bin."""
    freq: float
    """How often the event occurred in it."""
    n: int
    """Forecasts in the bin."""
    ci95: List[float]
    """95 % interval of the frequency."""


class CalibrateOutputCrossValidated(Output):
    """Scores of each map on forecasts it was not fitted to; absent where not tried."""

    none: CalibrateOutputCrossValidatedNone | None = None
    """Forecasts as they are."""
    platt: CalibrateOutputCrossValidatedNone | None = None
    """Logistic regression on the log odds."""
    isotonic: CalibrateOutputCrossValidatedNone | None = None
    """Monotone steps."""
    beta: CalibrateOutputCrossValidatedNone | None = None
    """Beta calibration."""
    temperature: CalibrateOutputCrossValidatedNone | None = None
    """One factor on the log odds."""


class CalibrateOutputCrossValidatedNone(Output):
    """Forecasts as they are."""

    brier: float
    """Mean squared error; less is better."""
    log: float
    """Mean loss in nats; less is better."""
    ece: float
    """Expected calibration error."""


class ForecastInput(Input):
    """Submit your own forecasts of open questions; until a question locks you can change them."""

    forecasts: List[ForecastForecast]
    """One for each question; all are accepted, or none. A later one replaces an earlier one, at most 64 times."""


class ForecastForecast(Input):
    """Exactly one of probability, distribution and quantiles, as the kind of the question is."""

    question_ref: str
    """Names the question."""
    probability: float | None = None
    """Of a binary question: that it occurs."""
    distribution: Dict[str, float] | None = None
    """Label to probability; they add up to one."""
    quantiles: List[List[float]] | None = None
    """Of a quantity: pairs of a level between 0 and 1 and its value, levels rising."""


class ForecastOutput(Output):
    """Answer of MANTIC forecast."""

    submitted: int
    """Forecasts that count if nothing replaces them."""
    replaced: int
    """Those of them that replaced an earlier one."""


class ListQuestionsInput(Input):
    """List questions with their resolvers, outcomes and citations, and your own forecasts."""

    question_ref: str | None = None
    """Only this question."""
    topic: str | None = None
    """Only questions of exactly this topic."""
    status: Literal["open", "resolved", "void"] | None = None
    """Only questions in this state; open ones may be locked."""
    resolver: str | None = None
    """Only questions that this identity resolves."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListQuestionsOutput(SecretOutput):
    """Answer of MANTIC list_questions."""

    items: List[ListQuestionsOutputItem]
    """Questions, newest first."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListQuestionsOutputItem(Output):
    """A part of the above."""

    question_ref: str
    """Names the question."""
    statement: str | None
    """What is asked; null if redacted."""
    kind: Literal["binary", "categories", "quantity"] | str
    """Whether something occurs, which of several things does, or how much it is."""
    categories: List[str] | None = None
    """Of kind categories: all possible outcomes; exactly one occurs."""
    range: List[float] | None = None
    """Of kind quantity: lowest and highest value to be expected. Errors are compared with other questions by its width."""
    topic: str
    """Topic; * is everything."""
    opened_by: str
    """Who opened it."""
    opened_at: str
    """When it was opened."""
    resolver: str
    """Who resolves it."""
    related_allowed: bool
    """Whether the charter lets forecasters be of its root."""
    locks_at: str
    """Until when forecasts were or are accepted."""
    locked: bool
    """Whether forecasts are no longer accepted."""
    forecasts: int
    """Number of forecasters; what others say is not shown."""
    own: ListQuestionsOutputItemOwn | None = None
    """Your own forecast; absent without one."""
    status: Literal["open", "resolved", "void"] | str
    """Whether it is decided; void: it cannot be."""
    outcome: bool | float | str | None = None
    """Whether it occurred, which category did, or the value."""
    known_at: str | None = None
    """Forecasts up to then count; absent while it is open."""
    counted: int | None = None
    """Forecasts that count for their sources."""
    citation_id: str | None = None
    """Names the citation that the outcome rests on."""
    source_ref: str | None = None
    """Source that the outcome rests on."""
    resolved_at: str | None = None
    """When it was resolved or closed as void."""


class ListQuestionsOutputItemOwn(Output):
    """Your own forecast; absent without one."""

    probability: float | None = None
    """Of a binary question."""
    distribution: Dict[str, float] | None = None
    """Label to probability; they add up to one."""
    quantiles: List[List[float]] | None = None
    """Of a quantity."""
    submitted_at: str
    """When it was submitted or last changed."""


class OpenQuestionInput(Input):
    """Open a question: what is asked, who resolves it, and until when it is forecast."""

    statement: str
    """What is asked, so that whoever resolves it can decide: event, source, deadline."""
    kind: Literal["binary", "categories", "quantity"]
    """Whether something occurs, which of several things does, or how much it is."""
    categories: List[str] | None = None
    """Of kind categories: all possible outcomes; exactly one occurs."""
    range: List[float] | None = None
    """Of kind quantity: lowest and highest value to be expected. Errors are compared with other questions by its width."""
    topic: str | None = None
    """Topic; * is everything."""
    resolver: str
    """Who resolves it: no forecaster, and of another root than any of them. Without an authority, no identity of its root can forecast."""
    locks_at: str
    """Forecasts are accepted and can be changed until then."""
    authority: str | None = None
    """Charter verdict that lets a resolver be of one root with forecasters, as within one organization. It is never a forecaster."""


class OpenQuestionOutput(Output):
    """Answer of MANTIC open_question."""

    question_ref: str
    """Names the question."""
    resolver: str
    """Who resolves it."""
    locks_at: str
    """When forecasts lock."""
    related_allowed: bool
    """Whether the charter lets forecasters be of its root."""


class ResolveInput(Input):
    """Say how a question came out, with a citation; forecasts locked before are scored."""

    question_ref: str
    """Names the question."""
    outcome: bool | float | str | None = None
    """Whether it occurred, which category did, or the value."""
    citation: ResolveCitation | None = None
    """What the outcome rests on; pinned to its version. Needed with outcome."""
    known_at: str | None = None
    """From when on the outcome could be known, if before the lock: what each forecaster had said by then counts. Default: the lock, or now if it is earlier."""
    void: str | None = None
    """Instead of outcome: why it cannot be decided. No forecast counts."""


class ResolveCitation(Input):
    """What the outcome rests on; pinned to its version. Needed with outcome."""

    source_ref: str
    """Claim, memory, artifact, record or finding that shows it; not by a forecaster."""
    version: int | None = None
    """Default: the newest."""


class ResolveOutput(Output):
    """Answer of MANTIC resolve."""

    question_ref: str
    """Names the question."""
    status: Literal["resolved", "void"] | str
    """Void: no forecast of it counts."""
    outcome: bool | float | str | None = None
    """Whether it occurred, which category did, or the value."""
    known_at: str
    """Forecasts up to then count."""
    counted: int
    """Forecasts that count for their sources from now on."""
    left_out: int
    """Forecasts that do not: too late, or the topic has too many sources."""
    citation_id: str | None = None
    """Names the citation."""
    source_ref: str | None = None
    """What the outcome rests on."""


class UploadForecastsInput(Input):
    """Upload forecasts with their outcomes in parts, to calibrate them together."""

    upload_ref: str | None = None
    """Upload to which the part is added; absent with the first."""
    part: int
    """Number of the part; sent again, it replaces the earlier one."""
    forecasts: List[UploadForecastsForecast]
    """What was forecast and what happened, as you say: it changes nobody's weight."""


class UploadForecastsForecast(Input):
    """For calibration the likeliest label of a distribution counts, and whether it occurred; of quantiles each level, and whether the value was at most that."""

    p: float | None = None
    """Probability that was forecast; give this, distribution or quantiles."""
    distribution: Dict[str, float] | None = None
    """Label to probability; they add up to one."""
    quantiles: List[List[float]] | None = None
    """Pairs of a level between 0 and 1 and its value, levels rising."""
    outcome: bool | float | str
    """Whether it occurred, which label of the distribution did, or the value."""
    at: str | None = None
    """When it was forecast."""
    weight: float | None = None
    """How much this forecast counts. Default `1`."""


class UploadForecastsOutput(Output):
    """Answer of MANTIC upload_forecasts."""

    upload_ref: str
    """Names the upload."""
    parts: int
    """Parts so far."""
    forecasts: int
    """Forecasts so far; at most 100000."""
    kept_until: str
    """Until when it can be calibrated."""


class Mantic(Operations):
    """Questions, forecasts of them, and calibration of probabilities."""

    protocol = "MANTIC"

    def calibrate(
        self,
        *,
        forecaster: str,
        forecasts: List[CalibrateForecast] | None = None,
        uploaded: str | None = None,
        stored: CalibrateStored | None = None,
        method: Literal["auto", "none", "platt", "isotonic", "beta", "temperature"] | None = None,
        bins: int | None = None,
        folds: int | None = None,
        apply: List[float] | None = None,
        persist: bool | None = None,
        authority: str | None = None,
    ) -> CalibrateOutput:
        """Compare forecasts with their outcomes, and fit a map that corrects later ones. A write: never retried."""
        return self._call("calibrate", CalibrateInput, CalibrateOutput, {
            "forecaster": forecaster,
            "forecasts": forecasts,
            "uploaded": uploaded,
            "stored": stored,
            "method": method,
            "bins": bins,
            "folds": folds,
            "apply": apply,
            "persist": persist,
            "authority": authority,
        })

    def forecast(
        self,
        *,
        forecasts: List[ForecastForecast],
    ) -> ForecastOutput:
        """Submit your own forecasts of open questions; until a question locks you can change them. A write: never retried."""
        return self._call("forecast", ForecastInput, ForecastOutput, {
            "forecasts": forecasts,
        })

    def list_questions(
        self,
        *,
        question_ref: str | None = None,
        topic: str | None = None,
        status: Literal["open", "resolved", "void"] | None = None,
        resolver: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListQuestionsOutput:
        """List questions with their resolvers, outcomes and citations, and your own forecasts. A read: retried."""
        return self._call("list_questions", ListQuestionsInput, ListQuestionsOutput, {
            "question_ref": question_ref,
            "topic": topic,
            "status": status,
            "resolver": resolver,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def open_question(
        self,
        *,
        statement: str,
        kind: Literal["binary", "categories", "quantity"],
        categories: List[str] | None = None,
        range: List[float] | None = None,
        topic: str | None = None,
        resolver: str,
        locks_at: str,
        authority: str | None = None,
    ) -> OpenQuestionOutput:
        """Open a question: what is asked, who resolves it, and until when it is forecast. A write: never retried."""
        return self._call("open_question", OpenQuestionInput, OpenQuestionOutput, {
            "statement": statement,
            "kind": kind,
            "categories": categories,
            "range": range,
            "topic": topic,
            "resolver": resolver,
            "locks_at": locks_at,
            "authority": authority,
        })

    def resolve(
        self,
        *,
        question_ref: str,
        outcome: bool | float | str | None = None,
        citation: ResolveCitation | None = None,
        known_at: str | None = None,
        void: str | None = None,
    ) -> ResolveOutput:
        """Say how a question came out, with a citation; forecasts locked before are scored. A write: never retried."""
        return self._call("resolve", ResolveInput, ResolveOutput, {
            "question_ref": question_ref,
            "outcome": outcome,
            "citation": citation,
            "known_at": known_at,
            "void": void,
        })

    def upload_forecasts(
        self,
        *,
        upload_ref: str | None = None,
        part: int,
        forecasts: List[UploadForecastsForecast],
    ) -> UploadForecastsOutput:
        """Upload forecasts with their outcomes in parts, to calibrate them together. A write: never retried."""
        return self._call("upload_forecasts", UploadForecastsInput, UploadForecastsOutput, {
            "upload_ref": upload_ref,
            "part": part,
            "forecasts": forecasts,
        })


class AsyncMantic(AsyncOperations):
    """Questions, forecasts of them, and calibration of probabilities."""

    protocol = "MANTIC"

    async def calibrate(
        self,
        *,
        forecaster: str,
        forecasts: List[CalibrateForecast] | None = None,
        uploaded: str | None = None,
        stored: CalibrateStored | None = None,
        method: Literal["auto", "none", "platt", "isotonic", "beta", "temperature"] | None = None,
        bins: int | None = None,
        folds: int | None = None,
        apply: List[float] | None = None,
        persist: bool | None = None,
        authority: str | None = None,
    ) -> CalibrateOutput:
        """Compare forecasts with their outcomes, and fit a map that corrects later ones. A write: never retried."""
        return await self._call("calibrate", CalibrateInput, CalibrateOutput, {
            "forecaster": forecaster,
            "forecasts": forecasts,
            "uploaded": uploaded,
            "stored": stored,
            "method": method,
            "bins": bins,
            "folds": folds,
            "apply": apply,
            "persist": persist,
            "authority": authority,
        })

    async def forecast(
        self,
        *,
        forecasts: List[ForecastForecast],
    ) -> ForecastOutput:
        """Submit your own forecasts of open questions; until a question locks you can change them. A write: never retried."""
        return await self._call("forecast", ForecastInput, ForecastOutput, {
            "forecasts": forecasts,
        })

    async def list_questions(
        self,
        *,
        question_ref: str | None = None,
        topic: str | None = None,
        status: Literal["open", "resolved", "void"] | None = None,
        resolver: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListQuestionsOutput:
        """List questions with their resolvers, outcomes and citations, and your own forecasts. A read: retried."""
        return await self._call("list_questions", ListQuestionsInput, ListQuestionsOutput, {
            "question_ref": question_ref,
            "topic": topic,
            "status": status,
            "resolver": resolver,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def open_question(
        self,
        *,
        statement: str,
        kind: Literal["binary", "categories", "quantity"],
        categories: List[str] | None = None,
        range: List[float] | None = None,
        topic: str | None = None,
        resolver: str,
        locks_at: str,
        authority: str | None = None,
    ) -> OpenQuestionOutput:
        """Open a question: what is asked, who resolves it, and until when it is forecast. A write: never retried."""
        return await self._call("open_question", OpenQuestionInput, OpenQuestionOutput, {
            "statement": statement,
            "kind": kind,
            "categories": categories,
            "range": range,
            "topic": topic,
            "resolver": resolver,
            "locks_at": locks_at,
            "authority": authority,
        })

    async def resolve(
        self,
        *,
        question_ref: str,
        outcome: bool | float | str | None = None,
        citation: ResolveCitation | None = None,
        known_at: str | None = None,
        void: str | None = None,
    ) -> ResolveOutput:
        """Say how a question came out, with a citation; forecasts locked before are scored. A write: never retried."""
        return await self._call("resolve", ResolveInput, ResolveOutput, {
            "question_ref": question_ref,
            "outcome": outcome,
            "citation": citation,
            "known_at": known_at,
            "void": void,
        })

    async def upload_forecasts(
        self,
        *,
        upload_ref: str | None = None,
        part: int,
        forecasts: List[UploadForecastsForecast],
    ) -> UploadForecastsOutput:
        """Upload forecasts with their outcomes in parts, to calibrate them together. A write: never retried."""
        return await self._call("upload_forecasts", UploadForecastsInput, UploadForecastsOutput, {
            "upload_ref": upload_ref,
            "part": part,
            "forecasts": forecasts,
        })
