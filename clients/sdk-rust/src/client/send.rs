//! One request and its answer, without retries or catalogue types.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, LOCATION};
use hyper::{Method, Response, StatusCode};
use serde_json::{Map, Value, json};

use crate::answer::headers::{AnswerHeaders, retry_after, text_of};
use crate::client::connection::Connections;
use crate::client::doubt::Doubt;
use crate::client::events::ANSWER_BYTES_MAX;
use crate::client::session::{Authorization, Credentials};
use crate::error::refusal::{RefusedBy, refusal_of};
use crate::error::{Error, ErrorCode, Fields};
use crate::settings::Settings;

const DPOP: HeaderName = HeaderName::from_static("dpop");

/// What every request of a client needs.
pub(crate) struct Wire {
    pub settings: Settings,
    pub connections: Connections,
    pub authorization: Authorization,
    /// Sent with every request, such as the surface of the call.
    pub headers: Vec<(String, String)>,
}

pub(crate) struct Request {
    pub method: Method,
    pub path: &'static str,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
    /// Whether it may write: without an answer its outcome is then unknown.
    pub changes: bool,
    /// For one attempt including its answer; zero for no limit.
    pub timeout: Duration,
}

/// A parsed body with its headers.
pub(crate) struct Said {
    pub body: Value,
    pub headers: AnswerHeaders,
    pub api_url: String,
}

impl Wire {
    /// What says who sends this request. An agent with its own key may prove its identity first.
    pub async fn credentials_for(&self, request: &Request) -> Result<Credentials, Error> {
        match &self.authorization {
            Authorization::ApiKey(key) => Ok(Credentials::of_key(key)),
            Authorization::OwnKey(sessions) => sessions.credentials_for(self, request).await,
        }
    }

    /// Whether the request was refused before anything was done, and may now be sent with other credentials.
    pub async fn may_repeat(&self, error: &Error, sent: Option<&Credentials>) -> bool {
        match &self.authorization {
            Authorization::ApiKey(_) => false,
            Authorization::OwnKey(sessions) => sessions.may_repeat(error, sent).await,
        }
    }
}

/// Requests any route of the service with the client's credentials; a non-success answer is an error.
pub(crate) async fn ask_json(wire: &Wire, request: &Request) -> Result<Said, Error> {
    let mut sent = None;
    let asked = async {
        let credentials = sent.insert(wire.credentials_for(request).await?);
        ask_once(wire, request, credentials).await
    };
    match asked.await {
        Err(error) if wire.may_repeat(&error, sent.as_ref()).await => {
            ask_once(wire, request, &wire.credentials_for(request).await?).await
        }
        asked => asked,
    }
}

pub(crate) async fn ask_once(
    wire: &Wire,
    request: &Request,
    credentials: &Credentials,
) -> Result<Said, Error> {
    let doubt = Doubt::of(wire, request);
    doubt.in_time(async { begin(wire, request, credentials).await?.said().await }).await
}

/// An answer whose headers have arrived.
pub(crate) struct Exchange {
    pub response: Response<Incoming>,
    pub doubt: Doubt,
}

/// Resolves when a successful answer begins; the caller enforces the timeout.
pub(crate) async fn begin(
    wire: &Wire,
    request: &Request,
    credentials: &Credentials,
) -> Result<Exchange, Error> {
    let doubt = Doubt::of(wire, request);
    let asked = http_request(wire, request, credentials)?;
    let sent = wire.connections.request(asked).await;
    let response = sent.map_err(|cause| {
        // The connection failed, so nothing can have happened.
        let doubt = if cause.is_connect() { doubt.clone().without_effect() } else { doubt.clone() };
        doubt.unreachable(cause)
    })?;
    let exchange = Exchange { response, doubt };
    if exchange.response.status().is_success() { Ok(exchange) } else { Err(exchange.refused().await) }
}

fn http_request(
    wire: &Wire,
    request: &Request,
    credentials: &Credentials,
) -> Result<hyper::Request<String>, Error> {
    let headers = headers_of(wire, request, credentials)?;
    let uri = format!("{}{}", wire.settings.api_url, request.path);
    let built = hyper::Request::builder().method(&request.method).uri(uri).body(request.body.clone());
    let mut asked = built.map_err(|why| {
        Error::not_configured(format!("{} is no address that can be asked ({why}).", wire.settings.api_url))
    })?;
    *asked.headers_mut() = headers;
    Ok(asked)
}

