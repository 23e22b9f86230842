use super::fault::shown;
use super::merkle::{hash_from_hex, root_of_path};
use super::note::{Note, NoteKey};
use crate::bytes::Hash;
use crate::canonical::{NoCanonicalForm, canonical_json, sha256_hex};
use crate::json_text::count_of;
use serde::Serialize;
use serde_json::Value;

/// Whether a receipt proves its record, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReceiptVerdict {
    /// The record is in the signed audit log.
    pub ok: bool,
    /// What is wrong, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The hash of a record: over the previous record's hash in hex and the record's canonical text. `printf
/// '%s%s' "$previous" "$record" | sha256sum` gives the same.
///
/// # Errors
/// If the record has no canonical form.
pub fn record_hash(previous_hash: &str, record: &Value) -> Result<String, NoCanonicalForm> {
    Ok(sha256_hex(format!("{previous_hash}{}", canonical_json(record)?)))
}

/// Checks one receipt offline: the record's hash, its path to the tree root, and the signature over that
/// root. `public_keys` (base64url) are those you trust for the tenant; a key you kept proves more than one
/// that came with the receipt.
///
/// ```
/// use serde_json::json;
/// use svc_sdk::audit_log::verify_receipt;
///
/// let verdict = verify_receipt(&json!({ "record": null }), &["key"]);
/// assert_eq!(verdict.reason.as_deref(), Some("the receipt holds no record"));
/// ```
pub fn verify_receipt(receipt: &Value, public_keys: &[impl AsRef<str>]) -> ReceiptVerdict {
    let reason = find_fault(receipt, public_keys).err();
    ReceiptVerdict { ok: reason.is_none(), reason }
}

fn find_fault(receipt: &Value, public_keys: &[impl AsRef<str>]) -> Result<(), String> {
    let unreadable = |what: String| format!("the receipt cannot be read: {what}");
    let record = receipt.get("record").and_then(Value::as_object);
    let mut body = record.ok_or("the receipt holds no record")?.clone();
    let (previous_hash, stated) = (body.remove("previous_hash"), body.remove("record_hash"));
    let (seq, tenant_id) = (count_of(body.get("seq")), shown(body.get("tenant_id")));
    let hash = record_hash(&shown(previous_hash.as_ref()), &Value::Object(body));
    let hash = hash.map_err(|error| unreadable(error.to_string()))?;
    if stated.as_ref().and_then(Value::as_str) != Some(&hash) {
        return Err("the record does not have the hash it states".to_owned());
    }
    let note = receipt.get("checkpoint").and_then(Value::as_str).and_then(Note::read);
    let note = note.ok_or("the checkpoint is no signed note")?;
    let origin = format!("svc/{tenant_id}");
    if note.origin() != origin {
        return Err(format!("the checkpoint is not of the chain of {tenant_id}"));
    }
    let signed = note.tree();
    if count_of(receipt.get("tree_size")) != Some(signed.size) {
        return Err("the checkpoint is of another size than the receipt".to_owned());
    }
    let path = receipt.get("inclusion_path").and_then(hex_path);
    let place = seq.and_then(|seq| seq.checked_sub(1));
    let root = place.zip(path).zip(hash_from_hex(&hash));
    let root = root.and_then(|((index, path), hash)| root_of_path(&hash, index, signed.size, &path));
    if root != Some(signed.root) {
        return Err("the path does not lead from the record to the signed root".to_owned());
    }
    for public_key in public_keys {
        if NoteKey::read(&origin, public_key.as_ref()).map_err(unreadable)?.has_signed(&note) {
            return Ok(());
        }
    }
    Err("the checkpoint is not signed by a key you trust".to_owned())
}

/// One spelling only: a path with an uppercase letter or a stray character is rejected.
fn hex_path(path: &Value) -> Option<Vec<Hash>> {
    path.as_array()?.iter().map(|node| node.as_str().and_then(hash_from_hex)).collect()
}
