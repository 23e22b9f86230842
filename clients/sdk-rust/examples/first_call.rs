//! A first call and its proof, a stream, a refusal, and typed calls: run it beside an engine.
//!
//! ```sh
//! SVC_API_URL=… SVC_API_KEY=… SVC_AGENT_DID=… cargo run --example first_call
//! ```

use std::process::ExitCode;

use serde_json::{Value, json};
use svc_sdk::audit_log::{ExportOptions, ExportVerifier, verify_receipt};
use svc_sdk::protocols::macs::AuthorizationRequestInput;
use svc_sdk::protocols::marc::{ReasoningTaskBudget, ReasoningTaskInput};
use svc_sdk::protocols::mata::{PoolInput, PoolOpinion};
use svc_sdk::{Answer, CallOptions, Client, Error, EventStream, Options, StreamEvent};

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
    let client = Client::new(Options::new())?;
    log_and_prove(&client).await?;
    follow(&client).await?;
    be_refused(&client).await?;
    ask_typed(&client).await
}

/// Writes to the audit log, at most once even if retried, and checks the receipt offline.
async fn log_and_prove(client: &Client) -> Result<(), Error> {
    let hello = json!({ "event_type": "custom.hello", "meta": { "from": "rust" } });
    let once = CallOptions::new().idempotency_key("rust-hello-1").wait_for_audit();
    let answer: Answer = client.dispatch("MAX", "audit_log_entry", &hello, &once).await?;
    println!("written: {}", answer.metadata.correlation_id);
    let again: Answer = client.dispatch("MAX", "audit_log_entry", &hello, &once).await?;
    println!("replayed: {}", again.metadata.replayed && again.output == answer.output);

    let first_page = json!({ "after_seq": 0, "limit": 1, "include_checkpoints": true });
    let audit_log: Answer = client.dispatch("MAX", "audit_query", &first_page, &CallOptions::new()).await?;
    let keys: Vec<&str> = audit_log.output["keys"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|key| key["public_key"].as_str())
        .collect();
    let verdict = verify_receipt(&answer.metadata.receipt.unwrap_or_default(), &keys);
    println!("proved: {}", verdict.ok);

    let mut verifier = ExportVerifier::new(ExportOptions::default());
    let mut lines = client.export_audit_log(1..);
    while let Some(line) = lines.next().await {
        verifier.take(&line?);
    }
    let audit_log = verifier.finish();
    println!("audit log: {}", audit_log.ok && audit_log.roots_checked);
    Ok(())
}

/// Prints progress while the operation runs, then its answer.
async fn follow(client: &Client) -> Result<(), Error> {
    let whole_audit_log = json!({ "outcome": "success", "verify": true });
    let mut events: EventStream =
        client.stream("MAX", "audit_query", &whole_audit_log, &CallOptions::new()).await?;
    while let Some(event) = events.next().await {
        match event? {
            StreamEvent::Progress(said) => eprintln!("{}", said["message"]),
            StreamEvent::Result(answer) => println!("streamed: {}", answer.output["verified"]["ok"]),
            _ => {}
        }
    }
    Ok(())
}

/// A refusal has one sentence for people, and a code, a stage and a reason for programs.
async fn be_refused(client: &Client) -> Result<(), Error> {
    let elsewhere = CallOptions::new().tenant_id("somebody-else");
    match client.dispatch::<_, Value>("MAX", "audit_query", &json!({}), &elsewhere).await {
        Ok(_) => println!("refused: not at all"),
        Err(error) => {
            let (code, reason) = (error.code(), error.reason().unwrap_or("no reason"));
            println!("refused: {code} at stage {}, {reason}", error.stage().unwrap_or_default());
        }
    }
    let dry = client.dry_run("MAX", "audit_query", &json!({}), &elsewhere).await?;
    println!("dry run: {}", dry.error.map_or("allowed", |error| error.code().as_str()));
    Ok(())
}

/// The same calls with the catalogue's types: a call that does not fit does not compile.
async fn ask_typed(client: &Client) -> Result<(), Error> {
    let may = AuthorizationRequestInput::new(&client.settings().agent_did);
    let allowed = client.macs().authorization_request(&may).await?;
    println!("MACS: {} capabilities", allowed.capabilities.len());

    let opinions = vec![
        PoolOpinion::new("protocol:MARC").probability(0.8).weight(1.0),
        PoolOpinion::new("maven://claim/planner").probability(0.6).weight(1.0),
    ];
    let pooled = client.mata().pool(&PoolInput::new(opinions).question("Will it arrive in time?")).await?;
    println!("MATA: {:.2}", pooled.probability.unwrap_or_default());

    let question = ReasoningTaskInput::new("Is Anne nice?", ReasoningTaskBudget::new(10_000, 20_000))
        .premises(vec!["Anne is kind.".into(), "All kind people are nice.".into()]);
    let once = CallOptions::new().idempotency_key("rust-anne-1");
    let reasoned = client.marc().with(once).reasoning_task(&question).await?;
    println!("MARC: {}", if reasoned.verified { "proved" } else { "not proved" });
    Ok(())
}
