//! Offline checks of an organization's audit log: receipts, exports and proofs, with nothing but public keys.
//!
//! Nothing here panics or contacts a server: every fault becomes the verdict, in one sentence.

mod export;
mod fault;
mod growing_tree;
mod header;
mod key_changes;
pub mod merkle;
pub mod note;
mod proof;
mod reading;
mod receipt;
mod trust;
mod witnesses;

pub use export::{ExportOptions, ExportVerdict, ExportVerifier, verify_export};
pub use proof::{ProofKind, ProofOptions, ProofVerdict, verify_proof};
pub use receipt::{ReceiptVerdict, record_hash, verify_receipt};
pub use trust::{Signer, Voucher};
pub use witnesses::{WitnessSight, Witnessed};

/// The previous hash of the first record of every chain.
pub const GENESIS_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";
