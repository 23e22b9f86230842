use super::GENESIS_HASH;
use super::fault::cut;
use super::merkle::{
    SizedRoot, empty_root, hash_from_hex, hash_to_hex, is_grown_from, root_of_path, root_of_row,
};
use super::note::{Note, NoteKey};
use crate::bytes::{Hash, from_base64};
use crate::json_text::count_of;
use serde::Serialize;
use serde_json::{Map, Value};

const KNOWN_ALGORITHM: &str = "RFC9162-SHA256";
const NODES_MAX: usize = 128;
const SEGMENT_MAX: usize = 1_000;

/// What you know besides the answer.
#[derive(Debug, Clone, Default)]
pub struct ProofOptions {
    /// Public keys (base64url) you trust for the organization.
    pub trusted_keys: Vec<String>,
    /// Signed notes you kept: at the same size the root must match.
    pub checkpoints: Vec<String>,
}

/// What is proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofKind {
    /// A record is in the audit log.
    Inclusion,
    /// One state of the audit log grew out of another.
    Consistency,
    /// Consecutive records are in the audit log.
    Segment,
}

/// The verdict on a MAZE prove answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProofVerdict {
    /// The answer is consistent.
    pub ok: bool,
    /// A key you trust signed it, or a note you kept agrees. Without this anybody could have made it up.
    pub vouched: bool,
    /// What is proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<ProofKind>,
    /// The tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The size of the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree_size: Option<u64>,
    /// Its root, in hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_hash: Option<String>,
    /// What is wrong, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Checks a MAZE prove answer offline: the path to its root, and the signature over that root.
///
/// ```
/// use serde_json::json;
/// use svc_sdk::audit_log::{ProofOptions, verify_proof};
///
/// let verdict = verify_proof(&json!({}), &ProofOptions::default());
/// assert_eq!(verdict.reason.as_deref(), Some("it is no answer of MAZE prove"));
/// ```
pub fn verify_proof(answer: &Value, options: &ProofOptions) -> ProofVerdict {
    judge(answer, options)
        .unwrap_or_else(|reason| ProofVerdict { reason: Some(reason), ..ProofVerdict::default() })
}

fn judge(answer: &Value, options: &ProofOptions) -> Result<ProofVerdict, String> {
    let parts = answer.as_object().and_then(|fields| {
        Some((fields, fields.get("verify")?.as_object()?.get("algorithm"), fields.get("kind")?.as_str()?))
    });
    let (fields, algorithm, kind) = parts.ok_or("it is no answer of MAZE prove")?;
    let kind = kind_of(kind).filter(|_| algorithm.and_then(Value::as_str) == Some(KNOWN_ALGORITHM));
    let kind = kind.ok_or_else(|| format!("it is no proof of {KNOWN_ALGORITHM} that is known here"))?;
    if let Some(stray) = stray_field(fields, kind) {
        return Err(format!("it has a field {}, which nobody has signed", cut(stray, 40)));
    }
    let proof =
        Proof::read(fields).ok_or("its size, its root or its path have no form that is known here")?;
    match kind {
        ProofKind::Inclusion => proof.check_inclusion()?,
        ProofKind::Consistency => proof.check_consistency()?,
        ProofKind::Segment => proof.check_segment()?,
    }
    proof.check_checkpoint()?;
    let vouched = proof.is_held(&options.checkpoints)? || proof.is_signed_by_any(&options.trusted_keys)?;
    if !vouched && !options.trusted_keys.is_empty() {
        let what = if proof.note.is_some() { "the checkpoint" } else { "that the log is empty" };
        return Err(format!("{what} is not signed by a key you trust"));
    }
    let origin = proof.note.as_ref().map(Note::origin);
    Ok(ProofVerdict {
        ok: true,
        vouched,
        kind: Some(kind),
        tenant_id: origin.map(|origin| origin.strip_prefix("svc/").unwrap_or(origin).to_owned()),
        tree_size: Some(proof.tree.size),
        root_hash: Some(hash_to_hex(&proof.tree.root)),
        reason: None,
    })
}

