//! The client over real connections, against a server scripted by each test.

mod answers;
mod audit_log;
mod calls;
mod failures;
mod proofs;
mod retries;
mod server;
mod sessions;
mod streams;
mod vectors;
mod workloads;
