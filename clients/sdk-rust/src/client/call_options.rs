//! Options of one call.

use std::time::Duration;

/// Options of one call; `CallOptions::default()` sets none.
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
    pub(crate) wait_for_approval: Option<Duration>,
}

impl CallOptions {
    /// No options.
    #[must_use]
    pub fn new() -> Self {
        CallOptions::default()
    }

    /// A write sent twice under one key is executed once, with the same answer.
    #[must_use]
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// Limit for one attempt including its answer; default 30 s, zero for no limit. For a stream it is the
    /// maximum time between two events, not the total.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// A UUID to find the call by, in records and logs; the engine creates one by default.
    #[must_use]
    pub fn correlation_id(mut self, correlation_id: impl Into<String>) -> Self {
        self.correlation_id = Some(correlation_id.into());
        self
    }

    /// W3C trace context, passed on and returned.
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

    /// The protocol's version; by default the catalogue's.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Target tenant, if not the client's own.
    #[must_use]
    pub fn tenant_id(mut self, tenant_id: impl Into<String>) -> Self {
        self.tenant_id = Some(tenant_id.into());
        self
    }

    /// Answers only after the record is committed, and includes its receipt. Not for streams.
    #[must_use]
    pub fn wait_for_audit(mut self) -> Self {
        self.wait_for_audit = true;
        self
    }

    /// If others must approve the call: waits for them up to this long, then sends the call again. By default
    /// `approval_required` is returned at once. Not for streams.
    #[must_use]
    pub fn wait_for_approval(mut self, within: Duration) -> Self {
        self.wait_for_approval = Some(within);
        self
    }

    /// False disables retries. Operations that change something are never retried anyway.
    #[must_use]
    pub fn retry(mut self, retry: bool) -> Self {
        self.retry = Some(retry);
        self
    }
}
