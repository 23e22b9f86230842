//! When a read is retried, and after what delay: the service's own rules, as a pure function.

use std::time::Duration;

use crate::error::ErrorCode;

const NETWORK_RETRIES_MAX: u32 = 3;
const NETWORK_WAIT_MS: f64 = 200.0;
const RATE_RETRIES_MAX: u32 = 5;
const RATE_WAIT_MS: f64 = 1_000.0;
const RATE_WAIT_MS_MIN: f64 = 50.0;
/// A longer wait is not made: the error goes to the caller.
const RATE_WAIT_MS_MAX: f64 = 60_000.0;
const CIRCUIT_RETRIES_MAX: u32 = 8;
const CIRCUIT_WAIT_MS: f64 = 500.0;
const CIRCUIT_WAIT_MS_MAX: f64 = 30_000.0;

/// Enough jitter that callers refused together do not return together.
const RATE_JITTER: f64 = 0.1;

/// How long to wait before a retry; none if the error is final.
///
/// `attempt` counts the earlier failures of this kind; `random` is between 0 and 1. Only for reads: repeating
/// a write is safe only if the first is known to be lost. A [`Client`](crate::Client) uses it only for reads
/// of the catalogue.
///
/// ```
/// use std::time::Duration;
/// use svc_sdk::{ErrorCode, retry};
///
/// let asked = Some(Duration::from_secs(2));
/// assert_eq!(retry::delay(ErrorCode::RateLimited, asked, 0, 0.0), asked);
/// assert_eq!(retry::delay(ErrorCode::PolicyDenied, None, 0, 0.0), None);
/// ```
pub fn delay(code: ErrorCode, retry_after: Option<Duration>, attempt: u32, random: f64) -> Option<Duration> {
    let doubled = |wait_ms: f64| wait_ms * f64::from(attempt).exp2();
    let wait_ms = match code {
        ErrorCode::RateLimited => {
            let asked_ms = retry_after.map_or(doubled(RATE_WAIT_MS), |asked| asked.as_secs_f64() * 1000.0);
            if attempt >= RATE_RETRIES_MAX || asked_ms > RATE_WAIT_MS_MAX {
                return None;
            }
            // Never sooner than requested.
            asked_ms.max(RATE_WAIT_MS_MIN) * (1.0 + RATE_JITTER * random)
        }
        ErrorCode::CircuitOpen | ErrorCode::Unavailable if attempt < CIRCUIT_RETRIES_MAX => {
            doubled(CIRCUIT_WAIT_MS).min(CIRCUIT_WAIT_MS_MAX)
        }
        ErrorCode::Network if attempt < NETWORK_RETRIES_MAX => doubled(NETWORK_WAIT_MS) * (0.5 + random),
        _ => return None,
    };
    Duration::try_from_secs_f64(wait_ms / 1000.0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_four_codes_are_ever_waited_for_and_each_ends() {
        for &code in ErrorCode::ALL {
            for attempt in 0..40 {
                for retry_after in
                    [None, Some(Duration::ZERO), Some(Duration::from_secs(61)), Some(Duration::MAX)]
                {
                    for random in [0.0, 0.5, 1.0] {
                        let wait = delay(code, retry_after, attempt, random);
                        let is_retried = matches!(
                            code,
                            ErrorCode::RateLimited
                                | ErrorCode::CircuitOpen
                                | ErrorCode::Unavailable
                                | ErrorCode::Network
                        );
                        if !is_retried || attempt >= 8 {
                            assert_eq!(wait, None, "{code} {attempt}");
                        }
                        let longest = Duration::from_secs(66);
                        assert!(
                            wait.is_none_or(|wait| !wait.is_zero() && wait <= longest),
                            "{code} {attempt}"
                        );
                    }
                }
            }
        }
    }
}
