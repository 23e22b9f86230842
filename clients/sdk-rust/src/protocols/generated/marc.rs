// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
//! MARC v1.0.0. Reasoning within a budget: proofs from premises, and causal analysis of published models.

use crate::{CallOptions, Client, Error};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Reasoning within a budget: proofs from premises, and causal analysis of published models.
///
/// A method is called like its operation and answers its output alone; `Client::dispatch` answers it with what
/// the service says about the call.
#[derive(Clone, Debug)]
pub struct Marc<'a> {
    pub(crate) client: &'a Client,
    pub(crate) options: CallOptions,
}

impl Client {
    /// The operations of MARC.
    pub fn marc(&self) -> Marc<'_> {
        Marc { client: self, options: CallOptions::default() }
    }
}

impl Marc<'_> {
    /// How the calls that follow are made.
    #[must_use]
    pub fn with(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

    /// Ask a published model for the effect of an intervention, an observation or a counterfactual.
    ///
    /// A read: repeated by the rules of retries.
    ///
    /// After:
    /// - `MARC.publish_model`, which gives `model_ref`.
    ///
    /// ```no_run
    /// # use std::collections::BTreeMap;
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::marc::{CausalAnalysisBudget, CausalAnalysisInput, CausalAnalysisOutcome};
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = CausalAnalysisInput::new(CausalAnalysisOutcome::new("grass").state("wet"))
    ///     .model_ref(
    ///         "marc://model/769066121fc5791fa371a6ee9aea3811d32bde9238eba8b36c354c450486ebe5",
    ///     )
    ///     .r#do(BTreeMap::from([("sprinkler".into(), "on".into())]))
    ///     .budget(CausalAnalysisBudget::new(10000, 10000));
    /// let output = client.marc().causal_analysis(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn causal_analysis(&self, input: &CausalAnalysisInput) -> Result<CausalAnalysisOutput, Error> {
        self.call("causal_analysis", input).await
    }

    /// Publish a Bayesian or causal model of the world under a name and a version.
    ///
    /// A write: never repeated.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::marc::{PublishModelInput, PublishModelVariable, PublishModelVariableCpt};
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = PublishModelInput::new("sprinkler", "1.0.0")
    ///     .variables(vec![
    ///         PublishModelVariable::new("rain", vec!["yes".into(), "no".into()])
    ///             .cpt(PublishModelVariableCpt::List(vec![0.2, 0.8])),
    ///         PublishModelVariable::new("sprinkler", vec!["on".into(), "off".into()])
    ///             .parents(vec!["rain".into()])
    ///             .cpt(PublishModelVariableCpt::List(vec![0.01, 0.99, 0.4, 0.6])),
    ///         PublishModelVariable::new("grass", vec!["wet".into(), "dry".into()])
    ///             .parents(vec!["sprinkler".into(), "rain".into()])
    ///             .cpt(
    ///                 PublishModelVariableCpt::List(vec![0.99, 0.01, 0.9, 0.1, 0.8, 0.2, 0.0, 1.0]),
    ///             ),
    ///     ]);
    /// let output = client.marc().publish_model(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn publish_model(&self, input: &PublishModelInput) -> Result<PublishModelOutput, Error> {
        self.call("publish_model", input).await
    }

    /// Answer a question from premises and known facts, with its proof, within a budget.
    ///
    /// A write: never repeated.
    ///
    /// ```no_run
    /// # use svc_sdk::{Client, Error};
    /// use svc_sdk::protocols::marc::{ReasoningTaskBudget, ReasoningTaskInput, ReasoningTaskReturnField};
    ///
    /// # async fn ask(client: Client) -> Result<(), Error> {
    /// let input = ReasoningTaskInput::new("Is Anne nice?", ReasoningTaskBudget::new(10000, 20000))
    ///     .premises(vec!["Anne is kind.".into(), "All kind people are nice.".into()])
    ///     .return_fields(vec![
    ///         ReasoningTaskReturnField::Derivation,
    ///         ReasoningTaskReturnField::Citations,
    ///         ReasoningTaskReturnField::Confidence,
    ///     ]);
    /// let output = client.marc().reasoning_task(&input).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn reasoning_task(&self, input: &ReasoningTaskInput) -> Result<ReasoningTaskOutput, Error> {
        self.call("reasoning_task", input).await
    }

    async fn call<I, O>(&self, operation: &str, input: &I) -> Result<O, Error>
    where
        I: Serialize,
        O: DeserializeOwned,
    {
        let client = self.client;
        let asking = client.dispatch("MARC", operation, input, &self.options);
        Ok(asking.await?.output)
    }
}

