//! The same cases as the TypeScript SDK: two implementations, one verdict.

use serde_json::{Value, json};
use std::fmt::Debug;
use svc_sdk::attenuation::{AgentCapability, attenuate, is_within};
use svc_sdk::audit_log::merkle::{
    SizedRoot, hash_from_hex, hash_to_hex, is_grown_from, root_of_path, root_of_row,
};
use svc_sdk::audit_log::note::Note;
use svc_sdk::audit_log::{self, ExportOptions, verify_export, verify_receipt};
use svc_sdk::canonical::canonical_text;
use svc_sdk::capability::{covers, is_capability_name, names_that_grant};
use svc_sdk::data_integrity::{ProofPurpose, ProofWish, prove_document, verify_proof};
use svc_sdk::delegation::{DelegationToken, chain_fault, worth_of};
use svc_sdk::did::Did;
use svc_sdk::key_events::{KeyEvent, is_ever_key_of, key_event_input, key_events_fault, place_after};
use svc_sdk::lineage::{Descent, LineageFacts, LineageStatement, child_seed, kind_segment, verify_lineage};
use svc_sdk::signature::{
    SigningDomain, SigningKey, is_key_of, is_object_signed_by, is_signed_by, signing_input,
};

/// The cases of a section; a dot leads into it. None may be empty, or nothing would be checked.
fn cases(section: &str) -> Vec<Value> {
    let text = include_str!("../../../checks/vectors/vectors.json");
    let all: Value = serde_json::from_str(text).unwrap();
    let found = section.split('.').fold(&all, |value, name| &value[name]).as_array().cloned().unwrap();
    assert!(!found.is_empty());
    found
}

fn text<'a>(case: &'a Value, name: &str) -> &'a str {
    case[name].as_str().unwrap_or_else(|| panic!("{name} of {case}"))
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|item| item.as_str().unwrap().to_owned()).collect()
}

fn seed(hex: &str) -> [u8; 32] {
    hash_from_hex(hex).unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digits).collect()
}

fn expect<T: PartialEq + Debug>(case: &Value, got: T, wanted: T) {
    assert_eq!(got, wanted, "{}", case["name"]);
}

#[test]
fn canonical_json() {
    for case in cases("canonical_json") {
        let json = text(&case, "json");
        let found = canonical_text(json).map_err(|refusal| refusal.to_string());
        if case["is_canonical"] == false {
            assert_ne!(found.as_deref(), Ok(json), "{case}");
        } else {
            let refusal = case["refusal"].as_str().map(str::to_owned);
            expect(&case, found, refusal.map_or_else(|| Ok(text(&case, "canonical").to_owned()), Err));
        }
    }
}

#[test]
fn dids() {
    for case in cases("dids") {
        let did = text(&case, "did");
        let parsed = did.parse::<Did>().ok();
        if let Some(public_key) = case["public_key"].as_str() {
            assert!(
                is_key_of(did, public_key) && !is_key_of(&did.replace(":agent:", ":agent:0"), public_key)
            );
        }
        if case["refused"] == true {
            expect(&case, parsed, None);
        } else if case["parts"].is_object() {
            let parts = parsed.as_ref().map(|did| {
                let (namespace, entity_kind) = (did.namespace(), did.entity_kind());
                json!({ "namespace": namespace, "entity_kind": entity_kind, "identifier": did.identifier() })
            });
            expect(&case, parts.as_ref(), Some(&case["parts"]));
            expect(&case, parsed.unwrap().to_string().as_str(), did);
        }
    }
}

fn domain(name: &str) -> SigningDomain {
    use SigningDomain::{MacsChallenge, Plugin, Treaty, Vote};
    *[MacsChallenge, Plugin, Treaty, Vote].iter().find(|domain| domain.as_str() == name).unwrap()
}

#[test]
fn signatures() {
    for case in cases("signatures") {
        let (public_key, signature) = (text(&case, "public_key"), text(&case, "signature"));
        let is_signed = case["is_signed"] == true;
        let key = case["seed"].as_str().map(|hex| SigningKey::from_seed(&seed(hex)));
        if let Some(message) = case["message"].as_str().map(bytes) {
            expect(&case, is_signed_by(public_key, &message, signature), is_signed);
            if let Some(key) = key {
                expect(
                    &case,
                    (key.public_key().as_str(), key.sign(&message).as_str()),
                    (public_key, signature),
                );
            }
        } else {
            let (domain, object) = (domain(text(&case, "domain")), &case["object"]);
            expect(&case, signing_input(domain, object).as_deref(), Ok(text(&case, "text")));
            expect(&case, is_object_signed_by(public_key, domain, object, signature), is_signed);
            if let Some(key) = key {
                expect(&case, key.sign_object(domain, object).as_deref(), Ok(signature));
            }
        }
    }
}

