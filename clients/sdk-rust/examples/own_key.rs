//! A child that keeps its own key: its parent derives it, then it proves itself, calls, makes an API key and
//! ends it, and changes its own key.
//!
//! ```sh
//! SVC_API_URL=… SVC_API_KEY=… SVC_AGENT_DID=… cargo run --example own_key
//! ```

use std::process::ExitCode;

use serde_json::{Value, json};
use svc_sdk::attenuation::AgentCapability;
use svc_sdk::protocols::macs::{
    CreateKeyInput, DeriveCustody, DeriveEntityKind, DeriveInput, RevokeKeyInput, RotateKeyInput,
    RotateKeyState,
};
use svc_sdk::signature::SigningKey;
use svc_sdk::{Answer, CallOptions, Client, Error, Options};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match make_calls().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The parent sees the public half of the key, and the document that the child signed.
async fn derive_child(parent: &Client, key: &SigningKey) -> Result<String, Error> {
    let may = ["svc.mars.query_registry", "svc.macs.*"].map(AgentCapability::of).to_vec();
    let child = DeriveInput::new(DeriveEntityKind::Agent, "courier-rust")
        .custody(DeriveCustody::Client)
        .child_public_key(key.public_key())
        .capabilities(may);
    let derived = parent.macs().derive(&child).await?;
    let document_proof = key.sign(derived.document_signing_input.unwrap_or_default());
    parent.macs().derive(&child.document_proof(document_proof)).await?;
    Ok(derived.did)
}

async fn make_calls() -> Result<(), Box<dyn std::error::Error>> {
    let parent = Client::new(Options::new())?;
    let seed = SigningKey::new_seed()?;
    let key = SigningKey::from_seed(&seed);
    let did = derive_child(&parent, &key).await?;

    // The first call proves the identity; the client signs this one and every other.
    let options = Options::new().api_url(&parent.settings().api_url).agent_did(did);
    let client = Client::new(options.clone().private_key(SigningKey::seed_text(&seed)))?;
    let caller = client.whoami(&CallOptions::new()).await?;
    println!("proven: {}, {}", caller.agent_did == client.settings().agent_did, caller.credential);
    println!("called: {}", count_entries(&client).await?);

    let night = CreateKeyInput::new("night shift").capabilities(vec!["svc.mars.query_registry".into()]);
    let made = client.macs().create_key(&night).await?;
    let by_key = Client::new(options.clone().api_key(made.api_key))?;
    println!("by key: {}", count_entries(&by_key).await?);

    client.macs().revoke_key(&RevokeKeyInput::new(made.key_id)).await?;
    println!("revoked: {}", refusal_of(&by_key).await);

    // It commits to a second key, and changes to it: the first opens nothing more.
    let (next_seed, later_seed) = (SigningKey::new_seed()?, SigningKey::new_seed()?);
    let (next, later) = (SigningKey::from_seed(&next_seed), SigningKey::from_seed(&later_seed));
    println!("first change: {:?}", change_key(&client, &key, &next).await?);
    println!("second change: {:?}", change_key(&client, &next, &later).await?);
    let changed = Client::new(options.private_key(SigningKey::seed_text(&next_seed)))?;
    println!("by the new key: {}", count_entries(&changed).await?);
    println!("by the former key: {}", refusal_of(&client).await);
    Ok(())
}

/// Changes to a key that was committed to, and commits to the next; the first change only commits. The engine
/// answers what to sign; the key changed to signs it.
async fn change_key(client: &Client, to: &SigningKey, next: &SigningKey) -> Result<RotateKeyState, Error> {
    let change = RotateKeyInput::default().public_key(to.public_key()).next_key_hash(next.public_key_hash());
    let unsigned = client.macs().rotate_key(&change).await?;
    let signed = change
        .at(unsigned.at)
        .signature(to.sign(unsigned.signing_input.unwrap_or_default()))
        .document_proof(to.sign(unsigned.document_signing_input.unwrap_or_default()));
    Ok(client.macs().rotate_key(&signed).await?.state)
}

async fn refusal_of(client: &Client) -> String {
    match count_entries(client).await {
        Ok(_) => "not refused".to_owned(),
        Err(error) => error.reason().unwrap_or("no reason").to_owned(),
    }
}

async fn count_entries(client: &Client) -> Result<usize, Error> {
    let query = json!({ "tag": "none", "limit": 1 });
    let answer: Answer<Value> =
        client.dispatch("MARS", "query_registry", &query, &CallOptions::new()).await?;
    Ok(answer.output["entries"].as_array().map_or(0, Vec::len))
}
