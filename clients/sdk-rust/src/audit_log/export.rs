use super::fault::{Fault, cut, is_longer};
use super::header::Header;
use super::reading::Reading;
use super::trust::{Signer, Voucher, named_signers, require_trusted, vouchers_of};
use super::witnesses::{Witnessed, Witnesses};
use crate::json_text::read_json;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, BufRead, Read};

const LINE_CHARS_MAX: usize = 4 * 1024 * 1024;
/// A UTF-16 unit takes three bytes at most.
const LINE_BYTES_MAX: u64 = 3 * LINE_CHARS_MAX as u64;

/// What the verifier knows besides the export.
#[derive(Debug, Clone, Default)]
pub struct ExportOptions {
    /// Signed notes from earlier: only they reveal a cut tail or a rewritten chain.
    pub checkpoints: Vec<String>,
    /// Public keys (base64url) you trust. They must have signed the export, or vouch for the keys that did;
    /// otherwise it is rejected.
    pub trusted_keys: Option<Vec<String>>,
    /// `audit_head` values from earlier answers: each must be in the chain.
    pub heads: Vec<String>,
    /// Witnesses you trust, each as `name+id+key`: the verdict then says how far they have cosigned the
    /// chain.
    pub witness_keys: Vec<String>,
    /// How many of them must have cosigned; 0 only reports it.
    pub witnesses_needed: usize,
}

/// What an export proves. Without a trusted key, checkpoint or witness it is at most `ok`: consistent, but
/// signed by an unknown party. With one it is `verified`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportVerdict {
    /// The log is complete and consistent, and something you trust vouches for all of it. Check this, not
    /// `ok`.
    pub verified: bool,
    /// Nothing contradicts it. Anybody can create such a log and sign it with their own key.
    pub ok: bool,
    /// The tenant, if it could be read.
    pub tenant_id: Option<String>,
    /// The number of valid records.
    pub records: u64,
    /// The number of valid signed checkpoints.
    pub checkpoints: u64,
    /// False for a partial chain: links and signatures were checked, but no signed root could be computed.
    pub roots_checked: bool,
    /// The keys that signed it, in order of succession; empty if something is wrong.
    pub signed_by: Vec<Signer>,
    /// What you trust that vouches for it; empty if only the export itself does.
    pub vouched_by: Vec<Voucher>,
    /// The first record affected by the fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_bad_seq: Option<u64>,
    /// What is wrong, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The last record's hash, if there is no fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// True if the chain was sealed: nothing can follow.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sealed: bool,
    /// Present if witness keys were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witnessed: Option<Witnessed>,
}

/// Checks an export of an audit log offline, line by line: canonical form, hash links, Merkle roots,
/// signatures, key changes, and that nothing follows a seal. It keeps one line and 32 bytes per record in
/// memory.
///
/// ```
/// use svc_sdk::audit_log::{ExportOptions, verify_export};
///
/// let verdict = verify_export("not an export\n".as_bytes(), &ExportOptions::default());
/// assert_eq!(verdict.reason.as_deref(), Some("a line is not JSON"));
/// ```
pub fn verify_export(mut export: impl BufRead, options: &ExportOptions) -> ExportVerdict {
    let mut verifier = ExportVerifier::new(options.clone());
    let mut line = Vec::new();
    while verifier.fault.is_none() {
        match next_line(&mut export, &mut line) {
            Ok(true) => verifier.take_bytes(&line),
            Ok(false) => break,
            Err(error) => verifier.fault = Some(Fault::new(format!("the export cannot be read: {error}"))),
        }
    }
    verifier.finish()
}

