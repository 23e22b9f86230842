//! Client settings, and replaceable dependencies.

use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::settings::Given;

/// Waits between two attempts.
pub(crate) type Sleep = Arc<dyn Fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;
/// The trace a call belongs to.
pub(crate) type Trace = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// How a [`Client`](crate::Client) is built. Settings missing here are read from the environment, then from
/// the config file that `svc login` writes.
///
/// ```
/// use svc_sdk::Options;
///
/// let options = Options::new().api_url("http://127.0.0.1:8080").api_key("svc_live_…");
/// assert!(!format!("{options:?}").contains("svc_live"));
/// ```
#[derive(Clone, Default)]
pub struct Options {
    pub(crate) given: Given,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) retry: Option<bool>,
    pub(crate) traceparent: Option<Trace>,
    pub(crate) sleep: Option<Sleep>,
}

impl Options {
    /// Takes everything from the environment or the config file.
    #[must_use]
    pub fn new() -> Self {
        Options::default()
    }

    /// `SVC_API_URL`: the address of the engine or its gateway.
    #[must_use]
    pub fn api_url(mut self, api_url: impl Into<String>) -> Self {
        self.given.api_url = Some(api_url.into());
        self
    }

    /// `SVC_API_KEY`: an API key, or an access token.
    #[must_use]
    pub fn api_key(mut self, api_key: impl Into<String>) -> Self {
        self.given.api_key = Some(api_key.into());
        self
    }

    /// `SVC_PRIVATE_KEY`: instead of an API key, the agent's own Ed25519 key (32 bytes, base64url). It proves the
    /// agent's identity and signs each request; it is never sent.
    #[must_use]
    pub fn private_key(mut self, private_key: impl Into<String>) -> Self {
        self.given.private_key = Some(private_key.into());
        self
    }

    /// `SVC_WORKLOAD_TOKEN_FILE`: instead of an API key, where the platform that the agent runs on (Kubernetes,
    /// GitHub Actions, SPIFFE) writes its token. It is exchanged for a session, and read again to renew it.
    #[must_use]
    pub fn workload_token_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.given.workload_token_file = Some(path.into());
        self
    }

    /// `SVC_AGENT_DID`: the DID the key is bound to.
    #[must_use]
    pub fn agent_did(mut self, agent_did: impl Into<String>) -> Self {
        self.given.agent_did = Some(agent_did.into());
        self
    }

    /// `SVC_TENANT_ID`: the target tenant; by default the namespace of the DID.
    #[must_use]
    pub fn tenant_id(mut self, tenant_id: impl Into<String>) -> Self {
        self.given.tenant_id = Some(tenant_id.into());
        self
    }

    /// `SVC_PROFILE`: reads `~/.svc/profiles/<profile>.json` instead of `~/.svc/config.json`.
    #[must_use]
    pub fn profile(mut self, profile: impl Into<String>) -> Self {
        self.given.profile = Some(profile.into());
        self
    }

    /// A header sent with every request, such as the surface of the call.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The default for every call; see [`CallOptions::timeout`](crate::CallOptions::timeout).
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The default for every call; see [`CallOptions::retry`](crate::CallOptions::retry).
    #[must_use]
    pub fn retry(mut self, retry: bool) -> Self {
        self.retry = Some(retry);
        self
    }

    /// Returns the trace of a call; used if the call names none itself.
    #[must_use]
    pub fn traceparent(mut self, traceparent: impl Fn() -> Option<String> + Send + Sync + 'static) -> Self {
        self.traceparent = Some(Arc::new(traceparent));
        self
    }

    /// Waits between attempts; replaceable in tests.
    #[must_use]
    pub fn sleep<Waiting>(mut self, sleep: impl Fn(Duration) -> Waiting + Send + Sync + 'static) -> Self
    where
        Waiting: Future<Output = ()> + Send + 'static,
    {
        self.sleep = Some(Arc::new(move |wait| Box::pin(sleep(wait))));
        self
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Omits the key and the headers, which may carry a proxy's secret.
        let mut shown = formatter.debug_struct("Options");
        shown.field("api_url", &self.given.api_url).field("agent_did", &self.given.agent_did);
        shown.field("tenant_id", &self.given.tenant_id).field("profile", &self.given.profile);
        shown.field("timeout", &self.timeout).field("retry", &self.retry).finish_non_exhaustive()
    }
}
