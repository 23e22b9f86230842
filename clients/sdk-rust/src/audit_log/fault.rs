//! What is wrong with an audit log, and how a value is shown where a sentence names it.

use crate::canonical::{number_text, write_string};
use serde_json::Value;

/// In one sentence, with the first record it concerns.
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

/// As ECMAScript makes a text of it, so that both SDKs say the same sentence.
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

/// The text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    write_string(text, &mut quoted);
    quoted
}

/// No more than so many UTF-16 units of it, which is how the other SDK counts.
pub(crate) fn cut(text: &str, units_max: usize) -> String {
    let mut units = 0;
    text.chars()
        .take_while(|character| {
            units += character.len_utf16();
            units <= units_max
        })
        .collect()
}

/// Whether it has more than so many UTF-16 units.
pub(crate) fn is_longer(text: &str, units_max: usize) -> bool {
    // A unit is never less than a byte, so a short text need not be counted.
    text.len() > units_max && text.encode_utf16().count() > units_max
}
