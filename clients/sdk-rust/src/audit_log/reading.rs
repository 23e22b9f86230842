//! Records and checkpoints of an export, each compared with what came before it.

use super::export::ExportOptions;
use super::fault::{Fault, cut, quoted, shown};
use super::growing_tree::GrowingTree;
use super::header::Header;
use super::key_changes::KeyChanges;
use super::note::Note;
use super::witnesses::Witnesses;
use crate::bytes::{Hash, sha256, to_hex};
use crate::canonical::canonical_json;
use crate::json_text::{JsonText, count_of};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

const SEALING_EVENT: &str = "ChainSealed";

/// The state after the header.
pub(crate) struct Reading {
    pub header: Header,
    key_changes: KeyChanges,
    /// Present only if the export starts at the first record: a partial chain has no computable root.
    tree: Option<GrowingTree>,
    /// The hash of the last record.
    pub head: String,
    pub next_seq: u64,
    pub records: u64,
    pub checkpoints: u64,
    signed_size: u64,
    heads_missing: BTreeSet<String>,
    pub is_sealed: bool,
}

impl Reading {
    pub fn new(header: Header, options: &ExportOptions) -> Self {
        // Computes the roots at the sizes of kept notes on the way, because the tree cannot go back.
        let kept =
            options.checkpoints.iter().filter_map(|text| Note::read(text)).map(|note| note.tree().size);
        Self {
            key_changes: KeyChanges::new(&header),
            tree: (header.from_seq == 1).then(|| GrowingTree::new(kept.collect())),
            head: header.previous_hash.clone(),
            next_seq: header.from_seq,
            records: 0,
            checkpoints: 0,
            signed_size: 0,
            heads_missing: options.heads.iter().cloned().collect(),
            is_sealed: false,
            header,
        }
    }

    pub fn take_record(
        &mut self,
        line: &str,
        text: &JsonText,
        fields: &Map<String, Value>,
    ) -> Result<(), Fault> {
        let seq = self.next_seq;
        let fault = |reason: &str| Err(Fault::at(seq, reason));
        if self.checkpoints > 0 {
            return fault("a record stands after the checkpoints");
        }
        let record = fields.get("record").and_then(Value::as_object);
        let stated = fields.get("record_hash").and_then(Value::as_str);
        let Some((record, stated)) = record.zip(stated) else {
            return fault("a line is no record");
        };
        refuse_more(fields, 2, Some(seq))?;
        // No checkpoint covers records past the end.
        if seq > self.header.to_seq {
            return fault("a record stands past the end that the header names");
        }
        // Only the canonical text is the record, even if another text means the same.
        let Some(body) = canonical_body(line, text, stated) else {
            return fault("the record is not in canonical form");
        };
        let stated_seq = record.get("seq");
        if count_of(stated_seq) != Some(seq) {
            let other = shown(stated_seq);
            return fault(&format!("record {seq} is missing: seq {other} stands in its place"));
        }
        if record.get("tenant_id").and_then(Value::as_str) != Some(&self.header.tenant_id) {
            return fault("the record belongs to another tenant");
        }
        let hash = sha256(format!("{}{body}", self.head).as_bytes());
        if to_hex(&hash) != stated {
            return fault("its hash does not match its content and the previous hash");
        }
        if self.is_sealed {
            return fault("a record stands after the one that sealed the chain");
        }
        self.is_sealed = record.get("event_type").and_then(Value::as_str) == Some(SEALING_EVENT);
        self.key_changes.take_record(seq, record)?;
        self.add(stated, hash);
        Ok(())
    }

    fn add(&mut self, record_hash: &str, hash: Hash) {
        self.head = record_hash.to_owned();
        self.next_seq += 1;
        self.records += 1;
        self.heads_missing.remove(record_hash);
        if let Some(tree) = &mut self.tree {
            tree.add(hash);
        }
    }