/// Names the header that cannot be sent, never its value, which may be the key.
fn headers_of(wire: &Wire, request: &Request, credentials: &Credentials) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    let given = wire.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let asked = request.headers.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in given.chain(asked).chain([("x-agent-did", wire.settings.agent_did.as_str())]) {
        headers.insert(header_name(name)?, header_value(name, value)?);
    }
    for (name, secret) in [(AUTHORIZATION, &credentials.authorization), (DPOP, &credentials.dpop)] {
        // One given for every request is never sent instead of ours.
        headers.remove(&name);
        if let Some(secret) = secret {
            let mut value = header_value(name.as_str(), secret)?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
    Ok(headers)
}

fn header_name(name: &str) -> Result<HeaderName, Error> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    // Only the connection sets framing and target headers.
    let is_ours = ["connection", "content-length", "host", "transfer-encoding", "upgrade"]
        .iter()
        .any(|each| name.eq_ignore_ascii_case(each));
    let parsed = HeaderName::from_bytes(name.as_bytes()).ok();
    parsed.filter(|_| is_plain && !is_ours).ok_or_else(|| unsendable(name))
}

fn header_value(name: &str, value: &str) -> Result<HeaderValue, Error> {
    let is_printable = value.bytes().all(|byte| (0x20..=0x7e).contains(&byte));
    HeaderValue::from_str(value).ok().filter(|_| is_printable).ok_or_else(|| unsendable(name))
}

fn unsendable(name: &str) -> Error {
    let message = format!("The header {name:?} cannot be sent; use printable ASCII for its value.");
    Fields::new(ErrorCode::InvalidRequest, "header", message).into()
}

impl Exchange {
    /// The whole answer as JSON.
    pub async fn said(self) -> Result<Said, Error> {
        let Exchange { response, doubt } = self;
        let (head, body) = response.into_parts();
        let text = whole_text(body, &doubt).await?;
        said_of(&text, head.status, &head.headers, &doubt.api_url)
    }

    async fn refused(self) -> Error {
        let Exchange { response, doubt } = self;
        let (head, body) = response.into_parts();
        let status = head.status.as_u16();
        let headers = AnswerHeaders::of(&head.headers);
        if head.status.is_redirection() {
            // Following it would send the key to whatever address the answer names.
            let location = text_of(&head.headers, LOCATION.as_str());
            let place = location.map(|to| format!(" ({to})")).unwrap_or_default();
            let api_url = doubt.api_url;
            let message = format!(
                "{api_url} sends its callers elsewhere{place}; set api_url to the engine's own address."
            );
            return Error::bad_answer(
                message,
                fields([("status", json!(status)), ("location", json!(location))]),
                Some(headers),
            );
        }
        match whole_text(body, &doubt).await {
            Ok(text) => {
                let body = serde_json::from_str(&text).unwrap_or(Value::Null);
                let retry_after = retry_after(&head.headers);
                refusal_of(&body, RefusedBy { api_url: &doubt.api_url, status, retry_after, headers })
            }
            Err(error) => error,
        }
    }
}

pub(crate) fn said_of(
    text: &str,
    status: StatusCode,
    headers: &HeaderMap,
    api_url: &str,
) -> Result<Said, Error> {
    let said = AnswerHeaders::of(headers);
    match serde_json::from_str(text) {
        Ok(body) => Ok(Said { body, headers: said, api_url: api_url.to_owned() }),
        Err(_) => {
            let content_type = text_of(headers, "content-type");
            let details = fields([("status", json!(status.as_u16())), ("content_type", json!(content_type))]);
            let message = format!("{api_url} answered with something that is no JSON; check api_url.");
            Err(Error::bad_answer(message, details, Some(said)))
        }
    }
}

fn fields<const N: usize>(pairs: [(&str, Value); N]) -> Map<String, Value> {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

async fn whole_text(mut body: Incoming, doubt: &Doubt) -> Result<String, Error> {
    let mut bytes = Vec::new();
    while let Some(piece) = poll_fn(|context| poll_piece(Pin::new(&mut body), context)).await {
        let piece = piece.map_err(|cause| doubt.lost(cause))?;
        if bytes.len() + piece.len() > ANSWER_BYTES_MAX {
            return Err(too_large());
        }
        bytes.extend_from_slice(&piece);
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

/// The next bytes of a body; ignores anything else, such as trailers.
pub(crate) fn poll_piece(
    body: Pin<&mut Incoming>,
    context: &mut std::task::Context<'_>,
) -> std::task::Poll<Option<Result<Bytes, hyper::Error>>> {
    body.poll_frame(context).map(|frame| Some(frame?.map(|frame| frame.into_data().unwrap_or_default())))
}

pub(crate) fn too_large() -> Error {
    Error::bad_answer("What came is larger than any answer of svc may be; check api_url.", Map::new(), None)
}
