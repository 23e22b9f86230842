//! Changes of an agent's own key: the texts are checked before they are signed, and keys are stored before they are used.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::bytes::from_base64url;
use crate::client::session::{Authorization, Sessions};
use crate::client::{CallOptions, Client};
use crate::error::{Error, ErrorCode, Fields};
use crate::settings::namespace_of;
use crate::signature::{SigningDomain, SigningKey};

/// The key in use, and the one that its owner has committed to: two secrets, best stored apart. `Debug` omits both.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyPair {
    /// What the option `private_key` takes.
    pub private_key: String,
    /// What [`Client::rotate_key`] takes next.
    pub next_private_key: String,
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("KeyPair").finish_non_exhaustive()
    }
}

/// Who can give an identity a new key, and how many of them it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// Who may recover it.
    pub dids: Vec<String>,
    /// How many of them must sign.
    pub threshold: u64,
}

/// What [`Client::rotate_key`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RotatedKey {
    /// False where only the next key was committed to, as by the first call.
    pub is_changed: bool,
    /// The key in use now, and the next one.
    pub keys: KeyPair,
}

/// A recovery, done or waiting for others who were named.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecoveryState {
    /// False while it waits for others.
    pub is_recovered: bool,
    /// The new key, which others agree to by [`Client::sign_recovery`].
    pub public_key: String,
    /// Who has signed.
    pub signed_by: Vec<String>,
    /// How many must sign.
    pub threshold: u64,
}

/// Why new keys could not be stored.
pub type NotStored = Box<dyn std::error::Error + Send + Sync>;

/// Private keys that are not used yet, and what is said of them to the engine.
struct NewKeys {
    pair: KeyPair,
    key: SigningKey,
    change: Map<String, Value>,
}

