//! Capability names and which covers which: the exact name, the protocol wildcard, the global wildcard;
//! nothing in between.
//!
//! ```
//! use svc_sdk::capability::{capability_for, covers};
//!
//! let wanted = capability_for("MAESTRO", "charter.declare");
//! assert!(covers("svc.maestro.*", &wanted));
//! assert!(!covers("svc.*", &wanted));
//! ```

/// Covers everything. It can be neither delegated nor derived.
pub const GLOBAL_WILDCARD: &str = "svc.*.*";

/// The one name outside the scheme: letting a model compile a recipe. No wildcard covers it.
pub const RECIPE_LLM_COMPILE: &str = "recipe-llm-compile";

/// The one name with a hyphen. Not an operation: the right to use versions that are not yet stable.
const PRE_RELEASE: &str = "pre-release";

/// The capability a call requires. An operation may contain dots (`charter.declare`): part of its name.
pub fn capability_for(protocol_id: &str, operation: &str) -> String {
    format!("svc.{}.{operation}", protocol_id.to_lowercase())
}

/// The name that covers every operation of a protocol.
pub fn protocol_wildcard(protocol_id: &str) -> String {
    format!("svc.{}.*", protocol_id.to_lowercase())
}

/// The names that grant a capability, in the order an engine tries them; empty if it is not a valid name.
pub fn names_that_grant(capability: &str) -> Vec<String> {
    // No wildcard makes its holder one who approves: a role is held by its own name.
    if capability == RECIPE_LLM_COMPILE || protocol_of(capability) == Some("role") {
        return vec![capability.to_owned()];
    }
    protocol_of(capability).map_or_else(Vec::new, |protocol| {
        vec![capability.to_owned(), format!("svc.{protocol}.*"), GLOBAL_WILDCARD.to_owned()]
    })
}

/// Whether holding one name suffices for another. `svc.*` and `svc.*.read` are not valid names, so they cover
/// nothing.
pub fn covers(held: &str, wanted: &str) -> bool {
    if matches!(wanted, GLOBAL_WILDCARD | RECIPE_LLM_COMPILE) {
        return held == wanted;
    }
    let Some(protocol) = protocol_of(wanted) else {
        return false;
    };
    if protocol == "role" {
        return held == wanted;
    }
    let is_protocol_wildcard =
        held.strip_prefix("svc.").and_then(|rest| rest.strip_suffix(".*")) == Some(protocol);
    held == wanted || is_protocol_wildcard || held == GLOBAL_WILDCARD
}

/// Whether it is a valid capability name.
pub fn is_capability_name(name: &str) -> bool {
    matches!(name, GLOBAL_WILDCARD | RECIPE_LLM_COMPILE) || protocol_of(name).is_some()
}

/// The protocol of a well-formed name other than the global wildcard.
fn protocol_of(name: &str) -> Option<&str> {
    let (protocol, operation) = name.strip_prefix("svc.")?.split_once('.')?;
    let is_protocol = !protocol.is_empty() && protocol.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_operation = matches!(operation, "*" | PRE_RELEASE) || operation.split('.').all(is_operation_word);
    (is_protocol && is_operation).then_some(protocol)
}

fn is_operation_word(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}
