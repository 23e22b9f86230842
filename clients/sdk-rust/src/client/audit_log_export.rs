//! The tenant's audit log as the lines of an export, page by page through MAX audit_query.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::ops::{Bound, RangeBounds};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::canonical::canonical_json;
use crate::client::Client;
use crate::client::call_options::CallOptions;
use crate::error::{Error, ErrorCode, Fields};

const PAGE_RECORDS: u64 = 500;
/// About 12 MB of notes; beyond that every second one is dropped. The last one covers all, so no proof is
/// lost.
const NOTES_HELD_MAX: usize = 50_000;

/// The lines of an export, as [`Client::export_audit_log`] reads them.
#[must_use = "nothing is read unless it is asked for its next line"]
pub struct AuditLogExport<'a> {
    client: &'a Client,
    from_seq: u64,
    /// As requested; the export continues to the first signed checkpoint at or after it.
    until_seq: Option<u64>,
    state: State,
    notes: Vec<Note>,
    lines: VecDeque<String>,
}

enum State {
    NotBegun,
    /// How far records were read, where they end, and the notes that must not be dropped.
    Reading {
        reached: u64,
        to_seq: u64,
        needed: BTreeSet<u64>,
    },
    Ended,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Page {
    records: Vec<Map<String, Value>>,
    next_after_seq: Option<u64>,
    keys: Vec<Value>,
    checkpoints: Vec<Note>,
    newest_checkpoint: Option<Newest>,
    proofs: Vec<Proof>,
}

#[derive(Deserialize)]
struct Note {
    size: u64,
    note: String,
}

#[derive(Deserialize)]
struct Newest {
    size: u64,
}

#[derive(Deserialize)]
struct Proof {
    tree_size: u64,
}

impl Client {
    /// Your tenant's audit log as export lines: store them, or pass them to an
    /// [`ExportVerifier`](crate::audit_log::ExportVerifier). Only a whole audit log, `1..`, can be proved;
    /// with an upper bound it continues to the first signed checkpoint after it.
    ///
    /// ```no_run
    /// use svc_sdk::audit_log::{ExportOptions, ExportVerifier};
    ///
    /// # async fn shown(client: svc_sdk::Client) -> Result<(), svc_sdk::Error> {
    /// let mut verifier = ExportVerifier::new(ExportOptions::default());
    /// let mut lines = client.export_audit_log(1..);
    /// while let Some(line) = lines.next().await {
    ///     verifier.take(&line?);
    /// }
    /// assert!(verifier.finish().ok);
    /// # Ok(())
    /// # }
    /// ```
    pub fn export_audit_log(&self, seqs: impl RangeBounds<u64>) -> AuditLogExport<'_> {
        let from_seq = match seqs.start_bound() {
            Bound::Included(&first) => first.max(1),
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 1,
        };
        let until_seq = match seqs.end_bound() {
            Bound::Included(&last) => Some(last),
            Bound::Excluded(&after) => Some(after.saturating_sub(1)),
            Bound::Unbounded => None,
        };
        let (notes, lines) = (Vec::new(), VecDeque::new());
        AuditLogExport { client: self, from_seq, until_seq, state: State::NotBegun, notes, lines }
    }
}

