//! A loopback server that plays a list of behaviours, one per connection, and keeps what it was sent.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with one connection.
#[derive(Clone, Debug)]
pub(crate) enum Play {
    /// Answers with status, extra header lines and body.
    Answer(u16, &'static str, String),
    /// Closes without a word.
    Drop,
    /// Promises a longer body than it sends.
    Cut,
    /// Never answers.
    Hang,
}

/// The server's address and what it received.
pub(crate) struct Mock {
    pub(crate) base_url: String,
    requests: Arc<Mutex<Vec<Received>>>,
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: serde_json::Value,
}

impl Mock {
    /// Starts the server on a free port of the loopback interface.
    pub(crate) async fn start(plays: Vec<Play>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            for play in plays {
                let (stream, _) = listener.accept().await.unwrap();
                serve(stream, play, &seen).await;
            }
        });
        Self { base_url, requests }
    }

    /// The requests so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, play: Play, seen: &Mutex<Vec<Received>>) {
    let received = read_request(&mut stream).await;
    seen.lock().unwrap().push(received);
    let answer = match play {
        Play::Answer(status, headers, body) => format!(
            "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
            body.len()
        ),
        Play::Cut => "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"choices\":[".to_owned(),
        Play::Drop => return,
        Play::Hang => {
            tokio::time::sleep(Duration::from_secs(30)).await;
            return;
        }
    };
    stream.write_all(answer.as_bytes()).await.unwrap();
    stream.shutdown().await.ok();
}

async fn read_request(stream: &mut TcpStream) -> Received {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    let (name, value) = line.split_once(':')?;
                    name.eq_ignore_ascii_case("content-length")
                        .then(|| value.trim().parse::<usize>().unwrap())
                })
                .unwrap_or(0);
            if body.len() >= length {
                return Received {
                    head: head.to_owned(),
                    body: serde_json::from_str(body).unwrap(),
                };
            }
        }
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).await.unwrap();
        assert!(read > 0, "the client closed before its request was whole");
        bytes.extend_from_slice(&chunk[..read]);
    }
}
