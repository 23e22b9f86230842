//! An agent with its own key: it proves its identity, signs each request, and renews its session.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use svc_sdk::signature::{SigningDomain, is_signed_by};
use svc_sdk::{CallOptions, Client, Error, ErrorCode, Options};

use crate::proofs::{agent, challenged, negotiated, verified};
use crate::server::{Sent, Server, ok, response, send};

/// Of `agent()`.
const SEED: &str = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc";
const LATER: &str = "2999-01-01T00:00:00.000Z";
const OVER: &str = "2020-01-01T00:00:00.000Z";

/// Tokens are numbered; each operation that is no proof gets the next of `answers`, the last one again.
struct Service {
    server: Server,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Service {
    fn start(token_expires_at: &'static str, answers: Vec<String>) -> Self {
        let asked = Arc::new(Mutex::new(Vec::<String>::new()));
        let kept = asked.clone();
        let server = Server::hearing(move |sent, connection| {
            let operation = sent.body["operation"].as_str().unwrap_or("whoami").to_owned();
            let earlier = |name: &str| kept.lock().unwrap().iter().filter(|each| *each == name).count();
            let proofs = earlier("verify_response");
            let nth = kept.lock().unwrap().iter().filter(|each| !is_proof(each)).count();
            let (_, did) = agent();
            let text = match operation.as_str() {
                "auth_negotiation" => ok(negotiated(Some(&format!("s{}", earlier(&operation))))),
                "generate_challenge" => ok(challenged(&did, SigningDomain::MacsChallenge)),
                "verify_response" => {
                    let mut output = verified(&did);
                    output["session_token"] = json!(format!("token-{proofs}"));
                    output["token_expires_at"] = json!(token_expires_at);
                    ok(output)
                }
                _ => answers[nth.min(answers.len() - 1)].clone(),
            };
            kept.lock().unwrap().push(operation);
            send(connection, &text);
        });
        Service { server, asked }
    }

    fn client(&self) -> Client {
        client_of(&self.server)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn last(&self) -> Sent {
        self.server.requests().pop().unwrap()
    }
}

fn client_of(server: &Server) -> Client {
    let options = Options::new().api_url(&server.api_url).agent_did(agent().1);
    Client::new(options.tenant_id("other").private_key(SEED)).unwrap()
}

fn is_proof(operation: &str) -> bool {
    ["auth_negotiation", "generate_challenge", "verify_response"].contains(&operation)
}

fn refused(reason: &str, more: Value) -> String {
    let mut error = json!({ "code": "unauthenticated", "message": "no", "reason": reason });
    error["details"] = more;
    response(401, &[], &json!({ "error": error }).to_string())
}

async fn ask(client: &Client) -> Result<Value, Error> {
    let answer = client.dispatch("MAX", "audit_log_entry", &json!({ "a": 1 }), &CallOptions::new()).await?;
    Ok(answer.output)
}

/// The parts of a proof, after its signature was checked.
fn proof_of(sent: &Sent) -> (Value, Value) {
    let (signed, signature) = sent.headers["dpop"].rsplit_once('.').unwrap();
    assert!(is_signed_by(&agent().0.public_key(), signed, signature));
    let (header, claims) = signed.split_once('.').unwrap();
    (decoded(header), decoded(claims))
}

pub fn decoded(text: &str) -> Value {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digits = text.bytes().map(|letter| LETTERS.iter().position(|each| *each == letter).unwrap());
    let bits: Vec<usize> =
        digits.flat_map(|digit| (0..6).rev().map(move |place| digit >> place & 1)).collect();
    let bytes: Vec<u8> =
        bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | *bit as u8)).collect();
    serde_json::from_slice(&bytes).unwrap()
}

#[tokio::test]
async fn it_proves_once_and_signs_each_request_for_its_address_token_and_body() {
    let service = Service::start(LATER, vec![ok(json!(7))]);
    let client = service.client();
    assert_eq!(ask(&client).await.unwrap(), json!(7));
    assert_eq!(ask(&client).await.unwrap(), json!(7));
    let proof = ["auth_negotiation", "generate_challenge", "verify_response"];
    assert_eq!(service.asked(), [&proof[..], &["audit_log_entry"; 2]].concat());
    let sent = service.server.requests();
    let url = format!("{}/v1/dispatch", service.server.api_url);
    let mut ids = Vec::new();
    for (nth, request) in sent.iter().enumerate() {
        let (header, claims) = proof_of(request);
        assert_eq!((&header["alg"], &header["typ"]), (&json!("EdDSA"), &json!("dpop+jwt")));
        assert_eq!((&claims["htm"], &claims["htu"]), (&json!("POST"), &json!(url)));
        assert_eq!(claims["body_sha256"], svc_sdk::canonical::sha256_hex(&request.text));
        assert_eq!(request.headers["x-agent-did"], agent().1);
        // Proofs go to the agent's own organization, calls to the one they name.
        let (token, tenant) = if nth < 3 { (None, "dev") } else { (Some("DPoP token-0"), "other") };
        assert_eq!(request.headers.get("authorization").map(String::as_str), token);
        assert_eq!((claims["ath"].is_string(), &request.body["tenant_id"]), (nth >= 3, &json!(tenant)));
        ids.push(claims["jti"].as_str().unwrap().to_owned());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 5);
    let response = &sent[2].body["input"];
    let public_key = response["public_key"].as_str().unwrap();
    let challenge = challenged(&agent().1, SigningDomain::MacsChallenge);
    let text = challenge["signing_input"].as_str().unwrap();
    assert!(is_signed_by(public_key, text, response["signature"].as_str().unwrap()));
}