impl AuditLogExport<'_> {
    /// The next line, without its line end; none after the last one or after an error.
    pub async fn next(&mut self) -> Option<Result<String, Error>> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Some(Ok(line));
            }
            let read = match self.state {
                State::NotBegun => self.begin().await,
                State::Reading { reached, .. } => self.ask_page(reached).await.map(|page| self.take(page)),
                State::Ended => return None,
            };
            if let Err(error) = read {
                self.state = State::Ended;
                return Some(Err(error));
            }
        }
    }

    async fn begin(&mut self) -> Result<(), Error> {
        if self.until_seq.is_some_and(|last| last < self.from_seq) {
            let message = "The range that was asked for holds no record; ask for one that does.";
            return Err(Fields::new(ErrorCode::InvalidRequest, "nothing to export", message).into());
        }
        let covering = match self.until_seq {
            // Past the end of the chain there is none, so the newest checkpoint is used.
            Some(seq) => self.size_covering(seq).await?,
            None => None,
        };
        let page = self.ask_page(self.from_seq - 1).await?;
        // Fixed here: every query is recorded too, so the audit log grows with each page.
        let to_seq = covering.or(page.newest_checkpoint.as_ref().map(|newest| newest.size)).unwrap_or(0);
        let first = page.records.first().filter(|_| to_seq >= self.from_seq);
        let first = first.ok_or_else(|| self.nothing_to_export(to_seq))?;
        let tenant_id = first.get("tenant_id").and_then(Value::as_str).unwrap_or_default();
        let header = json!({
            "format": "svc-audit-export/1",
            "tenant_id": tenant_id,
            "origin": format!("svc/{tenant_id}"),
            "keys": page.keys,
            "from_seq": self.from_seq,
            "to_seq": to_seq,
            "previous_hash": first.get("previous_hash"),
        });
        self.lines.push_back(header.to_string());
        let mut needed: BTreeSet<u64> =
            page.keys.iter().filter_map(|key| key["until_seq"].as_u64()).collect();
        needed.insert(to_seq);
        self.state = State::Reading { reached: self.from_seq - 1, to_seq, needed };
        self.take(page);
        Ok(())
    }

    fn take(&mut self, page: Page) {
        let State::Reading { reached, to_seq, needed } = &mut self.state else { return };
        let last = page.records.last().and_then(seq_of).unwrap_or(*to_seq);
        let kept = page.records.into_iter().filter(|record| seq_of(record).is_some_and(|seq| seq <= *to_seq));
        self.lines.extend(kept.map(line_of));
        self.notes.extend(page.checkpoints.into_iter().filter(|note| note.size <= *to_seq));
        if self.notes.len() > NOTES_HELD_MAX {
            thin(&mut self.notes, needed);
        }
        // A page without progress ends the export too; the verifier reports what is missing.
        if last >= *to_seq || last <= *reached || page.next_after_seq.is_none() {
            self.state = State::Ended;
            let notes =
                self.notes.drain(..).map(|Note { note, .. }| json!({ "checkpoint": note }).to_string());
            self.lines.extend(notes);
        } else {
            *reached = last;
        }
    }

    async fn ask_page(&self, after_seq: u64) -> Result<Page, Error> {
        self.ask(json!({ "after_seq": after_seq, "limit": PAGE_RECORDS, "include_checkpoints": true })).await
    }

    async fn size_covering(&self, seq: u64) -> Result<Option<u64>, Error> {
        let wish = json!({ "after_seq": seq.saturating_sub(1), "limit": 1, "include_proofs": true });
        Ok(self.ask(wish).await?.proofs.first().map(|proof| proof.tree_size))
    }

    async fn ask(&self, wish: Value) -> Result<Page, Error> {
        Ok(self.client.dispatch("MAX", "audit_query", &wish, &CallOptions::new()).await?.output)
    }

    fn nothing_to_export(&self, to_seq: u64) -> Error {
        let found = match to_seq {
            0 => "holds no signed record yet".to_owned(),
            _ => format!("is signed up to record {to_seq}"),
        };
        let from_seq = self.from_seq;
        let message =
            format!("The audit log {found}, so there is nothing to export from record {from_seq} on.");
        Fields::new(ErrorCode::InvalidRequest, "nothing to export", message).into()
    }
}

impl fmt::Debug for AuditLogExport<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AuditLogExport").field("from_seq", &self.from_seq).finish_non_exhaustive()
    }
}

fn seq_of(record: &Map<String, Value>) -> Option<u64> {
    record.get("seq").and_then(Value::as_u64)
}

fn line_of(mut record: Map<String, Value>) -> String {
    record.remove("previous_hash");
    let record_hash = record.remove("record_hash");
    let line = json!({ "record": record, "record_hash": record_hash });
    // An overwritten record is exported unchanged, so that it fails verification.
    canonical_json(&line).unwrap_or_else(|_| line.to_string())
}

/// Keeps each witness's latest cosignature: it says how far the audit log is witnessed.
fn thin(notes: &mut Vec<Note>, needed: &BTreeSet<u64>) {
    let mut signers = BTreeSet::new();
    let mut nth = notes.len();
    notes.reverse();
    notes.retain(|Note { size, note }| {
        let mut is_newest_of_one = false;
        for name in note.lines().filter_map(|line| line.strip_prefix("\u{2014} ")?.split_once(' ')) {
            is_newest_of_one |= signers.insert(name.0.to_owned());
        }
        nth -= 1;
        is_newest_of_one || nth % 2 == 1 || needed.contains(size)
    });
    notes.reverse();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_note_is_left_out_but_none_that_is_needed_or_the_last_of_a_witness() {
        let note = |size: u64| {
            let witness = if size == 3 { "\n\u{2014} witness AAAA" } else { "" };
            Note { size, note: format!("svc/acme\n{size}\nroot\n\n\u{2014} svc/acme BBBB{witness}\n") }
        };
        let mut notes: Vec<Note> = (1..=9).map(note).collect();
        thin(&mut notes, &BTreeSet::from([5, 9]));
        let sizes: Vec<u64> = notes.iter().map(|note| note.size).collect();
        assert_eq!(sizes, [2, 3, 4, 5, 6, 8, 9]);
    }
}
