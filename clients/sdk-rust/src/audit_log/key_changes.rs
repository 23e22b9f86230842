//! A key change is recorded in the chain, signed by the old and the new key, and covered by the old key's
//! last checkpoint.

use super::fault::Fault;
use super::header::{ChainKey, Header};
use crate::bytes::from_base64url;
use crate::signature::{SigningDomain, signing_input};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

const ROTATION_EVENT: &str = "AuditKeyRotated";

/// Compares the keys in the header with the key changes in the chain.
pub(crate) struct KeyChanges {
    tenant_id: String,
    /// Keyed by the last record of the old key, which must record the change.
    changes: BTreeMap<u64, (ChainKey, ChainKey)>,
    uncovered: BTreeSet<u64>,
}

impl KeyChanges {
    pub fn new(header: &Header) -> Self {
        let pairs = header.keys.iter().zip(header.keys.iter().skip(1));
        let changes: BTreeMap<_, _> = pairs
            .filter_map(|(before, after)| Some((before.until_seq?, (before.clone(), after.clone()))))
            .collect();
        let uncovered = changes.range(header.from_seq..=header.to_seq).map(|(seq, _)| *seq).collect();
        Self { tenant_id: header.tenant_id.clone(), changes, uncovered }
    }

    pub fn take_record(&self, seq: u64, record: &Map<String, Value>) -> Result<(), Fault> {
        let tells = record.get("event_type").and_then(Value::as_str) == Some(ROTATION_EVENT);
        let Some((before, after)) = self.changes.get(&seq) else {
            let unknown = "the record tells of a change of keys that the header does not know";
            return if tells { Err(Fault::at(seq, unknown)) } else { Ok(()) };
        };
        if !tells {
            let who = format!("the key {} follows {}", after.key.key_id, before.key.key_id);
            return Err(Fault::at(seq, format!("{who}, but no record tells of the change")));
        }
        let meta = record.get("meta").and_then(Value::as_object);
        if meta.is_some_and(|meta| self.is_signed_by_both(seq, before, after, meta)) {
            return Ok(());
        }
        Err(Fault::at(seq, "the change of keys is not signed by the key before it and the key after it"))
    }

    pub fn take_checkpoint(&mut self, size: u64) {
        self.uncovered.remove(&size);
    }

    /// Without the old key's last checkpoint, a thief of the new key could rewrite everything before it.
    pub fn finish(&self) -> Result<(), Fault> {
        self.uncovered.first().map_or(Ok(()), |seq| {
            Err(Fault::at(*seq, "no checkpoint of the old key covers the change of keys"))
        })
    }

    fn is_signed_by_both(
        &self,
        seq: u64,
        before: &ChainKey,
        after: &ChainKey,
        meta: &Map<String, Value>,
    ) -> bool {
        let text_of = |name: &str| meta.get(name).and_then(Value::as_str);
        let (old_key_id, new_key_id) = (&before.key.key_id, &after.key.key_id);
        let new_public_key = &after.key.public_key;
        // An id is only four bytes of a digest, so compare the whole key.
        let names_both = text_of("old_key_id") == Some(old_key_id)
            && text_of("new_key_id") == Some(new_key_id)
            && text_of("new_public_key") == Some(new_public_key);
        let mut by_old = json!({ "seq": seq, "tenant_id": self.tenant_id, "old_key_id": old_key_id });
        let mut by_new = by_old.clone();
        by_old["new_public_key"] = json!(new_public_key);
        by_new["new_key_id"] = json!(new_key_id);
        names_both
            && is_statement_of(before, &by_old, text_of("old_signature"))
            && is_statement_of(after, &by_new, text_of("new_signature"))
    }
}

fn is_statement_of(key: &ChainKey, statement: &Value, signature: Option<&str>) -> bool {
    let signature = signature.and_then(from_base64url);
    let text = signing_input(SigningDomain::Audit, statement).ok();
    text.zip(signature).is_some_and(|(text, signature)| key.key.verifies(text.as_bytes(), &signature))
}
