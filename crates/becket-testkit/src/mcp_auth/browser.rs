//! The user's browser, as far as a login needs one.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The status; 0 if there was no answer.
    pub status: u16,
    /// The target of a redirect.
    pub location: Option<String>,
    /// The head of the answer, as it was received.
    pub head: String,
    /// The text.
    pub body: String,
}

/// Gets a page of a server on this machine, `http` only; redirects are not followed.
#[must_use]
pub fn browse(url: &str) -> Page {
    let rest = url.strip_prefix("http://").expect("only `http` is browsed");
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let place = host.replace("localhost", "127.0.0.1");
    let mut answer = Vec::new();
    if let Ok(mut stream) = TcpStream::connect(place) {
        let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let _ = stream.write_all(request.as_bytes());
        read(&mut stream, &mut answer);
    }
    let text = String::from_utf8_lossy(&answer);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    let location = head.lines().find_map(|line| line.strip_prefix("Location: "));
    Page { status, location: location.map(str::to_owned), head: head.to_owned(), body: body.to_owned() }
}

/// Opens a login page and follows its redirects; returns the last page.
#[must_use]
pub fn log_in(url: &str) -> Page {
    let page = browse(url);
    match &page.location {
        Some(back) => browse(back),
        None => page,
    }
}

/// Reads to the end of the answer; a server that keeps the connection open states its length.
fn read(stream: &mut TcpStream, answer: &mut Vec<u8>) {
    let mut chunk = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(answer);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            if length
                .and_then(|length| length.trim().parse::<usize>().ok())
                .is_some_and(|all| body.len() >= all)
            {
                return;
            }
        }
        match stream.read(&mut chunk) {
            Ok(read) if read > 0 => answer.extend_from_slice(&chunk[..read]),
            Ok(_) | Err(_) => return,
        }
    }
}
