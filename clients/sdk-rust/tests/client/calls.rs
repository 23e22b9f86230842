//! Requests on the wire, and their answers.

use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use svc_sdk::{Answer, CallOptions, Client, ErrorCode};

use crate::server::{Server, ok, refusing, response};

#[derive(Serialize)]
struct Query {
    limit: u32,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Page {
    records: Vec<Value>,
}

#[tokio::test]
async fn a_call_sends_the_envelope_with_the_catalogues_version() {
    let server = Server::answering(vec![ok(json!({ "records": [] }))]);
    let answer: Answer<Page> = server
        .client()
        .dispatch("MAX", "audit_query", &Query { limit: 1 }, &CallOptions::new())
        .await
        .unwrap();
    assert_eq!(answer.output, Page { records: vec![] });
    assert_eq!(answer.metadata.correlation_id, "c");
    let sent = &server.requests()[0];
    assert_eq!(sent.line, "POST /v1/dispatch HTTP/1.1");
    let host = server.api_url.trim_start_matches("http://");
    let length = sent.headers["content-length"].clone();
    let expected = [
        ("authorization", "Bearer svc_secret"),
        ("content-length", &length),
        ("content-type", "application/json"),
        ("host", host),
        ("x-agent-did", "did:oas:dev:agent:1"),
    ];
    assert_eq!(
        sent.headers,
        expected.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect::<HashMap<_, _>>()
    );
    let envelope = json!({
        "protocol": "MAX", "version": "v1.0.0", "operation": "audit_query",
        "input": { "limit": 1 }, "tenant_id": "dev",
    });
    assert_eq!(sent.body, envelope);
}

#[tokio::test]
async fn every_option_goes_where_the_wire_wants_it_and_the_answers_headers_come_back() {
    let limits = [
        ("X-RateLimit-Limit", "9"),
        ("X-RateLimit-Remaining", "8"),
        ("X-RateLimit-Reset", "1"),
        ("traceparent", "back"),
    ];
    let body = r#"{"output":{},"metadata":{"replayed":true,"receipt":{"tree_size":1.50}}}"#;
    let server = Server::answering(vec![response(200, &limits, body)]);
    let client =
        Client::new(server.options().header("X-SVC-Origin", "mcp").header("Authorization", "another"))
            .unwrap();
    let options = CallOptions::new()
        .idempotency_key("k")
        .traceparent("t")
        .tracestate("s")
        .version("v3")
        .tenant_id("other")
        .wait_for_audit();
    let answer: Answer = client.dispatch("Plugin", "do", &1, &options).await.unwrap();
    let rate_limit = answer.headers.rate_limit.unwrap();
    assert_eq!((rate_limit.limit, rate_limit.remaining, rate_limit.reset), (9, 8, Duration::from_secs(1)));
    assert_eq!(answer.headers.traceparent.as_deref(), Some("back"));
    assert!(answer.metadata.replayed);
    assert_eq!(answer.metadata.receipt, Some(json!({ "tree_size": 1.5 })));
    let sent = &server.requests()[0];
    let expected = [
        ("authorization", "Bearer svc_secret"),
        ("idempotency-key", "k"),
        ("traceparent", "t"),
        ("tracestate", "s"),
        ("prefer", "wait=audit"),
        ("x-svc-origin", "mcp"),
    ];
    for (name, value) in expected {
        assert_eq!(sent.headers[name], value, "{name}");
    }
    let envelope =
        json!({ "protocol": "Plugin", "version": "v3", "operation": "do", "input": 1, "tenant_id": "other" });
    assert_eq!(sent.body, envelope);
}

#[tokio::test]
async fn what_a_client_is_given_counts_for_every_call_that_does_not_say_otherwise() {
    let server = Server::answering(vec![
        ok(json!({})),
        ok(json!({})),
        refusing("circuit_open", &[]),
        refusing("circuit_open", &[]),
        ok(json!({})),
    ]);
    let client =
        Client::new(server.options().traceparent(|| Some("of the span".to_owned())).retry(false)).unwrap();
    let ask = |options: CallOptions| {
        let client = client.clone();
        async move { client.dispatch::<_, Value>("MAX", "audit_query", &json!({}), &options).await }
    };
    ask(CallOptions::new()).await.unwrap();
    ask(CallOptions::new().traceparent("own")).await.unwrap();
    let traces: Vec<_> = server.requests().iter().map(|sent| sent.headers["traceparent"].clone()).collect();
    assert_eq!(traces, ["of the span", "own"]);
    assert_eq!(ask(CallOptions::new()).await.unwrap_err().code(), ErrorCode::CircuitOpen);
    ask(CallOptions::new().retry(true)).await.unwrap();
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let server = Server::start(|_, connection| {
        let port = connection.peer_addr().unwrap().port();
        crate::server::send(connection, &ok(json!(port)));
    });
    let client = server.client();
    let mut ports = Vec::new();
    for _ in 0..3 {
        let answer: Answer<u16> =
            client.dispatch("PLUGIN", "do", &json!({}), &CallOptions::new()).await.unwrap();
        ports.push(answer.output);
    }
    assert!(ports.iter().all(|port| *port == ports[0]), "{ports:?}");
}

#[tokio::test]
async fn what_is_no_json_is_refused_before_it_is_sent() {
    let server = Server::answering(vec![ok(json!({}))]);
    let no_text_keys = HashMap::from([((1, 2), 3)]);
    let error = server
        .client()
        .dispatch::<_, Value>("PLUGIN", "do", &no_text_keys, &CallOptions::new())
        .await
        .unwrap_err();
    assert_eq!((error.code(), error.reason()), (ErrorCode::InvalidPayload, Some("not JSON")));
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_named_without_its_value_and_nothing_is_sent() {
    let server = Server::answering(vec![ok(json!({}))]);
    for options in
        [CallOptions::new().idempotency_key("sécret"), CallOptions::new().traceparent("secret\r\nx: y")]
    {
        let error = server
            .client()
            .dispatch::<_, Value>("MAX", "audit_query", &json!({}), &options)
            .await
            .unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidRequest);
        let said = format!("{error} {error:?}");
        assert!(!said.contains("cret"), "{said}");
    }
    for name in ["a b", "", "Content-Length", "host"] {
        let client = Client::new(server.options().header(name, "1")).unwrap();
        let error = client.whoami(&CallOptions::new()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidRequest, "{name}");
    }
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn a_dry_run_says_what_would_happen_and_whoami_who_asks() {
    let dry = json!({
        "dry_run": {
            "verdict": "refused",
            "stages": [{ "stage": 4, "name": "gate", "verdict": "refused", "knew": { "capability": "x" } }],
            "error": { "code": "capability_denied", "message": "no", "stage": 4 },
        },
        "metadata": { "correlation_id": "dry" },
    });
    let who = json!({
        "agent_did": "did:oas:dev:agent:1", "tenant_id": "dev", "tier": "charter", "credential": "api_key",
        "identity": {
            "entity_kind": "agent", "conformance_level": "L1", "lineage_verified": true, "revoked": false,
        },
        "operations": [{
            "protocol": "MAX", "operation": "audit_query", "capability": "svc.max.audit_query", "may": "yes",
        }],
        "mcp_url": null,
    });
    let server =
        Server::answering(vec![response(200, &[], &dry.to_string()), response(200, &[], &who.to_string())]);
    let found =
        server.client().dry_run("MAX", "audit_log_entry", &json!({}), &CallOptions::new()).await.unwrap();
    assert!(!found.allowed);
    assert_eq!((found.stages[0].name.as_str(), found.correlation_id.as_deref()), ("gate", Some("dry")));
    assert_eq!(found.error.unwrap().code(), ErrorCode::CapabilityDenied);
    let caller = server.client().whoami(&CallOptions::new()).await.unwrap();
    assert_eq!((caller.tier.as_str(), caller.operations[0].may.as_str()), ("charter", "yes"));
    let sent = server.requests();
    assert_eq!(sent[0].headers["x-svc-dry-run"], "true");
    assert_eq!(sent[1].line, "GET /v1/whoami HTTP/1.1");
}

#[test]
fn calls_can_be_spawned_and_a_client_is_made_outside_a_runtime() {
    fn is_send<T: Send>(_: &T) {}
    let server = Server::answering(vec![ok(json!({}))]);
    let client = server.client();
    let options = CallOptions::new();
    let input = json!({});
    is_send(&client.dispatch::<_, Value>("MAX", "audit_query", &input, &options));
    is_send(&client.stream::<_, Value>("MAX", "audit_query", &input, &options));
    is_send(&client.whoami(&options));
    assert!(!format!("{client:?} {:?}", server.options()).contains("svc_secret"));
}
