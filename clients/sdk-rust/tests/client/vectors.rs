//! The vectors of errors and retries, which the TypeScript SDK runs as well.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use svc_sdk::{CallOptions, ErrorCode, retry};

use crate::server::{Server, response};

#[derive(Deserialize)]
struct Vectors {
    error_mapping: Vec<Mapping>,
    retry: Vec<Asking>,
}

#[derive(Deserialize)]
struct Mapping {
    name: String,
    status: u16,
    headers: BTreeMap<String, String>,
    /// The answer's JSON; `text` if it is not JSON, or must keep its exact spelling.
    body: Option<Value>,
    text: Option<String>,
    expected: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
struct Asking {
    code: String,
    retry_after_ms: Option<f64>,
    attempt: u32,
    random: f64,
    delay_ms: Option<f64>,
}

/// None if only the crate is present, without its repository.
fn vectors() -> Option<Vectors> {
    let checks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checks");
    if !checks.is_dir() {
        return None;
    }
    let text = std::fs::read_to_string(checks.join("vectors/vectors.json")).expect("the vectors are there");
    Some(serde_json::from_str(&text).expect("the vectors are as described here"))
}

#[tokio::test]
async fn what_an_answer_says_is_read_as_the_vectors_say() {
    for Mapping { name, status, headers, body, text, expected } in
        vectors().into_iter().flat_map(|all| all.error_mapping)
    {
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let text = text.unwrap_or_else(|| body.unwrap_or_default().to_string());
        let server = Server::answering(vec![response(status, &headers, &text)]);
        let asked =
            server.client().dispatch::<_, Value>("PLUGIN", "do", &json!({}), &CallOptions::new()).await;
        let error = asked.expect_err(&name);
        let mut said = serde_json::to_value(&error).unwrap();
        // The wire has whole milliseconds; the client is more precise.
        said["retry_after_ms"] = json!(error.retry_after().map(|wait| wait.as_secs_f64() * 1000.0));
        for (field, value) in expected {
            let is_same = match (value.as_f64(), said[&field].as_f64()) {
                (Some(expected), Some(found)) => expected == found,
                _ => said[&field] == value,
            };
            assert!(is_same, "{name}: {field} is {}, and should be {value}", said[&field]);
        }
    }
}

#[test]
fn whether_and_when_a_read_is_asked_again_is_what_the_vectors_say() {
    for asking in vectors().into_iter().flat_map(|all| all.retry) {
        let code = ErrorCode::ALL.iter().find(|code| code.as_str() == asking.code).expect("a known code");
        let asked =
            asking.retry_after_ms.map(|ms| Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(Duration::MAX));
        let found = retry::delay(*code, asked, asking.attempt, asking.random);
        let found_ms = found.map(|wait| wait.as_secs_f64() * 1000.0);
        let is_same = match (found_ms, asking.delay_ms) {
            (Some(found), Some(expected)) => (found - expected).abs() < 1e-5,
            (found, expected) => found == expected,
        };
        assert!(is_same, "{asking:?}: {found_ms:?}");
    }
}
