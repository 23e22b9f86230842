//! MACS: proves an agent's identity by its key and lineage, says what it may do, and derives its children.
//!
//! A client with a `private_key` proves its agent by itself. To prove another identity, in one line, or step by
//! step with [`GenerateChallengeOutput::answered`]:
//!
//! ```no_run
//! use svc_sdk::signature::SigningKey;
//!
//! # async fn shown(client: svc_sdk::Client, seed: [u8; 32]) -> Result<(), Box<dyn std::error::Error>> {
//! let key = SigningKey::from_seed(&seed);
//! let did = key.did("acme", "agent")?.to_string();
//! let proven = client.macs().prove(&did, &key).await?;
//! println!("{:?} until {}", proven.conformance_level, proven.token_expires_at);
//! # Ok(())
//! # }
//! ```

pub use super::generated::macs::*;

use crate::attenuation;
use crate::error::Error;
use crate::signature::{SigningDomain, SigningKey, signing_input};
use serde_json::{Map, json};
use std::fmt;

/// Why a challenge was not answered. Nothing was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnfitChallenge {
    /// The text to sign is not what the challenge says, or is not a challenge at all.
    AnotherText,
}

impl fmt::Display for UnfitChallenge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            UnfitChallenge::AnotherText => "what is to be signed is not this challenge; nothing was signed",
        })
    }
}

impl std::error::Error for UnfitChallenge {}

impl GenerateChallengeOutput {
    /// The response that proves this agent by its key. Add `lineage` or `delegation` before you send it.
    /// Whether it is the agent's key now, the engine knows: an agent may have changed its first.
    ///
    /// The text to sign comes from the engine, so it is rebuilt here from the challenge: an engine cannot
    /// obtain a signature for a treaty or a delegation this way. If you do not trust the engine, check
    /// `audience`: the party the proof is for.
    ///
    /// # Errors
    /// If the text does not match this challenge.
    pub fn answered(&self, agent_did: &str, key: &SigningKey) -> Result<VerifyResponseInput, UnfitChallenge> {
        if !self.texts(agent_did).contains(&Some(self.signing_input.clone())) {
            return Err(UnfitChallenge::AnotherText);
        }
        let signature = key.sign(&self.signing_input);
        Ok(VerifyResponseInput::new(&self.challenge_id, agent_did, key.public_key(), signature))
    }

    /// The two accepted texts: with the nonce alone, or also bound to its timestamps.
    fn texts(&self, agent_did: &str) -> [Option<String>; 2] {
        let nonce = json!({
            "challenge_id": self.challenge_id,
            "agent_did": agent_did,
            "audience": self.audience,
            "nonce": self.nonce,
        });
        let mut timestamped = nonce.clone();
        timestamped["issued_at"] = json!(self.issued_at);
        timestamped["expires_at"] = json!(self.expires_at);
        [nonce, timestamped].map(|object| signing_input(SigningDomain::MacsChallenge, &object).ok())
    }
}

/// Two types: an answer accepts limits unknown to this version; delegated or derived capabilities do not.
impl From<CapabilityLimits> for attenuation::CapabilityLimits {
    fn from(limits: CapabilityLimits) -> Self {
        let CapabilityLimits { max_per_call_bps, max_per_hour, max_tokens } = limits;
        Self { max_per_call_bps, max_per_hour, max_tokens }
    }
}

impl Macs<'_> {
    /// Proves that an agent holds its key: negotiates, requests a challenge and answers it. These are three
    /// writes, so this client's idempotency key is not sent.
    ///
    /// # Errors
    /// Any refusal of these calls, such as of a key that is not the agent's; `bad_answer` if the engine asks for
    /// a signature over anything but its challenge.
    pub async fn prove(&self, agent_did: &str, key: &SigningKey) -> Result<VerifyResponseOutput, Error> {
        let mut steps = self.clone();
        steps.options.idempotency_key = None;
        let wish = AuthNegotiationInput::new("DidAuth", "TimestampedNonce").agent_did(agent_did);
        let agreed = steps.auth_negotiation(&wish).await?;
        let Some(session_id) = agreed.session_id else {
            let message =
                "The engine takes no DidAuth with a TimestampedNonce; negotiate one of its alternatives.";
            let offered = Map::from_iter([("alternatives".to_owned(), json!(agreed.alternatives))]);
            return Err(Error::bad_answer(message, offered, None));
        };
        let challenge = steps.generate_challenge(&GenerateChallengeInput::new(session_id)).await?;
        let response = challenge.answered(agent_did, key).map_err(|why| unfit(agent_did, why))?;
        steps.verify_response(&response).await
    }
}

