//! What the service is to a plugin, as the ABI has it: everything that is data is JSON text.

use crate::Refusal;

/// How loud a line of the log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// For whoever writes the plugin.
    Debug,
    /// For whoever runs it.
    Info,
    /// Something is odd; the call goes on.
    Warn,
    /// Something failed.
    Error,
}

/// The five things a plugin can ask of the service. Handlers use [`Context`](crate::Context), which knows types; this is what
/// stands behind it: the engine in a component, a [`RecordingHost`](crate::RecordingHost) in a test.
pub trait Host {
    /// Writes to the engine's log, under the plugin's name and the call's correlation id.
    fn log(&self, level: Level, message: &str);

    /// The plugin's configuration as its operator set it: a JSON object.
    fn config(&self) -> String;

    /// Adds a `custom.` event to this call's record; `meta` is a JSON object.
    fn audit(&self, event_type: &str, meta: &str) -> Result<(), Refusal>;

    /// Calls another operation as the caller of this call; `input` and the answer are JSON.
    fn call(&self, protocol: &str, operation: &str, input: &str) -> Result<String, Refusal>;

    /// Says how far this call is; `fraction` from 0 to 1.
    fn progress(&self, message: &str, fraction: Option<f64>);
}
