//! The shapes of what is answered, and the check each must pass: JSON of somebody else is no answer.

pub(crate) mod headers;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::client::send::Said;
use crate::error::Error;
use crate::error::refusal::{RefusedBy, refusal_of};

pub use headers::{AnswerHeaders, RateLimit};

/// What a call costs, as the service metered it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens that went into a model.
    pub tokens_in: u64,
    /// Tokens that came out of it.
    pub tokens_out: u64,
    /// How long it took.
    pub seconds: f64,
    /// The energy it took, estimated.
    pub watt_hours: f64,
    /// Decimal text, so that nothing is lost to rounding.
    pub amount_usd: String,
}

/// What an answer says about the call itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AnswerMetadata {
    /// Names the call in the audit log.
    pub correlation_id: String,
    /// The protocol, as it is spelt in the catalogue.
    pub protocol: String,
    /// The version that answered.
    pub version: String,
    /// The operation.
    pub operation: String,
    /// The newest record hash of your tenant's chain that this engine knows.
    pub audit_head: Option<String>,
    /// The record of this call.
    pub audit_record_id: String,
    /// What it cost.
    pub usage: Usage,
    /// True where this is the kept answer to an earlier call with the same idempotency key.
    pub replayed: bool,
    /// Present where `wait_for_audit` was asked for and the record was committed in time: proof that it is in
    /// the audit log. Kept as it came, since what it proves is proved over exactly these values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Value>,
}

/// The output of an operation with what the service says about the call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer<Output = Value> {
    /// What the operation answered.
    pub output: Output,
    /// What the service says about the call.
    pub metadata: AnswerMetadata,
    /// Trace and rate limit, as the answer's headers said them.
    pub headers: AnswerHeaders,
}

/// What a dry run found, stage by stage.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DryRun {
    /// Whether the real call would be let through to its module.
    pub allowed: bool,
    /// What each stage would say.
    pub stages: Vec<StageVerdict>,
    /// What the real call would be refused with.
    pub error: Option<Error>,
    /// Under which the dry run itself is recorded.
    pub correlation_id: Option<String>,
}

/// What one stage of a dry run would say.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct StageVerdict {
    /// Its number, from 0 to 8.
    pub stage: u8,
    /// Its name.
    pub name: String,
    /// Such as `passed`.
    pub verdict: String,
    /// What the stage went by.
    #[serde(default)]
    pub knew: Map<String, Value>,
}

/// Who the caller is, and what it may call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Whoami {
    /// The DID the key is bound to.
    pub agent_did: String,
    /// The caller's own tenant.
    pub tenant_id: String,
    /// Such as `charter`.
    pub tier: String,
    /// How the caller proved who it is, such as `api_key`.
    pub credential: String,
    /// Where the engine serves MCP; none where it does not.
    #[serde(default)]
    pub mcp_url: Option<String>,
    /// What the resolver knows of the caller.
    pub identity: WhoamiIdentity,
    /// Every operation there is.
    pub operations: Vec<WhoamiOperation>,
}

/// What the resolver knows of the caller.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct WhoamiIdentity {
    /// Such as `agent`.
    pub entity_kind: String,
    /// As its owner calls it.
    #[serde(default)]
    pub name: Option<String>,
    /// `L0`, `L1` or `L2`.
    pub conformance_level: String,
    /// Whether its descent from a human root was proved.
    pub lineage_verified: bool,
    /// Who answers for it.
    #[serde(default)]
    pub human_root_did: Option<String>,
    /// Whether it may do nothing any more.
    pub revoked: bool,
}

/// One operation, and whether the caller may call it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct WhoamiOperation {
    /// The protocol.
    pub protocol: String,
    /// The operation.
    pub operation: String,
    /// The version this is about; engines before 0.9 do not say.
    #[serde(default)]
    pub version: Option<String>,
    /// The capability it wants.
    pub capability: String,
    /// `yes`, `no`, or `depends` where only the input of a call decides.
    pub may: String,
    /// A short stable phrase naming the rule.
    #[serde(default)]
    pub reason: Option<String>,
    /// One sentence.
    #[serde(default)]
    pub why_not: Option<String>,
}

pub(crate) fn answer_of<Output: DeserializeOwned>(said: Said) -> Result<Answer<Output>, Error> {
    let Said { mut body, headers, api_url } = said;
    let parts =
        body.as_object_mut().and_then(|fields| Some((fields.remove("output")?, fields.remove("metadata")?)));
    let Some((output, metadata)) = parts.filter(|(_, metadata)| metadata.is_object()) else {
        return Err(not_an_answer(&api_url, headers, "an answer"));
    };
    let Ok(metadata) = AnswerMetadata::deserialize(metadata) else {
        return Err(not_an_answer(&api_url, headers, "an answer"));
    };
    match Output::deserialize(output) {
        Ok(output) => Ok(Answer { output, metadata, headers }),
        Err(why) => Err(another_output(&metadata, headers, &why)),
    }
}

pub(crate) fn dry_run_of(said: Said) -> Result<DryRun, Error> {
    let Said { body, headers, api_url } = said;
    let found = &body["dry_run"];
    let stages = Vec::<StageVerdict>::deserialize(&found["stages"]);
    let (Some(verdict), Ok(stages)) = (found["verdict"].as_str(), stages) else {
        return Err(not_an_answer(&api_url, headers, "a dry run"));
    };
    let correlation_id = body["metadata"]["correlation_id"].as_str().map(str::to_owned);
    let by = RefusedBy { api_url: &api_url, status: 200, retry_after: None, headers: headers.clone() };
    Ok(DryRun {
        allowed: verdict == "allowed",
        stages,
        error: found["error"].is_object().then(|| refusal_of(found, by)),
        correlation_id: correlation_id.or(headers.correlation_id),
    })
}

pub(crate) fn whoami_of(said: Said) -> Result<Whoami, Error> {
    let Said { body, headers, api_url } = said;
    Whoami::deserialize(body).map_err(|_| not_an_answer(&api_url, headers, "a caller"))
}

fn not_an_answer(api_url: &str, headers: AnswerHeaders, what: &str) -> Error {
    let message = format!("{api_url} answered with JSON that is not {what} of svc; check api_url.");
    Error::bad_answer(message, Map::new(), Some(headers))
}

/// It was done: only the type that was asked for does not fit what it answered.
fn another_output(metadata: &AnswerMetadata, headers: AnswerHeaders, why: &serde_json::Error) -> Error {
    let AnswerMetadata { protocol, operation, version, .. } = metadata;
    let misfit = misfit_of(&why.to_string());
    let message = format!(
        "{protocol} {operation} {version} was done, but its output is not of the type asked for ({misfit}); \
         take a serde_json::Value, or another version of this crate."
    );
    Error::bad_answer(message, Map::new(), Some(headers))
}

/// What was wanted, without what came instead: serde would say the value, and that may be a secret.
fn misfit_of(why: &str) -> String {
    why.rsplit_once(", expected ").map_or(why.to_owned(), |(_, wanted)| format!("expected {wanted}"))
}
