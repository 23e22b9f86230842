//! Parses JSON as JSON.parse does, and notes what has no canonical form.
//!
//! serde_json rejects such a text; a verifier must distinguish it from text that is not JSON.

use crate::canonical::NoCanonicalForm;
use serde_json::{Map, Number, Value};

/// Far deeper than canonical JSON may be nested; anything deeper is rejected.
const DEPTH_MAX: usize = 512;
const WHOLE_NUMBER_MAX: f64 = 9_007_199_254_740_991.0;

pub(crate) struct JsonText {
    pub value: Value,
    /// What the value no longer shows: a duplicate key, a lone surrogate, a number too large for a double.
    pub flaw: Option<NoCanonicalForm>,
}

/// None if the text is not JSON.
pub(crate) fn read_json(text: &str) -> Option<JsonText> {
    let mut reader = Reader { text, at: 0, flaw: None };
    let value = reader.value(0)?;
    reader.skip_space();
    let flaw = reader.flaw;
    (reader.at == text.len()).then_some(JsonText { value, flaw })
}

/// An integer from 0 to the largest a double counts exactly, in any notation.
pub(crate) fn count_of(value: Option<&Value>) -> Option<u64> {
    let number = value?.as_f64()?;
    let is_count = number.fract() == 0.0 && (0.0..=WHOLE_NUMBER_MAX).contains(&number);
    is_count.then_some(number as u64)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    flaw: Option<NoCanonicalForm>,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        match self.peek()? {
            b'{' if depth < DEPTH_MAX => self.object(depth + 1),
            b'[' if depth < DEPTH_MAX => self.list(depth + 1),
            b'"' => self.string().map(Value::String),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            b'-' | b'0'..=b'9' => self.number(),
            _ => None,
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut object = Map::new();
        self.at += 1;
        self.skip_space();
        if self.take(b'}') {
            return Some(Value::Object(object));
        }
        loop {
            self.skip_space();
            let key = self.string()?;
            self.skip_space();
            self.expect(b':')?;
            let value = self.value(depth)?;
            if object.insert(key, value).is_some() {
                self.flaw.get_or_insert(NoCanonicalForm::DuplicateKey);
            }
            self.skip_space();
            if !self.take(b',') {
                self.expect(b'}')?;
                return Some(Value::Object(object));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        let mut list = Vec::new();
        self.at += 1;
        self.skip_space();
        if self.take(b']') {
            return Some(Value::Array(list));
        }
        loop {
            list.push(self.value(depth)?);
            self.skip_space();
            if !self.take(b',') {
                self.expect(b']')?;
                return Some(Value::Array(list));
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        self.expect(b'"')?;
        let mut string = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek()?, b'"' | b'\\' | 0..=0x1f) {
                self.at += 1;
            }
            string.push_str(&self.text[start..self.at]);
            if self.take(b'"') {
                return Some(string);
            }
            self.expect(b'\\')?;
            string.push(self.escaped()?);
        }
    }

    fn escaped(&mut self) -> Option<char> {
        self.at += 1;
        match self.text.as_bytes().get(self.at - 1)? {
            escaped @ (b'"' | b'\\' | b'/') => Some(char::from(*escaped)),
            b'b' => Some('\u{8}'),
            b'f' => Some('\u{c}'),
            b'n' => Some('\n'),
            b'r' => Some('\r'),
            b't' => Some('\t'),
            b'u' => self.unit().map(|unit| self.character(unit)),
            _ => None,
        }
    }

    /// A high surrogate needs a low one right after it.
    fn character(&mut self, unit: u32) -> char {
        let mut code = unit;
        if (0xd800..0xdc00).contains(&unit) && self.text[self.at..].starts_with("\\u") {
            let back = self.at;
            self.at += 2;
            match self.unit() {
                Some(low @ 0xdc00..0xe000) => code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00),
                _ => self.at = back,
            }
        }
        char::from_u32(code).unwrap_or_else(|| {
            self.flaw.get_or_insert(NoCanonicalForm::LoneSurrogate);
            char::REPLACEMENT_CHARACTER
        })
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    fn number(&mut self) -> Option<Value> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _has_sign = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        let number: f64 = self.text[start..self.at].parse().ok()?;
        let is_whole = number.fract() == 0.0 && number.abs() <= WHOLE_NUMBER_MAX;
        if is_whole && !(number == 0.0 && number.is_sign_negative()) {
            return Some(Value::from(number as i64));
        }
        Some(Number::from_f64(number).map_or_else(
            || {
                self.flaw.get_or_insert(NoCanonicalForm::NotFinite);
                // Still a number, but never a valid count; null would mean absent.
                Value::from(f64::MAX.copysign(number))
            },
            Value::Number,
        ))
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn word(&mut self, word: &str, value: Value) -> Option<Value> {
        let is_there = self.text[self.at..].starts_with(word);
        self.at += word.len();
        is_there.then_some(value)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }
}
