//! Refusals, by a plugin and by the service.

use std::error::Error;
use std::fmt;

use serde_json::Value;

/// Passes every code to a macro, so that a code is defined in one line only.
macro_rules! each_code {
    ($then:ident) => {
        $then! {
            InvalidRequest => "invalid_request",
            Unauthenticated => "unauthenticated",
            CapabilityDenied => "capability_denied",
            MissingCapability => "missing_capability",
            NotFound => "not_found",
            UnknownProtocol => "unknown_protocol",
            UnknownVersion => "unknown_version",
            UnknownOperation => "unknown_operation",
            IdempotencyInFlight => "idempotency_in_flight",
            PayloadTooLarge => "payload_too_large",
            InvalidPayload => "invalid_payload",
            PolicyDenied => "policy_denied",
            IdempotencyKeyReused => "idempotency_key_reused",
            RateLimited => "rate_limited",
            ProtocolError => "protocol_error",
            Internal => "internal",
            AdapterError => "adapter_error",
            CircuitOpen => "circuit_open",
            NoEndpointAvailable => "no_endpoint_available",
            Draining => "draining",
            Timeout => "timeout",
        }
    };
}

macro_rules! define_code {
    ($($code:ident => $wire:literal,)+) => {
        /// Every refusal code of the service.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $(
                #[doc = concat!("`", $wire, "` on the wire.")]
                $code,
            )+
        }

        impl Code {
            /// The wire name, e.g. `not_found`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Code::$code => $wire,)+
                }
            }
        }
    };
}

each_code!(define_code);
#[cfg(target_arch = "wasm32")]
pub(crate) use each_code;

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A refusal. A plugin may use the five codes with a constructor here; others become `protocol_error`.
///
/// ```
/// use serde_json::json;
/// use svc_plugin::{Code, Refusal};
///
/// let refusal = Refusal::not_found("No unit is called furlong; list_units names all there are.")
///     .with_reason("unknown unit")
///     .with_details(json!({ "unit": "furlong" }));
/// assert_eq!(refusal.code, Code::NotFound);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The code.
    pub code: Code,
    /// One sentence: what was requested, which rule refused it, what to do next.
    pub message: String,
    /// A short stable phrase naming the rule.
    pub reason: Option<String>,
    /// A JSON object with details.
    pub details: Option<Value>,
}

impl Refusal {
    /// The input matches its schema but is still invalid.
    pub fn invalid_payload(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidPayload, message)
    }

    /// A rule of the plugin forbids it.
    pub fn policy_denied(message: impl Into<String>) -> Self {
        Self::new(Code::PolicyDenied, message)
    }

    /// The caller lacks a capability that the plugin itself requires.
    pub fn missing_capability(message: impl Into<String>) -> Self {
        Self::new(Code::MissingCapability, message)
    }

    /// The named thing does not exist. Callers see `invalid_payload` with the reason `not_found`, or yours:
    /// to them `not_found` means an unknown path.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// A dependency of the plugin failed; the caller may retry.
    pub fn adapter_error(message: impl Into<String>) -> Self {
        Self::new(Code::AdapterError, message)
    }

    /// Names the rule by a short stable phrase, for programs that branch on it.
    #[must_use]
    pub fn with_reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Adds a JSON object with details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), reason: None, details: None }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)
    }
}

impl Error for Refusal {}
