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

    /// Read how reliable a source has been by its resolved forecasts, or set its weight.
    ///
    /// A write: never repeated.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::mata::{WeightInput, WeightSet};
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = WeightInput::new("protocol:MARC")
    ///     .topic("deliveries")
    ///     .set(WeightSet::new(Some(0.8), "mace://sole-member"));
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
    /// What the opinions are about; stored with persist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Topic; \* is everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// One of each source, all of the same kind.
    pub opinions: Vec<PoolOpinion>,
    /// How to combine: log (default) favours agreement, linear is the mean, median ignores extremes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<PoolMethod>,
    /// Whose opinion counts more; default given if there are any, then learned, then equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<PoolWeights>,
    /// Of the log pool. Default `1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extremize: Option<f64>,
    /// Of the log pool. Default `0.0001`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// Labels that a source does not name have probability 0; otherwise labels must agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<PoolFill>,
    /// Store the result under a pool_ref. Default `false`.
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
    /// Probability of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Label to probability; they add up to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution: Option<BTreeMap<String, f64>>,
    /// Pairs of a level between 0 and 1 and its value, levels rising.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<Vec<[f64; 2]>>,
    /// How much this opinion counts; all of them need one where weights are given.
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

/// How to combine: log (default) favours agreement, linear is the mean, median ignores extremes.
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

/// Whose opinion counts more; default given if there are any, then learned, then equal.
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

/// Labels that a source does not name have probability 0; otherwise labels must agree.
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
    /// Probability of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Label to probability; they add up to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution: Option<BTreeMap<String, f64>>,
    /// Pairs of a level between 0 and 1 and its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<Vec<[f64; 2]>>,
    /// How they were combined; quantiles are always averaged.
    pub method: PoolOutputMethod,
    /// Which weights were used.
    pub weighting: PoolWeights,
    /// Share of each source; they add up to one.
    pub weights: BTreeMap<String, f64>,
    /// Different roots behind the sources: of a ref, the root of its author; all protocols of this engine are one. Unknown ones are none.
    pub independent_sources: u64,
    /// Bits; not of quantiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// How far the sources are apart, from 0 to 1.
    pub disagreement: f64,
    /// What each source added.
    pub contributions: Vec<PoolContribution>,
    /// Opinions far from the pool, as they were given.
    pub dissent: Vec<PoolDissent>,
    /// Names the stored result; only with persist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool_ref: Option<String>,
}

/// How they were combined; quantiles are always averaged.
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
    /// Share of the source.
    pub weight: f64,
    /// Divergence from the pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<f64>,
    /// Its share of the disagreement.
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
    /// Probability of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Label to probability; they add up to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution: Option<BTreeMap<String, f64>>,
    /// Pairs of a level between 0 and 1 and its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<Vec<[f64; 2]>>,
}

/// Read how reliable a source has been by its resolved forecasts, or set its weight.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WeightInput {
    /// A DID, a ref, or protocol:\<ID\>.
    pub source: String,
    /// Topic; \* is everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// After this many days a resolved forecast counts half. Default `180`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_life_days: Option<u64>,
    /// Set the weight by hand instead of learning it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<WeightSet>,
}

impl WeightInput {
    /// With all it needs; the rest is set by name.
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), topic: None, half_life_days: None, set: None }
    }

    /// Sets `topic`.
    #[must_use]
    pub fn topic(mut self, topic: impl Into<String>) -> Self {
        self.topic = Some(topic.into());
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

/// Set the weight by hand instead of learning it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WeightSet {
    /// Null removes the manual weight.
    pub weight: Option<f64>,
    /// Charter verdict that allows it.
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
    /// Its share among the sources of the topic, unless it was set; without comparison that of an average one. 0 if nobody with a verified lineage answers for it.
    pub weight: f64,
    /// Whether the organization set it.
    pub manual: bool,
    /// Its forecasts that were locked before their question was resolved; nothing else counts.
    pub n: u64,
    /// Of these, on questions that somebody of another root forecast as well: only they move the weight.
    pub n_compared: u64,
    /// The same, with old ones counting less, and siblings of one root together as one.
    pub n_effective: f64,
    /// Sum of its losses (0 to 1 each) less the median of those of the other roots on the same question, old ones counting less: the weight follows from it. Below zero is better than others.
    pub excess: f64,
    /// Brier score: of events (p - o)², of categories the sum over all of them (0 to 2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brier: Option<f64>,
    /// Logarithmic loss of events and categories, in nats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    /// Continuous ranked probability score of quantities, in their own unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crps: Option<f64>,
    /// Mean pinball loss of the quantiles of quantities, in their own unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantile_loss: Option<f64>,
    /// Of its mean loss, 0 to 1, however hard the questions were.
    pub interval95: [f64; 2],
    /// 1 is the most reliable; ties share a rank. Who counts nothing is last.
    pub rank: u64,
    /// Number of ranked sources.
    pub sources: u64,
    /// Newest resolved forecasts.
    pub history: Vec<WeightHistory>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WeightHistory {
    /// The question, with its resolution and citation.
    pub question_ref: String,
    /// When the outcome was known.
    pub at: String,
    /// Brier score: of events (p - o)², of categories the sum over all of them (0 to 2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brier: Option<f64>,
    /// Logarithmic loss of events and categories, in nats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    /// Continuous ranked probability score of quantities, in their own unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crps: Option<f64>,
    /// Mean pinball loss of the quantiles of quantities, in their own unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantile_loss: Option<f64>,
}
