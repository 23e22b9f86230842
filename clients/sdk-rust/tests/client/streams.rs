//! Streams, cut at any position and with every kind of end.

use std::io::Write;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};
use svc_sdk::{CallOptions, Client, Error, ErrorCode, StreamEvent};

use crate::server::{STREAM_HEAD, Server, answer, hang_up, ok, send, wait_for_end};

async fn drain(client: &Client, options: CallOptions) -> Result<Vec<StreamEvent>, Error> {
    let mut events = client.stream("MAX", "audit_log_entry", &json!({}), &options).await?;
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        seen.push(event?);
    }
    Ok(seen)
}

fn whole() -> String {
    let progress = "event: progress\r\ndata: {\"message\":\"é\"}\r\n\r\n";
    let result = format!("event: result\ndata: {}\n\n", answer(json!({ "seq": 1 })));
    format!(": hello\r\n\r\n{progress}event: new\ndata: ?\n\n{result}")
}

#[tokio::test]
async fn a_stream_may_be_cut_at_every_byte() {
    // The first request is cut before byte 1, the second after it, and so on.
    let server = Server::start(|nth, connection| {
        let text = whole().into_bytes();
        let (first, rest) = text.split_at(nth.min(text.len()));
        send(
            connection,
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        );
        for piece in [first, rest].into_iter().filter(|piece| !piece.is_empty()) {
            let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
            let _ = connection.write_all(&chunk);
        }
    });
    let client = server.client();
    for nth in 0..=whole().len() {
        let seen = drain(&client, CallOptions::new()).await.unwrap();
        let [StreamEvent::Progress(said), StreamEvent::Result(answer)] = &seen[..] else {
            panic!("{nth}: {seen:?}")
        };
        assert_eq!((&said["message"], &answer.output["seq"]), (&json!("é"), &json!(1)), "cut at {nth}");
    }
    assert_eq!(server.requests()[0].headers["accept"], "text/event-stream");
}

#[tokio::test]
async fn a_stream_that_ends_without_its_result_failed_and_is_not_begun_again() {
    let server = Server::start(|nth, connection| {
        send(connection, STREAM_HEAD);
        send(
            connection,
            if nth == 2 { "event: result\ndata: {\"outp\n\n" } else { "event: progress\ndata: {}\n\n" },
        );
        hang_up(connection);
    });
    for _ in 0..2 {
        let error = drain(&server.client(), CallOptions::new()).await.unwrap_err();
        assert_eq!((error.code(), error.reason()), (ErrorCode::Network, Some("connection lost")));
        assert!(!error.retryable() && error.message().contains("It may have been executed"), "{error}");
    }
    assert_eq!(drain(&server.client(), CallOptions::new()).await.unwrap_err().code(), ErrorCode::BadAnswer);
    assert_eq!(server.count(), 3);
}

#[tokio::test]
async fn a_refusal_in_a_stream_is_an_error_and_nothing_follows_it() {
    let refusal =
        json!({ "error": { "code": "policy_denied", "message": "no", "reason": "because", "stage": 7 } });
    let server = Server::answering(vec![format!(
        "{STREAM_HEAD}event: error\ndata: {refusal}\n\nevent: progress\ndata: 1\n\n"
    )]);
    let client = server.client();
    let mut events =
        client.stream::<_, Value>("PLUGIN", "do", &json!({}), &CallOptions::new()).await.unwrap();
    let error = events.next().await.unwrap().unwrap_err();
    let said = (error.code(), error.reason(), error.stage(), error.correlation_id());
    assert_eq!(said, (ErrorCode::PolicyDenied, Some("because"), Some(7), Some("c")));
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn an_engine_that_does_not_stream_has_said_its_result() {
    let server = Server::answering(vec![ok(json!(5))]);
    let seen = drain(&server.client(), CallOptions::new()).await.unwrap();
    assert!(matches!(&seen[..], [StreamEvent::Result(answer)] if answer.output == 5));
}

#[tokio::test]
async fn a_stream_may_take_longer_than_the_time_allowed_as_long_as_it_gives_signs_of_life() {
    let (go_on, waiting) = mpsc::channel::<()>();
    let waiting = std::sync::Mutex::new(waiting);
    let server = Server::start(move |_, connection| {
        send(connection, STREAM_HEAD);
        while waiting.lock().unwrap().recv().is_ok() {
            send(connection, "event: progress\ndata: {}\n\n");
        }
        wait_for_end(connection);
    });
    let client = server.client();
    let options = CallOptions::new().timeout(Duration::from_secs(1));
    let mut events = client.stream::<_, Value>("PLUGIN", "do", &json!({}), &options).await.unwrap();
    for _ in 0..3 {
        go_on.send(()).unwrap();
        assert!(matches!(events.next().await, Some(Ok(StreamEvent::Progress(_)))));
        // However long the reader takes.
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    let error = events.next().await.unwrap().unwrap_err();
    assert_eq!(error.code(), ErrorCode::Timeout);
}

#[tokio::test]
async fn whoever_stops_reading_ends_the_call_at_the_server() {
    let (gone, left) = mpsc::channel();
    let server = Server::start(move |_, connection| {
        send(connection, STREAM_HEAD);
        send(connection, "event: progress\ndata: {}\n\n");
        wait_for_end(connection);
        let _ = gone.send(());
    });
    let client = server.client();
    let mut events =
        client.stream::<_, Value>("PLUGIN", "do", &json!({}), &CallOptions::new()).await.unwrap();
    assert!(events.next().await.is_some());
    drop(events);
    tokio::task::yield_now().await;
    left.recv_timeout(Duration::from_secs(10)).expect("the server learns of it");
}
