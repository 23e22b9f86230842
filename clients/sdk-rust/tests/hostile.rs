//! Any input gets a verdict with a reason: nothing panics, and nothing modified passes.

use serde_json::{Map, Value, json};
use std::io::{self, BufReader, Read};
use svc_sdk::attenuation::AgentCapability;
use svc_sdk::audit_log::{ExportOptions, ProofOptions, verify_export, verify_proof, verify_receipt};
use svc_sdk::delegation::DelegationToken;
use svc_sdk::key_events::{
    EventSignature, KEY_EVENTS_MAX, KeyEvent, KeyEventKind, is_ever_key_of, key_events_fault,
};
use svc_sdk::lineage::{Child, Descent, LineageFacts, LineageStatement, derive_child, verify_lineage};
use svc_sdk::signature::SigningKey;

/// A Weyl sequence with mixed bits: small, uniform, and the same on every machine.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)) >> 11) as usize % limit
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    fn value(&mut self, names: &[&str], depth: usize) -> Value {
        let scalars =
            [json!(null), json!(0), json!(1), json!(-1.5), json!(1e300), json!(""), json!("0".repeat(64))];
        match self.below(if depth == 0 { 1 } else { 3 }) {
            0 => self.pick(&scalars).clone(),
            1 => (0..self.below(4)).map(|_| self.value(names, depth - 1)).collect(),
            _ => Value::Object(
                (0..self.below(6))
                    .map(|_| ((*self.pick(names)).to_owned(), self.value(names, depth - 1)))
                    .collect::<Map<_, _>>(),
            ),
        }
    }
}

/// The valid exports among the vectors, each as one text. Without unrequested cosignatures and numbers in
/// another notation, where a change may stay undetected.
fn good_exports() -> Vec<Vec<u8>> {
    let vectors: Value = serde_json::from_str(include_str!("../../../checks/vectors/vectors.json")).unwrap();
    let exports = &vectors["exports"];
    let good = exports["cases"].as_array().unwrap().iter().filter(|case| case["verdict"]["ok"] == true);
    let good = good.filter(|case| case["options"] == json!({}) && case["verdict"]["roots_checked"] == true);
    let text_of = |case: &Value| -> String {
        let places = case["lines"].as_array().unwrap().iter().map(|place| place.as_u64().unwrap() as usize);
        places.map(|place| format!("{}\n", exports["lines"][place].as_str().unwrap())).collect()
    };
    let texts = good.map(text_of).filter(|text| !text.contains("w.example") && !text.contains(":1.0,"));
    texts.map(String::into_bytes).collect()
}

#[test]
fn an_export_in_which_one_byte_is_another_proves_nothing() {
    let exports = good_exports();
    assert!(exports.len() > 3);
    for seed in 0..1_500 {
        let mut chance = Chance(seed);
        let mut export = chance.pick(&exports).clone();
        // The last byte is a newline, which may be missing.
        let at = chance.below(export.len() - 1);
        let way = 1 << chance.below(8);
        export[at] ^= way;
        let verdict = verify_export(export.as_slice(), &ExportOptions::default());
        assert!(!verdict.ok && verdict.reason.is_some(), "seed {seed}: {}", String::from_utf8_lossy(&export));
    }
}

#[test]
fn a_line_without_an_end_is_given_up() {
    let endless = BufReader::new(io::repeat(b'x'));
    let verdict = verify_export(endless, &ExportOptions::default());
    assert_eq!(verdict.reason.as_deref(), Some("a line is longer than 4194304 characters"));
    let line = format!("\"{}\"", "é".repeat(4 * 1024 * 1024 - 2));
    let reason_of = |line: &str| verify_export(line.as_bytes(), &ExportOptions::default()).reason;
    assert_eq!(reason_of(&line).as_deref(), Some("a line is not a JSON object"));
    let one_more = format!(" {line}");
    assert_eq!(reason_of(&one_more).as_deref(), Some("a line is longer than 4194304 characters"));
}

#[test]
fn a_source_that_breaks_off_is_told_from_one_that_lies() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let export = good_exports().remove(0);
    let verdict = verify_export(BufReader::new(export.chain(Broken)), &ExportOptions::default());
    assert_eq!(verdict.reason.as_deref(), Some("the export cannot be read: the disk is gone"));
    assert_eq!((verdict.ok, verdict.records > 0), (false, true));
}

#[test]
fn nothing_nested_overflows_a_stack() {
    for line in
        ["[".repeat(4_000_000), "{\"a\":".repeat(800_000), format!("{}1{}", "[".repeat(400), "]".repeat(400))]
    {
        assert!(!verify_export(line.as_bytes(), &ExportOptions::default()).ok);
    }
}

#[test]
fn what_is_no_export_receipt_or_proof_is_refused() {
    let names = [
        "format",
        "tenant_id",
        "origin",
        "keys",
        "from_seq",
        "to_seq",
        "previous_hash",
        "record",
        "record_hash",
        "checkpoint",
        "seq",
        "meta",
        "tree_size",
        "inclusion_path",
        "kind",
        "verify",
        "algorithm",
        "proof",
        "leaf",
        "leaf_index",
        "segment",
        "root_hash",
        "first_size",
        "first_root",
    ];
    for seed in 0..3_000 {
        let value = Chance(seed).value(&names, 5);
        let lines = format!("{value}\n{value}\n");
        assert!(!verify_export(lines.as_bytes(), &ExportOptions::default()).ok, "seed {seed}");
        assert!(!verify_receipt(&value, &["A".repeat(43)]).ok, "seed {seed}");
        assert!(!verify_proof(&value, &ProofOptions::default()).ok, "seed {seed}");
    }
}

