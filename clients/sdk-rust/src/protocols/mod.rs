//! Typed clients of MACS, MARC and MATA. Every other protocol is called by
//! [`Client::dispatch`](crate::Client::dispatch).
//!
//! A request is built with `new` and its required fields, then with one method per optional field, so that
//! new fields break nobody. An answer accepts fields and enum values that this version does not know.

// A field without a description is explained by its name and type.
#[allow(missing_docs)]
#[rustfmt::skip]
mod generated;

pub mod macs;

pub use generated::{marc, mata};

use generated::catalogue::{ROWS, Row};

/// The catalogue row of a protocol, by its id in any letter case.
pub(crate) fn row(protocol: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.id.eq_ignore_ascii_case(protocol))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorCode;

    #[test]
    fn a_protocol_is_found_in_any_letter_case_and_says_what_reads() {
        let macs = row("macs").expect("MACS is in the catalogue");
        assert_eq!(macs.version, "v1.0.0");
        assert!(macs.operations.contains(&("authorization_request", true)));
        assert!(macs.operations.contains(&("derive", false)));
        assert!(row("Aegis").is_some() && row("AEGIS").is_some());
        assert!(row("MACSI").is_none());
    }

    #[test]
    fn every_refusal_of_the_catalogue_has_a_code_here() {
        for word in generated::catalogue::REFUSALS {
            assert!(ErrorCode::of_refusal(word).is_some(), "{word}");
        }
    }
}
