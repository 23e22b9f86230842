// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
//! MATA v1.0.0. Opinion pooling, and weights of sources by their track record.

use crate::{CallOptions, Client, Error};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Opinion pooling, and weights of sources by their track record.
///
/// A method is called like its operation and answers its output alone; `Client::dispatch` answers it with what
/// the service says about the call.
#[derive(Clone, Debug)]
pub struct Mata<'a> {
    pub(crate) client: &'a Client,
    pub(crate) options: CallOptions,
}

impl Client {
    /// The operations of MATA.
    pub fn mata(&self) -> Mata<'_> {
        Mata { client: self, options: CallOptions::default() }
    }
}

impl Mata<'_> {
    /// How the calls that follow are made.
    #[must_use]
    pub fn with(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

    /// Combine several opinions into one, and list who disagrees.
    ///
    /// A write: never repeated.
    ///
    /// After:
    /// - `MATA.weight`.
    /// - `MATA.weight`.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::mata::{PoolInput, PoolMethod, PoolOpinion};
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = PoolInput::new(vec![
    ///     PoolOpinion::new("protocol:MARC").probability(0.8),
    ///     PoolOpinion::new(
    ///         "did:oas:acme:agent:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
    ///     )
    ///     .probability(0.6),
    /// ])
    /// .question("Will the supplier deliver in time?")
    /// .topic("deliveries")
    /// .method(PoolMethod::Log)
    /// .persist(true);
    /// let output = client.mata().pool(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn pool(&self, input: &PoolInput) -> Result<PoolOutput, Error> {
        self.call("pool", input).await
    }

    /// Read how reliable a source has been, or report outcomes of its forecasts.
    ///
    /// A write: never repeated.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::mata::{WeightInput, WeightOutcome, WeightOutcomeForecast, WeightOutcomeOutcome};
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = WeightInput::new("protocol:MARC")
    ///     .topic("deliveries")
    ///     .outcomes(vec![
    ///         WeightOutcome::new(
    ///             WeightOutcomeForecast::Number(0.8),
    ///             WeightOutcomeOutcome::Flag(true),
    ///         )
    ///         .id("order-1"),
    ///         WeightOutcome::new(
    ///             WeightOutcomeForecast::Number(0.3),
    ///             WeightOutcomeOutcome::Flag(false),
    ///         )
    ///         .id("order-2"),
    ///     ]);
    /// let output = client.mata().weight(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn weight(&self, input: &WeightInput) -> Result<WeightOutput, Error> {
        self.call("weight", input).await
    }

    async fn call<I, O>(&self, operation: &str, input: &I) -> Result<O, Error>
    where
        I: Serialize,
        O: DeserializeOwned,
    {
        let client = self.client;
        let asking = client.dispatch("MATA", operation, input, &self.options);
        Ok(asking.await?.output)
    }
}

/// Combine several opinions into one, and list who disagrees.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PoolInput {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Topic; \* is everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    pub opinions: Vec<PoolOpinion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<PoolMethod>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<PoolWeights>,
    /// Of the log pool. Default `1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extremize: Option<f64>,
    /// Of the log pool. Default `0.0001`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<PoolFill>,
    /// Default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persist: Option<bool>,
}

impl PoolInput {
    /// With all it needs; the rest is set by name.
    pub fn new(opinions: Vec<PoolOpinion>) -> Self {
        Self {
            question: None,
            topic: None,
            opinions,
            method: None,
            weights: None,
            extremize: None,
            epsilon: None,
            fill: None,
            persist: None,
        }
    }

    /// Sets `question`.
    #[must_use]
    pub fn question(mut self, question: impl Into<String>) -> Self {
        self.question = Some(question.into());
        self
    }

    /// Sets `topic`.
    #[must_use]
    pub fn topic(mut self, topic: impl Into<String>) -> Self {
        self.topic = Some(topic.into());
        self
    }

    /// Sets `method`.
    #[must_use]
    pub fn method(mut self, method: PoolMethod) -> Self {
        self.method = Some(method);
        self
    }

    /// Sets `weights`.
    #[must_use]
    pub fn weights(mut self, weights: PoolWeights) -> Self {
        self.weights = Some(weights);
        self
    }

    /// Sets `extremize`.
    #[must_use]
    pub fn extremize(mut self, extremize: f64) -> Self {
        self.extremize = Some(extremize);
        self
    }

    /// Sets `epsilon`.
    #[must_use]
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.epsilon = Some(epsilon);
        self
    }

    /// Sets `fill`.
    #[must_use]
    pub fn fill(mut self, fill: PoolFill) -> Self {
        self.fill = Some(fill);
        self
    }

    /// Sets `persist`.
    #[must_use]
    pub fn persist(mut self, persist: bool) -> Self {
        self.persist = Some(persist);
        self
    }
}

/// Exactly one of probability, distribution and quantiles, which are pairs of a level between 0 and 1 and its value.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PoolOpinion {
    /// A DID, a ref, or protocol:\<ID\>.
    pub source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Label to probability; they add up to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution: Option<BTreeMap<String, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<Vec<[f64; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
}

