//! The canonical text of a JSON value (RFC 8785), so that two parties hash the same bytes.
//!
//! ```
//! use serde_json::json;
//! use svc_sdk::canonical::{canonical_json, content_hash};
//!
//! let value = json!({ "b": [1.0, 1e21], "a": "é" });
//! assert_eq!(canonical_json(&value)?, r#"{"a":"é","b":[1,1e+21]}"#);
//! assert!(content_hash(&value)?.starts_with("sha256:"));
//! # Ok::<(), svc_sdk::canonical::NoCanonicalForm>(())
//! ```

use crate::bytes::{sha256, to_hex};
use crate::json_text::read_json;
use serde_json::{Map, Value};
use std::cmp::Ordering;
use std::fmt::{self, Write};

const DEPTH_MAX: usize = 128;
/// ECMAScript writes a number without exponent if its decimal point is between these positions.
const POINT_MIN: i32 = -5;
const POINT_MAX: i32 = 21;
/// The maximum number of digits of a double written out exactly.
const EXACT_DIGITS_MAX: usize = 767;

/// Why a text or a value has no canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoCanonicalForm {
    /// The text is not JSON.
    NotJson,
    /// Arrays and objects are nested deeper than 128 levels.
    TooDeep,
    /// A number is too large for a double.
    NotFinite,
    /// A string contains a lone surrogate, which has no UTF-8 form.
    LoneSurrogate,
    /// An object has a duplicate key.
    DuplicateKey,
}

impl fmt::Display for NoCanonicalForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotJson => "it is not JSON",
            Self::TooDeep => "nested deeper than 128 levels",
            Self::NotFinite => "Infinity is not a JSON number",
            Self::LoneSurrogate => "a string holds a lone surrogate",
            Self::DuplicateKey => "an object has the same key twice",
        })
    }
}

impl std::error::Error for NoCanonicalForm {}

/// The canonical text of a value. Numbers are doubles, as on the wire: integers beyond 2^53 are rounded.
///
/// # Errors
/// If the value is nested deeper than 128 levels.
pub fn canonical_json(value: &Value) -> Result<String, NoCanonicalForm> {
    let mut text = String::new();
    write_value(value, 0, &mut text)?;
    Ok(text)
}

/// The canonical text of a JSON text. Stricter than parsing with serde_json, which keeps one of two duplicate
/// keys.
///
/// # Errors
/// If the text is not JSON, or contains something without a canonical form.
pub fn canonical_text(json: &str) -> Result<String, NoCanonicalForm> {
    let read = read_json(json).ok_or(NoCanonicalForm::NotJson)?;
    read.flaw.map_or_else(|| canonical_json(&read.value), Err)
}

/// `sha256:<64 hex>` over the canonical text: the address of a content-addressed object.
///
/// # Errors
/// If the value has no canonical form.
pub fn content_hash(value: &Value) -> Result<String, NoCanonicalForm> {
    Ok(format!("sha256:{}", sha256_hex(canonical_json(value)?)))
}

/// The SHA-256 of these bytes, in lower hex.
pub fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    to_hex(&sha256(bytes.as_ref()))
}

fn write_value(value: &Value, depth: usize, text: &mut String) -> Result<(), NoCanonicalForm> {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(is_true) => text.push_str(if *is_true { "true" } else { "false" }),
        Value::Number(number) => {
            text.push_str(&number_text(number.as_f64().ok_or(NoCanonicalForm::NotFinite)?))
        }
        Value::String(string) => write_string(string, text),
        Value::Array(_) | Value::Object(_) if depth >= DEPTH_MAX => return Err(NoCanonicalForm::TooDeep),
        Value::Array(list) => write_list(list, depth, text)?,
        Value::Object(object) => write_object(object, depth, text)?,
    }
    Ok(())
}

fn write_list(list: &[Value], depth: usize, text: &mut String) -> Result<(), NoCanonicalForm> {
    text.push('[');
    for (place, value) in list.iter().enumerate() {
        text.push_str(if place == 0 { "" } else { "," });
        write_value(value, depth + 1, text)?;
    }
    text.push(']');
    Ok(())
}

fn write_object(object: &Map<String, Value>, depth: usize, text: &mut String) -> Result<(), NoCanonicalForm> {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_by(|(one, _), (other, _)| by_utf16(one, other));
    text.push('{');
    for (place, (key, value)) in members.into_iter().enumerate() {
        text.push_str(if place == 0 { "" } else { "," });
        write_string(key, text);
        text.push(':');
        write_value(value, depth + 1, text)?;
    }
    text.push('}');
    Ok(())
}

/// By UTF-16 code units, as the RFC requires: a character beyond U+FFFF sorts before U+E000 and above.
pub(crate) fn by_utf16(one: &str, other: &str) -> Ordering {
    one.encode_utf16().cmp(other.encode_utf16())
}

/// Escapes only what it must, in the short form if there is one.
pub(crate) fn write_string(string: &str, text: &mut String) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\0'..='\u{1f}' => {
                // Writing into a String cannot fail.
                let _ = write!(text, "\\u{:04x}", u32::from(character));
            }
            _ => text.push(character),
        }
    }
    text.push('"');
}

/// The shortest digits that parse back to the same double, formatted like ECMAScript's Number::toString.
pub(crate) fn number_text(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = even_of_two(mantissa.replace('.', ""), exponent, number.abs());
    let count = digits.len() as i32;
    // The number of digits before the decimal point.
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let sign = if number < 0.0 { "-" } else { "" };
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    if (POINT_MIN..=0).contains(&point) {
        return format!("{sign}0.{}{digits}", zeros(-point));
    }
    if (1..=POINT_MAX).contains(&point) {
        if count <= point {
            return format!("{sign}{digits}{}", zeros(point - count));
        }
        let (whole, part) = digits.split_at(point as usize);
        return format!("{sign}{whole}.{part}");
    }
    let (first, rest) = digits.split_at(1);
    let dot = if rest.is_empty() { "" } else { "." };
    let exponent = point - 1;
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{first}{dot}{rest}e{exponent_sign}{}", exponent.abs())
}

/// If two shortest texts are equally near, ECMAScript picks the one with an even last digit, Rust the upper
/// one.
fn even_of_two(upper: String, exponent: &str, number: f64) -> String {
    let Some((kept, last)) = upper.split_at_checked(upper.len() - 1) else {
        return upper;
    };
    let Some(last) = last.parse::<u8>().ok().filter(|last| last % 2 == 1) else {
        return upper;
    };
    let lower = format!("{kept}{}", last - 1);
    let is_halfway = |places: usize| {
        let exact = format!("{number:.places$e}").replace('.', "");
        let digits = exact.split('e').next().unwrap_or("");
        digits.strip_prefix(&lower).is_some_and(|rest| rest.trim_end_matches('0') == "5")
    };
    // Few numbers are this long, so the exact text is computed only if it may matter.
    if !is_halfway(upper.len()) || !is_halfway(EXACT_DIGITS_MAX) {
        return upper;
    }
    let (first, rest) = lower.split_at(1);
    let reads_back = format!("{first}.{rest}e{exponent}").parse() == Ok(number);
    if reads_back { lower } else { upper }
}

#[cfg(test)]
mod tests;
