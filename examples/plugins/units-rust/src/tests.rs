//! Native tests: need neither WebAssembly nor an engine.

use serde_json::{Value, json};
use svc_plugin::{Code, Plugin, RecordingHost, Refusal, Said};

use super::Units;

/// The engine validates by operations.json: its examples must be answered.
#[test]
fn every_operation_of_the_list_answers_its_example() {
    let operations: Value = serde_json::from_str(include_str!("../operations.json")).expect("JSON");
    let host = RecordingHost::new()
        .answering("MAX", "audit_log_entry", |_| Ok(json!({ "seq": 7, "record_hash": "ab" })));
    for name in Units::operations() {
        let answer = host.invoke::<Units>(name, &operations[name]["example"]);
        assert!(answer.is_ok(), "{name}: {answer:?}");
    }
}

#[test]
fn the_operator_says_how_many_digits() {
    let host = RecordingHost::new().with_config(json!({ "significant_digits": 3 }));
    let answer = host.invoke::<Units>("convert", &json!({ "value": 1, "from": "mi", "to": "km" }));
    let expected = json!({ "value": 1.61, "unit": "km", "quantity": "length" });
    assert_eq!(answer, Ok(expected));
}

#[test]
fn what_cannot_be_converted_is_refused_by_a_rule() {
    let host = RecordingHost::new();
    let refused = |value: f64, from: &str, to: &str| {
        let input = json!({ "value": value, "from": from, "to": to });
        let refusal = host.invoke::<Units>("convert", &input).expect_err("a refusal");
        (refusal.code, refusal.reason.unwrap_or_default())
    };
    assert_eq!(refused(1.0, "furlong", "m"), (Code::NotFound, "unknown unit".into()));
    assert_eq!(refused(1.0, "kg", "m"), (Code::PolicyDenied, "different quantities".into()));
    assert_eq!(refused(1e308, "km", "mm"), (Code::InvalidPayload, "number too large".into()));
}

#[test]
fn a_series_tells_how_far_it_is_and_is_recorded() {
    let host = RecordingHost::new();
    let input = json!({ "values": vec![1.0; 400], "from": "m", "to": "cm" });
    let answer = host.invoke::<Units>("convert_series", &input).expect("an answer");
    assert_eq!(answer["values"], json!(vec![100.0; 400]));
    let meta = json!({ "from": "m", "to": "cm", "count": 400 });
    let expected = [
        Said::Progress("250 values are converted".into(), Some(0.625)),
        Said::Progress("400 values are converted".into(), Some(1.0)),
        Said::Audit("custom.units_series_converted".into(), meta),
    ];
    assert_eq!(host.said(), expected);
}

#[test]
fn a_certificate_says_where_it_stands_in_the_audit_log() {
    let audit_log = |_: &Value| Ok(json!({ "seq": 7, "record_hash": "ab" }));
    let host = RecordingHost::new().with_config(json!({ "significant_digits": 3 }));
    let host = host.answering("MAX", "audit_log_entry", audit_log);
    let answer = host.invoke::<Units>("certify", &json!({ "value": 1, "from": "mi", "to": "km" }));
    let expected = json!({ "value": 1.61, "unit": "km", "seq": 7, "record_hash": "ab" });
    assert_eq!(answer, Ok(expected));
}

#[test]
fn nothing_is_certified_that_the_audit_log_refuses() {
    let host = RecordingHost::new()
        .answering("MAX", "audit_log_entry", |_| Err(Refusal::policy_denied("The audit log is sealed.")));
    let input = json!({ "value": 1, "from": "m", "to": "cm" });
    let refusal = host.invoke::<Units>("certify", &input).expect_err("a refusal");
    assert_eq!(refusal.message, "The audit log is sealed.");
}