impl PoolOpinion {
    /// With all it needs; the rest is set by name.
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), probability: None, distribution: None, quantiles: None, weight: None }
    }

    /// Sets `probability`.
    #[must_use]
    pub fn probability(mut self, probability: f64) -> Self {
        self.probability = Some(probability);
        self
    }

    /// Sets `distribution`.
    #[must_use]
    pub fn distribution(mut self, distribution: BTreeMap<String, f64>) -> Self {
        self.distribution = Some(distribution);
        self
    }

    /// Sets `quantiles`.
    #[must_use]
    pub fn quantiles(mut self, quantiles: Vec<[f64; 2]>) -> Self {
        self.quantiles = Some(quantiles);
        self
    }

    /// Sets `weight`.
    #[must_use]
    pub fn weight(mut self, weight: f64) -> Self {
        self.weight = Some(weight);
        self
    }
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum PoolMethod {
    /// `linear`
    #[serde(rename = "linear")]
    Linear,
    /// `log`
    #[serde(rename = "log")]
    Log,
    /// `median`
    #[serde(rename = "median")]
    Median,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum PoolWeights {
    /// `given`
    #[serde(rename = "given")]
    Given,
    /// `learned`
    #[serde(rename = "learned")]
    Learned,
    /// `equal`
    #[serde(rename = "equal")]
    Equal,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum PoolFill {
    /// `zero`
    #[serde(rename = "zero")]
    Zero,
}

/// Answer of MATA pool.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PoolOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Label to probability; they add up to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution: Option<BTreeMap<String, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<Vec<[f64; 2]>>,
    pub method: PoolOutputMethod,
    pub weighting: PoolWeights,
    pub weights: BTreeMap<String, f64>,
    /// Different roots behind the sources; a ref or a protocol counts as itself, an unknown identity as none.
    pub independent_sources: u64,
    /// Bits; not of quantiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    pub disagreement: f64,
    pub contributions: Vec<PoolContribution>,
    pub dissent: Vec<PoolDissent>,
    /// Matches `^[a-z]+://[A-Za-z0-9:._/@-]{1,240}$`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool_ref: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum PoolOutputMethod {
    /// `linear`
    #[serde(rename = "linear")]
    Linear,
    /// `log`
    #[serde(rename = "log")]
    Log,
    /// `median`
    #[serde(rename = "median")]
    Median,
    /// `quantile_average`
    #[serde(rename = "quantile_average")]
    QuantileAverage,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PoolContribution {
    /// A DID, a ref, or protocol:\<ID\>.
    pub source: String,
    pub weight: f64,
    /// Divergence from the pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<f64>,
    pub disagreement_share: f64,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PoolDissent {
    /// A DID, a ref, or protocol:\<ID\>.
    pub source: String,
    /// Divergence from the pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Label to probability; they add up to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution: Option<BTreeMap<String, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<Vec<[f64; 2]>>,
}

/// Read how reliable a source has been, or report outcomes of its forecasts.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WeightInput {
    /// A DID, a ref, or protocol:\<ID\>.
    pub source: String,
    /// Topic; \* is everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Vec<WeightOutcome>>,
    /// Default `180`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_life_days: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<WeightSet>,
}

impl WeightInput {
    /// With all it needs; the rest is set by name.
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), topic: None, outcomes: None, half_life_days: None, set: None }
    }

    /// Sets `topic`.
    #[must_use]
    pub fn topic(mut self, topic: impl Into<String>) -> Self {
        self.topic = Some(topic.into());
        self
    }

    /// Sets `outcomes`.
    #[must_use]
    pub fn outcomes(mut self, outcomes: Vec<WeightOutcome>) -> Self {
        self.outcomes = Some(outcomes);
        self
    }

    /// Sets `half_life_days`.
    #[must_use]
    pub fn half_life_days(mut self, half_life_days: u64) -> Self {
        self.half_life_days = Some(half_life_days);
        self
    }

    /// Sets `set`.
    #[must_use]
    pub fn set(mut self, set: WeightSet) -> Self {
        self.set = Some(set);
        self
    }
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WeightOutcome {
    pub forecast: WeightOutcomeForecast,
    /// Whether it occurred, or which label of the distribution did.
    pub outcome: WeightOutcomeOutcome,
    /// RFC 3339 time in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Reports with the same id count once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl WeightOutcome {
    /// With all it needs; the rest is set by name.
    pub fn new(forecast: WeightOutcomeForecast, outcome: WeightOutcomeOutcome) -> Self {
        Self { forecast, outcome, at: None, id: None }
    }

    /// Sets `at`.
    #[must_use]
    pub fn at(mut self, at: impl Into<String>) -> Self {
        self.at = Some(at.into());
        self
    }

    /// Sets `id`.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum WeightOutcomeForecast {
    Number(f64),
    Map(BTreeMap<String, f64>),
}

/// Whether it occurred, or which label of the distribution did.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum WeightOutcomeOutcome {
    Flag(bool),
    Number(u64),
    Text(String),
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WeightSet {
    /// Null removes the manual weight.
    pub weight: Option<f64>,
    /// Matches `^[a-z]+://[A-Za-z0-9:._/@-]{1,240}$`.
    pub authority: String,
}

impl WeightSet {
    /// With all it needs.
    pub fn new(weight: Option<f64>, authority: impl Into<String>) -> Self {
        Self { weight, authority: authority.into() }
    }
}

/// Answer of MATA weight.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WeightOutput {
    /// A DID, a ref, or protocol:\<ID\>.
    pub source: String,
    /// Topic; \* is everything.
    pub topic: String,
    pub weight: f64,
    /// Whether the organization set it.
    pub manual: bool,
    pub n: u64,
    pub n_effective: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brier: Option<f64>,
    /// Nats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    /// Of the Brier loss.
    pub interval95: [f64; 2],
    pub rank: u64,
    /// Number of ranked sources.
    pub sources: u64,
    pub added: u64,
    pub history: Vec<WeightHistory>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WeightHistory {
    pub id: String,
    /// RFC 3339 time in UTC.
    pub at: String,
    pub brier: f64,
    pub log_loss: f64,
}
