//! An audit log read page by page: the queries, where it ends, and an empty one.

use serde_json::{Value, json};
use svc_sdk::{Error, ErrorCode};

use crate::server::{Server, ok};

fn record(seq: u64) -> Value {
    json!({ "seq": seq, "tenant_id": "dev", "previous_hash": "p", "record_hash": format!("h{seq}") })
}

fn page(seqs: std::ops::RangeInclusive<u64>, newest: u64, has_more: bool) -> String {
    let checkpoints: Vec<Value> =
        seqs.clone().map(|size| json!({ "size": size, "note": format!("n{size}") })).collect();
    let mut output = json!({
        "records": seqs.clone().map(record).collect::<Vec<_>>(),
        "keys": [{ "key_id": "k", "public_key": "x", "from_seq": 1, "until_seq": null }],
        "checkpoints": checkpoints,
        "newest_checkpoint": { "size": newest, "note": "newest" },
    });
    if has_more {
        output["next_after_seq"] = json!(seqs.end());
    }
    ok(output)
}

async fn lines(server: &Server, seqs: impl std::ops::RangeBounds<u64>) -> Result<Vec<Value>, Error> {
    let client = server.client();
    let mut export = client.export_audit_log(seqs);
    let mut found = Vec::new();
    while let Some(line) = export.next().await {
        found.push(serde_json::from_str(&line?).unwrap());
    }
    Ok(found)
}

#[tokio::test]
async fn it_goes_from_page_to_page_up_to_the_checkpoint_that_was_newest_when_it_began() {
    // The audit log grows with every query.
    let server = Server::answering(vec![page(1..=2, 3, true), page(3..=4, 5, true), page(5..=6, 7, true)]);
    let found = lines(&server, 1..).await.unwrap();
    let header = json!({
        "format": "svc-audit-export/1", "tenant_id": "dev", "origin": "svc/dev",
        "keys": [{ "key_id": "k", "public_key": "x", "from_seq": 1, "until_seq": null }],
        "from_seq": 1, "to_seq": 3, "previous_hash": "p",
    });
    assert_eq!(found[0], header);
    assert_eq!(found[1], json!({ "record": { "seq": 1, "tenant_id": "dev" }, "record_hash": "h1" }));
    assert_eq!(found[3]["record"]["seq"], 3);
    let notes: Vec<Value> = found[4..].iter().map(|line| line["checkpoint"].clone()).collect();
    assert_eq!(notes, ["n1", "n2", "n3"]);
    let asked: Vec<Value> =
        server.requests().iter().map(|sent| sent.body["input"]["after_seq"].clone()).collect();
    assert_eq!(asked, [0, 2]);
}

#[tokio::test]
async fn a_part_goes_on_to_the_checkpoint_that_covers_its_last_record() {
    let covering =
        ok(json!({ "records": [], "proofs": [{ "seq": 3, "tree_size": 4, "inclusion_path": [] }] }));
    let server = Server::answering(vec![covering, page(2..=9, 9, false)]);
    let found = lines(&server, 2..=3).await.unwrap();
    assert_eq!((&found[0]["from_seq"], &found[0]["to_seq"], found.len()), (&json!(2), &json!(4), 1 + 3 + 3));
    let asked: Vec<Value> =
        server.requests().iter().map(|sent| sent.body["input"]["after_seq"].clone()).collect();
    assert_eq!(asked, [2, 1]);
}

#[tokio::test]
async fn pages_that_lead_nowhere_end_it_and_an_empty_audit_log_says_so() {
    let stuck = Server::answering(vec![page(1..=2, 9, true), page(1..=2, 9, true)]);
    assert_eq!(lines(&stuck, ..).await.unwrap().len(), 1 + 4 + 4);
    assert_eq!(stuck.count(), 2);
    let empty = Server::answering(vec![ok(json!({ "records": [] }))]);
    let error = lines(&empty, ..).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidRequest);
    let sentence =
        "The audit log holds no signed record yet, so there is nothing to export from record 1 on.";
    assert_eq!(error.to_string(), sentence);
}

#[tokio::test]
async fn a_range_that_holds_no_record_is_not_asked_for() {
    let server = Server::answering(vec![page(1..=2, 2, false)]);
    for seqs in [0..0, 0..1, 2..2] {
        let error = lines(&server, seqs.clone()).await.expect_err("there is no such record");
        assert_eq!(error.reason(), Some("nothing to export"), "{seqs:?}");
    }
    assert_eq!(server.count(), 0);
}
