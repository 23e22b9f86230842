//! Answers that are not the service's, and answers that are too large.

use std::io::Write;

use serde_json::{Value, json};
use svc_sdk::{CallOptions, Error, ErrorCode};

use crate::server::{STREAM_HEAD, Server, answer, ok, refusing, response, send};

async fn read(server: &Server) -> Result<Value, Error> {
    let answer =
        server.client().dispatch::<_, Value>("MAX", "audit_query", &json!({}), &CallOptions::new()).await;
    answer.map(|answer| answer.output)
}

async fn drain(server: &Server) -> Result<Value, Error> {
    let events =
        server.client().stream::<_, Value>("MAX", "audit_query", &json!({}), &CallOptions::new()).await?;
    events.result().await.map(|answer| answer.output)
}

#[tokio::test]
async fn a_page_an_empty_body_and_json_of_somebody_else_are_no_answers_with_any_status() {
    let strange = [
        "<html>welcome</html>",
        "",
        "[]",
        "{\"ok\":true}",
        "{\"output\":1}",
        "null",
        "{\"output\":1,\"metadata\":[]}",
    ];
    for (status, body) in [200, 403, 502].iter().flat_map(|status| strange.map(|body| (*status, body))) {
        let server = Server::answering(vec![response(status, &[], body)]);
        let client = server.client();
        let options = CallOptions::new();
        let errors = [
            read(&server).await.unwrap_err(),
            drain(&server).await.unwrap_err(),
            client.whoami(&options).await.unwrap_err(),
            client.dry_run("MAX", "audit_query", &json!({}), &options).await.unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.code(), ErrorCode::BadAnswer, "{status} {body}: {error}");
            assert!(error.message().starts_with(&server.api_url), "{error}");
        }
    }
}

#[tokio::test]
async fn an_output_of_another_type_is_said_to_have_been_done() {
    let server = Server::answering(vec![ok(json!("svc_token, expected"))]);
    let error = server
        .client()
        .dispatch::<_, u32>("MAX", "audit_query", &json!({}), &CallOptions::new())
        .await
        .unwrap_err();
    assert_eq!((error.code(), error.retryable()), (ErrorCode::BadAnswer, false));
    assert!(error.message().contains("was done") && error.message().contains("(expected u32)"), "{error}");
    // The value may be a secret, and errors end up in logs.
    assert!(!format!("{error} {error:?}").contains("svc_token"), "{error}");
}

#[tokio::test]
async fn a_redirect_is_not_followed_since_the_key_would_go_with_it() {
    let elsewhere = Server::answering(vec![ok(json!({}))]);
    let location = format!("{}/v1/dispatch", elsewhere.api_url);
    for status in [301, 302, 303, 307, 308] {
        let server = Server::answering(vec![response(status, &[("Location", &location)], "")]);
        let error = read(&server).await.unwrap_err();
        assert_eq!(
            (error.code(), error.details()["location"].as_str()),
            (ErrorCode::BadAnswer, Some(location.as_str()))
        );
        assert_eq!((server.count(), elsewhere.count()), (1, 0));
    }
}

#[tokio::test]
async fn what_is_larger_than_any_answer_is_not_gathered_to_its_end() {
    let chunk = format!("100000\r\n{}\r\n", " ".repeat(1024 * 1024));
    let endless = move |head: &'static str| {
        let chunk = chunk.clone();
        Server::start(move |_, connection| {
            send(connection, head);
            // Until the client closes the connection.
            while connection.write_all(chunk.as_bytes()).is_ok() {}
        })
    };
    let page = endless("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    assert!(read(&page).await.unwrap_err().message().contains("larger than any answer"));
    let refusal = endless("HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n");
    assert!(read(&refusal).await.unwrap_err().message().contains("larger than any answer"));
    let stream =
        endless("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
    assert!(drain(&stream).await.unwrap_err().message().contains("larger than any answer"));
}

#[tokio::test]
async fn no_head_makes_reading_it_fail_and_none_is_taken_for_more_than_it_is() {
    let body = answer(json!(1));
    let long = "x".repeat(1024 * 1024);
    let many: String = (0..500).map(|nth| format!("x-{nth}: y\r\n")).collect();
    let hostile = [
        format!("HTTP/1.1 200 OK\r\n{many}\r\n{body}"),
        format!("HTTP/1.1 200 OK\r\nx-correlation-id: {long}\r\n\r\n{body}"),
        format!("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{body}"),
        format!("HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{body}"),
        format!("HTTP/1.1 200 OK\r\nno header at all\r\n\r\n{body}"),
        "\0\0\0\0\0\0\0\0".to_owned(),
        "HTTP/1.1 99999 What\r\n\r\n".to_owned(),
    ];
    for head in hostile {
        let server = Server::start(move |_, connection| {
            send(connection, &head);
            crate::server::hang_up(connection);
        });
        let error = read(&server).await.unwrap_err();
        assert!(matches!(error.code(), ErrorCode::Network | ErrorCode::BadAnswer), "{error}");
    }
    let strange = [
        ("X-Correlation-Id", "é"),
        ("X-RateLimit-Limit", "-1"),
        ("Retry-After", "9999999999999"),
        ("Date", "now"),
    ];
    let server = Server::answering(vec![response(200, &strange, &body)]);
    let answer = server
        .client()
        .dispatch::<_, Value>("MAX", "audit_query", &json!({}), &CallOptions::new())
        .await
        .unwrap();
    assert_eq!((answer.headers.correlation_id, answer.headers.rate_limit), (None, None));
}

#[tokio::test]
async fn a_refusal_keeps_every_field_and_says_them_all_as_json_again() {
    let wire = json!({
        "code": "capability_denied", "message": "one sentence", "reason": "no active treaty", "stage": 4,
        "correlation_id": "c", "retryable": false, "retry_after_ms": null,
        "details": { "requested_capability": "svc.max.audit_query" }, "audit_head": "h",
    });
    let server = Server::answering(vec![response(403, &[], &json!({ "error": wire }).to_string())]);
    let error = read(&server).await.unwrap_err();
    assert_eq!(serde_json::to_value(&error).unwrap(), wire);
    assert_eq!((error.stage(), error.correlation_id(), error.audit_head()), (Some(4), Some("c"), Some("h")));
    let endless = r#"{"error":{"code":"rate_limited","message":"no","retry_after_ms":1e300}}"#;
    let server = Server::answering(vec![response(429, &[], endless)]);
    assert_eq!(serde_json::to_value(read(&server).await.unwrap_err()).unwrap()["retry_after_ms"], u64::MAX);
    let from_header = Server::answering(vec![refusing("internal", &[("X-Correlation-Id", "of the header")])]);
    assert_eq!(read(&from_header).await.unwrap_err().correlation_id(), Some("of the header"));
}

#[tokio::test]
async fn a_stream_is_no_answer_where_none_was_asked_for() {
    let server =
        Server::answering(vec![format!("{STREAM_HEAD}event: result\ndata: {}\n\n", answer(json!(1)))]);
    let options = CallOptions::new().timeout(std::time::Duration::from_millis(100));
    let asked = server.client().dispatch::<_, Value>("PLUGIN", "do", &json!({}), &options).await;
    assert_eq!(asked.unwrap_err().code(), ErrorCode::Timeout);
}