#[test]
fn data_integrity() {
    for case in cases("data_integrity") {
        let (document, proof) = (case["document"].as_object().unwrap(), &case["proof"]);
        let is_login = case["purpose"] == "authentication";
        let purpose = if is_login { ProofPurpose::Authentication } else { ProofPurpose::AssertionMethod };
        expect(&case, &json!(verify_proof(document, proof, purpose)), &case["public_key"]);
        if let Some(hex) = case["seed"].as_str() {
            let wish = ProofWish {
                created: text(proof, "created"),
                controller: case["controller"].as_str(),
                purpose,
            };
            let made = prove_document(document, &SigningKey::from_seed(&seed(hex)), &wish);
            expect(&case, made.as_ref(), Ok(proof));
        }
    }
}

#[test]
fn capabilities() {
    for case in cases("capabilities.pairs") {
        let (held, wanted) = (text(&case, "held"), text(&case, "wanted"));
        assert_eq!(json!(covers(held, wanted)), case["covers"], "{case}");
        // The global wildcard is not an operation's name, so nothing is listed for it.
        if wanted != "svc.*.*" {
            assert_eq!(
                json!(names_that_grant(wanted).iter().any(|name| name == held)),
                case["covers"],
                "{case}"
            );
        }
    }
    for case in cases("capabilities.names") {
        assert_eq!(json!(is_capability_name(text(&case, "name"))), case["is_name"], "{case}");
    }
}

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn attenuation() {
    for case in cases("attenuation") {
        let wanted: AgentCapability = read(&case["wanted"]);
        let held: Vec<AgentCapability> = read(&case["held"]);
        let attenuated = attenuate(&wanted, &held);
        let delegated =
            attenuated.map(|found| json!({ "capability": found.capability, "attenuated": found.attenuated }));
        expect(&case, &json!(delegated), &case["delegated"]);
        expect(&case, &json!(is_within(&wanted, &held)), &case["is_within"]);
    }
}

#[test]
fn delegations() {
    for case in cases("delegations") {
        let tokens: Vec<DelegationToken> = read(&case["tokens"]);
        let keys = texts(&case["public_keys"]);
        let events_of =
            |place: usize| case["key_events"].get(place).map(read::<Vec<KeyEvent>>).unwrap_or_default();
        let forgery =
            |(place, token): (usize, &DelegationToken)| token.forgery(&keys[place], &events_of(place));
        let forged = tokens.iter().enumerate().find_map(forgery);
        expect(&case, &json!(forged), &case["forgery"]);
        expect(&case, tokens.iter().map(DelegationToken::id).collect(), texts(&case["token_ids"]));
        expect(&case, &json!(chain_fault(&tokens)), &case["fault"]);
        let own: Vec<AgentCapability> = read(&case["own"]);
        expect(&case, &json!(worth_of(&tokens, &own, text(&case, "now"))), &case["held"]);
    }
}

#[test]
fn lineage() {
    for case in cases("lineage.derivations") {
        let parent: Did = text(&case, "parent_did").parse().unwrap();
        let index = case["index"].as_u64().unwrap() as u32;
        let descent = Descent { entity_kind: text(&case, "entity_kind"), label: text(&case, "label"), index };
        let child = child_seed(&seed(text(&case, "parent_seed")), &parent, &descent);
        expect(&case, hash_to_hex(&child).as_str(), text(&case, "seed"));
        let key = SigningKey::from_seed(&child);
        let did = key.did(parent.namespace(), &kind_segment(descent.entity_kind)).unwrap().to_string();
        expect(
            &case,
            (key.public_key().as_str(), did.as_str()),
            (text(&case, "public_key"), text(&case, "did")),
        );
    }
    for case in cases("lineage.chains") {
        let statements: Vec<LineageStatement> = read(&case["statements"]);
        let revoked = texts(&case["revoked"]);
        let is_revoked = |did: &str| revoked.iter().any(|one| one == did);
        let facts = LineageFacts { now: text(&case, "now"), is_revoked: &is_revoked };
        let verdict = verify_lineage(text(&case, "did"), &statements, &facts);
        expect(&case, &serde_json::to_value(verdict).unwrap(), &case["verdict"]);
    }
}

