//! A workload: the token that its platform writes into a file is exchanged for a session, and again to renew it.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use svc_sdk::signature::is_signed_by;
use svc_sdk::{CallOptions, Client, Error, ErrorCode, Options};

use crate::server::{Sent, Server, ok, response, send};
use crate::sessions::decoded;

const DID: &str = "did:oas:acme:agent:0a";

/// A file that the platform writes, removed afterwards.
struct TokenFile(PathBuf);

impl TokenFile {
    fn with(text: &str) -> Self {
        static FILES: AtomicU32 = AtomicU32::new(0);
        let nth = FILES.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("svc-workload-{}-{nth}", std::process::id()));
        fs::write(&path, text).unwrap();
        TokenFile(path)
    }
}

impl Drop for TokenFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Sessions are numbered, and live this long; each call gets the next of `answers`, the last one again.
fn serve(expires_in: i64, answers: Vec<String>) -> Server {
    let counts = Arc::new(Mutex::new((0, 0)));
    Server::hearing(move |sent, connection| {
        let (exchanges, calls) = &mut *counts.lock().unwrap();
        if is_exchange(sent) {
            let session = json!({ "access_token": format!("token-{exchanges}"), "expires_in": expires_in });
            *exchanges += 1;
            send(connection, &response(200, &[], &session.to_string()));
        } else {
            let text = &answers[(*calls).min(answers.len() - 1)];
            *calls += 1;
            send(connection, text);
        }
    })
}

fn is_exchange(sent: &Sent) -> bool {
    sent.line.starts_with("POST /oauth/token ")
}

fn client_of(server: &Server, file: &TokenFile) -> Client {
    let options = Options::new().api_url(&server.api_url).agent_did(DID);
    Client::new(options.workload_token_file(&file.0)).unwrap()
}

async fn ask(client: &Client) -> Result<Value, Error> {
    let answer = client.dispatch("MAX", "audit_log_entry", &json!({ "a": 1 }), &CallOptions::new()).await?;
    Ok(answer.output)
}

/// The public key and the claims of a proof, after its signature was checked.
fn proof_of(sent: &Sent) -> (String, Value) {
    let (signed, signature) = sent.headers["dpop"].rsplit_once('.').unwrap();
    let (header, claims) = signed.split_once('.').unwrap();
    let public_key = decoded(header)["jwk"]["x"].as_str().unwrap().to_owned();
    assert!(is_signed_by(&public_key, signed, signature));
    (public_key, decoded(claims))
}

#[tokio::test]
async fn it_exchanges_the_token_once_and_signs_each_request_with_a_key_of_its_own() {
    let server = serve(900, vec![ok(json!(7))]);
    let file = TokenFile::with("ey.J.t\n");
    let client = client_of(&server, &file);
    let (one, other) = tokio::join!(ask(&client), ask(&client));
    assert_eq!((one.unwrap(), other.unwrap()), (json!(7), json!(7)));
    let sent = server.requests();
    assert_eq!(sent.iter().filter(|each| is_exchange(each)).count(), 1);
    let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&client_id=svc-workload\
        &subject_token=ey.J.t&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt\
        &agent_did=did%3Aoas%3Aacme%3Aagent%3A0a";
    assert_eq!(sent[0].text, form);
    assert_eq!(sent[0].headers["content-type"], "application/x-www-form-urlencoded");
    assert_eq!(sent[0].headers.get("authorization"), None);
    let (public_key, claims) = proof_of(&sent[0]);
    assert_eq!(claims["htu"], format!("{}/oauth/token", server.api_url));
    for call in &sent[1..] {
        assert_eq!(call.headers["authorization"], "DPoP token-0");
        assert_eq!(proof_of(call).0, public_key);
    }
    let another = client_of(&server, &file);
    ask(&another).await.unwrap();
    assert_ne!(proof_of(&server.requests()[3]).0, public_key, "each client has its own key");
}

#[tokio::test]
async fn it_renews_by_the_token_that_the_file_holds_then_and_after_the_end_of_a_session() {
    let server = serve(30, vec![ok(json!(7))]);
    let file = TokenFile::with("first");
    let client = client_of(&server, &file);
    ask(&client).await.unwrap();
    fs::write(&file.0, "second").unwrap();
    ask(&client).await.unwrap();
    let sent = server.requests();
    assert!(is_exchange(&sent[2]) && sent[2].text.contains("&subject_token=second&"));
    assert_eq!(sent[3].headers["authorization"], "DPoP token-1");

    let error =
        json!({ "code": "unauthenticated", "message": "no", "reason": "session revoked", "details": {} });
    let revoked = response(401, &[], &json!({ "error": error }).to_string());
    let server = serve(900, vec![revoked, ok(json!(7))]);
    assert_eq!(ask(&client_of(&server, &file)).await.unwrap(), json!(7));
    assert_eq!(server.requests().pop().unwrap().headers["authorization"], "DPoP token-1");
}

#[tokio::test]
async fn a_refused_or_missing_token_is_said_in_words_and_never_shown() {
    let refusal = json!({ "error": "invalid_grant", "error_description": "No workload fits; add one." });
    let server =
        Server::hearing(move |_, connection| send(connection, &response(400, &[], &refusal.to_string())));
    let file = TokenFile::with("secret-token");
    let error = ask(&client_of(&server, &file)).await.unwrap_err();
    assert_eq!((error.code(), error.reason()), (ErrorCode::Unauthenticated, Some("invalid_grant")));
    assert_eq!(error.to_string(), "No workload fits; add one.");
    assert_eq!(server.requests().len(), 1);
    for text in ["", " \n", &"x".repeat(65 * 1024)] {
        let file = TokenFile::with(text);
        let error = ask(&client_of(&server, &file)).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotConfigured);
    }
    let gone = TokenFile(PathBuf::from("/nowhere/svc-token"));
    let error = ask(&client_of(&server, &gone)).await.unwrap_err();
    assert!(
        error.to_string().starts_with("The workload token in /nowhere/svc-token cannot be read"),
        "{error}"
    );
    assert_eq!(server.requests().len(), 1, "nothing was sent");

    let odd = Server::hearing(|_, connection| send(connection, &response(200, &[], "{}")));
    assert_eq!(ask(&client_of(&odd, &file)).await.unwrap_err().code(), ErrorCode::BadAnswer);
}
