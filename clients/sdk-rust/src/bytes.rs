//! Text encodings of bytes. Only one spelling of the same bytes is accepted.

/// A SHA-256.
pub type Hash = [u8; 32];

const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";
const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

pub(crate) fn sha256(bytes: &[u8]) -> Hash {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    let mut hash = [0; 32];
    hash.copy_from_slice(digest.as_ref());
    hash
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(HEX_DIGITS[usize::from(digit)])).collect()
}

/// Exactly 64 lowercase digits.
pub(crate) fn hash_from_hex(text: &str) -> Option<Hash> {
    let digits = text.as_bytes();
    let mut hash = [0; 32];
    if digits.len() != 2 * hash.len() {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = (hex_digit(pair[0])? << 4) | hex_digit(pair[1])?;
    }
    Some(hash)
}

fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

pub(crate) fn to_base64url(bytes: &[u8]) -> String {
    encode(bytes, URL_SAFE)
}

pub(crate) fn from_base64url(text: &str) -> Option<Vec<u8>> {
    decode(text, URL_SAFE)
}

/// With padding, as in signed notes.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let bare = text.trim_end_matches('=');
    let padding = text.len() - bare.len();
    (padding == (4 - bare.len() % 4) % 4).then(|| decode(bare, STANDARD))?
}

fn encode(bytes: &[u8], alphabet: &[u8; 64]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..=chunk.len() {
            text.push(char::from(alphabet[(bits >> (18 - 6 * place)) as usize & 63]));
        }
    }
    text
}

fn decode(text: &str, alphabet: &[u8; 64]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0u32, 0);
    for letter in text.bytes() {
        let digit = alphabet.iter().position(|known| *known == letter)?;
        bits = bits << 6 | digit as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    // Leftover bits must be fewer than six and zero; otherwise the bytes would have a second spelling.
    (held < 6 && bits == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_has_one_spelling() {
        for (text, bytes) in
            [("", &b""[..]), ("Zg", b"f"), ("Zm8", b"fo"), ("Zm9v", b"foo"), ("-_8", &[0xfb, 0xff])]
        {
            assert_eq!(to_base64url(bytes), text);
            assert_eq!(from_base64url(text).as_deref(), Some(bytes));
        }
        for wrong in ["Z", "Zh", "Zg=", "Zm9", "Zm9vA", "Zm 9v", "Zm9v\n", "+/8"] {
            assert_eq!(from_base64url(wrong), None, "{wrong:?}");
        }
        assert_eq!(from_base64("Zg==").as_deref(), Some(&b"f"[..]));
        for wrong in ["Zg", "Zg=", "Zg===", "====", "=", "Zm9v=", "-_8="] {
            assert_eq!(from_base64(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn hashes_are_lower_hex() {
        let text = to_hex(&sha256(b"abc"));
        assert_eq!(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hash_from_hex(&text), Some(sha256(b"abc")));
        assert_eq!(hash_from_hex(&text.to_uppercase()), None);
        assert_eq!(hash_from_hex(&text[1..]), None);
    }
}
