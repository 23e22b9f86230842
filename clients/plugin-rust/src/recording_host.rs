//! A host for tests: returns the configured answers, and records what the plugin sends.

use std::cell::RefCell;

use serde_json::{Map, Value, json};

use crate::{Code, Context, Host, Invocation, Level, Plugin, Refusal};

/// One message of a plugin to its host.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A log line.
    Log(Level, String),
    /// An event for the record: its type and metadata.
    Audit(String, Value),
    /// A call of another operation: protocol, operation, input.
    Call(String, String, Value),
    /// A progress report.
    Progress(String, Option<f64>),
}

type Answer = Box<dyn Fn(&Value) -> Result<Value, Refusal>>;

/// A host for tests, so that `cargo test` of a plugin needs neither WebAssembly nor an engine.
///
/// ```
/// use serde_json::{Value, json};
/// use svc_plugin::{Context, Level, RecordingHost, Refusal, Said};
///
/// fn echo(input: Value, context: &Context) -> Result<Value, Refusal> {
///     context.log(Level::Info, "echoing");
///     Ok(input)
/// }
/// svc_plugin::plugin! { Echo { echo } }
///
/// let host = RecordingHost::new();
/// assert_eq!(host.invoke::<Echo>("echo", &json!({ "a": 1 })), Ok(json!({ "a": 1 })));
/// assert_eq!(host.said(), [Said::Log(Level::Info, "echoing".into())]);
/// ```
pub struct RecordingHost {
    invocation: Invocation,
    config: Value,
    answers: Vec<(String, String, Answer)>,
    said: RefCell<Vec<Said>>,
}

impl RecordingHost {
    /// A host without configuration that answers no calls; the caller is an agent of the tenant `test`.
    pub fn new() -> Self {
        let invocation = Invocation {
            correlation_id: "00000000-0000-4000-8000-000000000000".into(),
            tenant_id: "test".into(),
            agent_did: "did:oas:test:agent:caller".into(),
            resolved_identity: None,
            trace_context: None,
            timestamp: "2026-01-01T00:00:00.000Z".into(),
            metadata: Map::new(),
        };
        Self { invocation, config: json!({}), answers: Vec::new(), said: RefCell::default() }
    }

    /// Sets the invocation of all calls.
    #[must_use]
    pub fn with_invocation(mut self, invocation: Invocation) -> Self {
        self.invocation = invocation;
        self
    }

    /// Sets the plugin's configuration.
    #[must_use]
    pub fn with_config(mut self, config: Value) -> Self {
        self.config = config;
        self
    }

    /// Allows this operation, with this answer.
    #[must_use]
    pub fn answering(
        mut self,
        protocol: &str,
        operation: &str,
        answer: impl Fn(&Value) -> Result<Value, Refusal> + 'static,
    ) -> Self {
        let answer: Answer = Box::new(answer);
        self.answers.push((protocol.into(), operation.into(), answer));
        self
    }

    /// For tests that call a handler directly.
    pub fn context(&self) -> Context<'_> {
        let mut invocation = self.invocation.clone();
        let config = self.config.clone();
        invocation.metadata.insert("plugin_config".into(), config);
        Context::new(invocation, self)
    }

    /// Invokes like the engine: JSON in, JSON out, by the operation's name.
    pub fn invoke<P: Plugin>(&self, operation: &str, payload: &Value) -> Result<Value, Refusal> {
        let answered = P::invoke(operation, &payload.to_string(), &self.context())?;
        Ok(read(&answered))
    }

    /// All messages of the plugin so far, in order.
    pub fn said(&self) -> Vec<Said> {
        self.said.borrow().clone()
    }

    fn hear(&self, said: Said) {
        self.said.borrow_mut().push(said);
    }
}

impl Default for RecordingHost {
    fn default() -> Self {
        Self::new()
    }
}

impl Host for RecordingHost {
    fn log(&self, level: Level, message: &str) {
        self.hear(Said::Log(level, message.into()));
    }

    fn config(&self) -> String {
        self.config.to_string()
    }

    fn audit(&self, event_type: &str, text: &str) -> Result<(), Refusal> {
        let meta = read(text);
        if !is_event(event_type) || text.len() > META_BYTES_MAX || !meta.is_object() {
            let message = format!(
                "The event {event_type} cannot be kept: its type must be custom.<word>, and meta an object of \
                 {META_BYTES_MAX} bytes at most."
            );
            return Err(Refusal::invalid_payload(message));
        }
        self.hear(Said::Audit(event_type.into(), meta));
        Ok(())
    }

    fn call(&self, protocol: &str, operation: &str, input: &str) -> Result<String, Refusal> {
        let input = read(input);
        self.hear(Said::Call(protocol.into(), operation.into(), input.clone()));
        let answer = self.answers.iter().find(|(asked, named, _)| asked == protocol && named == operation);
        let Some((_, _, answer)) = answer else {
            let message = format!(
                "The test has no answer for {protocol}.{operation}; give one with RecordingHost::answering."
            );
            return Err(Refusal::new(Code::CapabilityDenied, message));
        };
        answer(&input).map(|output| output.to_string())
    }

    fn progress(&self, message: &str, fraction: Option<f64>) {
        self.hear(Said::Progress(message.into(), fraction));
    }
}

const META_BYTES_MAX: usize = 16 * 1024;
const WORD_CHARS_MAX: usize = 64;

/// The engine's rule: lowercase letters, digits and a few signs, starting with a letter.
fn is_event(event_type: &str) -> bool {
    let Some(word) = event_type.strip_prefix("custom.") else {
        return false;
    };
    let fits = |each: u8| each.is_ascii_lowercase() || each.is_ascii_digit() || b"_.-".contains(&each);
    word.len() <= WORD_CHARS_MAX
        && word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.bytes().all(fits)
}

/// The kit itself writes JSON; anything else is kept as text.
fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.into()))
}
