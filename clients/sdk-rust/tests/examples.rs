//! Every example of the catalogue survives a round trip through its type.
#![cfg(feature = "client")]

#[path = "generated/round_trip.rs"]
mod round_trip;

use round_trip::round_trip;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use svc_sdk::canonical::canonical_json;
use svc_sdk::protocols::{macs, marc, mata};

fn again<T: DeserializeOwned + Serialize>(value: Value) -> serde_json::Result<Value> {
    serde_json::to_value(serde_json::from_value::<T>(value)?)
}

fn examples() -> Vec<Value> {
    serde_json::from_str(include_str!("generated/examples.json")).expect("it is a list")
}

#[test]
fn every_example_stays_what_it_is() {
    let mut wrong = Vec::new();
    for example in examples() {
        let word = |name: &str| example[name].as_str().unwrap_or_default().to_owned();
        let (protocol, operation, side) = (word("protocol"), word("operation"), word("side"));
        let value = example["value"].clone();
        let came_back =
            round_trip((&protocol, &operation, &side), value.clone()).expect("a type for each place");
        // Canonical, because 1 and 1.0 are the same number.
        let is_same = came_back.as_ref().is_ok_and(|back| canonical_json(back) == canonical_json(&value));
        if !is_same {
            wrong.push(format!("{protocol} {operation} {side}\n  {value}\n  {came_back:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Adds an unknown field to every object, except signed ones, which reject unknown fields.
fn add_news(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(add_news),
        Value::Object(fields) if fields.contains_key("signature") || fields.contains_key("revoked") => {}
        // A capability as a document has it is signed there, wherever it is shown.
        Value::Object(fields) if fields.contains_key("caveats") && !fields.contains_key("source") => {}
        // A map of uniform values has no fields to add to.
        Value::Object(fields) if fields.keys().any(|key| key == "text" || key.contains(':')) => {}
        Value::Object(fields) => {
            fields.values_mut().for_each(add_news);
            fields.insert("said_by_a_newer_engine".to_owned(), json!([1]));
        }
        _ => {}
    }
}

#[test]
fn an_answer_bears_fields_and_words_that_are_not_known_here() {
    for example in examples().into_iter().filter(|example| example["side"] == "output") {
        let word = |name: &str| example[name].as_str().unwrap_or_default();
        let place = (word("protocol"), word("operation"), "output");
        let mut value = example["value"].clone();
        add_news(&mut value);
        let came_back = round_trip(place, value);
        assert!(matches!(came_back, Some(Ok(_))), "{place:?} {came_back:?}");
    }
    let method = serde_json::from_value::<mata::PoolOutputMethod>(json!("harmonic"));
    assert_eq!(method.ok(), Some(mata::PoolOutputMethod::Unlisted("harmonic".to_owned())));
    let known = serde_json::from_value::<marc::ReasoningTaskAnswer>(json!("unknown"));
    assert_eq!(known.ok(), Some(marc::ReasoningTaskAnswer::Unknown));
}

#[test]
fn a_request_says_what_it_was_told_and_nothing_else() {
    let input = macs::AuthNegotiationInput::new("DidAuth", "Nonce");
    assert_eq!(json!(input), json!({ "profile": "DidAuth", "challenge_kind": "Nonce" }));
    let set = mata::WeightInput::new("protocol:MARC").set(mata::WeightSet::new(None, "mace://verdict/1"));
    let expected =
        json!({ "source": "protocol:MARC", "set": { "weight": null, "authority": "mace://verdict/1" } });
    assert_eq!(json!(set), expected);
}
