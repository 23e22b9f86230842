//! The first line of an export: its chain, the range of records, and which key signed which range.

use super::GENESIS_HASH;
use super::fault::{Fault, cut, shown};
use super::note::{Note, NoteKey};
use crate::bytes::hash_from_hex;
use crate::json_text::count_of;
use serde_json::{Map, Value};

const KNOWN_FORMAT: &str = "svc-audit-export/1";
const KEYS_MAX: usize = 10_000;
const TENANT_CHARS_MAX: usize = 63;

pub(crate) struct Header {
    pub tenant_id: String,
    pub origin: String,
    pub keys: Vec<ChainKey>,
    pub from_seq: u64,
    pub to_seq: u64,
    pub previous_hash: String,
}

/// A key and the records whose checkpoints it signs.
#[derive(Clone)]
pub(crate) struct ChainKey {
    pub key: NoteKey,
    pub from_seq: u64,
    /// None for the current key.
    pub until_seq: Option<u64>,
}

impl Header {
    pub fn read(line: &Map<String, Value>) -> Result<Self, Fault> {
        let text_of = |name: &str| line.get(name).and_then(Value::as_str);
        if text_of("format") != Some(KNOWN_FORMAT) {
            return Err(Fault::new(format!("the first line does not say {KNOWN_FORMAT}")));
        }
        let tenant_id = text_of("tenant_id").filter(|text| is_tenant_id(text));
        let tenant_id = tenant_id.ok_or_else(|| Fault::new("the header names no tenant"))?.to_owned();
        let origin = format!("svc/{tenant_id}");
        if text_of("origin") != Some(&origin) {
            return Err(Fault::new(format!("the header's origin is not that of {tenant_id}")));
        }
        let span =
            seq_of(line.get("from_seq")).zip(seq_of(line.get("to_seq"))).filter(|(from, to)| from <= to);
        let (from_seq, to_seq) = span.ok_or_else(|| Fault::new("the header names no span of records"))?;
        let previous_hash = text_of("previous_hash").filter(|text| hash_from_hex(text).is_some());
        let previous_hash = previous_hash
            .ok_or_else(|| Fault::new("the header does not say which hash comes before the first record"))?;
        if from_seq == 1 && previous_hash != GENESIS_HASH {
            let what = "the first record of a chain follows 64 zeros, and the header says otherwise";
            return Err(Fault::at(1, what));
        }
        let keys = read_keys(line.get("keys"), &origin)?;
        Ok(Self { tenant_id, origin, keys, from_seq, to_seq, previous_hash: previous_hash.to_owned() })
    }

    /// A key vouches only for tree sizes within its range.
    pub fn is_signed_in_time(&self, note: &Note) -> bool {
        let size = note.tree().size;
        let is_its_time =
            |key: &&ChainKey| size >= key.from_seq && key.until_seq.is_none_or(|until| size <= until);
        self.keys.iter().filter(is_its_time).any(|key| key.key.has_signed(note))
    }
}

/// Each key starts where the previous one ends, and only the last has no end.
fn read_keys(list: Option<&Value>, origin: &str) -> Result<Vec<ChainKey>, Fault> {
    let list = list.and_then(Value::as_array).filter(|list| (1..=KEYS_MAX).contains(&list.len()));
    let list = list.ok_or_else(|| Fault::new("the header lists no keys"))?;
    let mut keys: Vec<ChainKey> = Vec::with_capacity(list.len());
    for (place, item) in list.iter().enumerate() {
        let key = read_chain_key(item, origin)?;
        let begins = keys.last().and_then(|before| before.until_seq).map_or(1, |until| until + 1);
        let is_cut_short = key.until_seq.is_none() && place + 1 < list.len();
        let key_id = &key.key.key_id;
        if key.from_seq != begins || key.until_seq.is_some_and(|until| until < begins) || is_cut_short {
            return Err(Fault::new(format!(
                "the key {key_id} does not take over where the one before it ends"
            )));
        }
        keys.push(key);
    }
    Ok(keys)
}

fn read_chain_key(item: &Value, origin: &str) -> Result<ChainKey, Fault> {
    let fields = item.as_object().ok_or_else(|| Fault::new("the header lists something that is no key"))?;
    let until_seq = match fields.get("until_seq") {
        Some(Value::Null) => Some(None),
        // The next number must still be a valid record number.
        value => count_of(value).filter(|until| *until < SEQ_MAX).map(Some),
    };
    let span = seq_of(fields.get("from_seq")).zip(until_seq);
    let (from_seq, until_seq) =
        span.ok_or_else(|| Fault::new("a key of the header has no span of records"))?;
    let public_key = fields.get("public_key").and_then(Value::as_str);
    let public_key = public_key.ok_or_else(|| Fault::new("a key of the header has no public key"))?;
    let key = NoteKey::read(origin, public_key).map_err(Fault::new)?;
    let stated = fields.get("key_id");
    if stated.and_then(Value::as_str) != Some(&key.key_id) {
        let stated = cut(&shown(stated), 16);
        return Err(Fault::new(format!("the key {stated} has another id than its bytes give")));
    }
    Ok(ChainKey { key, from_seq, until_seq })
}

const SEQ_MAX: u64 = (1 << 53) - 1;

fn seq_of(value: Option<&Value>) -> Option<u64> {
    count_of(value).filter(|seq| *seq >= 1)
}

fn is_tenant_id(text: &str) -> bool {
    (1..=TENANT_CHARS_MAX).contains(&text.len())
        && !text.starts_with('-')
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}