/// Ask a published model for the effect of an intervention, an observation or a counterfactual.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CausalAnalysisInput {
    /// A published model: the sha256 of its canonical JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_ref: Option<String>,
    /// A snapshot that names a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub world_model_snapshot: Option<String>,
    /// Variable whose distribution is asked for.
    pub outcome: CausalAnalysisOutcome,
    /// What is done: variable to state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#do: Option<BTreeMap<String, String>>,
    /// What is seen: variable to state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<BTreeMap<String, String>>,
    /// Seeing, doing (default), the average effect of doing, or what would have been.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<CausalAnalysisQuery>,
    /// For ate: what is done instead. By default the first state that differs, of each variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BTreeMap<String, String>>,
    /// Largest table in cells; beyond it the answer is sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_factor: Option<u64>,
    /// What the call may use at most; absent means the defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<CausalAnalysisBudget>,
}

impl CausalAnalysisInput {
    /// With all it needs; the rest is set by name.
    pub fn new(outcome: CausalAnalysisOutcome) -> Self {
        Self {
            model_ref: None,
            world_model_snapshot: None,
            outcome,
            r#do: None,
            given: None,
            query: None,
            baseline: None,
            max_factor: None,
            budget: None,
        }
    }

    /// Sets `model_ref`.
    #[must_use]
    pub fn model_ref(mut self, model_ref: impl Into<String>) -> Self {
        self.model_ref = Some(model_ref.into());
        self
    }

    /// Sets `world_model_snapshot`.
    #[must_use]
    pub fn world_model_snapshot(mut self, world_model_snapshot: impl Into<String>) -> Self {
        self.world_model_snapshot = Some(world_model_snapshot.into());
        self
    }

    /// Sets `do`.
    #[must_use]
    pub fn r#do(mut self, r#do: BTreeMap<String, String>) -> Self {
        self.r#do = Some(r#do);
        self
    }

    /// Sets `given`.
    #[must_use]
    pub fn given(mut self, given: BTreeMap<String, String>) -> Self {
        self.given = Some(given);
        self
    }

    /// Sets `query`.
    #[must_use]
    pub fn query(mut self, query: CausalAnalysisQuery) -> Self {
        self.query = Some(query);
        self
    }

    /// Sets `baseline`.
    #[must_use]
    pub fn baseline(mut self, baseline: BTreeMap<String, String>) -> Self {
        self.baseline = Some(baseline);
        self
    }

    /// Sets `max_factor`.
    #[must_use]
    pub fn max_factor(mut self, max_factor: u64) -> Self {
        self.max_factor = Some(max_factor);
        self
    }

    /// Sets `budget`.
    #[must_use]
    pub fn budget(mut self, budget: CausalAnalysisBudget) -> Self {
        self.budget = Some(budget);
        self
    }
}

/// Variable whose distribution is asked for.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CausalAnalysisOutcome {
    /// Name of a variable of the model.
    pub variable: String,
    /// Ask for the probability of this state; absent means the whole distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

impl CausalAnalysisOutcome {
    /// With all it needs; the rest is set by name.
    pub fn new(variable: impl Into<String>) -> Self {
        Self { variable: variable.into(), state: None }
    }

    /// Sets `state`.
    #[must_use]
    pub fn state(mut self, state: impl Into<String>) -> Self {
        self.state = Some(state.into());
        self
    }
}

