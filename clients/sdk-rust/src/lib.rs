//! Client of svc, a gateway for calls between companies' AI agents.

// The README's examples run as doctests; they need the optional client.
#![cfg_attr(feature = "client", doc = "", doc = include_str!("../README.md"))]

mod bytes;
mod json_text;
mod moment;

pub mod attenuation;
pub mod audit_log;
pub mod canonical;
pub mod capability;
pub mod data_integrity;
pub mod delegation;
pub mod did;
pub mod jws;
pub mod key_events;
pub mod lineage;
pub mod signature;

#[cfg(feature = "client")]
pub mod answer;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "client")]
pub mod error;
#[cfg(feature = "client")]
pub mod protocols;
#[cfg(feature = "client")]
pub mod retry;
#[cfg(feature = "client")]
pub mod settings;

#[cfg(feature = "client")]
pub use answer::Answer;
#[cfg(feature = "client")]
pub use client::{
    CallOptions, Client, EventStream, KeyPair, NotStored, Options, Recovery, RecoveryState, RotatedKey,
    StreamEvent,
};
#[cfg(feature = "client")]
pub use error::{Error, ErrorCode};

/// Pages of the docs: tested, not published.
#[cfg(all(doctest, feature = "client"))]
#[doc = include_str!("../../../docs/rust.md")]
#[doc = include_str!("../../../docs/identity.md")]
#[doc = include_str!("../../../docs/workloads.md")]
mod page {}
