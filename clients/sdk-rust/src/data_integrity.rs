//! W3C Data Integrity with the cryptosuite eddsa-jcs-2022: Ed25519 over two hashes of canonical JSON. Checked
//! offline, without fetching anything: the key is part of the proof.
//!
//! ```
//! use serde_json::json;
//! use svc_sdk::data_integrity::{ProofPurpose, ProofWish, prove_document, verify_proof};
//! use svc_sdk::signature::SigningKey;
//!
//! let key = SigningKey::from_seed(&[7; 32]);
//! let document = json!({ "said": "the pump ran" }).as_object().cloned().unwrap_or_default();
//! let proof = prove_document(&document, &key, &ProofWish::at("2026-11-17T09:00:00Z"))?;
//! let signer = verify_proof(&document, &proof, ProofPurpose::AssertionMethod);
//! assert_eq!(signer, Some(key.public_key()));
//! # Ok::<(), svc_sdk::canonical::NoCanonicalForm>(())
//! ```

use crate::bytes::{sha256, to_base64url};
use crate::canonical::{NoCanonicalForm, canonical_json};
use crate::signature::{SigningKey, verifies};
use serde_json::{Map, Value, json};

const CRYPTOSUITE: &str = "eddsa-jcs-2022";
/// Multicodec of an Ed25519 public key.
const ED25519_PREFIX: [u8; 2] = [0xed, 0x01];
const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const MULTIBASE_CHARS_MAX: usize = 128;
const REQUIRED_FIELDS: [&str; 6] =
    ["type", "cryptosuite", "created", "verificationMethod", "proofPurpose", "proofValue"];
const OPTIONAL_FIELDS: [&str; 2] = ["controller", "@context"];

/// The purpose of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofPurpose {
    /// To assert something.
    AssertionMethod,
    /// To authenticate.
    Authentication,
}

impl ProofPurpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::AssertionMethod => "assertionMethod",
            Self::Authentication => "authentication",
        }
    }
}

/// The metadata of a proof.
#[derive(Debug, Clone, Copy)]
pub struct ProofWish<'a> {
    /// RFC 3339.
    pub created: &'a str,
    /// The party making the statement, also if another key signs on its behalf.
    pub controller: Option<&'a str>,
    /// The purpose.
    pub purpose: ProofPurpose,
}

impl<'a> ProofWish<'a> {
    /// An assertion with this creation time.
    pub fn at(created: &'a str) -> Self {
        Self { created, controller: None, purpose: ProofPurpose::AssertionMethod }
    }
}

/// The proof to insert into the document as `proof`; an existing one is not part of what is signed.
///
/// # Errors
/// If the document has no canonical form.
pub fn prove_document(
    document: &Map<String, Value>,
    key: &SigningKey,
    wish: &ProofWish<'_>,
) -> Result<Value, NoCanonicalForm> {
    let method = multibase(&[&ED25519_PREFIX[..], &key.public_key_bytes()].concat());
    let mut options = json!({
        "type": "DataIntegrityProof",
        "cryptosuite": CRYPTOSUITE,
        "created": wish.created,
        "verificationMethod": format!("did:key:{method}#{method}"),
        "proofPurpose": wish.purpose.as_str(),
    });
    if let Some(controller) = wish.controller {
        options["controller"] = controller.into();
    }
    // Required by the suite if the document has one.
    if let Some(context) = document.get("@context") {
        options["@context"] = context.clone();
    }
    let signature = key.sign_bytes(&proof_bytes(document, &options)?);
    options["proofValue"] = multibase(&signature).into();
    Ok(options)
}

/// The key (base64url) that made this proof of exactly this document; none if the proof is not valid.
pub fn verify_proof(document: &Map<String, Value>, proof: &Value, purpose: ProofPurpose) -> Option<String> {
    let fields = proof.as_object().filter(|fields| is_proof(fields, purpose))?;
    let text_of = |name: &str| fields.get(name).and_then(Value::as_str);
    let public_key = key_of_method(text_of("verificationMethod")?)?;
    let signature: [u8; 64] = from_multibase(text_of("proofValue")?)?;
    if !continues_context(document, fields.get("@context"))? {
        return None;
    }
    let mut options = proof.clone();
    options.as_object_mut()?.remove("proofValue");
    let bytes = proof_bytes(document, &options).ok()?;
    verifies(&public_key, &bytes, &signature).then(|| to_base64url(&public_key))
}