impl Client {
    /// Changes this client's own key to the one that was committed to, commits to another, and goes on with the new
    /// one. The first time, without `next_private_key`, it only commits.
    ///
    /// `keep` stores the keys before they are used; if it fails, nothing is changed. Keep the former ones beside them
    /// until this returns: after a crash, one of both pairs opens a session.
    ///
    /// Needs the option `private_key`; for keys that the engine keeps call `macs().rotate_key`.
    ///
    /// ```no_run
    /// # async fn shown(client: &svc_sdk::Client, path: &std::path::Path) -> Result<(), svc_sdk::Error> {
    /// let keep = |keys: &svc_sdk::KeyPair| {
    ///     let lines = format!("{}\n{}\n", keys.private_key, keys.next_private_key);
    ///     Ok(std::fs::write(path, lines)?)
    /// };
    /// assert!(!client.rotate_key(keep, None, None).await?.is_changed);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn rotate_key(
        &self,
        keep: impl FnOnce(&KeyPair) -> Result<(), NotStored>,
        next_private_key: Option<&str>,
        recovery: Option<&Recovery>,
    ) -> Result<RotatedKey, Error> {
        let agent_did = self.settings().agent_did.clone();
        let (sessions, former) = self.own_key().ok_or_else(no_own_key)?;
        let new = new_keys(next_private_key.unwrap_or(&former), recovery)?;
        let kind = if next_private_key.is_none() { "inception" } else { "rotation" };
        let unsigned = self.change_key("rotate_key", &agent_did, &new.change).await?;
        let signatures = sign_texts(&unsigned, &agent_did, kind, &new)?;
        keep(&new.pair).map_err(not_stored)?;
        let mut signed = new.change;
        signed.extend(signatures);
        signed.insert("at".to_owned(), unsigned["at"].clone());
        let is_changed = next_private_key.is_some();
        let answer = self.change_key("rotate_key", &agent_did, &signed).await;
        if !is_changed {
            answer?;
        } else {
            sessions.use_key(seed_of(&new.pair.private_key)?).await;
            if let Err(refusal) = answer {
                // The answer may be lost after the key has changed: then only the new one opens a session.
                if self.whoami(&CallOptions::new()).await.is_err() {
                    sessions.use_key(seed_of(&former)?).await;
                    return Err(refusal);
                }
            }
        }
        Ok(RotatedKey { is_changed, keys: new.pair })
    }

    /// Makes new keys for an identity that lost its own, as its parent or one of those it has named. `keep` stores them
    /// before they are used.
    pub async fn recover_key(
        &self,
        agent_did: &str,
        keep: impl FnOnce(&KeyPair) -> Result<(), NotStored>,
        recovery: Option<&Recovery>,
    ) -> Result<(RecoveryState, KeyPair), Error> {
        let new = new_keys(&new_seed()?, recovery)?;
        let mut asked = new.change.clone();
        asked.insert("agent_did".to_owned(), agent_did.into());
        let pending = self.change_key("recover_key", agent_did, &asked).await?;
        let signatures = sign_texts(&pending, agent_did, "recovery", &new)?;
        keep(&new.pair).map_err(not_stored)?;
        asked.extend(signatures);
        asked.extend(self.own_signature(&pending)?);
        let done = self.change_key("recover_key", agent_did, &asked).await?;
        Ok((state_of(&done)?, new.pair))
    }

    /// Agrees to a recovery that another of those named has begun, and whose new key it tells.
    pub async fn sign_recovery(
        &self,
        agent_did: &str,
        public_key: &str,
        recovery: Option<&Recovery>,
    ) -> Result<RecoveryState, Error> {
        let mut asked = terms_of(recovery);
        asked.insert("public_key".to_owned(), public_key.into());
        let expected = expected_event(agent_did, "recovery", &asked);
        asked.insert("agent_did".to_owned(), agent_did.into());
        let pending = self.change_key("recover_key", agent_did, &asked).await?;
        // Where the engine keeps the key of whoever agrees, this call has signed.
        if self.own_key().is_none() || pending["state"] == "recovered" {
            return state_of(&pending);
        }
        checked(&pending["signing_input"], SigningDomain::KeyEvent, &expected)?;
        asked.extend(self.own_signature(&pending)?);
        state_of(&self.change_key("recover_key", agent_did, &asked).await?)
    }

    /// Identities are changed in their own organization, whatever the client calls otherwise.
    async fn change_key(
        &self,
        operation: &str,
        agent_did: &str,
        input: &Map<String, Value>,
    ) -> Result<Value, Error> {
        let options = CallOptions::new().tenant_id(namespace_of(agent_did)?);
        Ok(self.dispatch::<_, Value>("MACS", operation, input, &options).await?.output)
    }

    /// With its seed as text.
    fn own_key(&self) -> Option<(&Sessions, String)> {
        match &self.shared.wire.authorization {
            Authorization::OwnKey(sessions) => Some((sessions, sessions.own_seed()?)),
            Authorization::ApiKey(_) => None,
        }
    }

    fn own_signature(&self, pending: &Value) -> Result<Map<String, Value>, Error> {
        let Some((_, seed)) = self.own_key() else { return Ok(Map::new()) };
        let key = SigningKey::from_seed(&seed_of(&seed)?);
        let text = pending["signing_input"].as_str().unwrap_or_default();
        Ok(fields(json!({ "own_signature": key.sign(text), "own_public_key": key.public_key() })))
    }
}

fn new_keys(private_key: &str, recovery: Option<&Recovery>) -> Result<NewKeys, Error> {
    let key = SigningKey::from_seed(&seed_of(private_key)?);
    let next_private_key = new_seed()?;
    let next = SigningKey::from_seed(&seed_of(&next_private_key)?);
    let mut change = terms_of(recovery);
    change.insert("public_key".to_owned(), key.public_key().into());
    change.insert("next_key_hash".to_owned(), next.public_key_hash().into());
    Ok(NewKeys { pair: KeyPair { private_key: private_key.to_owned(), next_private_key }, key, change })
}

fn new_seed() -> Result<String, Error> {
    let no_randomness =
        |_| Error::not_configured("The system has no randomness to give, so no key can be made.");
    Ok(SigningKey::seed_text(&SigningKey::new_seed().map_err(no_randomness)?))
}

fn seed_of(private_key: &str) -> Result<[u8; 32], Error> {
    let seed = from_base64url(private_key).and_then(|bytes| bytes.try_into().ok());
    seed.ok_or_else(|| Error::not_configured("The private key is not 32 bytes in base64url; copy it again."))
}

fn terms_of(recovery: Option<&Recovery>) -> Map<String, Value> {
    let Some(Recovery { dids, threshold }) = recovery else { return Map::new() };
    fields(json!({ "recovery": { "dids": dids, "threshold": threshold } }))
}

fn expected_event(agent_did: &str, kind: &str, change: &Map<String, Value>) -> Map<String, Value> {
    let mut expected = change.clone();
    expected.extend(fields(json!({ "did": agent_did, "kind": kind })));
    expected
}