#[test]
fn key_events() {
    for case in cases("key_events") {
        let did = text(&case, "did");
        let Ok(events) = serde_json::from_value::<Vec<KeyEvent>>(case["events"].clone()) else {
            expect(&case, &case["has_form"], &json!(false));
            continue;
        };
        let fault = key_events_fault(did, &events);
        if case["has_form"] == false {
            expect(
                &case,
                fault.is_some_and(|fault| fault.ends_with("it does not have the form of one")),
                true,
            );
            continue;
        }
        expect(&case, &json!(fault), &case["fault"]);
        for key in case["keys"].as_array().into_iter().flatten() {
            let is_ever_key = is_ever_key_of(did, text(key, "public_key"), &events);
            expect(&case, &json!(is_ever_key), &key["is_ever_key"]);
        }
        let Some(last) = events.last().filter(|_| case["signing_input"].is_string()) else {
            continue;
        };
        expect(&case, key_event_input(did, last).as_str(), text(&case, "signing_input"));
        expect(&case, place_after(did, &events).as_deref(), Ok(text(&case, "next_previous")));
        if let Some(hex) = case["seed"].as_str() {
            let key = SigningKey::from_seed(&seed(hex));
            let own = last.clone().signed(did, did, &key).signatures.pop().unwrap();
            expect(&case, &own, &last.signatures[0]);
        }
    }
}

#[test]
fn hash_chain() {
    for case in cases("hash_chain") {
        let hash = audit_log::record_hash(text(&case, "previous_hash"), &case["record"]);
        expect(&case, hash.as_deref(), Ok(text(&case, "record_hash")));
    }
}

fn path(value: &Value) -> Option<Vec<[u8; 32]>> {
    texts(value).iter().map(|node| hash_from_hex(node)).collect()
}

#[test]
fn merkle_trees() {
    for case in cases("merkle_roots") {
        let hashes = path(&case["record_hashes"]).unwrap();
        let root = root_of_row(&hashes, 0, hashes.len() as u64, &[]);
        let root = if hashes.is_empty() { Some(audit_log::merkle::empty_root()) } else { root };
        expect(&case, root, hash_from_hex(text(&case, "root")));
    }
    for case in cases("merkle_inclusion") {
        let (index, size) = (case["index"].as_u64().unwrap(), case["size"].as_u64().unwrap());
        let hash = hash_from_hex(text(&case, "record_hash")).unwrap();
        let root = path(&case["path"]).and_then(|path| root_of_path(&hash, index, size, &path));
        expect(&case, root, case["root"].as_str().and_then(hash_from_hex));
    }
    for case in cases("merkle_consistency") {
        let tree = |of: &Value| SizedRoot {
            size: of["size"].as_u64().unwrap(),
            root: hash_from_hex(text(of, "root")).unwrap(),
        };
        let (first, second) = (tree(&case["first"]), tree(&case["second"]));
        let is_grown = path(&case["path"]).is_some_and(|path| is_grown_from(&first, &second, &path));
        expect(&case, &json!(is_grown), &case["is_grown"]);
    }
}

#[test]
fn checkpoints() {
    for case in cases("checkpoints") {
        let note = Note::read(text(&case, "note"));
        let read = note.as_ref().map(|note| {
            let tree = note.tree();
            json!({ "origin": note.origin(), "size": tree.size, "root": hash_to_hex(&tree.root) })
        });
        expect(&case, &json!(read), &case["read"]);
        let is_signed = note.is_some_and(|note| note.is_signed_by(text(&case, "public_key")));
        expect(&case, &json!(is_signed), &case["is_signed"]);
    }
}

#[test]
fn exports() {
    let table = texts(&json!(cases("exports.lines")));
    for case in cases("exports.cases") {
        let given = &case["options"];
        let options = ExportOptions {
            checkpoints: texts(&given["checkpoints"]),
            trusted_keys: given["trusted_keys"].is_array().then(|| texts(&given["trusted_keys"])),
            heads: texts(&given["heads"]),
            witness_keys: texts(&given["witness_keys"]),
            witnesses_needed: given["witnesses_needed"].as_u64().unwrap_or(0) as usize,
        };
        let places =
            case["lines"].as_array().into_iter().flatten().map(|place| place.as_u64().unwrap() as usize);
        let lines: String = places.map(|place| format!("{}\n", table[place])).collect();
        let verdict = verify_export(lines.as_bytes(), &options);
        expect(&case, &serde_json::to_value(verdict).unwrap(), &case["verdict"]);
    }
}

#[test]
fn receipts() {
    for case in cases("receipts") {
        let verdict = verify_receipt(&case["receipt"], &texts(&case["public_keys"]));
        expect(&case, &serde_json::to_value(verdict).unwrap(), &case["verdict"]);
    }
}