fn kind_of(word: &str) -> Option<ProofKind> {
    match word {
        "inclusion" => Some(ProofKind::Inclusion),
        "consistency" => Some(ProofKind::Consistency),
        "segment" => Some(ProofKind::Segment),
        _ => None,
    }
}

const FIELDS: [&str; 7] =
    ["kind", "tree_size", "root_hash", "proof", "checkpoint", "checkpoint_proof", "verify"];
const FIELDS_WITHIN: [(&str, &[&str]); 3] = [
    ("leaf", &["record_hash", "canonical_commitment"]),
    ("segment", &["seq", "record_hash", "canonical_commitment"]),
    ("verify", &["algorithm"]),
];

/// Unknown fields are not signed but would look as if they were.
fn stray_field(answer: &Map<String, Value>, kind: ProofKind) -> Option<&str> {
    let own: &[&str] = match kind {
        ProofKind::Inclusion => &["leaf_index", "leaf"],
        ProofKind::Consistency => &["first_size", "first_root"],
        ProofKind::Segment => &["leaf_index", "segment", "previous_hash"],
    };
    let is_stray = |name: &&String| !FIELDS.contains(&name.as_str()) && !own.contains(&name.as_str());
    let beside = answer.keys().find(is_stray);
    let within = || FIELDS_WITHIN.iter().find_map(|(field, known)| stray_within(answer.get(*field)?, known));
    beside.or_else(within).map(String::as_str)
}

fn stray_within<'a>(value: &'a Value, known: &[&str]) -> Option<&'a String> {
    let objects = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let mut names = objects.iter().filter_map(Value::as_object).flat_map(Map::keys);
    names.find(|name| !known.contains(&name.as_str()))
}

struct Proof<'a> {
    answer: &'a Map<String, Value>,
    tree: SizedRoot,
    path: Vec<Hash>,
    note: Option<Note>,
    /// From this tree to the signed one.
    bridge: Vec<Hash>,
}

impl<'a> Proof<'a> {
    fn read(answer: &'a Map<String, Value>) -> Option<Self> {
        let tree =
            SizedRoot { size: count_of(answer.get("tree_size"))?, root: hash_of(answer.get("root_hash"))? };
        let path = nodes_of(answer.get("proof")?)?;
        let bridge = answer.get("checkpoint_proof").map_or(Some(Vec::new()), nodes_of)?;
        let note = match answer.get("checkpoint") {
            None => None,
            Some(text) => Some(Note::read(text.as_str()?)?),
        };
        Some(Self { answer, tree, path, note, bridge })
    }

    fn check_inclusion(&self) -> Result<(), String> {
        let leaf = self.answer.get("leaf").and_then(Value::as_object);
        let found = leaf.and_then(|leaf| {
            let index = count_of(self.answer.get("leaf_index"))?;
            Some((hash_of(leaf.get("record_hash"))?, index, is_committed(leaf)))
        });
        let (hash, index, is_committed) = found.ok_or("it names no leaf")?;
        if !is_committed {
            return Err("the record stored under this hash has another content than was hashed".to_owned());
        }
        let root = root_of_path(&hash, index, self.tree.size, &self.path);
        let fault = "the path does not lead from the record to the root";
        if root == Some(self.tree.root) { Ok(()) } else { Err(fault.to_owned()) }
    }

    fn first_tree(&self) -> Option<SizedRoot> {
        let size = count_of(self.answer.get("first_size"))?;
        Some(SizedRoot { size, root: hash_of(self.answer.get("first_root"))? })
    }

    fn check_consistency(&self) -> Result<(), String> {
        let first = self.first_tree().ok_or("it names no first tree")?;
        if is_grown_from(&first, &self.tree, &self.path) {
            return Ok(());
        }
        Err(format!("the tree of {} records did not grow out of that of {}", self.tree.size, first.size))
    }