/// False at the end. An overlong line is cut one byte past the limit.
fn next_line(export: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = export.take(LINE_BYTES_MAX + 1).read_until(b'\n', line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok(read > 0)
}

/// The same check as [`verify_export`] for lines that arrive one by one, such as from the network.
///
/// ```
/// use svc_sdk::audit_log::{ExportOptions, ExportVerifier};
///
/// let mut verifier = ExportVerifier::new(ExportOptions::default());
/// for line in ["{}", "{}"] {
///     verifier.take(line);
/// }
/// assert!(!verifier.finish().ok);
/// ```
pub struct ExportVerifier {
    options: ExportOptions,
    witnesses: Witnesses,
    reading: Option<Reading>,
    fault: Option<Fault>,
}

impl ExportVerifier {
    /// A verifier that has read nothing yet.
    pub fn new(options: ExportOptions) -> Self {
        Self { options, witnesses: Witnesses::default(), reading: None, fault: None }
    }

    /// Takes one line without its line end. After the first fault, further lines are ignored.
    pub fn take(&mut self, line: &str) {
        if self.fault.is_none() {
            self.fault = self.read(line).err();
        }
    }

    /// Ends the export and returns the verdict.
    pub fn finish(mut self) -> ExportVerdict {
        if self.fault.is_none() {
            self.fault = self.close().err();
        }
        self.verdict()
    }

    fn take_bytes(&mut self, line: &[u8]) {
        match std::str::from_utf8(line) {
            _ if line.len() as u64 > LINE_BYTES_MAX => self.fault = Some(self.too_long()),
            Ok(line) => self.take(line),
            Err(_) => self.fault = Some(self.fault_here("a line is not JSON")),
        }
    }

    fn read(&mut self, line: &str) -> Result<(), Fault> {
        if is_longer(line, LINE_CHARS_MAX) {
            return Err(self.too_long());
        }
        let text = read_json(line).ok_or_else(|| self.fault_here("a line is not JSON"))?;
        let Value::Object(fields) = &text.value else {
            return Err(self.fault_here("a line is not a JSON object"));
        };
        let Some(reading) = &mut self.reading else {
            self.witnesses.trust(&self.options.witness_keys, self.options.witnesses_needed)?;
            let header = Header::read(fields)?;
            require_trusted(&header, self.options.trusted_keys.as_deref())?;
            self.reading = Some(Reading::new(header, &self.options));
            return Ok(());
        };
        match fields.get("checkpoint") {
            Some(checkpoint) => reading.take_checkpoint(fields, checkpoint, &mut self.witnesses),
            None => reading.take_record(line, &text, fields),
        }
    }

    fn close(&mut self) -> Result<(), Fault> {
        let reading = self.reading.as_mut().ok_or_else(|| Fault::new("the export is empty"))?;
        reading.finish()?;
        for text in &self.options.checkpoints {
            reading.compare_kept(text, &mut self.witnesses)?;
        }
        if let Some(head) = reading.missing_head(&self.options.heads) {
            let head = cut(head, 64);
            return Err(Fault::new(format!(
                "the head {head} was given to a client and is not in this chain"
            )));
        }
        self.witnesses.finish()
    }

    fn too_long(&self) -> Fault {
        self.fault_here(&format!("a line is longer than {LINE_CHARS_MAX} characters"))
    }

    fn fault_here(&self, reason: &str) -> Fault {
        Fault { reason: reason.to_owned(), seq: self.reading.as_ref().map(|reading| reading.next_seq) }
    }

    fn verdict(self) -> ExportVerdict {
        let witnessed = self.witnesses.verdict();
        let ok = self.fault.is_none();
        let (reason, first_bad_seq) =
            self.fault.map_or((None, None), |fault| (Some(fault.reason), fault.seq));
        let reading = self.reading;
        let sound = reading.as_ref().filter(|_| ok);
        let vouched_by = sound
            .filter(|reading| reading.knows_roots())
            .map_or_else(Vec::new, |reading| vouchers_of(&reading.header, &self.options, witnessed.as_ref()));
        ExportVerdict {
            verified: !vouched_by.is_empty(),
            ok,
            tenant_id: reading.as_ref().map(|reading| reading.header.tenant_id.clone()),
            records: reading.as_ref().map_or(0, |reading| reading.records),
            checkpoints: reading.as_ref().map_or(0, |reading| reading.checkpoints),
            roots_checked: reading.as_ref().is_some_and(Reading::knows_roots),
            signed_by: sound.map_or_else(Vec::new, |reading| named_signers(&reading.header)),
            vouched_by,
            first_bad_seq,
            reason,
            sealed: ok && reading.as_ref().is_some_and(|reading| reading.is_sealed),
            head: reading.filter(|_| ok).map(|reading| reading.head),
            witnessed,
        }
    }
}
