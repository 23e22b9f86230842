//! The answer's headers as plain values: the same for a success, a refusal and a stream.

use std::time::Duration;

use hyper::HeaderMap;

/// How much of the caller's rate limit is left for this protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimit {
    /// The size of a full bucket.
    pub limit: u64,
    /// What is left in the bucket.
    pub remaining: u64,
    /// The time until the bucket is full again.
    pub reset: Duration,
}

/// The answer's headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnswerHeaders {
    /// `X-Correlation-Id`: identifies the call in the audit log.
    pub correlation_id: Option<String>,
    /// `traceparent`, as sent and returned.
    pub traceparent: Option<String>,
    /// `X-RateLimit-*`; none if no limit applies.
    pub rate_limit: Option<RateLimit>,
}

impl AnswerHeaders {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let count = |name| text_of(headers, name).and_then(count_of);
        let rate_limit = || {
            Some(RateLimit {
                limit: count("x-ratelimit-limit")?,
                remaining: count("x-ratelimit-remaining")?,
                reset: Duration::from_secs(count("x-ratelimit-reset")?),
            })
        };
        AnswerHeaders {
            correlation_id: text_of(headers, "x-correlation-id").map(str::to_owned),
            traceparent: text_of(headers, "traceparent").map(str::to_owned),
            rate_limit: rate_limit(),
        }
    }
}

/// None also if the value is not ASCII; the service sends only ASCII headers.
pub(crate) fn text_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// In seconds, or as a date: compared with the answer's own `Date`, so the local clock does not matter.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let asked = text_of(headers, "retry-after")?;
    if let Some(seconds) = count_of(asked) {
        return Some(Duration::from_secs(seconds));
    }
    let until_s = seconds_of_date(asked)?;
    let answered_s = seconds_of_date(text_of(headers, "date")?)?;
    Some(Duration::from_secs(u64::try_from(until_s - answered_s).unwrap_or(0)))
}

const COUNT_DIGITS_MAX: usize = 12;

fn count_of(text: &str) -> Option<u64> {
    let is_count = text.len() <= COUNT_DIGITS_MAX && text.bytes().all(|byte| byte.is_ascii_digit());
    is_count.then(|| text.parse().ok())?
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DATE_CHARS: usize = "Sun, 06 Nov 1994 08:49:37 GMT".len();

/// Seconds since 1970 of an HTTP date: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn seconds_of_date(text: &str) -> Option<i64> {
    if !text.is_ascii() || text.len() != DATE_CHARS || !text.ends_with(" GMT") || &text[3..5] != ", " {
        return None;
    }
    let part = |from: usize, to: usize| count_of(&text[from..to]).and_then(|n| i64::try_from(n).ok());
    let month = MONTHS.iter().position(|name| *name == &text[8..11])?;
    let (day, year) = (part(5, 7)?, part(12, 16)?);
    let (hours, minutes, seconds) = (part(17, 19)?, part(20, 22)?, part(23, 25)?);
    let is_spaced =
        [7, 11, 16].iter().all(|&at| &text[at..=at] == " ") && &text[19..20] == ":" && &text[22..23] == ":";
    let is_time = (1..=31).contains(&day) && hours < 24 && minutes < 60 && seconds < 60;
    let days = days_since_1970(year, i64::try_from(month).ok()? + 1, day);
    (is_spaced && is_time).then_some(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
}

/// Gregorian calendar with years that begin in March, so the leap day is the last day of the year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day - 719_469
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn a_date_of_http_is_read_and_nothing_else() {
        assert_eq!(seconds_of_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds_of_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds_of_date("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        for text in ["", "soon", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:61:37 GMT", "é"] {
            assert_eq!(seconds_of_date(text), None, "{text}");
        }
    }

    #[test]
    fn a_wait_is_in_seconds_or_until_a_date_that_the_answer_is_measured_by() {
        let date = ("date", "Sun, 06 Nov 1994 08:49:30 GMT");
        let wait = |text| retry_after(&headers(&[("retry-after", text), date]));
        assert_eq!(wait("7"), Some(Duration::from_secs(7)));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(7)));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:00 GMT"), Some(Duration::ZERO));
        for bad in ["soon", "-1", "", "1e9", "9999999999999"] {
            assert_eq!(wait(bad), None, "{bad}");
        }
    }

    #[test]
    fn half_a_limit_is_none() {
        let mut said = headers(&[
            ("x-ratelimit-limit", "10"),
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "3"),
        ]);
        let whole = RateLimit { limit: 10, remaining: 0, reset: Duration::from_secs(3) };
        assert_eq!(AnswerHeaders::of(&said).rate_limit, Some(whole));
        said.insert("x-ratelimit-reset", HeaderValue::from_static("soon"));
        assert_eq!(AnswerHeaders::of(&said).rate_limit, None);
    }
}
