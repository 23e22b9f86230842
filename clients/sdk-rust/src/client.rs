//! The client: calls any operation of any protocol; only reads are retried.

mod approval;
mod audit_log_export;
mod call_options;
mod connection;
mod doubt;
mod events;
mod key_changes;
mod known_operations;
mod options;
pub(crate) mod send;
mod session;
mod stream;
mod workload;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hyper::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;

use self::approval::{Awaited, Waits};
use self::connection::open_connections;
use self::doubt::Doubt;
use self::known_operations::{is_read, version_of};
use self::options::{Sleep, Trace};
use self::send::{Request, Said, Wire, ask_json, begin};
use self::session::{Authorization, Credentials};
use crate::answer::{Answer, DryRun, Whoami, answer_of, dry_run_of, whoami_of};
use crate::error::{Error, ErrorCode, Fields};
use crate::retry;
use crate::settings::{Settings, Surroundings, resolve};

pub use self::audit_log_export::AuditLogExport;
pub use self::call_options::CallOptions;
pub use self::key_changes::{KeyPair, NotStored, Recovery, RecoveryState, RotatedKey};
pub use self::options::Options;
pub use self::stream::{EventStream, StreamEvent};

const TIMEOUT_DEFAULT: Duration = Duration::from_secs(30);

/// A client of one engine. Clones are cheap and share connections.
///
/// Calls need a Tokio runtime with I/O and time. Drop a call's future to cancel it: the engine is notified.
///
/// ```no_run
/// use serde_json::{Value, json};
/// use svc_sdk::{Answer, CallOptions, Client, Options};
///
/// # async fn shown() -> Result<(), svc_sdk::Error> {
/// let client = Client::new(Options::new())?;
/// let input = json!({ "event_type": "custom.shift_started", "meta": { "shift": "night" } });
/// let answer: Answer = client.dispatch("MAX", "audit_log_entry", &input, &CallOptions::new()).await?;
/// println!("{} {:?}", answer.output["seq"], answer.metadata.audit_head);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    wire: Wire,
    timeout: Duration,
    retry: bool,
    traceparent: Option<Trace>,
    sleep: Sleep,
}

impl Client {
    /// Settings come from the options, then the environment, then `~/.svc/config.json`. Missing settings fail
    /// here, not at the first call.
    pub fn new(options: Options) -> Result<Self, Error> {
        let settings = resolve(&options.given, &Surroundings::of_process())?;
        let connections = open_connections(&settings.api_url)?;
        let authorization = Authorization::of(&settings.credential)?;
        let sleep = options.sleep.unwrap_or_else(|| Arc::new(|wait| Box::pin(tokio::time::sleep(wait))));
        let shared = Shared {
            wire: Wire { settings, connections, authorization, headers: options.headers },
            timeout: options.timeout.unwrap_or(TIMEOUT_DEFAULT),
            retry: options.retry.unwrap_or(true),
            traceparent: options.traceparent,
            sleep,
        };
        Ok(Client { shared: Arc::new(shared) })
    }

    /// The engine's address and the caller's identity.
    pub fn settings(&self) -> &Settings {
        &self.shared.wire.settings
    }

    /// Calls an operation, also one of a plugin, and returns its output with the service's metadata.
    ///
    /// Catalogue reads are retried as [`retry::delay`] says; anything that may change something is sent once,
    /// with or without an idempotency key.
    pub async fn dispatch<Input, Output>(
        &self,
        protocol: &str,
        operation: &str,
        input: &Input,
        options: &CallOptions,
    ) -> Result<Answer<Output>, Error>
    where
        Input: Serialize + ?Sized,
        Output: DeserializeOwned,
    {
        let request = self.dispatch_request(protocol, operation, input, options, None)?;
        let is_repeated = is_read(protocol, operation, options.version.as_deref());
        let said = match options.wait_for_approval {
            Some(within) => self.ask_with_approval(&request, is_repeated, options, within).await,
            None => self.ask_once(&request, is_repeated, options).await,
        };
        answer_of(said?)
    }

