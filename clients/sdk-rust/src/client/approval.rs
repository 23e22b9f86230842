//! Waiting for the approval of others: when to look, and when to send the call again.

use std::time::Duration;

use crate::error::{Error, ErrorCode};

const FIRST_WAIT: Duration = Duration::from_secs(2);
const WAIT_MAX: Duration = Duration::from_secs(15);
const PENDING: &str = "approval required";

/// What a refused call waits for.
#[derive(Debug, PartialEq)]
pub(super) struct Awaited {
    pub approval_id: String,
    pub tenant_id: String,
}

impl Awaited {
    /// None if nothing can be waited for.
    pub fn of(error: &Error) -> Option<Awaited> {
        if error.code() != ErrorCode::ApprovalRequired || error.reason() != Some(PENDING) {
            return None;
        }
        let text = |name: &str| error.details().get(name)?.as_str().map(str::to_owned);
        Some(Awaited { approval_id: text("approval_id")?, tenant_id: text("approval_tenant")? })
    }
}

/// The next waits within a limit: each longer than the one before, together no longer than the limit.
pub(super) struct Waits {
    next: Duration,
    left: Duration,
}

impl Waits {
    pub fn within(limit: Duration) -> Waits {
        Waits { next: FIRST_WAIT, left: limit }
    }
}

impl Iterator for Waits {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        if self.left.is_zero() {
            return None;
        }
        let wait = self.next.min(self.left);
        self.left -= wait;
        self.next = (self.next * 3 / 2).min(WAIT_MAX);
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Fields;
    use serde_json::{Map, json};

    #[test]
    fn waits_grow_and_end_with_the_limit() {
        let seconds: Vec<f64> =
            Waits::within(Duration::from_secs(11)).map(|wait| wait.as_secs_f64()).collect();
        assert_eq!(seconds, [2.0, 3.0, 4.5, 1.5]);
        assert_eq!(Waits::within(Duration::ZERO).count(), 0);
        assert_eq!(Waits::within(Duration::from_secs(3600)).max(), Some(WAIT_MAX));
    }

    #[test]
    fn only_a_pending_approval_is_waited_for() {
        let refused = |code, reason: &'static str| {
            let details = json!({ "approval_id": "a", "approval_tenant": "acme" });
            let Some(details) = details.as_object().cloned() else { return Map::new() };
            let fields = Fields { details, ..Fields::new(code, reason, "No.".to_owned()) };
            match Awaited::of(&Error::from(fields)) {
                Some(awaited) => Map::from_iter([(awaited.approval_id, json!(awaited.tenant_id))]),
                None => Map::new(),
            }
        };
        let awaited = Map::from_iter([("a".to_owned(), json!("acme"))]);
        assert_eq!(refused(ErrorCode::ApprovalRequired, PENDING), awaited);
        assert_eq!(refused(ErrorCode::ApprovalRequired, "approval used"), Map::new());
        assert_eq!(refused(ErrorCode::PolicyDenied, PENDING), Map::new());
    }
}