/// Seeing, doing (default), the average effect of doing, or what would have been.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum CausalAnalysisQuery {
    /// `interventional`
    #[serde(rename = "interventional")]
    Interventional,
    /// `observational`
    #[serde(rename = "observational")]
    Observational,
    /// `ate`
    #[serde(rename = "ate")]
    Ate,
    /// `counterfactual`
    #[serde(rename = "counterfactual")]
    Counterfactual,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// What the call may use at most; absent means the defaults.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CausalAnalysisBudget {
    /// Tokens of question and answer.
    pub tokens: u64,
    /// Milliseconds after which the call ends with a timeout.
    pub deadline_ms: u64,
}

impl CausalAnalysisBudget {
    /// With all it needs.
    pub fn new(tokens: u64, deadline_ms: u64) -> Self {
        Self { tokens, deadline_ms }
    }
}

/// Answer of MARC causal_analysis.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CausalAnalysisOutput {
    /// A published model: the sha256 of its canonical JSON.
    pub model_ref: String,
    /// Kind of question that was answered.
    pub query: CausalAnalysisQuery,
    /// Of the state asked for; absent where the whole distribution was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Probability of each state of the outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution: Option<BTreeMap<String, f64>>,
    /// Computed; false where it was estimated by sampling.
    pub exact: bool,
    /// If sampled; for ate, the interval of the effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci95: Option<CausalAnalysisCi95>,
    /// The effect follows from the model; otherwise the call is refused.
    pub identifiable: bool,
    /// How it was identified: cut edges, back door, front door, or the ID algorithm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<CausalAnalysisStrategy>,
    /// Observed variables to condition on; absent if no set of them is enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjustment_set: Option<Vec<String>>,
    /// Mediators that carry the whole effect, with the strategy frontdoor: not to be conditioned on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub front_door_set: Option<Vec<String>>,
    /// Order in which variables were summed out; absent where sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elimination_order: Option<Vec<String>>,
    /// Cells of the largest table; the limit if it was exceeded and the answer was sampled.
    pub largest_factor: u64,
    /// How it was estimated; absent where it is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<CausalAnalysisSampling>,
    /// Only for ate: the average effect of doing against the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<CausalAnalysisEffect>,
    /// What the analysis used.
    pub usage: CausalAnalysisUsage,
    /// Always false: the result informs and decides nothing.
    pub binding: bool,
}

/// If sampled; for ate, the interval of the effect.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum CausalAnalysisCi95 {
    List([f64; 2]),
    Map(BTreeMap<String, [f64; 2]>),
    /// What this version of the client does not know.
    Unlisted(Value),
}

/// How it was identified: cut edges, back door, front door, or the ID algorithm.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum CausalAnalysisStrategy {
    /// `mutilation`
    #[serde(rename = "mutilation")]
    Mutilation,
    /// `backdoor`
    #[serde(rename = "backdoor")]
    Backdoor,
    /// `frontdoor`
    #[serde(rename = "frontdoor")]
    Frontdoor,
    /// `id`
    #[serde(rename = "id")]
    Id,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// How it was estimated; absent where it is exact.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CausalAnalysisSampling {
    /// Samples weighted by how likely they make what is given.
    pub method: CausalAnalysisSamplingMethod,
    /// Number of samples drawn.
    pub samples: u64,
    /// Where the chance came from: the same seed gives the same estimate.
    pub seed: String,
}

/// Samples weighted by how likely they make what is given.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum CausalAnalysisSamplingMethod {
    /// `likelihood_weighting`
    #[serde(rename = "likelihood_weighting")]
    LikelihoodWeighting,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Only for ate: the average effect of doing against the baseline.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CausalAnalysisEffect {
    /// treated minus control.
    pub ate: f64,
    /// Expected outcome under do.
    pub treated: f64,
    /// Expected outcome under the baseline.
    pub control: f64,
    /// States it was compared with.
    pub baseline: BTreeMap<String, String>,
}