    /// The same, with progress while it runs. Never retried: the answer may already have begun.
    ///
    /// ```no_run
    /// use serde_json::json;
    /// use svc_sdk::{CallOptions, Client, EventStream, Options, StreamEvent};
    ///
    /// # async fn shown() -> Result<(), svc_sdk::Error> {
    /// let client = Client::new(Options::new())?;
    /// let input = json!({ "outcome": "success", "verify": true });
    /// let mut events: EventStream = client.stream("MAX", "audit_query", &input, &CallOptions::new()).await?;
    /// while let Some(event) = events.next().await {
    ///     match event? {
    ///         StreamEvent::Progress(said) => eprintln!("{}", said["message"]),
    ///         StreamEvent::Result(answer) => println!("{}", answer.output["verified"]),
    ///         _ => {}
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn stream<Input, Output>(
        &self,
        protocol: &str,
        operation: &str,
        input: &Input,
        options: &CallOptions,
    ) -> Result<EventStream<Output>, Error>
    where
        Input: Serialize + ?Sized,
        Output: DeserializeOwned,
    {
        let streamed = Some(("accept", "text/event-stream"));
        let request = self.dispatch_request(protocol, operation, input, options, streamed)?;
        let mut sent = None;
        let begun = async {
            let credentials = sent.insert(self.shared.wire.credentials_for(&request).await?);
            self.stream_once(&request, credentials).await
        };
        match begun.await {
            Err(error) if self.shared.wire.may_repeat(&error, sent.as_ref()).await => {
                self.stream_once(&request, &self.shared.wire.credentials_for(&request).await?).await
            }
            begun => begun,
        }
    }

    /// What the call would do, stage by stage, without doing it.
    pub async fn dry_run<Input>(
        &self,
        protocol: &str,
        operation: &str,
        input: &Input,
        options: &CallOptions,
    ) -> Result<DryRun, Error>
    where
        Input: Serialize + ?Sized,
    {
        let dry = Some(("x-svc-dry-run", "true"));
        let mut request = self.dispatch_request(protocol, operation, input, options, dry)?;
        request.changes = false;
        dry_run_of(self.ask(&request).await?)
    }

    /// The caller's identity, and what it may call.
    pub async fn whoami(&self, options: &CallOptions) -> Result<Whoami, Error> {
        let request = Request {
            method: Method::GET,
            path: "/v1/whoami",
            headers: self.trace_of(options),
            body: String::new(),
            changes: false,
            timeout: options.timeout.unwrap_or(self.shared.timeout),
        };
        whoami_of(self.ask_again(&request, options).await?)
    }

    async fn stream_once<Output: DeserializeOwned>(
        &self,
        request: &Request,
        credentials: &Credentials,
    ) -> Result<EventStream<Output>, Error> {
        let wire = &self.shared.wire;
        let begun = async { EventStream::of(begin(wire, request, credentials).await?).await };
        Doubt::of(wire, request).in_time(begun).await
    }

    async fn ask(&self, request: &Request) -> Result<Said, Error> {
        ask_json(&self.shared.wire, request).await
    }

    async fn ask_once(
        &self,
        request: &Request,
        is_repeated: bool,
        options: &CallOptions,
    ) -> Result<Said, Error> {
        if is_repeated { self.ask_again(request, options).await } else { self.ask(request).await }
    }

    /// Sends it again once others have decided; never so that a second approval is asked for knowingly.
    async fn ask_with_approval(
        &self,
        request: &Request,
        is_repeated: bool,
        options: &CallOptions,
        within: Duration,
    ) -> Result<Said, Error> {
        let mut refusal = match self.ask_once(request, is_repeated, options).await {
            Ok(said) => return Ok(said),
            Err(error) => error,
        };
        let Some(awaited) = Awaited::of(&refusal) else { return Err(refusal) };
        for wait in Waits::within(within) {
            (self.shared.sleep)(wait).await;
            match self.approval_state(&awaited).await.as_deref() {
                Some("PENDING") => continue,
                Some("EXPIRED") => break,
                _ => {}
            }
            refusal = match self.ask_once(request, is_repeated, options).await {
                Ok(said) => return Ok(said),
                Err(error) => error,
            };
            if Awaited::of(&refusal).as_ref() != Some(&awaited) {
                break;
            }
        }
        Err(refusal)
    }

