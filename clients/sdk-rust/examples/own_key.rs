//! An agent with its own key and no API key: it proves itself, calls, makes an API key, and ends it.
//!
//! ```sh
//! SVC_API_URL=… SVC_AGENT_DID=… SVC_PRIVATE_KEY=… cargo run --example own_key
//! ```

use std::process::ExitCode;

use serde_json::{Value, json};
use svc_sdk::protocols::macs::{CreateKeyInput, RevokeKeyInput};
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

async fn make_calls() -> Result<(), Error> {
    // The first call proves the identity; the client signs this one and every other.
    let client = Client::new(Options::new())?;
    let caller = client.whoami(&CallOptions::new()).await?;
    println!("proven: {}, {}", caller.agent_did == client.settings().agent_did, caller.credential);
    println!("called: {}", count_entries(&client).await?);

    let night = CreateKeyInput::new("night shift").capabilities(vec!["svc.mars.query_registry".into()]);
    let key = client.macs().create_key(&night).await?;
    let settings = client.settings();
    let options = Options::new().api_url(&settings.api_url).agent_did(&settings.agent_did);
    let by_key = Client::new(options.api_key(key.api_key))?;
    println!("by key: {}", count_entries(&by_key).await?);

    client.macs().revoke_key(&RevokeKeyInput::new(key.key_id)).await?;
    match count_entries(&by_key).await {
        Ok(_) => println!("revoked: not at all"),
        Err(error) => println!("revoked: {}", error.reason().unwrap_or("no reason")),
    }
    Ok(())
}

async fn count_entries(client: &Client) -> Result<usize, Error> {
    let query = json!({ "tag": "none", "limit": 1 });
    let answer: Answer<Value> =
        client.dispatch("MARS", "query_registry", &query, &CallOptions::new()).await?;
    Ok(answer.output["entries"].as_array().map_or(0, Vec::len))
}
