//! What vouches for a log: anybody can create a consistent one and sign it with a new key.

use super::export::ExportOptions;
use super::fault::Fault;
use super::header::{ChainKey, Header};
use super::witnesses::Witnessed;
use serde::Serialize;

/// A key that signed checkpoints of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signer {
    /// The first bytes of its digest, in hex.
    pub key_id: String,
    /// base64url.
    pub public_key: String,
}

/// What you trust that vouches for a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Voucher {
    /// A key you trust signed it.
    Key,
    /// It contains a checkpoint you kept, and continues under the key that signed that checkpoint.
    Checkpoint,
    /// Witnesses you trust cosigned this log up to its last record, so it was not rewritten since; they do
    /// not prove who signed it.
    Witness,
}

/// The keys that sign within the export, in order of succession. A key of another range vouches for nothing
/// in it.
fn signers_of(header: &Header) -> impl Iterator<Item = &ChainKey> {
    let signs = |key: &&ChainKey| {
        key.from_seq <= header.to_seq && key.until_seq.is_none_or(|until| until >= header.from_seq)
    };
    header.keys.iter().filter(signs)
}

/// The same keys, for the verdict.
pub(crate) fn named_signers(header: &Header) -> Vec<Signer> {
    let named =
        |key: &ChainKey| Signer { key_id: key.key.key_id.clone(), public_key: key.key.public_key.clone() };
    signers_of(header).map(named).collect()
}

/// One trusted key vouches for the others: for earlier keys by signing the tree that holds their records, for
/// later keys by signing the records that name them. If a trusted key is missing, an unknown one may have
/// replaced it.
pub(crate) fn require_trusted(header: &Header, trusted: Option<&[String]>) -> Result<(), Fault> {
    let Some(trusted) = trusted else { return Ok(()) };
    let Some(stranger) = signers_of(header).find(|key| !trusted.contains(&key.key.public_key)) else {
        return Ok(());
    };
    let key_id = &stranger.key.key_id;
    let what = format!("the key {key_id} of the export is not among the keys you trust");
    let signs = |trusted: &&String| signers_of(header).any(|key| key.key.public_key == **trusted);
    match trusted.iter().filter(signs).count() {
        0 => Err(Fault::new(what)),
        signing if signing < trusted.len() => {
            Err(Fault::new(format!("{what}, and one that you trust signs none of it")))
        }
        _ => Ok(()),
    }
}

/// What vouches for a whole export that has no fault and whose roots were checked.
pub(crate) fn vouchers_of(
    header: &Header,
    options: &ExportOptions,
    witnessed: Option<&Witnessed>,
) -> Vec<Voucher> {
    // A cosignature does not cover later records, and anybody could append those.
    let is_witnessed = witnessed.is_some_and(|witnessed| witnessed.size == header.to_seq);
    [
        (options.trusted_keys.is_some(), Voucher::Key),
        (!options.checkpoints.is_empty(), Voucher::Checkpoint),
        (is_witnessed, Voucher::Witness),
    ]
    .into_iter()
    .filter_map(|(vouches, voucher)| vouches.then_some(voucher))
    .collect()
}