#[tokio::test]
async fn concurrent_requests_share_one_proof() {
    let service = Service::start(LATER, vec![ok(json!(7))]);
    let client = service.client();
    let (one, other) = tokio::join!(ask(&client), ask(&client));
    assert!(one.is_ok() && other.is_ok());
    assert_eq!(service.asked().iter().filter(|operation| is_proof(operation)).count(), 3);
}

#[tokio::test]
async fn a_session_near_its_end_is_renewed_by_another_proof_within_it() {
    let service = Service::start(OVER, vec![ok(json!(7))]);
    let client = service.client();
    ask(&client).await.unwrap();
    ask(&client).await.unwrap();
    let renewal = ["generate_challenge", "verify_response", "audit_log_entry"];
    assert_eq!(service.asked()[4..], renewal);
    let sent = service.server.requests();
    assert_eq!(sent[4].body["input"]["session_id"], "s0");
    assert_eq!(sent[4].headers["authorization"], "DPoP token-0");
    assert_eq!(service.last().headers["authorization"], "DPoP token-1");
}

#[tokio::test]
async fn after_the_end_of_a_session_it_proves_again_once() {
    for reason in ["session expired", "session revoked", "unknown key"] {
        let service = Service::start(LATER, vec![refused(reason, json!({})), ok(json!(7))]);
        assert_eq!(ask(&service.client()).await.unwrap(), json!(7), "{reason}");
        assert_eq!(service.last().headers["authorization"], "DPoP token-1");
        let service = Service::start(LATER, vec![refused(reason, json!({}))]);
        let error = ask(&service.client()).await.unwrap_err();
        assert_eq!((error.code(), error.reason()), (ErrorCode::Unauthenticated, Some(reason)));
        assert_eq!(service.asked().iter().filter(|operation| !is_proof(operation)).count(), 2, "{reason}");
    }
    let service = Service::start(LATER, vec![refused("key revoked", json!({}))]);
    ask(&service.client()).await.unwrap_err();
    assert_eq!(service.asked().len(), 4, "another refusal is final");
}

#[tokio::test]
async fn it_follows_the_clock_of_the_service_also_in_a_stream() {
    let now = json!({ "now": "2040-01-02T00:00:00.000Z" });
    let service = Service::start(LATER, vec![refused("proof out of time", now), ok(json!(7))]);
    let client = service.client();
    let stream = client.stream::<_, Value>("MAX", "audit_query", &json!({}), &CallOptions::new()).await;
    assert_eq!(stream.unwrap().result().await.unwrap().output, json!(7));
    let issued_s = proof_of(&service.last()).1["iat"].as_i64().unwrap();
    assert!((2_209_075_200..2_209_075_260).contains(&issued_s), "{issued_s}");
    assert_eq!(service.asked().len(), 5, "the session stays");
    let timeless = Service::start(LATER, vec![refused("proof out of time", json!({}))]);
    ask(&timeless.client()).await.unwrap_err();
    assert_eq!(timeless.asked().len(), 4);
}

#[tokio::test]
async fn a_get_is_signed_without_a_body_and_nothing_printed_shows_the_key() {
    let service = Service::start(LATER, vec![ok(json!(7))]);
    let client = service.client();
    let _ = client.whoami(&CallOptions::new()).await;
    let claims = proof_of(&service.last()).1;
    assert_eq!((&claims["htm"], claims.get("body_sha256")), (&json!("GET"), None));
    assert!(!format!("{client:?}").contains(SEED));
    assert!(!format!("{:?}", Options::new().private_key(SEED)).contains(SEED));
}

#[tokio::test]
async fn an_engine_that_wants_something_else_signed_or_answers_nonsense_gets_nothing() {
    let treaty = challenged(&agent().1, SigningDomain::Treaty);
    for (answers, count) in [(vec![ok(json!({}))], 1), (vec![ok(negotiated(Some("s"))), ok(treaty)], 2)] {
        let server = Server::answering(answers);
        let error = ask(&client_of(&server)).await.unwrap_err();
        assert_eq!((error.code(), server.count()), (ErrorCode::BadAnswer, count));
    }
}