/// What the analysis used.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CausalAnalysisUsage {
    /// Tokens of the question.
    pub tokens_in: u64,
    /// Tokens of the answer.
    pub tokens_out: u64,
}

/// Publish a Bayesian or causal model of the world under a name and a version.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PublishModelInput {
    /// Name of the model.
    pub name: String,
    /// Semantic version: name and version identify one model permanently.
    pub version: String,
    /// The model as JSON; give this or source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<Vec<PublishModelVariable>>,
    /// Pairs of variables with a common unobserved cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bidirected: Option<Vec<[String; 2]>>,
    /// json (default): variables; bif: source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<PublishModelFormat>,
    /// The model as BIF text, instead of variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// A published model: the sha256 of its canonical JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// What the model was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Vec<String>>,
}

impl PublishModelInput {
    /// With all it needs; the rest is set by name.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            variables: None,
            bidirected: None,
            format: None,
            source: None,
            supersedes: None,
            provenance: None,
        }
    }

    /// Sets `variables`.
    #[must_use]
    pub fn variables(mut self, variables: Vec<PublishModelVariable>) -> Self {
        self.variables = Some(variables);
        self
    }

    /// Sets `bidirected`.
    #[must_use]
    pub fn bidirected(mut self, bidirected: Vec<[String; 2]>) -> Self {
        self.bidirected = Some(bidirected);
        self
    }

    /// Sets `format`.
    #[must_use]
    pub fn format(mut self, format: PublishModelFormat) -> Self {
        self.format = Some(format);
        self
    }

    /// Sets `source`.
    #[must_use]
    pub fn source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets `supersedes`.
    #[must_use]
    pub fn supersedes(mut self, supersedes: impl Into<String>) -> Self {
        self.supersedes = Some(supersedes.into());
        self
    }

    /// Sets `provenance`.
    #[must_use]
    pub fn provenance(mut self, provenance: Vec<String>) -> Self {
        self.provenance = Some(provenance);
        self
    }
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PublishModelVariable {
    /// Name by which parents and questions refer to the variable.
    pub name: String,
    /// Values the variable can take.
    pub states: Vec<String>,
    /// Variables that cause it directly; none for a root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parents: Option<Vec<String>>,
    /// A row per combination of states of the parents, the last parent fastest; each row sums to 1. Flat, or a list of rows. Parents that are latent without a cpt are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpt: Option<PublishModelVariableCpt>,
    /// What the cpt is conditioned on, where that is not the observed parents: with hidden causes a variable depends on more than what causes it, as y on m and x where x and y share one and m lies between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpt_given: Option<Vec<String>>,
    /// Not observed. Default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latent: Option<bool>,
}

impl PublishModelVariable {
    /// With all it needs; the rest is set by name.
    pub fn new(name: impl Into<String>, states: Vec<String>) -> Self {
        Self { name: name.into(), states, parents: None, cpt: None, cpt_given: None, latent: None }
    }

    /// Sets `parents`.
    #[must_use]
    pub fn parents(mut self, parents: Vec<String>) -> Self {
        self.parents = Some(parents);
        self
    }

    /// Sets `cpt`.
    #[must_use]
    pub fn cpt(mut self, cpt: PublishModelVariableCpt) -> Self {
        self.cpt = Some(cpt);
        self
    }

    /// Sets `cpt_given`.
    #[must_use]
    pub fn cpt_given(mut self, cpt_given: Vec<String>) -> Self {
        self.cpt_given = Some(cpt_given);
        self
    }

    /// Sets `latent`.
    #[must_use]
    pub fn latent(mut self, latent: bool) -> Self {
        self.latent = Some(latent);
        self
    }
}

/// A row per combination of states of the parents, the last parent fastest; each row sums to 1. Flat, or a list of rows. Parents that are latent without a cpt are not counted.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum PublishModelVariableCpt {
    List(Vec<f64>),
    Rows(Vec<Vec<f64>>),
}

