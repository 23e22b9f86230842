//! The service as the ABI offers it to a plugin: all data is JSON text.

use crate::Refusal;

/// The level of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// For the plugin's author.
    Debug,
    /// For the plugin's operator.
    Info,
    /// Unexpected, but the call continues.
    Warn,
    /// Something failed.
    Error,
}

/// The five functions a plugin can call. Handlers use the typed [`Context`](crate::Context); behind it is the
/// engine in a component, or a [`RecordingHost`](crate::RecordingHost) in a test.
pub trait Host {
    /// Writes to the engine's log, under the plugin's name and the call's correlation id.
    fn log(&self, level: Level, message: &str);

    /// The operator's configuration of the plugin: a JSON object.
    fn config(&self) -> String;

    /// Adds a `custom.` event to this call's record; `meta` is a JSON object.
    fn audit(&self, event_type: &str, meta: &str) -> Result<(), Refusal>;

    /// Calls another operation as the caller of this call; `input` and the answer are JSON.
    fn call(&self, protocol: &str, operation: &str, input: &str) -> Result<String, Refusal>;

    /// Reports progress; `fraction` from 0 to 1.
    fn progress(&self, message: &str, fraction: Option<f64>);
}
