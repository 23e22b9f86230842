//! A child that keeps its own key: its parent derives it, then it proves itself, calls, makes an API key and
//! ends it, and changes its own key, which its parent recovers when it is stolen.
//!
//! ```sh
//! SVC_API_URL=… SVC_API_KEY=… SVC_AGENT_DID=… cargo run --example own_key
//! ```

use std::process::ExitCode;

use serde_json::{Value, json};
use svc_sdk::attenuation::AgentCapability;
use svc_sdk::protocols::macs::{
    CreateKeyInput, DeriveCustody, DeriveEntityKind, DeriveInput, RevokeKeyInput,
};
use svc_sdk::signature::SigningKey;
use svc_sdk::{Answer, CallOptions, Client, Error, KeyPair, Options};

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
    let keep = |_: &KeyPair| Ok(());
    let committed = client.rotate_key(keep, None, None).await?;
    let rotated = client.rotate_key(keep, Some(&committed.keys.next_private_key), None).await?;
    println!("changed: {}, {}", committed.is_changed, rotated.is_changed);
    println!("by the new key: {}", count_entries(&client).await?);
    let former = Client::new(options.clone().private_key(SigningKey::seed_text(&seed)))?;
    println!("by the former key: {}", refusal_of(&former).await);

    // The second key is stolen: the parent puts a new one in place.
    let (recovery, keys) = parent.recover_key(&client.settings().agent_did, keep, None).await?;
    println!("recovered: {}", recovery.is_recovered);
    println!("by the stolen key: {}", refusal_of(&client).await);
    let recovered = Client::new(options.private_key(keys.private_key))?;
    println!("by the recovered key: {}", count_entries(&recovered).await?);
    Ok(())
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
