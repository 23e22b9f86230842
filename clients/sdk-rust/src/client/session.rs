//! An agent with its own key, or with the token of its platform, opens a session and signs each request (DPoP, RFC 9449).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::Method;
use ring::rand::{SystemRandom, generate};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;

use crate::bytes::{sha256, to_base64url, to_hex};
use crate::client::send::{Request, Wire, ask_once};
use crate::client::workload::{exchange_request, read_token};
use crate::error::{Error, ErrorCode, Fields};
use crate::moment::moment_ms;
use crate::protocols::macs::{
    AuthNegotiationInput, AuthNegotiationOutput, GenerateChallengeInput, GenerateChallengeOutput,
    VerifyResponseOutput, unfit,
};
use crate::settings::{Credential, namespace_of};
use crate::signature::SigningKey;

/// The rest of a token's life is left for requests on their way.
const RENEW_EARLY_MS: i64 = 60_000;
pub(crate) const REQUEST_TIME_MAX: Duration = Duration::from_secs(30);
const ENDED: [&str; 3] = ["session expired", "session revoked", "unknown key"];

/// The headers that say who sends a request, beside the DID.
pub(crate) struct Credentials {
    pub authorization: Option<String>,
    pub dpop: Option<String>,
}

impl Credentials {
    pub fn of_key(api_key: &str) -> Self {
        Credentials { authorization: Some(format!("Bearer {api_key}")), dpop: None }
    }
}

/// By which key a client shows who it is.
pub(crate) enum Authorization {
    ApiKey(String),
    OwnKey(Box<Sessions>),
}

impl Authorization {
    pub fn of(credential: &Credential) -> Result<Self, Error> {
        let sessions = match credential {
            Credential::ApiKey(key) => return Ok(Authorization::ApiKey(key.clone())),
            Credential::PrivateKey(seed) => Sessions::new(seed, None),
            // Made for this process alone: it binds a workload's session to it.
            Credential::WorkloadTokenFile(path) => {
                let seed = SigningKey::new_seed().map_err(|_| no_randomness())?;
                Sessions::new(&seed, Some(path.clone()))
            }
        };
        Ok(Authorization::OwnKey(Box::new(sessions)))
    }
}

struct OwnKey {
    seed: [u8; 32],
    key: SigningKey,
}

impl OwnKey {
    fn of(seed: &[u8; 32]) -> Arc<Self> {
        Arc::new(OwnKey { seed: *seed, key: SigningKey::from_seed(seed) })
    }
}

#[derive(Clone)]
struct Session {
    token: String,
    session_id: String,
    renew_ms: i64,
}

/// The key of an agent or of this process, and the session that is bound to it.
pub(crate) struct Sessions {
    own: RwLock<Arc<OwnKey>>,
    /// Where the platform's token is, for a workload.
    token_file: Option<PathBuf>,
    /// How far the service's clock is ahead of ours; ours counts until the service says that it is wrong.
    ahead_ms: AtomicI64,
    /// Locked while it is opened or renewed, so that concurrent requests share it.
    session: Mutex<Option<Session>>,
}

impl Sessions {
    fn new(seed: &[u8; 32], token_file: Option<PathBuf>) -> Self {
        let own = RwLock::new(OwnKey::of(seed));
        Sessions { own, token_file, ahead_ms: AtomicI64::new(0), session: Mutex::new(None) }
    }