    fn check_segment(&self) -> Result<(), String> {
        let rows = self.answer.get("segment").and_then(Value::as_array);
        let rows = rows.filter(|rows| (1..=SEGMENT_MAX).contains(&rows.len()));
        let (rows, index) = rows.zip(count_of(self.answer.get("leaf_index"))).ok_or("it holds no row")?;
        let mut hashes = Vec::with_capacity(rows.len() + 1);
        let previous = self.answer.get("previous_hash").and_then(Value::as_str);
        for (row, seq) in rows.iter().zip(index + 1..) {
            let row = row.as_object().filter(|row| count_of(row.get("seq")) == Some(seq));
            let found = row.and_then(|row| Some((hash_of(row.get("record_hash"))?, is_committed(row))));
            let (hash, is_committed) = found.ok_or_else(|| format!("record {seq} is missing"))?;
            if !is_committed {
                return Err(format!("the content of record {seq} has another hash than it states"));
            }
            hashes.push(hash);
        }
        let before = previous.and_then(hash_from_hex).filter(|_| index > 0 || previous == Some(GENESIS_HASH));
        let before = before.ok_or("it does not say which hash comes before the first")?;
        // The preceding record is proved with the row, which proves its hash as the previous hash.
        if index > 0 {
            hashes.insert(0, before);
        }
        let root = root_of_row(&hashes, index.saturating_sub(1), self.tree.size, &self.path);
        let fault = "the hashes do not lead to the root";
        if root == Some(self.tree.root) { Ok(()) } else { Err(fault.to_owned()) }
    }

    /// A checkpoint of a larger tree vouches for this one if that tree grew out of it.
    fn check_checkpoint(&self) -> Result<(), String> {
        let Some(note) = &self.note else {
            let is_empty = self.tree.size == 0 && self.tree.root == empty_root();
            return if is_empty { Ok(()) } else { Err("it comes with no checkpoint".to_owned()) };
        };
        if !note.origin().starts_with("svc/") {
            return Err(format!("the checkpoint is of another log, {}", cut(note.origin(), 80)));
        }
        if is_grown_from(&self.tree, &note.tree(), &self.bridge) {
            return Ok(());
        }
        Err(format!("the signed tree of {} records did not grow out of this one", note.tree().size))
    }

    /// Whether a note you kept agrees; an error if one contradicts.
    fn is_held(&self, texts: &[String]) -> Result<bool, String> {
        let mut vouches = false;
        for text in texts {
            let held = Note::read(text).ok_or("a checkpoint you kept is no signed note")?;
            let same_log = self.note.as_ref().filter(|note| note.origin() == held.origin());
            let Some(note) = same_log else {
                return Err(format!("a checkpoint you kept is of another log, {}", cut(held.origin(), 80)));
            };
            let kept = held.tree();
            let known = [Some(self.tree), Some(note.tree()), self.first_tree()];
            if known.iter().flatten().any(|tree| tree.size == kept.size && tree.root != kept.root) {
                let what = format!("the checkpoint you kept of size {} has another root", kept.size);
                return Err(format!("{what}: the log was rewritten"));
            }
            vouches |= kept.size == note.tree().size || (kept.size == self.tree.size && self.tree.size > 0);
        }
        Ok(vouches)
    }

    fn is_signed_by_any(&self, keys: &[String]) -> Result<bool, String> {
        // Anybody could claim that a log is empty.
        let Some(note) = &self.note else {
            return Ok(false);
        };
        for key in keys {
            let key = NoteKey::read(note.origin(), key);
            if key.map_err(|error| format!("the proof cannot be read: {error}"))?.has_signed(note) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether the stored record still matches its hash.
fn is_committed(row: &Map<String, Value>) -> bool {
    row.get("canonical_commitment") == row.get("record_hash")
}

fn hash_of(value: Option<&Value>) -> Option<Hash> {
    value?.as_str().and_then(hash_from_hex)
}

/// Each node in its one accepted spelling.
fn nodes_of(value: &Value) -> Option<Vec<Hash>> {
    let list = value.as_array().filter(|list| list.len() <= NODES_MAX)?;
    list.iter().map(|node| from_base64(node.as_str()?)?.try_into().ok()).collect()
}
