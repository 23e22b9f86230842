//! A scripted server on a real socket, with one thread per connection.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use svc_sdk::{Client, Options};

/// A received request.
#[derive(Clone, Debug)]
pub struct Sent {
    pub line: String,
    pub headers: HashMap<String, String>,
    pub body: Value,
    /// The body as it was sent.
    pub text: String,
}

type Handler = dyn Fn(usize, &Sent, &mut TcpStream) + Send + Sync;

pub struct Server {
    pub api_url: String,
    requests: Arc<Mutex<Vec<Sent>>>,
    waits: Arc<Mutex<Vec<Duration>>>,
}

impl Server {
    /// `handle` gets the number of earlier requests, and writes its answer to the connection.
    pub fn start(handle: impl Fn(usize, &mut TcpStream) + Send + Sync + 'static) -> Self {
        Server::serving(move |nth, _, connection| handle(nth, connection))
    }

    /// `handle` gets the request, and writes its answer to the connection.
    pub fn hearing(handle: impl Fn(&Sent, &mut TcpStream) + Send + Sync + 'static) -> Self {
        Server::serving(move |_, sent, connection| handle(sent, connection))
    }

    fn serving(handle: impl Fn(usize, &Sent, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let api_url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (kept, handle) = (requests.clone(), Arc::new(handle));
        // Ends with the test process.
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (kept, handle) = (kept.clone(), handle.clone());
                thread::spawn(move || serve(connection, &kept, handle.as_ref()));
            }
        });
        Server { api_url, requests, waits: Arc::default() }
    }

    /// Sends these answers in order, and repeats the last one.
    pub fn answering(answers: Vec<String>) -> Self {
        Server::start(move |nth, connection| send(connection, &answers[nth.min(answers.len() - 1)]))
    }

    pub fn requests(&self) -> Vec<Sent> {
        self.requests.lock().unwrap().clone()
    }

    pub fn count(&self) -> usize {
        self.requests().len()
    }

    /// The waits before each further attempt; none is really waited for.
    pub fn waits(&self) -> Vec<Duration> {
        self.waits.lock().unwrap().clone()
    }

    pub fn options(&self) -> Options {
        let waits = self.waits.clone();
        Options::new()
            .api_url(&self.api_url)
            .api_key("svc_secret")
            .agent_did("did:oas:dev:agent:1")
            .tenant_id("dev")
            .sleep(move |wait| {
                waits.lock().unwrap().push(wait);
                std::future::ready(())
            })
    }

    pub fn client(&self) -> Client {
        Client::new(self.options()).unwrap()
    }
}

fn serve(mut connection: TcpStream, kept: &Mutex<Vec<Sent>>, handle: &Handler) {
    // Sends each written piece at once.
    let _ = connection.set_nodelay(true);
    while let Some(sent) = read_request(&connection) {
        let nth = {
            let mut requests = kept.lock().unwrap();
            requests.push(sent.clone());
            requests.len() - 1
        };
        handle(nth, &sent, &mut connection);
    }
}

/// None if the client has disconnected.
fn read_request(connection: &TcpStream) -> Option<Sent> {
    let mut reader = BufReader::new(connection);
    let mut next_line = || {
        let mut line = String::new();
        let read = reader.read_line(&mut line).ok()?;
        (read > 0).then(|| line.trim_end().to_owned())
    };
    let line = next_line()?;
    let mut headers = HashMap::new();
    while let Some((name, value)) = next_line()?.split_once(": ") {
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length: usize = headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    Some(Sent { line, headers, body: serde_json::from_str(&text).unwrap_or(Value::Null), text })
}

/// Ignores a disconnected client: that is often what is tested.
pub fn send(connection: &mut TcpStream, text: &str) {
    let _ = connection.write_all(text.as_bytes()).and_then(|()| connection.flush());
}

pub fn hang_up(connection: &TcpStream) {
    let _ = connection.shutdown(std::net::Shutdown::Both);
}

/// Returns when the client has disconnected.
pub fn wait_for_end(connection: &mut TcpStream) {
    let _ = connection.read(&mut [0; 1]);
}

pub fn response(status: u16, headers: &[(&str, &str)], body: &str) -> String {
    let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status} Said\r\ncontent-length: {}\r\n{lines}\r\n{body}", body.len())
}

pub fn ok(output: Value) -> String {
    response(200, &[], &answer(output))
}

pub fn answer(output: Value) -> String {
    json!({ "output": output, "metadata": { "correlation_id": "c" } }).to_string()
}

pub fn refusing(code: &str, headers: &[(&str, &str)]) -> String {
    response(400, headers, &json!({ "error": { "code": code, "message": code } }).to_string())
}

/// The headers of a stream; the body may be cut anywhere, and ends with the connection.
pub const STREAM_HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-correlation-id: c\r\n\r\n";