    pub fn take_checkpoint(
        &mut self,
        fields: &Map<String, Value>,
        checkpoint: &Value,
        witnesses: &mut Witnesses,
    ) -> Result<(), Fault> {
        let note = checkpoint.as_str().and_then(Note::read);
        let note = note.ok_or_else(|| Fault::new("a checkpoint is no signed note"))?;
        refuse_more(fields, 1, None)?;
        let (size, origin) = (note.tree().size, note.origin());
        if origin != self.header.origin {
            return Err(Fault::new(format!("a checkpoint is of another log, {}", cut(origin, 80))));
        }
        let misfit = format!("the checkpoint of size {size} does not fit the records of this export");
        if size <= self.signed_size || size < self.header.from_seq {
            return Err(Fault::new(misfit));
        }
        if size >= self.next_seq {
            return Err(Fault::at(self.next_seq, misfit));
        }
        if !self.header.is_signed_in_time(&note) {
            let what = format!("the checkpoint of size {size} is not signed by the key of its time");
            return Err(Fault::new(what));
        }
        if !self.has_root_of(&note) {
            let what = format!("the checkpoint of size {size} signs another root than these records have");
            return Err(Fault::at(self.signed_size + 1, what));
        }
        witnesses.take(&note)?;
        self.key_changes.take_checkpoint(size);
        self.signed_size = size;
        self.checkpoints += 1;
        Ok(())
    }

    /// False for a partial chain, whose roots cannot be computed.
    pub fn knows_roots(&self) -> bool {
        self.tree.is_some()
    }

    /// True for a partial chain, whose roots are unknown.
    fn has_root_of(&mut self, note: &Note) -> bool {
        let signed = note.tree();
        self.tree.as_mut().is_none_or(|tree| tree.root_at(signed.size) == Some(signed.root))
    }

    pub fn finish(&self) -> Result<(), Fault> {
        let to_seq = self.header.to_seq;
        if self.next_seq <= to_seq {
            let ends = format!("ends after {}", self.next_seq - 1);
            let what = format!("the export promises records up to {to_seq} and {ends}");
            return Err(Fault::at(self.next_seq, what));
        }
        if self.signed_size != to_seq {
            let what = format!("no checkpoint covers the records up to {to_seq}");
            return Err(Fault::at(self.signed_size + 1, what));
        }
        self.key_changes.finish()
    }

    /// A kept note must belong to this chain, and must not be larger than it.
    pub fn compare_kept(&mut self, text: &str, witnesses: &mut Witnesses) -> Result<(), Fault> {
        let note = Note::read(text).ok_or_else(|| Fault::new("a held checkpoint is no signed note"))?;
        let (size, origin) = (note.tree().size, note.origin());
        if origin != self.header.origin {
            return Err(Fault::new(format!("a held checkpoint is of another log, {}", cut(origin, 80))));
        }
        if !self.header.is_signed_in_time(&note) {
            let what = format!("a held checkpoint of size {size} is not signed by a key of this export");
            return Err(Fault::new(what));
        }
        if size > self.header.to_seq {
            let what = format!("the tail is missing: a checkpoint of size {size} is held elsewhere");
            return Err(Fault::at(self.header.to_seq + 1, what));
        }
        if !self.has_root_of(&note) {
            let what = format!("a checkpoint of size {size} held elsewhere signs another root");
            return Err(Fault::new(format!("{what}: the chain was rewritten")));
        }
        witnesses.take(&note)
    }

    /// The first missing head, in the order given.
    pub fn missing_head<'a>(&self, heads: &'a [String]) -> Option<&'a String> {
        heads.iter().find(|head| self.heads_missing.contains(*head))
    }
}

/// The text that was hashed; none if the line is not in canonical form.
fn canonical_body(line: &str, text: &JsonText, record_hash: &str) -> Option<String> {
    if text.flaw.is_some() {
        return None;
    }
    let body = canonical_json(text.value.get("record")?).ok()?;
    let stated = quoted(record_hash);
    (line == format!(r#"{{"record":{body},"record_hash":{stated}}}"#)).then_some(body)
}

/// Extra fields beside a record or a checkpoint are not signed but would look as if they were.
fn refuse_more(fields: &Map<String, Value>, count: usize, seq: Option<u64>) -> Result<(), Fault> {
    let reason = || Fault { reason: "a line holds a field that nobody signed".to_owned(), seq };
    if fields.len() > count { Err(reason()) } else { Ok(()) }
}
