//! Why a call was not done: every no has a code, one sentence, and what the service said beside it.

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
        /// A refusal of the service, or one of three things that go wrong before it could answer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $($(#[$doc])+ $name,)+
        }

        impl ErrorCode {
            /// Every code that this client knows.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$name,)+];

            /// The word of the wire, such as `policy_denied`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(ErrorCode::$name => $word,)+
                }
            }
        }
    };
}

error_codes! {
    /// The request is not one: its envelope, or a header that cannot be sent.
    InvalidRequest = "invalid_request",
    /// The key is missing, wrong, spent, or bound to another DID.
    Unauthenticated = "unauthenticated",
    /// The caller holds no capability for this, or no treaty lets it in.
    CapabilityDenied = "capability_denied",
    /// The module itself wants a capability that the caller does not hold.
    MissingCapability = "missing_capability",
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
    /// The body is larger than the service takes.
    PayloadTooLarge = "payload_too_large",
    /// The input does not fit the operation's schema; `details.faults` says where.
    InvalidPayload = "invalid_payload",
    /// A policy said no: read the reason before you ask again.
    PolicyDenied = "policy_denied",
    /// The idempotency key was used with another body, or by another caller.
    IdempotencyKeyReused = "idempotency_key_reused",
    /// The allowance is used up; the error says how long to wait.
    RateLimited = "rate_limited",
    /// The module failed.
    ProtocolError = "protocol_error",
    /// The service failed.
    Internal = "internal",
    /// Something behind the service failed.
    AdapterError = "adapter_error",
    /// Too many calls of this protocol failed; the service rests it for a while.
    CircuitOpen = "circuit_open",
    /// Nothing healthy is there to do it.
    NoEndpointAvailable = "no_endpoint_available",
    /// The engine is about to stop.
    Draining = "draining",
    /// Something the decision needs could not be asked: `details.unavailable` says what. Nothing was denied.
    Unavailable = "unavailable",
    /// It took too long, there or here.
    Timeout = "timeout",
    /// Nothing says where or as whom to call.
    NotConfigured = "not_configured",
    /// No answer came.
    Network = "network",
    /// What answered is no svc, or says a code unknown here: that is in `details.code`.
    BadAnswer = "bad_answer",
}

impl ErrorCode {
    /// Of the words that a service says; the client's own three are not among them.
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

/// Why a call was not done.
///
/// It displays as one sentence: what was asked, which rule said no, what to do. Serialized, it is the `error`
/// object of the wire again, with every field.
///
/// ```
/// use svc_sdk::{Client, ErrorCode, Options};
///
/// let options = Options::new().api_url("nowhere").api_key("k").agent_did("did:oas:acme:agent:1");
/// let error = Client::new(options).unwrap_err();
/// assert_eq!(error.code(), ErrorCode::NotConfigured);
/// assert_eq!(error.to_string(), "api_url is nowhere, which is no http or https address.");
/// ```
// Boxed: a call answers it in a `Result`, which should be no larger than the answer.
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

    /// What kind of no it is.
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

    /// The stage that said no, 0 to 8; none where the call never became one.
    pub fn stage(&self) -> Option<u8> {
        self.0.stage
    }

    /// Names the call in the audit log.
    pub fn correlation_id(&self) -> Option<&str> {
        self.0.correlation_id.as_deref()
    }

    /// Whether asking again may help, and can do no harm.
    pub fn retryable(&self) -> bool {
        self.0.retryable
    }

    /// How long the service asks to be left alone.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// What the rule that said no has to add, such as `requested_capability`.
    pub fn details(&self) -> &Map<String, Value> {
        &self.0.details
    }

    /// The newest record hash of the chain that the engine knew.
    pub fn audit_head(&self) -> Option<&str> {
        self.0.audit_head.as_deref()
    }

    /// What the answer's headers said; none where no answer came.
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
