use super::*;
use serde_json::json;

#[test]
fn numbers_take_the_one_form_of_the_rfc() {
    for (number, text) in [
        (0.0, "0"),
        (-0.0, "0"),
        (4.5, "4.5"),
        (0.002, "0.002"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (-123456.789, "-123456.789"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::from_bits(1), "5e-324"),
    ] {
        assert_eq!(number_text(number), text);
    }
}

#[test]
fn what_has_no_canonical_form_is_refused() {
    for (text, why) in [
        ("", NoCanonicalForm::NotJson),
        ("[1,]", NoCanonicalForm::NotJson),
        ("01", NoCanonicalForm::NotJson),
        ("\"\t\"", NoCanonicalForm::NotJson),
        (r#""\ud800""#, NoCanonicalForm::LoneSurrogate),
        (r#""\ud800\ud800\udc00""#, NoCanonicalForm::LoneSurrogate),
        (r#"{"\udc00":1}"#, NoCanonicalForm::LoneSurrogate),
        ("[1e400]", NoCanonicalForm::NotFinite),
        (r#"{"a":1,"\u0061":1}"#, NoCanonicalForm::DuplicateKey),
    ] {
        assert_eq!(canonical_text(text), Err(why), "{text}");
    }
    let nested = |depth: usize| "[".repeat(depth) + "1" + &"]".repeat(depth);
    assert_eq!(canonical_text(&nested(128)).map(|text| text.len()), Ok(257));
    assert_eq!(canonical_text(&nested(129)), Err(NoCanonicalForm::TooDeep));
    assert_eq!(canonical_text(&nested(1_000_000)), Err(NoCanonicalForm::NotJson));
}

/// A Weyl sequence with mixed bits: small, uniform, and the same on every machine.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)) >> 11) as usize % limit
    }

    fn text(&mut self) -> String {
        let alphabet =
            ['a', 'B', '"', '\\', '\n', '\u{1}', '\u{7f}', 'é', '\u{2028}', '\u{fb33}', '\u{ffff}', '😀'];
        (0..self.below(5)).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 5 } else { 7 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.below(1 << 40) as i64 - (1 << 39)),
            3 => json!(f64::from_bits((self.below(1 << 32) << 32 | self.below(1 << 32)) as u64)),
            4 => Value::String(self.text()),
            5 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => Value::Object((0..self.below(4)).map(|_| (self.text(), self.value(depth - 1))).collect()),
        }
    }
}

#[test]
fn writing_reading_and_writing_again_changes_nothing() {
    for seed in 0..2_000 {
        let value = Chance(seed).value(5);
        let text = canonical_json(&value).unwrap();
        assert_eq!(canonical_text(&text).as_ref(), Ok(&text), "seed {seed}");
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(canonical_json(&read).as_ref(), Ok(&text), "seed {seed}");
        // Layout and escapes do not change the value.
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        assert_eq!(canonical_text(&pretty).as_ref(), Ok(&text), "seed {seed}");
    }
}

#[test]
fn any_text_is_read_or_refused_as_serde_json_does() {
    let alphabet = b"{}[]\",:0123456789.eE+-\\utrufalsn \n\x01d8c0";
    for seed in 0..20_000 {
        let mut chance = Chance(seed);
        let mut text: Vec<u8> = canonical_json(&chance.value(3)).unwrap().into_bytes();
        for _ in 0..1 + chance.below(2) {
            let at = chance.below(text.len());
            text[at] = alphabet[chance.below(alphabet.len())];
        }
        let Ok(text) = String::from_utf8(text) else { continue };
        let own = read_json(&text).filter(|read| {
            !matches!(read.flaw, Some(NoCanonicalForm::LoneSurrogate | NoCanonicalForm::NotFinite))
        });
        let other: Option<Value> = serde_json::from_str(&text).ok();
        let form = |value: Option<&Value>| value.map(canonical_json);
        assert_eq!(form(own.as_ref().map(|read| &read.value)), form(other.as_ref()), "seed {seed}: {text}");
    }
}
