//! Compact EdDSA JWS whose signer is a DID. The header carries the public key, and the DID is its digest, so
//! nothing needs a lookup.
//!
//! ```
//! use serde_json::json;
//! use svc_sdk::{jws::{sign_jws, verify_jws}, signature::SigningKey};
//!
//! let key = SigningKey::from_seed(&[1; 32]);
//! let did = key.did("acme", "service")?;
//! let text = sign_jws(&json!({ "aud": "OAS" }), &did, &key);
//! let verified = verify_jws(&text).ok_or("not signed")?;
//! assert_eq!((verified.did, verified.payload["aud"].as_str()), (did, Some("OAS")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::bytes::{from_base64url, to_base64url};
use crate::did::Did;
use crate::json_text::read_json;
use crate::signature::{SigningKey, is_key_of, is_signed_by};
use serde_json::{Map, Value, json};

const JWS_CHARS_MAX: usize = 64 * 1024;

/// The verified payload and its signer.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedJws {
    /// The signer.
    pub did: Did,
    /// The payload. Check its time and audience yourself.
    pub payload: Map<String, Value>,
}

/// Signs a payload as `did`, which must belong to this key to verify.
pub fn sign_jws(payload: &Value, did: &Did, key: &SigningKey) -> String {
    let jwk = json!({ "kty": "OKP", "crv": "Ed25519", "x": key.public_key() });
    let header = json!({ "alg": "EdDSA", "kid": did.to_string(), "jwk": jwk });
    let text = format!("{}.{}", encode(&header), encode(payload));
    let signature = key.sign(&text);
    format!("{text}.{signature}")
}

/// Signer and payload; none for anything but a complete, valid signature.
pub fn verify_jws(text: &str) -> Option<VerifiedJws> {
    if text.len() > JWS_CHARS_MAX {
        return None;
    }
    let (signed, signature) = text.rsplit_once('.')?;
    let (head, body) = signed.split_once('.')?;
    let (header, payload) = (decode(head)?, decode(body)?);
    let (kid, public_key) = (header.get("kid")?.as_str()?, header.get("jwk")?.get("x")?.as_str()?);
    // No critical extension is supported, so none may be ignored.
    let is_known = header.get("alg")?.as_str()? == "EdDSA" && !header.contains_key("crit");
    let is_signed = is_known && is_key_of(kid, public_key) && is_signed_by(public_key, signed, signature);
    is_signed.then(|| kid.parse().ok())?.map(|did| VerifiedJws { did, payload })
}

fn encode(value: &Value) -> String {
    to_base64url(value.to_string().as_bytes())
}

fn decode(part: &str) -> Option<Map<String, Value>> {
    let text = String::from_utf8(from_base64url(part)?).ok()?;
    let read = read_json(&text)?;
    match read.value {
        // A payload that cannot be returned exactly as signed is not verified.
        Value::Object(object) if read.flaw.is_none() => Some(object),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(header: &Value, payload: &Value, key: &SigningKey) -> String {
        let text = format!("{}.{}", encode(header), encode(payload));
        format!("{text}.{}", key.sign(&text))
    }

    #[test]
    fn only_a_whole_signature_of_the_key_its_did_names_is_one() {
        let (key, other) = (SigningKey::from_seed(&[1; 32]), SigningKey::from_seed(&[2; 32]));
        let did = key.did("acme", "service").unwrap();
        let payload = json!({ "aud": "OAS", "n": 1 });
        let text = sign_jws(&payload, &did, &key);
        assert_eq!(verify_jws(&text).map(|verified| Value::Object(verified.payload)), Some(payload.clone()));
        let jwk = json!({ "kty": "OKP", "crv": "Ed25519", "x": key.public_key() });
        let header = json!({ "alg": "EdDSA", "kid": did.to_string(), "jwk": jwk });
        assert!(verify_jws(&signed(&header, &payload, &key)).is_some());
        for (field, value) in [
            ("alg", json!("none")),
            ("alg", json!("HS256")),
            ("kid", json!(other.did("acme", "service").unwrap().to_string())),
            ("jwk", json!({ "x": other.public_key() })),
            ("jwk", json!(null)),
            ("crit", json!(["exp"])),
        ] {
            let mut changed = header.clone();
            changed[field] = value;
            assert_eq!(verify_jws(&signed(&changed, &payload, &key)), None, "{changed}");
        }
        assert_eq!(verify_jws(&sign_jws(&payload, &did, &other)), None);
        for wrong in [
            "",
            ".",
            "..",
            "...",
            &text[1..],
            &text[..text.len() - 1],
            &format!("{text}."),
            &format!("{text}="),
        ] {
            assert_eq!(verify_jws(wrong), None, "{wrong}");
        }
        assert_eq!(verify_jws(&sign_jws(&json!([1]), &did, &key)), None);
        for (payload, is_said) in
            [(r#"{"exp":1e300}"#, true), (r#"{"exp":1e400}"#, false), (r#"{"aud":"\ud800"}"#, false)]
        {
            let text = format!("{}.{}", encode(&header), to_base64url(payload.as_bytes()));
            let text = format!("{text}.{}", key.sign(&text));
            assert_eq!(verify_jws(&text).is_some(), is_said, "{payload}");
        }
        assert_eq!(verify_jws(&sign_jws(&json!({ "x": "y".repeat(70_000) }), &did, &key)), None);
    }
}
