//! Everything a handler may use.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Code, Host, Invocation, Level, Refusal};

/// Everything a handler may use: the facts about the call, and the service.
pub struct Context<'a> {
    /// The facts about the call.
    pub invocation: Invocation,
    host: &'a dyn Host,
}

impl<'a> Context<'a> {
    /// A call and the host that serves it. Handlers receive one; tests get theirs from a
    /// [`RecordingHost`](crate::RecordingHost).
    pub fn new(invocation: Invocation, host: &'a dyn Host) -> Self {
        Self { invocation, host }
    }

    /// Writes to the engine's log, under the plugin's name and the call's correlation id.
    pub fn log(&self, level: Level, message: &str) {
        self.host.log(level, message);
    }

    /// The operator's configuration of the plugin; an empty object by default, so give fields defaults.
    pub fn config<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        serde_json::from_str(&self.host.config()).map_err(|fault| {
            let message =
                format!("The configuration of the plugin does not fit: {fault}; its operator must fix it.");
            Refusal::adapter_error(message).with_reason("plugin configuration")
        })
    }

    /// Adds a `custom.` event to this call's record; both commit or neither. `meta` must be a JSON object.
    pub fn audit(&self, event_type: &str, meta: &impl Serialize) -> Result<(), Refusal> {
        self.host.audit(event_type, &to_text(meta)?)
    }

    /// Calls another operation through all eight stages, as this call's caller, limited to the capabilities
    /// that the plugin's manifest lists.
    pub fn call<T: DeserializeOwned>(
        &self,
        protocol: &str,
        operation: &str,
        input: &impl Serialize,
    ) -> Result<T, Refusal> {
        let answered = self.host.call(protocol, operation, &to_text(input)?)?;
        serde_json::from_str(&answered).map_err(|fault| {
            let message =
                format!("{protocol}.{operation} answered what the plugin does not understand: {fault}.");
            Refusal::adapter_error(message).with_reason("unexpected answer")
        })
    }

    /// Reports progress to a listening caller; `fraction` from 0 to 1.
    pub fn progress(&self, message: &str, fraction: Option<f64>) {
        self.host.progress(message, fraction);
    }
}

/// Fails only for maps whose keys are not text, which JSON cannot express.
pub(crate) fn to_text(value: &impl Serialize) -> Result<String, Refusal> {
    serde_json::to_string(value).map_err(|fault| {
        let message = format!("The plugin made a value that JSON cannot hold: {fault}.");
        Refusal::new(Code::ProtocolError, message)
    })
}
