//! How an agent proves its identity: three calls, and a signature over the challenge only.

use serde_json::{Value, json};
use svc_sdk::signature::{SigningDomain, SigningKey, is_signed_by, signing_input};
use svc_sdk::{CallOptions, ErrorCode};

use crate::server::{Server, ok};

const MOMENTS: [&str; 2] = ["2026-01-31T12:00:00.000Z", "2026-01-31T12:02:00.000Z"];
const ID: &str = "5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10";

pub fn negotiated(session_id: Option<&str>) -> Value {
    let alternative = json!({ "profile": "DidAuth", "challenge_kind": "Nonce" });
    let mut output = json!({
        "accepted": session_id.is_some(), "profile": "DidAuth", "challenge_kind": "TimestampedNonce",
        "alternatives": [alternative], "signature_suite": "Ed25519", "domain": "svc-macs-challenge-v1",
    });
    if let Some(session_id) = session_id {
        output["session_id"] = json!(session_id);
    }
    output
}

pub fn challenged(did: &str, domain: SigningDomain) -> Value {
    let [issued_at, expires_at] = MOMENTS;
    let signed = json!({
        "challenge_id": ID, "agent_did": did, "audience": "engine", "nonce": "n",
        "issued_at": issued_at, "expires_at": expires_at,
    });
    json!({
        "challenge_id": ID, "nonce": "n", "audience": "engine", "issued_at": issued_at, "expires_at": expires_at,
        "signing_input": signing_input(domain, &signed).unwrap(),
    })
}

pub fn verified(did: &str) -> Value {
    json!({
        "verified": true, "did": did, "entity_kind": "Agent", "lineage_depth": 0, "lineage_verified": false,
        "conformance_level": "L0", "session_id": ID, "key_id": "aaaaaaaa", "session_token": "t",
        "token_expires_at": MOMENTS[1], "warnings": [],
    })
}

pub fn agent() -> (SigningKey, String) {
    let key = SigningKey::from_seed(&[7; 32]);
    let did = key.did("dev", "agent").unwrap().to_string();
    (key, did)
}

#[tokio::test]
async fn an_agent_proves_itself_in_three_calls_each_under_no_key() {
    let (key, did) = agent();
    let challenge = challenged(&did, SigningDomain::MacsChallenge);
    let text = challenge["signing_input"].as_str().unwrap().to_owned();
    let server = Server::answering(vec![ok(negotiated(Some(ID))), ok(challenge), ok(verified(&did))]);
    let client = server.client();
    // The same key for three different writes would be refused as reused.
    let once = client.macs().with(CallOptions::new().idempotency_key("k"));
    assert_eq!(once.prove(&did, &key).await.unwrap().session_token, "t");
    let sent = server.requests();
    assert!(sent.iter().all(|each| !each.headers.contains_key("idempotency-key")));
    let bodies: Vec<&Value> = sent.iter().map(|each| &each.body).collect();
    let operations: Vec<&Value> = bodies.iter().map(|body| &body["operation"]).collect();
    assert_eq!(operations, ["auth_negotiation", "generate_challenge", "verify_response"]);
    let response = &bodies[2]["input"];
    assert!(is_signed_by(&key.public_key(), text, response["signature"].as_str().unwrap()));
}

#[tokio::test]
async fn an_engine_that_wants_something_else_signed_gets_nothing() {
    let (key, did) = agent();
    let answers = vec![ok(negotiated(Some(ID))), ok(challenged(&did, SigningDomain::Treaty))];
    let server = Server::answering(answers);
    let error = server.client().macs().prove(&did, &key).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::BadAnswer);
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn an_agent_that_has_changed_its_key_proves_itself_with_the_new_one() {
    let (_, did) = agent();
    let challenge = challenged(&did, SigningDomain::MacsChallenge);
    let server = Server::answering(vec![ok(negotiated(Some(ID))), ok(challenge), ok(verified(&did))]);
    let changed = SigningKey::from_seed(&[8; 32]);
    assert_eq!(server.client().macs().prove(&did, &changed).await.unwrap().session_token, "t");
    assert_eq!(server.requests()[2].body["input"]["public_key"], changed.public_key());
}

#[tokio::test]
async fn no_session_is_a_sentence() {
    let (key, did) = agent();
    let server = Server::answering(vec![ok(negotiated(None))]);
    let error = server.client().macs().prove(&did, &key).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::BadAnswer);
    assert_eq!(error.details()["alternatives"][0]["challenge_kind"], "Nonce");
}
