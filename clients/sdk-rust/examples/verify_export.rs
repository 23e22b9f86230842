//! Checks exports and receipts of audit logs offline: `verify_export [options] FILE...`; `-` reads standard
//! input.
//!
//! Prints one verdict per file as a line of JSON. Exit code 0: all verified by what you trust; 8: one is
//! consistent but nothing you trust vouches for it; 1: one is wrong. `--key KEY` names a key you trust,
//! `--checkpoint FILE` a signed note you kept, `--head HASH` an `audit_head` you received, `--witness-key
//! KEY` a witness you trust, `--witnesses N` how many of them must have cosigned. `--receipts`: the files are
//! receipts; `--proofs`: they are MAZE prove answers.

use serde_json::Value;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::process::ExitCode;
use svc_sdk::audit_log::{ExportOptions, ProofOptions, verify_export, verify_proof, verify_receipt};

/// The same exit codes as `svc audit verify` and `svc-engine verify`.
const UNVERIFIED: u8 = 8;

#[derive(Default)]
struct Asked {
    options: ExportOptions,
    holds: Holding,
    files: Vec<String>,
}

#[derive(Default)]
enum Holding {
    #[default]
    Exports,
    Receipts,
    Proofs,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let asked = read_arguments(std::env::args().skip(1))?;
    let (mut all_ok, mut all_verified) = (!asked.files.is_empty(), true);
    for file in &asked.files {
        let verdict = verdict_on(open(file)?, &asked)?;
        all_ok &= verdict["ok"] == true;
        all_verified &= is_verified(&verdict);
        println!("{verdict}");
    }
    Ok(match (all_ok, all_verified) {
        (true, true) => ExitCode::SUCCESS,
        (true, false) => ExitCode::from(UNVERIFIED),
        (false, _) => ExitCode::FAILURE,
    })
}

/// A receipt is never ok without a trusted key.
fn is_verified(verdict: &Value) -> bool {
    verdict.get("verified").or(verdict.get("vouched")).is_none_or(|verified| verified == true)
}

fn verdict_on(file: Box<dyn BufRead>, asked: &Asked) -> Result<Value, Box<dyn Error>> {
    let ExportOptions { checkpoints, trusted_keys, .. } = &asked.options;
    let trusted_keys = trusted_keys.clone().unwrap_or_default();
    let verdict = match asked.holds {
        Holding::Exports => serde_json::to_value(verify_export(file, &asked.options)),
        Holding::Receipts => serde_json::to_value(verify_receipt(&read_value(file)?, &trusted_keys)),
        Holding::Proofs => {
            let options = ProofOptions { trusted_keys, checkpoints: checkpoints.clone() };
            serde_json::to_value(verify_proof(&read_value(file)?, &options))
        }
    };
    Ok(verdict?)
}

/// Null if the file is not JSON, so that the remaining files are still checked.
fn read_value(mut file: impl Read) -> io::Result<Value> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes).unwrap_or_default())
}

fn read_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Asked, Box<dyn Error>> {
    let mut asked = Asked::default();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        let options = &mut asked.options;
        match argument.as_str() {
            "--key" => options.trusted_keys.get_or_insert_default().push(value()?),
            "--checkpoint" => options.checkpoints.push(fs::read_to_string(value()?)?),
            "--head" => options.heads.push(value()?),
            "--witness-key" => options.witness_keys.push(value()?),
            "--witnesses" => options.witnesses_needed = value()?.parse()?,
            "--receipts" => asked.holds = Holding::Receipts,
            "--proofs" => asked.holds = Holding::Proofs,
            _ => asked.files.push(argument),
        }
    }
    Ok(asked)
}

fn open(file: &str) -> io::Result<Box<dyn BufRead>> {
    if file == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(BufReader::new(File::open(file)?)))
}
