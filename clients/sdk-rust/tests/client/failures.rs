//! Failures on the way: timeouts, broken connections, and whether a call may have been executed.

use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};
use svc_sdk::{Answer, CallOptions, Client, Error, ErrorCode};

use crate::server::{Server, hang_up, send, wait_for_end};

const HALF: &str = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"output\":";

async fn write(client: &Client, options: CallOptions) -> Result<Answer, Error> {
    client.dispatch::<_, Value>("MAX", "audit_log_entry", &json!({}), &options).await
}

async fn read(client: &Client, options: CallOptions) -> Result<Answer, Error> {
    client.dispatch::<_, Value>("MAX", "audit_query", &json!({}), &options).await
}

#[tokio::test]
async fn the_time_allowed_is_that_of_the_whole_attempt_before_the_head_and_while_the_body_comes() {
    for begun in ["", HALF] {
        let (gone, left) = mpsc::channel();
        let server = Server::start(move |_, connection| {
            send(connection, begun);
            wait_for_end(connection);
            let _ = gone.send(());
        });
        let error =
            read(&server.client(), CallOptions::new().timeout(Duration::from_millis(300))).await.unwrap_err();
        assert_eq!(
            (error.code(), error.reason(), error.retryable()),
            (ErrorCode::Timeout, Some("client timeout"), true)
        );
        assert!(error.message().contains("did not answer within 300 ms"), "{error}");
        tokio::task::yield_now().await;
        left.recv_timeout(Duration::from_secs(10)).expect("the server learns of it");
        // A late answer is not requested again.
        assert_eq!(server.count(), 1);
    }
}

#[tokio::test]
async fn zero_is_as_long_as_it_takes() {
    let server = Server::answering(vec![crate::server::ok(json!(1))]);
    assert_eq!(read(&server.client(), CallOptions::new().timeout(Duration::ZERO)).await.unwrap().output, 1);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_told_from_one_that_never_began() {
    let server = Server::start(|_, connection| {
        send(connection, HALF);
        hang_up(connection);
    });
    let error = read(&server.client(), CallOptions::new()).await.unwrap_err();
    assert_eq!((error.code(), error.reason()), (ErrorCode::Network, Some("connection lost")));
    assert_eq!(server.count(), 4);
}

#[tokio::test]
async fn a_write_is_sent_once_and_its_sentence_says_that_nobody_knows() {
    let server = Server::start(|_, connection| hang_up(connection));
    let doubtful = write(&server.client(), CallOptions::new()).await.unwrap_err();
    assert_eq!((doubtful.code(), doubtful.retryable(), server.count()), (ErrorCode::Network, false, 1));
    assert!(doubtful.message().contains("It may have been executed"), "{doubtful}");
    let keyed = write(&server.client(), CallOptions::new().idempotency_key("k")).await.unwrap_err();
    assert!(keyed.retryable() && !keyed.message().contains("may have"), "{keyed}");
    // Without a connection nothing was changed.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = Client::new(server.options().api_url(format!("http://{closed}"))).unwrap();
    let refused = write(&nobody, CallOptions::new()).await.unwrap_err();
    assert!(refused.retryable() && refused.message().contains("refused"), "{refused}");
}

#[tokio::test]
async fn a_write_that_finds_its_idle_connection_closed_takes_another() {
    let (gone, left) = mpsc::channel();
    let server = Server::start(move |nth, connection| {
        send(connection, &crate::server::ok(json!(nth)));
        hang_up(connection);
        let _ = gone.send(());
    });
    let client = server.client();
    for nth in 0..5 {
        let answer = write(&client, CallOptions::new()).await.unwrap();
        assert_eq!(answer.output, nth);
        left.recv_timeout(Duration::from_secs(10)).expect("the server hangs up");
        // Lets the task that watches the connection run on this one thread.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn no_error_shows_the_key_however_it_is_printed() {
    let server = Server::start(|_, connection| hang_up(connection));
    let error = write(&server.client(), CallOptions::new()).await.unwrap_err();
    let mut said = format!("{error} {error:?} {error:#?} {}", serde_json::to_string(&error).unwrap());
    let mut cause: Option<&dyn std::error::Error> = Some(&error);
    while let Some(deeper) = cause {
        said.push_str(&format!("{deeper} {deeper:?}"));
        cause = deeper.source();
    }
    assert!(!said.contains("svc_secret"), "{said}");
}

#[tokio::test]
async fn whoever_drops_a_call_ends_it_at_the_server() {
    let (gone, left) = mpsc::channel();
    let server = Server::start(move |_, connection| {
        wait_for_end(connection);
        let _ = gone.send(());
    });
    let client = server.client();
    let call = write(&client, CallOptions::new());
    assert!(tokio::time::timeout(Duration::from_millis(300), call).await.is_err());
    tokio::task::yield_now().await;
    left.recv_timeout(Duration::from_secs(10)).expect("the server learns of it");
}