    /// None where it cannot be read: then repeating the call tells it.
    async fn approval_state(&self, awaited: &Awaited) -> Option<String> {
        if awaited.tenant_id != self.settings().tenant_id {
            return None;
        }
        let input = serde_json::json!({ "approval_id": awaited.approval_id });
        let options = CallOptions::new();
        let request = self.dispatch_request("MAXIM", "approval_get", &input, &options, None).ok()?;
        let answer: Answer = answer_of(self.ask(&request).await.ok()?).ok()?;
        answer.output["state"].as_str().map(str::to_owned)
    }

    /// Retries until success or a final error. Each kind of failure has its own count.
    async fn ask_again(&self, request: &Request, options: &CallOptions) -> Result<Said, Error> {
        let mut failures: Vec<ErrorCode> = Vec::new();
        loop {
            let error = match self.ask(request).await {
                Ok(said) => return Ok(said),
                Err(error) => error,
            };
            let code = error.code();
            let attempt = failures.iter().filter(|earlier| **earlier == code).count();
            failures.push(code);
            let wait = u32::try_from(attempt)
                .ok()
                .and_then(|attempt| retry::delay(code, error.retry_after(), attempt, chance()));
            match wait {
                Some(wait) if options.retry.unwrap_or(self.shared.retry) => (self.shared.sleep)(wait).await,
                _ => return Err(error),
            }
        }
    }

    fn dispatch_request<Input: Serialize + ?Sized>(
        &self,
        protocol: &str,
        operation: &str,
        input: &Input,
        options: &CallOptions,
        more: Option<(&'static str, &str)>,
    ) -> Result<Request, Error> {
        let version = options.version.as_deref().unwrap_or_else(|| version_of(protocol));
        let tenant_id = options.tenant_id.as_deref().unwrap_or(&self.shared.wire.settings.tenant_id);
        let body = as_json(&Envelope { protocol, version, operation, input, tenant_id })?;
        let mut headers = self.trace_of(options);
        headers.push(("content-type", "application/json".to_owned()));
        headers.extend(options.idempotency_key.clone().map(|key| ("idempotency-key", key)));
        headers.extend(options.correlation_id.clone().map(|id| ("x-correlation-id", id)));
        headers.extend(options.wait_for_audit.then(|| ("prefer", "wait=audit".to_owned())));
        headers.extend(more.map(|(name, value)| (name, value.to_owned())));
        let is_repeatable =
            options.idempotency_key.is_some() || is_read(protocol, operation, options.version.as_deref());
        Ok(Request {
            method: Method::POST,
            path: "/v1/dispatch",
            headers,
            body,
            changes: !is_repeatable,
            timeout: options.timeout.unwrap_or(self.shared.timeout),
        })
    }

    fn trace_of(&self, options: &CallOptions) -> Vec<(&'static str, String)> {
        let active = || self.shared.traceparent.as_ref().and_then(|ask| ask());
        let traceparent = options.traceparent.clone().or_else(active).map(|text| ("traceparent", text));
        let tracestate = options.tracestate.clone().map(|text| ("tracestate", text));
        traceparent.into_iter().chain(tracestate).collect()
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("settings", self.settings()).finish_non_exhaustive()
    }
}

#[derive(Serialize)]
struct Envelope<'a, Input: ?Sized> {
    protocol: &'a str,
    version: &'a str,
    operation: &'a str,
    input: &'a Input,
    tenant_id: &'a str,
}

fn as_json<Input: Serialize + ?Sized>(envelope: &Envelope<'_, Input>) -> Result<String, Error> {
    serde_json::to_string(envelope).map_err(|why| {
        let Envelope { protocol, operation, .. } = envelope;
        let message = format!("The input of {protocol} {operation} cannot be written as JSON ({why}).");
        let fields = Fields::new(ErrorCode::InvalidPayload, "not JSON", message);
        Error::from(Fields { source: Some(Arc::new(why)), ..fields })
    })
}

/// From 0 to 1; if the system provides no randomness there is no jitter.
fn chance() -> f64 {
    let drawn = ring::rand::generate::<[u8; 4]>(&ring::rand::SystemRandom::new());
    drawn.map_or(0.5, |bytes| f64::from(u32::from_be_bytes(bytes.expose())) / 2f64.powi(32))
}
