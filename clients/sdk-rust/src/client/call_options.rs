//! What one call may say beside its input.

use std::time::Duration;

/// What one call may say beside its input; `CallOptions::default()` says nothing.
///
/// ```
/// use std::time::Duration;
/// use svc_sdk::CallOptions;
///
/// let options = CallOptions::new().idempotency_key("order-17").timeout(Duration::from_secs(5));
/// ```
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    pub(crate) idempotency_key: Option<String>,
    pub(crate) correlation_id: Option<String>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) traceparent: Option<String>,
    pub(crate) tracestate: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) tenant_id: Option<String>,
    pub(crate) wait_for_audit: bool,
    pub(crate) retry: Option<bool>,
}

impl CallOptions {
    /// Nothing beside the input.
    #[must_use]
    pub fn new() -> Self {
        CallOptions::default()
    }

    /// A write sent twice under one key happens once, and is answered alike.
    #[must_use]
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// How long one attempt may take, its answer included; 30 s where it is not said, zero for as long as it
    /// takes. Of a stream it is the time between two signs of life, not that of the whole.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// A UUID to find the call by, in records and logs; the engine makes one where it is not said.
    #[must_use]
    pub fn correlation_id(mut self, correlation_id: impl Into<String>) -> Self {
        self.correlation_id = Some(correlation_id.into());
        self
    }

    /// W3C trace context, passed on and given back.
    #[must_use]
    pub fn traceparent(mut self, traceparent: impl Into<String>) -> Self {
        self.traceparent = Some(traceparent.into());
        self
    }

    /// W3C trace state; only together with a `traceparent`.
    #[must_use]
    pub fn tracestate(mut self, tracestate: impl Into<String>) -> Self {
        self.tracestate = Some(tracestate.into());
        self
    }

    /// The protocol's version; the catalogue's where it is not said.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Another tenant than the client's.
    #[must_use]
    pub fn tenant_id(mut self, tenant_id: impl Into<String>) -> Self {
        self.tenant_id = Some(tenant_id.into());
        self
    }

    /// Answers only when the record is committed, and brings its receipt. Not for streams.
    #[must_use]
    pub fn wait_for_audit(mut self) -> Self {
        self.wait_for_audit = true;
        self
    }

    /// False: asked once, whatever comes. Operations that change something are never asked twice anyway.
    #[must_use]
    pub fn retry(mut self, retry: bool) -> Self {
        self.retry = Some(retry);
        self
    }
}