    fn own(&self) -> Arc<OwnKey> {
        Arc::clone(&self.own.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The agent's own, as text; none for a workload, whose key lives as long as this process.
    pub fn own_seed(&self) -> Option<String> {
        self.token_file.is_none().then(|| SigningKey::seed_text(&self.own().seed))
    }

    /// From now on requests are signed by this key, in a session of its own.
    pub async fn use_key(&self, seed: [u8; 32]) {
        let mut held = self.session.lock().await;
        *self.own.write().unwrap_or_else(PoisonError::into_inner) = OwnKey::of(&seed);
        *held = None;
    }

    /// Proves the identity first where there is no session, or it ends soon.
    pub async fn credentials_for(&self, wire: &Wire, request: &Request) -> Result<Credentials, Error> {
        let mut held = self.session.lock().await;
        let session = match held.take() {
            Some(session) if self.now_ms() < session.renew_ms => session,
            Some(last) => match self.open(wire, Some(&last)).await {
                Ok(session) => session,
                Err(_) => self.open(wire, None).await?,
            },
            None => self.open(wire, None).await?,
        };
        *held = Some(session.clone());
        drop(held);
        self.signed(wire, request, Some(&session.token))
    }

    /// Whether sending the request again may help: it was refused before anything was done.
    pub async fn may_repeat(&self, error: &Error, sent: Option<&Credentials>) -> bool {
        match (error.code(), error.reason()) {
            (ErrorCode::Unauthenticated, Some("proof out of time")) => {
                self.follow(error.details().get("now"))
            }
            (ErrorCode::Unauthenticated, Some(reason)) if ENDED.contains(&reason) => {
                self.forget(sent).await;
                true
            }
            _ => false,
        }
    }

    /// Unless another request has opened a new one since.
    async fn forget(&self, sent: Option<&Credentials>) {
        let mut held = self.session.lock().await;
        let refused = sent.and_then(|sent| sent.authorization.as_deref());
        held.take_if(|session| refused.is_none_or(|text| text == scheme_with(&session.token)));
    }

    /// False where the service told no time.
    fn follow(&self, now: Option<&Value>) -> bool {
        let Some(service_ms) = now.and_then(Value::as_str).and_then(moment_ms) else { return false };
        self.ahead_ms.store(service_ms - system_ms(), Ordering::Relaxed);
        true
    }

    fn now_ms(&self) -> i64 {
        system_ms() + self.ahead_ms.load(Ordering::Relaxed)
    }

    fn signed(&self, wire: &Wire, request: &Request, token: Option<&str>) -> Result<Credentials, Error> {
        let url = format!("{}{}", wire.settings.api_url, request.path);
        let mut claims = json!({
            "htm": request.method.as_str(),
            "htu": url.split('?').next(),
            "iat": self.now_ms().div_euclid(1000),
            "jti": new_id()?,
        });
        if let Some(token) = token {
            claims["ath"] = to_base64url(&sha256(token.as_bytes())).into();
        }
        if !request.body.is_empty() {
            claims["body_sha256"] = to_hex(&sha256(request.body.as_bytes())).into();
        }
        let own = self.own();
        let jwk = json!({ "kty": "OKP", "crv": "Ed25519", "x": own.key.public_key() });
        let header = json!({ "alg": "EdDSA", "typ": "dpop+jwt", "jwk": jwk });
        let text = format!("{}.{}", encoded(&header), encoded(&claims));
        let dpop = format!("{text}.{}", own.key.sign(&text));
        Ok(Credentials { authorization: token.map(scheme_with), dpop: Some(dpop) })
    }

    async fn open(&self, wire: &Wire, last: Option<&Session>) -> Result<Session, Error> {
        match &self.token_file {
            Some(path) => self.exchange(wire, path).await,
            None => self.prove(wire, last).await,
        }
    }

    /// RFC 8693: opened, and renewed, by the token that the file holds now.
    async fn exchange(&self, wire: &Wire, path: &Path) -> Result<Session, Error> {
        let request = exchange_request(&read_token(path)?, &wire.settings.agent_did);
        let credentials = self.signed(wire, &request, None)?;
        let body = ask_once(wire, &request, &credentials).await?.body;
        let token = body["access_token"].as_str().ok_or_else(|| no_proof("it holds no access_token"))?;
        let left_ms = body["expires_in"].as_i64().unwrap_or_default().saturating_mul(1000);
        let renew_ms = self.now_ms().saturating_add((left_ms - RENEW_EARLY_MS).max(0));
        Ok(Session { token: token.to_owned(), session_id: String::new(), renew_ms })
    }

    /// Another proof renews the last session; without one a new one is negotiated.
    async fn prove(&self, wire: &Wire, last: Option<&Session>) -> Result<Session, Error> {
        let token = last.map(|last| last.token.as_str());
        let session_id = match last {
            Some(last) => last.session_id.clone(),
            None => self.negotiate(wire).await?,
        };
        let request = GenerateChallengeInput::new(session_id.clone());
        let issued: GenerateChallengeOutput = self.macs(wire, "generate_challenge", &request, token).await?;
        let agent_did = &wire.settings.agent_did;
        // Rebuilds the text from the challenge: nobody gets another signature this way.
        let response = issued.answered(agent_did, &self.own().key).map_err(|why| unfit(agent_did, why))?;
        let proven: VerifyResponseOutput = self.macs(wire, "verify_response", &response, token).await?;
        let end_ms = moment_ms(&proven.token_expires_at).unwrap_or_default();
        let renew_ms = (end_ms - RENEW_EARLY_MS).max(self.now_ms());
        Ok(Session { token: proven.session_token, session_id, renew_ms })
    }

    async fn negotiate(&self, wire: &Wire) -> Result<String, Error> {
        let wish = AuthNegotiationInput::new("DidAuth", "Nonce");
        let agreed: AuthNegotiationOutput = self.macs(wire, "auth_negotiation", &wish, None).await?;
        agreed.session_id.ok_or_else(|| no_proof("it takes no DidAuth with a Nonce"))
    }

    /// An agent proves itself to its own organization, whatever it calls afterwards.
    async fn macs<Output: DeserializeOwned>(
        &self,
        wire: &Wire,
        operation: &str,
        input: &impl Serialize,
        token: Option<&str>,
    ) -> Result<Output, Error> {
        let tenant_id = namespace_of(&wire.settings.agent_did)?;
        let envelope = json!({
            "protocol": "MACS", "version": "v1", "operation": operation, "input": input, "tenant_id": tenant_id,
        });
        let request = Request {
            method: Method::POST,
            path: "/v1/dispatch",
            headers: vec![("content-type", "application/json".to_owned())],
            body: envelope.to_string(),
            changes: false,
            timeout: REQUEST_TIME_MAX,
        };
        let credentials = self.signed(wire, &request, token)?;
        let output = ask_once(wire, &request, &credentials).await?.body["output"].take();
        serde_json::from_value(output).map_err(|why| no_proof(&why.to_string()))
    }
}

fn no_proof(why: &str) -> Error {
    let message =
        format!("The engine's answer to a proof of identity cannot be used ({why}); check api_url.");
    Error::bad_answer(message, Map::new(), None)
}

fn scheme_with(token: &str) -> String {
    format!("DPoP {token}")
}

fn encoded(value: &Value) -> String {
    to_base64url(value.to_string().as_bytes())
}

fn new_id() -> Result<String, Error> {
    let drawn = generate::<[u8; 16]>(&SystemRandom::new()).map_err(|_| no_randomness())?;
    Ok(to_base64url(&drawn.expose()))
}

fn no_randomness() -> Error {
    let message = "The system has no randomness to give, so no request can be signed.";
    Fields::new(ErrorCode::NotConfigured, "no randomness", message).into()
}

fn system_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
