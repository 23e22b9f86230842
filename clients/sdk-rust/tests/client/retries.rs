//! What is retried, and what never is.

use std::time::Duration;

use serde_json::{Value, json};
use svc_sdk::{Answer, CallOptions, Error, ErrorCode};

use crate::server::{Server, hang_up, ok, refusing};

async fn ask(
    server: &Server,
    protocol: &str,
    operation: &str,
    options: CallOptions,
) -> Result<Answer, Error> {
    server.client().dispatch::<_, Value>(protocol, operation, &json!({}), &options).await
}

#[tokio::test]
async fn reads_wait_for_a_bucket_and_a_circuit_and_retry_after_counts_also_where_only_the_header_has_it() {
    let server = Server::answering(vec![
        refusing("rate_limited", &[("Retry-After", "2")]),
        refusing("circuit_open", &[]),
        ok(json!({ "done": 1 })),
    ]);
    let answer = ask(&server, "MAX", "audit_query", CallOptions::new()).await.unwrap();
    assert_eq!(answer.output, json!({ "done": 1 }));
    let waits = server.waits();
    assert!(waits[0] >= Duration::from_secs(2) && waits[0] <= Duration::from_millis(2_200), "{waits:?}");
    assert_eq!(waits[1..], [Duration::from_millis(500)]);
}

#[tokio::test]
async fn no_write_is_ever_repeated_with_or_without_a_key_nor_what_the_catalogue_does_not_know() {
    let cases = [
        ("MAX", "audit_log_entry", CallOptions::new()),
        ("MAX", "audit_log_entry", CallOptions::new().idempotency_key("k")),
        ("PLUGIN", "read", CallOptions::new()),
        ("MAX", "constructor", CallOptions::new()),
        ("MAX", "audit_query", CallOptions::new().version("v2")),
        ("MAX", "audit_query", CallOptions::new().version("latest")),
        ("MAX", "audit_query", CallOptions::new().retry(false)),
    ];
    for (protocol, operation, options) in cases {
        for code in ["rate_limited", "circuit_open", "unavailable"] {
            let server = Server::answering(vec![refusing(code, &[("Retry-After", "1")]), ok(json!({}))]);
            let error = ask(&server, protocol, operation, options.clone()).await.unwrap_err();
            assert_eq!(
                (error.code().as_str(), server.count()),
                (code, 1),
                "{protocol} {operation} {options:?}"
            );
        }
    }
}

#[tokio::test]
async fn letter_case_and_a_version_of_the_same_major_do_not_hide_a_read() {
    let server = Server::answering(vec![refusing("circuit_open", &[]), ok(json!({}))]);
    ask(&server, "max", "audit_query", CallOptions::new().version("v1")).await.unwrap();
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn a_stream_and_a_dry_run_are_asked_once() {
    let server = Server::answering(vec![refusing("circuit_open", &[])]);
    let client = server.client();
    let streamed = client.stream::<_, Value>("MAX", "audit_query", &json!({}), &CallOptions::new()).await;
    assert_eq!(streamed.unwrap_err().code(), ErrorCode::CircuitOpen);
    let dry = client.dry_run("MAX", "audit_query", &json!({}), &CallOptions::new()).await;
    assert_eq!(dry.unwrap_err().code(), ErrorCode::CircuitOpen);
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn no_other_refusal_is_repeated() {
    for code in ErrorCode::ALL {
        if matches!(code, ErrorCode::RateLimited | ErrorCode::CircuitOpen | ErrorCode::Unavailable) {
            continue;
        }
        let server = Server::answering(vec![refusing(code.as_str(), &[("Retry-After", "1")]), ok(json!({}))]);
        ask(&server, "MAX", "audit_query", CallOptions::new()).await.unwrap_err();
        assert_eq!(server.count(), 1, "{code}");
    }
}

#[tokio::test]
async fn a_broken_connection_is_asked_three_times_more_and_each_kind_of_failure_has_its_own_count() {
    let server = Server::start(|_, connection| hang_up(connection));
    let error = ask(&server, "MAX", "audit_query", CallOptions::new()).await.unwrap_err();
    assert_eq!(
        (error.code(), error.reason(), error.retryable()),
        (ErrorCode::Network, Some("unreachable"), true)
    );
    assert_eq!(server.count(), 4);

    let mixed = Server::start(|nth, connection| match nth {
        0 | 2 | 4 => hang_up(connection),
        1 => crate::server::send(connection, &refusing("circuit_open", &[])),
        3 => crate::server::send(connection, &refusing("rate_limited", &[])),
        _ => crate::server::send(connection, &ok(json!({}))),
    });
    ask(&mixed, "MAX", "audit_query", CallOptions::new()).await.unwrap();
    assert_eq!((mixed.count(), mixed.waits().len()), (6, 5));
}