/// json (default): variables; bif: source.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum PublishModelFormat {
    /// `json`
    #[serde(rename = "json")]
    Json,
    /// `bif`
    #[serde(rename = "bif")]
    Bif,
}

/// Answer of MARC publish_model.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PublishModelOutput {
    /// A published model: the sha256 of its canonical JSON.
    pub model_ref: String,
    /// Number of variables.
    pub variables: u64,
    /// Number of edges between them.
    pub edges: u64,
    /// Number of probabilities in all tables.
    pub parameters: u64,
    /// Upper bound, by the min-fill order.
    pub treewidth_bound: u64,
    /// What was changed or ignored in the model.
    pub warnings: Vec<String>,
}

/// Answer a question from premises and known facts, with its proof, within a budget.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReasoningTaskInput {
    /// A statement to judge, a yes-or-no question, or one that asks who or what; in English, or after "datalog:".
    pub intent: String,
    /// Controlled English, or clauses after "datalog:". Each is one leaf of proofs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub premises: Option<Vec<String>>,
    /// Additional known facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub world_model_snapshot: Option<String>,
    /// What the task may use; at its end you get what was derived until then.
    pub budget: ReasoningTaskBudget,
    /// Parts of the result to include beside the answer. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_fields: Option<Vec<ReasoningTaskReturnField>>,
    /// Closed: what cannot be derived is false, and "not" in a condition means just that. Default `"open"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumption: Option<ReasoningTaskAssumption>,
    /// Whether a denied conclusion denies a condition (contraposition) in the open world: for every rule (implications), for none (one_way), or (auto) for all but rules over descriptions alone, such as "kind people are nice". Never for hedged rules or datalog. Default `"auto"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<ReasoningTaskRules>,
    /// Refuse if a premise or the intent cannot be parsed. Default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict: Option<bool>,
    /// What parses text that is not controlled English; the result is always proved by the engine. Default `"auto"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend: Option<ReasoningTaskBackend>,
    /// One for each premise; default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub premise_confidence: Option<Vec<f64>>,
}

impl ReasoningTaskInput {
    /// With all it needs; the rest is set by name.
    pub fn new(intent: impl Into<String>, budget: ReasoningTaskBudget) -> Self {
        Self {
            intent: intent.into(),
            premises: None,
            world_model_snapshot: None,
            budget,
            return_fields: None,
            assumption: None,
            rules: None,
            strict: None,
            backend: None,
            premise_confidence: None,
        }
    }

    /// Sets `premises`.
    #[must_use]
    pub fn premises(mut self, premises: Vec<String>) -> Self {
        self.premises = Some(premises);
        self
    }

    /// Sets `world_model_snapshot`.
    #[must_use]
    pub fn world_model_snapshot(mut self, world_model_snapshot: impl Into<String>) -> Self {
        self.world_model_snapshot = Some(world_model_snapshot.into());
        self
    }

    /// Sets `return_fields`.
    #[must_use]
    pub fn return_fields(mut self, return_fields: Vec<ReasoningTaskReturnField>) -> Self {
        self.return_fields = Some(return_fields);
        self
    }

    /// Sets `assumption`.
    #[must_use]
    pub fn assumption(mut self, assumption: ReasoningTaskAssumption) -> Self {
        self.assumption = Some(assumption);
        self
    }

    /// Sets `rules`.
    #[must_use]
    pub fn rules(mut self, rules: ReasoningTaskRules) -> Self {
        self.rules = Some(rules);
        self
    }

    /// Sets `strict`.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = Some(strict);
        self
    }

    /// Sets `backend`.
    #[must_use]
    pub fn backend(mut self, backend: ReasoningTaskBackend) -> Self {
        self.backend = Some(backend);
        self
    }

    /// Sets `premise_confidence`.
    #[must_use]
    pub fn premise_confidence(mut self, premise_confidence: Vec<f64>) -> Self {
        self.premise_confidence = Some(premise_confidence);
        self
    }
}

