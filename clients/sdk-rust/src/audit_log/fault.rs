//! What is wrong with an audit log, and how its sentence quotes a value.

use crate::canonical::{number_text, write_string};
use serde_json::Value;

/// One sentence, with the first record it concerns.
#[derive(Debug)]
pub(crate) struct Fault {
    pub reason: String,
    pub seq: Option<u64>,
}

impl Fault {
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), seq: None }
    }

    pub fn at(seq: u64, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), seq: Some(seq) }
    }
}

/// Formats it as ECMAScript does, so that both SDKs produce the same sentence.
pub(crate) fn shown(value: Option<&Value>) -> String {
    match value {
        None => "undefined".to_owned(),
        Some(Value::Null) => "null".to_owned(),
        Some(Value::Bool(is_true)) => is_true.to_string(),
        Some(Value::Number(number)) => number.as_f64().map(number_text).unwrap_or_default(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(list)) => list.iter().map(shown_element).collect::<Vec<_>>().join(","),
        Some(Value::Object(_)) => "[object Object]".to_owned(),
    }
}

fn shown_element(value: &Value) -> String {
    if value.is_null() { String::new() } else { shown(Some(value)) }
}

pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    write_string(text, &mut quoted);
    quoted
}

/// At most this many UTF-16 units, the unit the other SDK counts in.
pub(crate) fn cut(text: &str, units_max: usize) -> String {
    let mut units = 0;
    text.chars()
        .take_while(|character| {
            units += character.len_utf16();
            units <= units_max
        })
        .collect()
}

/// Whether it has more than this many UTF-16 units.
pub(crate) fn is_longer(text: &str, units_max: usize) -> bool {
    // A UTF-16 unit takes at least one byte, so a short text need not be counted.
    text.len() > units_max && text.encode_utf16().count() > units_max
}