fn sign_texts(
    answer: &Value,
    agent_did: &str,
    kind: &str,
    new: &NewKeys,
) -> Result<Map<String, Value>, Error> {
    let NewKeys { key, change, .. } = new;
    let document = fields(json!({ "id": agent_did, "public_key": key.public_key(), "revoked": false }));
    let event = expected_event(agent_did, kind, change);
    let signature = key.sign(checked(&answer["signing_input"], SigningDomain::KeyEvent, &event)?);
    let proof = key.sign(checked(&answer["document_signing_input"], SigningDomain::Document, &document)?);
    Ok(fields(json!({ "signature": signature, "document_proof": proof })))
}

/// The key signs delegations and treaties too: nobody gets such a signature as one for a change of keys.
fn checked<'a>(
    text: &'a Value,
    domain: SigningDomain,
    expected: &Map<String, Value>,
) -> Result<&'a str, Error> {
    let text = text.as_str().unwrap_or_default();
    let content = text.strip_prefix(domain.as_str()).and_then(|rest| rest.strip_prefix('\n'));
    let signed = content.and_then(|content| serde_json::from_str::<Map<String, Value>>(content).ok());
    let holds =
        |signed: Map<String, Value>| expected.iter().all(|(name, value)| signed.get(name) == Some(value));
    if signed.is_some_and(holds) {
        return Ok(text);
    }
    let message = "What is to be signed is not this change of keys, so nothing was signed; check api_url.";
    Err(Error::bad_answer(message, Map::new(), None))
}

fn state_of(output: &Value) -> Result<RecoveryState, Error> {
    let unusable = || {
        let message = "The engine's answer to a recovery cannot be used; check api_url.";
        Error::bad_answer(message, Map::new(), None)
    };
    let signed_by = output["signed_by"].as_array().into_iter().flatten();
    Ok(RecoveryState {
        is_recovered: output["state"] == "recovered",
        public_key: output["public_key"].as_str().ok_or_else(unusable)?.to_owned(),
        signed_by: signed_by.filter_map(Value::as_str).map(str::to_owned).collect(),
        threshold: output["threshold"].as_u64().ok_or_else(unusable)?,
    })
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn no_own_key() -> Error {
    Error::not_configured(
        "This client has no private_key to change; call macs().rotate_key for a key that the engine keeps.",
    )
}

fn not_stored(why: NotStored) -> Error {
    let message = format!("The new keys were not stored ({why}), so nothing was changed.");
    let fields = Fields::new(ErrorCode::NotConfigured, "keys not stored", message);
    Fields { source: Some(Arc::from(why)), ..fields }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DID: &str = "did:oas:acme:agent:1";

    fn texts(new: &NewKeys) -> (String, String) {
        let event = expected_event(DID, "rotation", &new.change);
        let document = json!({ "id": DID, "public_key": new.key.public_key(), "revoked": false });
        (format!("svc-key-event-v1\n{}", Value::Object(event)), format!("svc-document-v1\n{document}"))
    }

    fn is_signed(new: &NewKeys, event: &str, document: &str) -> bool {
        let answer = json!({ "signing_input": event, "document_signing_input": document });
        sign_texts(&answer, DID, "rotation", new).is_ok()
    }

    #[test]
    fn nothing_is_signed_but_the_change_that_was_asked_for() {
        let recovery = Recovery { dids: vec!["did:oas:acme:agent:2".to_owned()], threshold: 1 };
        let new = new_keys(&new_seed().unwrap(), Some(&recovery)).unwrap();
        let (event, document) = texts(&new);
        assert!(is_signed(&new, &event, &document));
        for (text, by) in [
            ("key-event", "delegation"),
            ("rotation", "recovery"),
            ("agent:1", "agent:9"),
            ("\"threshold\":1", "\"threshold\":2"),
            ("{", "["),
        ] {
            assert!(event.contains(text));
            assert!(!is_signed(&new, &event.replace(text, by), &document), "{text}");
        }
        for (text, by) in [("document", "treaty"), ("false", "true"), ("agent:1", "agent:9")] {
            assert!(document.contains(text));
            assert!(!is_signed(&new, &event, &document.replace(text, by)), "{text}");
        }
    }

    #[test]
    fn keys_are_not_printed() {
        let new = new_keys(&new_seed().unwrap(), None).unwrap();
        assert!(!format!("{:?}", new.pair).contains(&new.pair.next_private_key));
    }
}
