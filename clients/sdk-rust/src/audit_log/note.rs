//! C2SP signed notes in checkpoint form: origin, size, root, an empty line, and one line per signer.

use super::fault::{cut, is_longer, quoted};
use super::merkle::{Hash, SizedRoot};
use crate::bytes::{from_base64, sha256, to_hex};
use crate::signature::{key_bytes, verifies};

const NOTE_CHARS_MAX: usize = 16_384;
const SIZE_DIGITS_MAX: usize = 16;
const KEY_ID_BYTES: usize = 4;
const SIGNATURE_BYTES: usize = 64;
const ED25519: u8 = 0x01;

/// A signed checkpoint of a log.
#[derive(Debug, Clone)]
pub struct Note {
    origin: String,
    tree: SizedRoot,
    signed: String,
    pub(crate) signatures: Vec<SignatureLine>,
}

#[derive(Debug, Clone)]
pub(crate) struct SignatureLine {
    pub name: String,
    pub key_id: String,
    pub signature: Vec<u8>,
}

impl Note {
    /// None if the text is not a checkpoint in exactly this form.
    pub fn read(text: &str) -> Option<Self> {
        if is_longer(text, NOTE_CHARS_MAX) {
            return None;
        }
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let (origin, size, root) = (lines.next()?, lines.next()?, lines.next()?);
        if origin.is_empty() || !is_size(size) || !lines.next()?.is_empty() {
            return None;
        }
        let root_bytes: Hash = from_base64(root)?.try_into().ok()?;
        let signatures = lines.map(SignatureLine::read).collect::<Option<Vec<_>>>()?;
        // Beyond 2^53 the size becomes the nearest double, as in other implementations.
        let tree = SizedRoot { size: size.parse::<f64>().ok()? as u64, root: root_bytes };
        let signed = format!("{origin}\n{size}\n{root}\n");
        (!signatures.is_empty()).then(|| Self { origin: origin.to_owned(), tree, signed, signatures })
    }

    /// The log's origin: `svc/` and the tenant.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The size and root of the signed tree.
    pub fn tree(&self) -> SizedRoot {
        self.tree
    }

    /// The bytes that were signed.
    pub(crate) fn signed(&self) -> &str {
        &self.signed
    }

    /// Whether the log signed this with its key (base64url).
    pub fn is_signed_by(&self, public_key: &str) -> bool {
        NoteKey::read(&self.origin, public_key).is_ok_and(|key| key.has_signed(self))
    }
}

fn is_size(text: &str) -> bool {
    let has_length = (1..=SIZE_DIGITS_MAX).contains(&text.len());
    has_length && text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
}

impl SignatureLine {
    fn read(line: &str) -> Option<Self> {
        let (name, base64) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
        let bytes = from_base64(base64).filter(|bytes| !bytes.is_empty())?;
        let (key_id, signature) = bytes.split_at(KEY_ID_BYTES.min(bytes.len()));
        let line = Self { name: name.to_owned(), key_id: to_hex(key_id), signature: signature.to_vec() };
        is_signer_name(name).then_some(line)
    }
}

pub(crate) fn is_signer_name(name: &str) -> bool {
    // White space as ECMAScript defines it: includes the byte order mark, excludes the next-line character.
    let is_space = |letter: char| (letter.is_whitespace() && letter != '\u{85}') || letter == '\u{feff}';
    !name.is_empty() && !name.contains(|letter: char| letter == '+' || is_space(letter))
}

/// A key under the name it signs with.
#[derive(Debug, Clone)]
pub(crate) struct NoteKey {
    pub key_id: String,
    pub name: String,
    /// base64url, unchanged.
    pub public_key: String,
    raw: [u8; 32],
}

impl NoteKey {
    /// Reads a raw Ed25519 key in base64url; the error says that it is not one.
    pub fn read(name: &str, public_key: &str) -> Result<Self, String> {
        let Some(raw) = key_bytes(public_key) else {
            let given = cut(&quoted(public_key), 80);
            return Err(format!("{given} is not an Ed25519 public key in base64url"));
        };
        let key_id = key_id(name, ED25519, &raw);
        Ok(Self { key_id, name: name.to_owned(), public_key: public_key.to_owned(), raw })
    }

    /// Ignores lines of other signers, such as witnesses.
    pub fn has_signed(&self, note: &Note) -> bool {
        note.signatures.iter().any(|line| {
            line.name == self.name
                && line.key_id == self.key_id
                && line.signature.len() == SIGNATURE_BYTES
                && self.verifies(note.signed().as_bytes(), &line.signature)
        })
    }

    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        verifies(&self.raw, message, signature)
    }
}

/// The first four bytes of the digest of name, newline, algorithm and key, in hex.
pub(crate) fn key_id(name: &str, algorithm: u8, public_key: &[u8; 32]) -> String {
    let named = [name.as_bytes(), &[b'\n', algorithm], public_key].concat();
    to_hex(&sha256(&named)[..KEY_ID_BYTES])
}