fn child_made_at(created_at: &str) -> Child {
    let root = SigningKey::from_seed(&[1; 32]).did("acme", "human-root").unwrap();
    let descent = Descent { entity_kind: "Agent", label: "clerk", index: 0 };
    derive_child(&[1; 32], &root, &descent, created_at, None).unwrap()
}

#[test]
fn what_is_null_is_not_what_is_absent() {
    fn takes<T: serde::de::DeserializeOwned>(value: &Value) -> bool {
        serde_json::from_value::<T>(value.clone()).is_ok()
    }
    let with_null = |value: &Value, field: &str| {
        let mut changed = value.clone();
        changed[field] = Value::Null;
        changed
    };
    let capability = json!({ "name": "svc.mind.recall", "caveats": [] });
    let limited = json!({ "name": "svc.mind.recall", "caveats": [], "limits": { "max_tokens": null } });
    let statement = serde_json::to_value(child_made_at("2026-11-15T10:00:00Z").statement).unwrap();
    let token = json!({
        "from_did": "", "to_did": "", "capabilities": [capability], "max_redelegation_depth": 0,
        "expires_at": "2026-12-01T00:00:00Z", "signature": "",
    });
    assert!(takes::<AgentCapability>(&capability) && !takes::<AgentCapability>(&limited));
    assert!(!takes::<AgentCapability>(&with_null(&capability, "expires_at")));
    assert!(!takes::<AgentCapability>(&with_null(&capability, "limits")));
    assert!(takes::<LineageStatement>(&statement));
    assert!(!takes::<LineageStatement>(&with_null(&statement, "expires_at")));
    assert!(!takes::<LineageStatement>(&with_null(&statement, "parent_key_events")));
    assert!(takes::<DelegationToken>(&token));
    assert!(!takes::<DelegationToken>(&with_null(&token, "revocation_url")));
    let signature = json!({ "did": "", "public_key": "", "signature": "" });
    assert!(takes::<EventSignature>(&signature));
    assert!(!takes::<EventSignature>(&with_null(&signature, "key_events")));
}

#[test]
fn descent_counts_only_from_a_moment_that_can_be_read() {
    for (created_at, now, counts) in [
        ("2026-11-15T10:00:00Z", "2026-11-15T10:00:00.000Z", true),
        ("2026-11-15T10:00:00.001Z", "2026-11-15T10:00:00Z", false),
        ("2999-01-01T00:00:00+00:00", "2026-11-15T10:00:00Z", false),
        ("soon", "2026-11-15T10:00:00Z", false),
        ("2026-11-15T10:00:00Z", "today", false),
    ] {
        let Child { did, statement, .. } = child_made_at(created_at);
        let verdict = verify_lineage(&did.to_string(), &[statement], &LineageFacts::at(now));
        assert_eq!(verdict.verified, counts, "{created_at} at {now}: {:?}", verdict.reason);
    }
}

/// The valid key events among the vectors, each with the DID whose they are.
fn good_key_events() -> Vec<(String, Value)> {
    let vectors: Value = serde_json::from_str(include_str!("../../../checks/vectors/vectors.json")).unwrap();
    let cases = vectors["key_events"].as_array().unwrap();
    let good = cases.iter().filter(|case| case["signing_input"].is_string());
    good.map(|case| (case["did"].as_str().unwrap().to_owned(), case["events"].clone())).collect()
}

#[test]
fn key_events_in_which_one_byte_is_another_prove_nothing() {
    // Of a recovery some signatures may be wrong; without one, every byte counts.
    let all = good_key_events();
    let good: Vec<_> =
        all.iter().filter(|(_, events)| !events.to_string().contains("\"recovery\",")).collect();
    assert!(good.len() > 3);
    for seed in 0..1_500 {
        let mut chance = Chance(seed);
        let (did, events) = chance.pick(&good);
        let mut text = events.to_string().into_bytes();
        let at = chance.below(text.len());
        text[at] ^= 1 << chance.below(8);
        let changed: Result<Vec<KeyEvent>, _> = serde_json::from_slice(&text);
        let fault = changed.map(|events| key_events_fault(did, &events));
        assert_ne!(fault.ok(), Some(None), "seed {seed}: {}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn key_events_are_limited_in_number_and_depth() {
    let (did, events) = good_key_events().remove(0);
    let mut events: Vec<KeyEvent> = serde_json::from_value(events).unwrap();
    let key = events[0].public_key.clone();
    assert!(is_ever_key_of(&did, &key, &events));
    let many = vec![events[0].clone(); KEY_EVENTS_MAX + 1];
    assert_eq!(key_events_fault(&did, &many).as_deref(), Some("more than 64 key events"));
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    events[0].signatures[0].key_events = Some(vec![Map::from_iter([("deep".to_owned(), deep)])]);
    events.push(events[0].clone());
    assert!(!is_ever_key_of(&did, &key, &events));
    let reason = "key event 1: an inception comes first, and once";
    assert_eq!(key_events_fault(&did, &events).as_deref(), Some(reason));
    events[1].kind = KeyEventKind::Rotation;
    let reason = "key event 1: it does not follow the one before";
    assert_eq!(key_events_fault(&did, &events).as_deref(), Some(reason));
}
