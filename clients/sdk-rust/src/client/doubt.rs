//! Errors for calls without an answer: how it failed, and whether it may have been executed.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use crate::client::send::{Request, Wire};
use crate::error::{Error, ErrorCode, Fields};

/// The address, the timeout, and whether it may have been executed.
#[derive(Clone)]
pub(crate) struct Doubt {
    pub api_url: String,
    changes: bool,
    pub timeout: Duration,
}

impl Doubt {
    pub fn of(wire: &Wire, request: &Request) -> Self {
        Doubt { api_url: wire.settings.api_url.clone(), changes: request.changes, timeout: request.timeout }
    }

    pub async fn in_time<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        if self.timeout.is_zero() {
            return work.await;
        }
        tokio::time::timeout(self.timeout, work).await.unwrap_or_else(|_| Err(self.late()))
    }

    pub fn late(&self) -> Error {
        let timeout_ms = self.timeout.as_millis();
        let sentence = format!("did not answer within {timeout_ms} ms; allow more time, or try again.");
        self.failed(ErrorCode::Timeout, "client timeout", &sentence, None)
    }

    /// For failures before anything was sent: nothing can have been executed.
    pub fn without_effect(mut self) -> Self {
        self.changes = false;
        self
    }

    pub fn unreachable(&self, cause: impl StdError + Send + Sync + 'static) -> Error {
        self.broken("unreachable", "cannot be reached", Arc::new(cause))
    }

    pub fn lost(&self, cause: impl StdError + Send + Sync + 'static) -> Error {
        self.broken("connection lost", "broke off in the middle of its answer", Arc::new(cause))
    }

    fn broken(&self, reason: &str, how: &str, cause: Arc<dyn StdError + Send + Sync>) -> Error {
        let why = innermost(cause.as_ref());
        let sentence = format!("{how} ({why}); check the address and that the engine runs.");
        self.failed(ErrorCode::Network, reason, &sentence, Some(cause))
    }

    fn failed(
        &self,
        code: ErrorCode,
        reason: &str,
        sentence: &str,
        source: Option<Arc<dyn StdError + Send + Sync>>,
    ) -> Error {
        let doubt = " It may have been executed: check before you retry, or set an idempotency_key.";
        let message = format!("{} {sentence}{}", self.api_url, if self.changes { doubt } else { "" });
        Error::from(Fields { retryable: !self.changes, source, ..Fields::new(code, reason, message) })
    }
}

const CAUSES_MAX: usize = 8;

fn innermost(cause: &dyn StdError) -> String {
    let deeper = std::iter::successors(Some(cause), |&each| each.source());
    deeper.take(CAUSES_MAX).last().unwrap_or(cause).to_string()
}