/// What the task may use; at its end you get what was derived until then.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReasoningTaskBudget {
    /// For text read, text written, and one for each rule that fires and for every 16 candidates tried.
    pub tokens: u64,
    /// Limited by your tier; usage.deadline_ms shows the granted value.
    pub deadline_ms: u64,
}

impl ReasoningTaskBudget {
    /// With all it needs.
    pub fn new(tokens: u64, deadline_ms: u64) -> Self {
        Self { tokens, deadline_ms }
    }
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ReasoningTaskReturnField {
    /// `derivation`
    #[serde(rename = "derivation")]
    Derivation,
    /// `citations`
    #[serde(rename = "citations")]
    Citations,
    /// `confidence`
    #[serde(rename = "confidence")]
    Confidence,
    /// `alternatives`
    #[serde(rename = "alternatives")]
    Alternatives,
}

/// Closed: what cannot be derived is false, and "not" in a condition means just that.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ReasoningTaskAssumption {
    /// `open`
    #[serde(rename = "open")]
    Open,
    /// `closed`
    #[serde(rename = "closed")]
    Closed,
}

/// Whether a denied conclusion denies a condition (contraposition) in the open world: for every rule (implications), for none (one_way), or (auto) for all but rules over descriptions alone, such as "kind people are nice". Never for hedged rules or datalog.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ReasoningTaskRules {
    /// `auto`
    #[serde(rename = "auto")]
    Auto,
    /// `implications`
    #[serde(rename = "implications")]
    Implications,
    /// `one_way`
    #[serde(rename = "one_way")]
    OneWay,
}

/// What parses text that is not controlled English; the result is always proved by the engine.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ReasoningTaskBackend {
    /// `auto`
    #[serde(rename = "auto")]
    Auto,
    /// `builtin`
    #[serde(rename = "builtin")]
    Builtin,
    /// `model`
    #[serde(rename = "model")]
    Model,
}

/// Answer of MARC reasoning_task.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReasoningTaskOutput {
    /// Names this task, for citations.
    pub task_ref: String,
    /// Whether reasoning was completed, or ended at the token budget or the deadline.
    pub status: ReasoningTaskStatus,
    /// contradictory: both it and its negation can be derived.
    pub answer: ReasoningTaskAnswer,
    /// Values of the question's variables; only for who and what questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bindings: Option<Vec<BTreeMap<String, String>>>,
    /// The proof, step by step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derivation: Option<Vec<ReasoningTaskDerivation>>,
    /// Premises and facts the proof rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citations: Option<Vec<ReasoningTaskCitation>>,
    /// Probability that the answer holds, from the confidence of its premises.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The confidence after calibration (MANTIC).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrated_confidence: Option<f64>,
    /// Present if confidence is a lower bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence_upper: Option<f64>,
    /// Other answers, and what would have to hold for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alternatives: Option<Vec<ReasoningTaskAlternative>>,
    /// Texts that were not understood and not used.
    pub unparsed: Vec<ReasoningTaskUnparsed>,
    /// How each text was read, in one normal form.
    pub readings: Vec<ReasoningTaskReading>,
    /// Present if the answer rests on hedged premises; confidence is then shown as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hedges: Option<Vec<ReasoningTaskHedge>>,
    /// Parts of this result that were left out or shortened to stay within a limit; absent if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Vec<ReasoningTaskCut>>,
    /// False if only a model says so, or if what was asked was not understood.
    pub verified: bool,
    /// Who read the texts: the engine or a model; with model, nothing was proved.
    pub method: ReasoningTaskMethod,
    /// What the task used.
    pub usage: ReasoningTaskUsage,
    /// Always false: the result informs and decides nothing.
    pub binding: bool,
}

