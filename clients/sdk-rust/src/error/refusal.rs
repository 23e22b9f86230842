//! Reads a non-success answer; a proxy's error page is not mistaken for the service's.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::answer::AnswerHeaders;
use crate::error::{Error, ErrorCode, Fields};

/// The source of a refusal, and its headers.
pub(crate) struct RefusedBy<'a> {
    pub api_url: &'a str,
    pub status: u16,
    /// From the header; the body's value takes precedence.
    pub retry_after: Option<Duration>,
    pub headers: AnswerHeaders,
}

pub(crate) fn refusal_of(body: &Value, by: RefusedBy<'_>) -> Error {
    let error = &body["error"];
    let (Some(word), Some(message)) = (error["code"].as_str(), error["message"].as_str()) else {
        return oauth_refusal(body, &by).unwrap_or_else(|| stranger_said(by));
    };
    let mut details = error["details"].as_object().cloned().unwrap_or_default();
    let known = ErrorCode::of_refusal(word);
    if known.is_none() {
        // A newer service may have more codes: keep its message, and its code in the details.
        details.insert("code".to_owned(), json!(word));
        details.insert("status".to_owned(), json!(by.status));
    }
    let text = |name: &str| error[name].as_str().map(str::to_owned);
    Error::from(Fields {
        code: known.unwrap_or(ErrorCode::BadAnswer),
        message: message.to_owned(),
        reason: text("reason"),
        stage: error["stage"].as_u64().and_then(|stage| u8::try_from(stage).ok()),
        correlation_id: text("correlation_id"),
        retryable: error["retryable"] == true,
        retry_after: wait_of(&error["retry_after_ms"]).or(by.retry_after),
        details,
        audit_head: text("audit_head"),
        headers: Some(by.headers),
        source: None,
    })
}

/// The token endpoint speaks as OAuth does (RFC 6749, 5.2).
fn oauth_refusal(body: &Value, by: &RefusedBy<'_>) -> Option<Error> {
    let (word, message) = (body["error"].as_str()?, body["error_description"].as_str()?);
    let code = if word == "invalid_grant" { ErrorCode::Unauthenticated } else { ErrorCode::BadAnswer };
    let mut fields = Fields::new(code, word, message);
    fields.details.insert("status".to_owned(), json!(by.status));
    Some(fields.into())
}

fn stranger_said(RefusedBy { api_url, status, headers, .. }: RefusedBy<'_>) -> Error {
    let advice = if status >= 500 {
        "a proxy in between may have said it: check that the engine runs."
    } else {
        "check that api_url is that of an engine or its gateway."
    };
    let message = format!("{api_url} answered {status} with something that is no answer of svc; {advice}");
    Error::bad_answer(message, Map::from_iter([("status".to_owned(), json!(status))]), Some(headers))
}

fn wait_of(wait_ms: &Value) -> Option<Duration> {
    let wait_ms = wait_ms.as_f64().filter(|wait_ms| *wait_ms >= 0.0)?;
    // Longer than any clock runs is still a wait: it is never waited for.
    Some(Duration::try_from_secs_f64(wait_ms / 1000.0).unwrap_or(Duration::MAX))
}
