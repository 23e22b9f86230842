//! Why a call failed: a code, one sentence, and the details the service sent.

pub(crate) mod refusal;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::answer::AnswerHeaders;

macro_rules! error_codes {
    ($($(#[$doc:meta])+ $name:ident = $word:literal,)+) => {
        /// A refusal by the service, or one of three failures before it could answer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $($(#[$doc])+ $name,)+
        }

        impl ErrorCode {
            /// Every code that this client knows.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$name,)+];

            /// The wire name, such as `policy_denied`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(ErrorCode::$name => $word,)+
                }
            }
        }
    };
}

error_codes! {
    /// The request is malformed: its envelope, or a header that cannot be sent.
    InvalidRequest = "invalid_request",
    /// The key is missing, wrong, expired, or bound to another DID.
    Unauthenticated = "unauthenticated",
    /// The caller holds no capability for this, or no treaty permits it.
    CapabilityDenied = "capability_denied",
    /// The module itself requires a capability that the caller does not hold.
    MissingCapability = "missing_capability",
    /// Others must approve this call first; `details.approvers` names them.
    ApprovalRequired = "approval_required",
    /// There is no such route.
    NotFound = "not_found",
    /// The protocol is not registered.
    UnknownProtocol = "unknown_protocol",
    /// The version is not installed.
    UnknownVersion = "unknown_version",
    /// The protocol has no such operation.
    UnknownOperation = "unknown_operation",
    /// The first call under this idempotency key is still running.
    IdempotencyInFlight = "idempotency_in_flight",
    /// The body exceeds the service's limit.
    PayloadTooLarge = "payload_too_large",
    /// The input does not fit the operation's schema; `details.faults` says where.
    InvalidPayload = "invalid_payload",
    /// A policy denied it: read the reason before you retry.
    PolicyDenied = "policy_denied",
    /// The idempotency key was used with another body, or by another caller.
    IdempotencyKeyReused = "idempotency_key_reused",
    /// The rate limit is used up; the error says how long to wait.
    RateLimited = "rate_limited",
    /// The module failed.
    ProtocolError = "protocol_error",
    /// The service failed.
    Internal = "internal",
    /// A dependency of the service failed.
    AdapterError = "adapter_error",
    /// Too many calls of this protocol failed; the circuit breaker is open.
    CircuitOpen = "circuit_open",
    /// No healthy endpoint is available.
    NoEndpointAvailable = "no_endpoint_available",
    /// The engine is shutting down.
    Draining = "draining",
    /// A dependency of the decision was unavailable; `details.unavailable` names it. Nothing was denied.
    Unavailable = "unavailable",
    /// A timeout, at the service or in the client.
    Timeout = "timeout",
    /// No address or no identity is configured.
    NotConfigured = "not_configured",
    /// No answer came.
    Network = "network",
    /// The answer is not from svc, or has an unknown code, kept in `details.code`.
    BadAnswer = "bad_answer",
}

impl ErrorCode {
    /// Only codes of the service, not the client's own three.
    pub(crate) fn of_refusal(word: &str) -> Option<ErrorCode> {
        let own = [ErrorCode::NotConfigured, ErrorCode::Network, ErrorCode::BadAnswer];
        let mut refusals = ErrorCode::ALL.iter().filter(|code| !own.contains(code));
        refusals.find(|code| code.as_str() == word).copied()
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Why a call failed.
///
/// Displays as one sentence: what was requested, which rule denied it, what to do. Serializes to the wire's
/// `error` object with every field.
///
/// ```
/// use svc_sdk::{Client, ErrorCode, Options};
///
/// let options = Options::new().api_url("nowhere").api_key("k").agent_did("did:oas:acme:agent:1");
/// let error = Client::new(options).unwrap_err();
/// assert_eq!(error.code(), ErrorCode::NotConfigured);
/// assert_eq!(error.to_string(), "api_url is nowhere, which is no http or https address.");
/// ```
// Boxed, so that a `Result` is no larger than the answer.
#[derive(Clone)]
pub struct Error(Box<Fields>);

#[derive(Clone, Debug)]
pub(crate) struct Fields {
    pub code: ErrorCode,
    pub message: String,
    pub reason: Option<String>,
    pub stage: Option<u8>,
    pub correlation_id: Option<String>,
    pub retryable: bool,
    pub retry_after: Option<Duration>,
    pub details: Map<String, Value>,
    pub audit_head: Option<String>,
    pub headers: Option<AnswerHeaders>,
    pub source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Fields {
    pub fn new(code: ErrorCode, reason: &str, message: impl Into<String>) -> Self {
        Fields {
            code,
            message: message.into(),
            reason: Some(reason.to_owned()),
            stage: None,
            correlation_id: None,
            retryable: false,
            retry_after: None,
            details: Map::new(),
            audit_head: None,
            headers: None,
            source: None,
        }
    }
}

impl From<Fields> for Error {
    fn from(mut fields: Fields) -> Self {
        let of_headers = fields.headers.as_ref().and_then(|said| said.correlation_id.clone());
        fields.correlation_id = fields.correlation_id.or(of_headers);
        Error(Box::new(fields))
    }
}

impl Error {
    pub(crate) fn not_configured(message: impl Into<String>) -> Self {
        Fields::new(ErrorCode::NotConfigured, "not configured", message).into()
    }

    pub(crate) fn bad_answer(
        message: impl Into<String>,
        details: Map<String, Value>,
        headers: Option<AnswerHeaders>,
    ) -> Self {
        let fields = Fields::new(ErrorCode::BadAnswer, "bad answer", message);
        Fields { details, headers, ..fields }.into()
    }

    /// The error code.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// One sentence for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// A short stable phrase naming the rule, such as `no active treaty`.
    pub fn reason(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }

    /// The stage that refused, 0 to 8; none if the call did not reach a stage.
    pub fn stage(&self) -> Option<u8> {
        self.0.stage
    }

    /// Identifies the call in the audit log.
    pub fn correlation_id(&self) -> Option<&str> {
        self.0.correlation_id.as_deref()
    }

    /// Whether a retry may help and is safe.
    pub fn retryable(&self) -> bool {
        self.0.retryable
    }

    /// How long the service asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Details of the rule that refused, such as `requested_capability`.
    pub fn details(&self) -> &Map<String, Value> {
        &self.0.details
    }

    /// The newest record hash of the chain known to the engine.
    pub fn audit_head(&self) -> Option<&str> {
        self.0.audit_head.as_deref()
    }

    /// The answer's headers; none if no answer came.
    pub fn headers(&self) -> Option<&AnswerHeaders> {
        self.0.headers.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_ref().map(|source| source.as_ref() as _)
    }
}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = &self.0;
        let mut map = serializer.serialize_map(Some(9))?;
        map.serialize_entry("code", fields.code.as_str())?;
        map.serialize_entry("message", &fields.message)?;
        map.serialize_entry("reason", &fields.reason)?;
        map.serialize_entry("stage", &fields.stage)?;
        map.serialize_entry("correlation_id", &fields.correlation_id)?;
        map.serialize_entry("retryable", &fields.retryable)?;
        let retry_after_ms =
            fields.retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        map.serialize_entry("retry_after_ms", &retry_after_ms)?;
        map.serialize_entry("details", &fields.details)?;
        map.serialize_entry("audit_head", &fields.audit_head)?;
        map.end()
    }
}