/// Whether reasoning was completed, or ended at the token budget or the deadline.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ReasoningTaskStatus {
    /// `complete`
    #[serde(rename = "complete")]
    Complete,
    /// `budget_exhausted`
    #[serde(rename = "budget_exhausted")]
    BudgetExhausted,
    /// `deadline`
    #[serde(rename = "deadline")]
    Deadline,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// contradictory: both it and its negation can be derived.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ReasoningTaskAnswer {
    /// `true`
    #[serde(rename = "true")]
    True,
    /// `false`
    #[serde(rename = "false")]
    False,
    /// `unknown`
    #[serde(rename = "unknown")]
    Unknown,
    /// `contradictory`
    #[serde(rename = "contradictory")]
    Contradictory,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReasoningTaskDerivation {
    /// Number of the step, from 1.
    pub step: u64,
    /// In datalog; "not" before what is not derivable.
    pub conclusion: String,
    /// premise:\<index\>, the reference of a fact, fact:\<index\>, granted, naf or comparison.
    pub rule: String,
    /// Steps it follows from.
    pub from: Vec<u64>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReasoningTaskCitation {
    /// Which of the premises, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub premise_index: Option<u64>,
    /// Fact of the snapshot, or the snapshot itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<String>,
    /// Hash that commits to the text without showing it.
    pub text_commitment: String,
    /// redacted: its content has since been destroyed.
    pub status: ReasoningTaskCitationStatus,
}

/// redacted: its content has since been destroyed.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ReasoningTaskCitationStatus {
    /// `valid`
    #[serde(rename = "valid")]
    Valid,
    /// `redacted`
    #[serde(rename = "redacted")]
    Redacted,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReasoningTaskAlternative {
    /// The answer that would result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<ReasoningTaskAnswer>,
    /// Other values of the question's variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<BTreeMap<String, String>>,
    /// Additional facts with which the answer would be this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_facts: Option<Vec<String>>,
    /// How likely this alternative is.
    pub confidence: f64,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReasoningTaskUnparsed {
    /// Of the premise; -1 for the intent.
    pub index: i64,
    /// Why it was not understood.
    pub reason: String,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReasoningTaskReading {
    /// Of the premise; -1 for the intent.
    pub index: i64,
    /// What it says, in datalog: past and future are predicates of their own.
    pub clauses: Vec<String>,
    /// Words that make it less than certain.
    pub hedges: Vec<ReasoningTaskReadingHedge>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReasoningTaskReadingHedge {
    /// The hedge.
    pub word: String,
    /// Of the sentence, by this engine's scale (docs/reasoning.md).
    pub probability: f64,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReasoningTaskHedge {
    /// Of the premise.
    pub index: u64,
    /// The hedge, such as probably.
    pub word: String,
    /// Of the sentence, by this engine's scale (docs/reasoning.md).
    pub probability: f64,
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ReasoningTaskCut {
    /// `alternatives`
    #[serde(rename = "alternatives")]
    Alternatives,
    /// `bindings`
    #[serde(rename = "bindings")]
    Bindings,
    /// `citations`
    #[serde(rename = "citations")]
    Citations,
    /// `derivation`
    #[serde(rename = "derivation")]
    Derivation,
    /// `readings`
    #[serde(rename = "readings")]
    Readings,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// Who read the texts: the engine or a model; with model, nothing was proved.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum ReasoningTaskMethod {
    /// `builtin`
    #[serde(rename = "builtin")]
    Builtin,
    /// `model_translation`
    #[serde(rename = "model_translation")]
    ModelTranslation,
    /// `model`
    #[serde(rename = "model")]
    Model,
    /// What this version of the client does not know.
    #[serde(untagged)]
    Unlisted(String),
}

/// What the task used.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReasoningTaskUsage {
    /// Tokens of the texts read.
    pub tokens_in: u64,
    /// Tokens of the text written.
    pub tokens_out: u64,
    /// Steps of reasoning; they count against the budget and are not charged.
    pub work: u64,
    /// Present if your tier allows less than requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// Present if fewer tokens were granted than requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}