/// The signed bytes: the hash of the proof's options, then the hash of the document without its proof.
fn proof_bytes(document: &Map<String, Value>, options: &Value) -> Result<Vec<u8>, NoCanonicalForm> {
    let mut unsecured = document.clone();
    unsecured.remove("proof");
    // Contexts may have been added since; those present at signing count.
    if let Some(context) = options.get("@context") {
        unsecured.insert("@context".to_owned(), context.clone());
    }
    let hash_of = |value: &Value| canonical_json(value).map(|text| sha256(text.as_bytes()));
    Ok([hash_of(options)?, hash_of(&Value::Object(unsecured))?].concat())
}

/// Fields such as `expires` and `domain` would have to be enforced, so a proof with one is rejected.
fn is_proof(fields: &Map<String, Value>, purpose: ProofPurpose) -> bool {
    let text_of = |name: &str| fields.get(name).and_then(Value::as_str);
    let is_known =
        |name: &String| REQUIRED_FIELDS.contains(&name.as_str()) || OPTIONAL_FIELDS.contains(&name.as_str());
    fields.keys().all(is_known)
        && text_of("type") == Some("DataIntegrityProof")
        && text_of("cryptosuite") == Some(CRYPTOSUITE)
        && text_of("created").is_some_and(is_moment)
        && text_of("proofPurpose") == Some(purpose.as_str())
        && fields.get("controller").is_none_or(Value::is_string)
}

/// RFC 3339 with any offset; only the form is checked.
fn is_moment(text: &str) -> bool {
    let has_form = |text: &str, form: &str| {
        text.len() == form.len()
            && text.bytes().zip(form.bytes()).all(|(byte, form)| match form {
                b'0' => byte.is_ascii_digit(),
                _ => byte == form,
            })
    };
    let Some((moment, rest)) = text.split_at_checked("0000-00-00T00:00:00".len()) else {
        return false;
    };
    let is_digit = |letter: char| letter.is_ascii_digit();
    let offset = match rest.strip_prefix('.') {
        Some(fraction) if fraction.starts_with(is_digit) => fraction.trim_start_matches(is_digit),
        Some(_) => return false,
        None => rest,
    };
    let is_offset = offset == "Z" || has_form(offset, "+00:00") || has_form(offset, "-00:00");
    has_form(moment, "0000-00-00T00:00:00") && is_offset
}

/// The proof's contexts must be a prefix of the document's.
fn continues_context(document: &Map<String, Value>, signed: Option<&Value>) -> Option<bool> {
    let Some(signed) = signed else {
        return Some(true);
    };
    let listed = |context: Option<&Value>| -> Option<Vec<String>> {
        let list = match context {
            None => &[],
            Some(Value::Array(list)) => list.as_slice(),
            Some(one) => std::slice::from_ref(one),
        };
        list.iter().map(|context| canonical_json(context).ok()).collect()
    };
    Some(listed(document.get("@context"))?.starts_with(&listed(Some(signed))?))
}

/// The 32 bytes of `did:key:z…#z…`.
fn key_of_method(method: &str) -> Option<[u8; 32]> {
    let (key, fragment) = method.strip_prefix("did:key:")?.split_once('#')?;
    let typed: [u8; 34] = from_multibase(key).filter(|_| key == fragment)?;
    typed.strip_prefix(&ED25519_PREFIX)?.try_into().ok()
}

/// `z` and base58btc: every leading zero byte becomes a 1.
fn multibase(bytes: &[u8]) -> String {
    let mut digits: Vec<u8> = Vec::new();
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            carry += u32::from(*digit) << 8;
            *digit = (carry % 58) as u8;
            carry /= 58;
        }
        while carry > 0 {
            digits.push((carry % 58) as u8);
            carry /= 58;
        }
    }
    let zeros = bytes.iter().take_while(|byte| **byte == 0).map(|_| 0);
    let digits = zeros.chain(digits.into_iter().rev());
    std::iter::once('z').chain(digits.map(|digit| char::from(ALPHABET[usize::from(digit)]))).collect()
}

/// None unless it is exactly this many bytes in their one accepted spelling.
fn from_multibase<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    if text.len() > MULTIBASE_CHARS_MAX {
        return None;
    }
    let mut bytes = [0; LENGTH];
    for letter in text.strip_prefix('z')?.bytes() {
        let mut carry = ALPHABET.iter().position(|known| *known == letter)? as u32;
        for byte in bytes.iter_mut().rev() {
            carry += u32::from(*byte) * 58;
            *byte = (carry & 0xff) as u8;
            carry >>= 8;
        }
        if carry > 0 {
            return None;
        }
    }
    (multibase(&bytes) == text).then_some(bytes)
}
