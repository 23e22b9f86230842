#![doc = include_str!("../README.md")]

#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod component;
mod context;
mod host;
mod identity;
mod invocation;
mod plugin;
#[cfg(not(target_arch = "wasm32"))]
mod recording_host;
mod refusal;

pub use context::Context;
pub use host::{Host, Level};
pub use identity::{Capability, Identity, ServiceEndpoint};
pub use invocation::{Invocation, TraceContext};
pub use plugin::Plugin;
#[doc(hidden)]
pub use plugin::{answer, unserved};
#[cfg(not(target_arch = "wasm32"))]
pub use recording_host::{RecordingHost, Said};
pub use refusal::{Code, Refusal};