pub(crate) fn unfit(agent_did: &str, why: UnfitChallenge) -> Error {
    Error::bad_answer(format!("{agent_did} was not proven: {why}."), Map::new(), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::is_signed_by;

    const DID: &str = "did:oas:acme:agent:fe812c12f3ab4ce6ac5db69ac352f906cb1b11ef43fb33e252ef7ff552263889";

    fn challenge(domain: &str, moments: &str) -> GenerateChallengeOutput {
        let audience = format!("did:oas:acme:service:{}", "0".repeat(64));
        let nonce = "A".repeat(43);
        let id = "5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10";
        let named = format!(r#""agent_did":"{DID}","audience":"{audience}","challenge_id":"{id}","#);
        let fields = json!({
            "challenge_id": id,
            "nonce": nonce,
            "audience": audience,
            "issued_at": "2026-01-31T12:00:00.000Z",
            "expires_at": "2026-01-31T12:02:00.000Z",
            "signing_input": format!("{domain}\n{{{named}{moments}\"nonce\":\"{nonce}\"}}"),
        });
        serde_json::from_value(fields).expect("it has all fields")
    }

    const MOMENTS: &str =
        r#""expires_at":"2026-01-31T12:02:00.000Z","issued_at":"2026-01-31T12:00:00.000Z","#;

    #[test]
    fn both_kinds_of_challenge_are_answered_as_the_engine_expects() {
        let key = SigningKey::from_seed(&[7; 32]);
        // Produced by the engine's own code.
        let nonce = "Bx20mVmTqs1rnhF5swPWde1FO_59Ho0jz0srtLVT5kbQB4R64d6fr7KrddBpWR7A0dvVQFxSfRL7g5lOgaKqCw";
        let stamped =
            "j7U91ixi2TsSP7pfembChsLUahqB0Ri_LHW6PZU-bQJ6DgasG3k7JUKQ35UTr5KSGrPErqCugDXUBhhJPdy4Dg";
        for (moments, signature) in [("", nonce), (MOMENTS, stamped)] {
            let challenge = challenge("svc-macs-challenge-v1", moments);
            let response = challenge.answered(DID, &key).expect("it is a challenge");
            assert_eq!(response.signature, signature);
            assert_eq!((response.agent_did.as_str(), response.public_key), (DID, key.public_key()));
            assert!(is_signed_by(&key.public_key(), &challenge.signing_input, &response.signature));
        }
    }

    #[test]
    fn nothing_else_is_signed() {
        let key = SigningKey::from_seed(&[7; 32]);
        let for_treaty = challenge("svc-treaty-v1", "");
        assert_eq!(for_treaty.answered(DID, &key), Err(UnfitChallenge::AnotherText));
        let mut moved = challenge("svc-macs-challenge-v1", MOMENTS);
        moved.audience = "another engine".to_owned();
        assert_eq!(moved.answered(DID, &key), Err(UnfitChallenge::AnotherText));
    }

    #[test]
    fn an_agent_that_has_changed_its_key_answers_with_the_new_one() {
        let changed = SigningKey::from_seed(&[8; 32]);
        let challenge = challenge("svc-macs-challenge-v1", MOMENTS);
        let response = challenge.answered(DID, &changed).expect("it is a challenge");
        assert_eq!((response.agent_did.as_str(), response.public_key), (DID, changed.public_key()));
        assert!(is_signed_by(&changed.public_key(), &challenge.signing_input, &response.signature));
    }

    #[test]
    fn limits_as_they_are_answered_can_be_handed_on() {
        let answered = CapabilityLimits::default().max_per_call_bps(1).max_per_hour(2).max_tokens(3);
        let handed_on = attenuation::CapabilityLimits::from(answered.clone());
        assert_eq!(json!(handed_on), json!(answered));
    }

    #[test]
    fn an_answer_that_only_its_caller_may_know_is_not_printed() {
        let own = challenge("svc-macs-challenge-v1", "");
        assert_eq!(format!("{own:?}"), "GenerateChallengeOutput { .. }");
    }
}
