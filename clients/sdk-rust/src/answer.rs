//! The shapes of answers, and the validation each must pass: JSON from another server is rejected.

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
    /// Tokens sent to a model.
    pub tokens_in: u64,
    /// Tokens returned by a model.
    pub tokens_out: u64,
    /// The duration.
    pub seconds: f64,
    /// The estimated energy used.
    pub watt_hours: f64,
    /// Decimal text, to avoid rounding.
    pub amount_usd: String,
    /// Time spent waiting for others, for instance for mail: not charged.
    #[serde(skip_serializing_if = "is_zero")]
    pub waiting_seconds: f64,
}

fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// Metadata about the call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AnswerMetadata {
    /// Identifies the call in the audit log.
    pub correlation_id: String,
    /// The protocol, spelled as in the catalogue.
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
    /// True if this is the stored answer to an earlier call with the same idempotency key.
    pub replayed: bool,
    /// Present if `wait_for_audit` was set and the record was committed in time: proof that it is in the
    /// audit log. Kept unchanged, because the proof covers exactly these values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Value>,
}

/// The output of an operation with the service's metadata about the call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer<Output = Value> {
    /// The operation's output.
    pub output: Output,
    /// The service's metadata about the call.
    pub metadata: AnswerMetadata,
    /// Trace and rate limit, from the answer's headers.
    pub headers: AnswerHeaders,
}

/// The result of a dry run, stage by stage.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DryRun {
    /// Whether the real call would reach its module.
    pub allowed: bool,
    /// The verdict of each stage.
    pub stages: Vec<StageVerdict>,
    /// The refusal the real call would get.
    pub error: Option<Error>,
    /// The correlation id under which the dry run itself is recorded.
    pub correlation_id: Option<String>,
}

/// The verdict of one stage of a dry run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct StageVerdict {
    /// Its number, from 0 to 8.
    pub stage: u8,
    /// Its name.
    pub name: String,
    /// Such as `passed`.
    pub verdict: String,
    /// What the stage based its verdict on.
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
    /// How the caller authenticated, such as `api_key`.
    pub credential: String,
    /// Where the engine serves MCP; none if it does not.
    #[serde(default)]
    pub mcp_url: Option<String>,
    /// What the identity resolver knows about the caller.
    pub identity: WhoamiIdentity,
    /// Every operation.
    pub operations: Vec<WhoamiOperation>,
}

/// What the identity resolver knows about the caller.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct WhoamiIdentity {
    /// Such as `agent`.
    pub entity_kind: String,
    /// The name its owner gave it.
    #[serde(default)]
    pub name: Option<String>,
    /// `L0`, `L1` or `L2`.
    pub conformance_level: String,
    /// Whether its lineage was verified up to a human root.
    pub lineage_verified: bool,
    /// The responsible owner.
    #[serde(default)]
    pub human_root_did: Option<String>,
    /// Whether it was revoked.
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
    /// The version this applies to; engines before 0.9 omit it.
    #[serde(default)]
    pub version: Option<String>,
    /// The capability it requires.
    pub capability: String,
    /// `read` or `write`; engines before 0.11 omit it.
    #[serde(default)]
    pub effect: Option<String>,
    /// `yes`, `no`, or `depends` if the input of a call decides.
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

/// The call succeeded; only the requested type does not fit the output.
fn another_output(metadata: &AnswerMetadata, headers: AnswerHeaders, why: &serde_json::Error) -> Error {
    let AnswerMetadata { protocol, operation, version, .. } = metadata;
    let misfit = misfit_of(&why.to_string());
    let message = format!(
        "{protocol} {operation} {version} was done, but its output is not of the type asked for ({misfit}); \
         take a serde_json::Value, or another version of this crate."
    );
    Error::bad_answer(message, Map::new(), Some(headers))
}

/// The expected type without the actual value, which serde would quote and which may be a secret.
fn misfit_of(why: &str) -> String {
    why.rsplit_once(", expected ").map_or(why.to_owned(), |(_, wanted)| format!("expected {wanted}"))
}
