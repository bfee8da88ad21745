//! HTTP: a tunnel (`CONNECT`), or a request with the whole URL of a host without TLS.
//!
//! A request without a tunnel is forwarded only to the host that was judged: its `Host` is rewritten, and the
//! connection ends with its answer.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use becket_rules::Endpoint;
use httparse::{Request, Status};

use super::connection::Connection;
use super::outbound::ConnectError;

/// The maximum length of a request head, in bytes.
const LONGEST_HEAD: usize = 64 << 10;

/// The maximum number of headers of a request.
const MOST_HEADERS: usize = 128;

/// Headers that concern the connection to the proxy, and `Host`.
const OF_THE_CONNECTION: [&str; 7] =
    ["host", "connection", "proxy-connection", "keep-alive", "proxy-authorization", "upgrade", "te"];

/// The wait for a program that continues to send a body after its request was refused.
const LINGER: Duration = Duration::from_millis(500);

/// The head of a request.
#[derive(Debug, PartialEq, Eq)]
enum RequestHead {
    Tunnel {
        authority: String,
    },
    /// A request to forward.
    Forward {
        authority: String,
        /// The request line.
        line: Vec<u8>,
        /// All headers but `Host`.
        headers: Vec<u8>,
    },
}

/// Serves one request.
pub(super) fn serve(connection: &Connection<'_>) -> io::Result<()> {
    let mut bytes = Vec::new();
    let (head, length) = match read(connection.client, &mut bytes)? {
        Ok(found) => found,
        Err(why) => return answer(connection.client, "400 Bad Request", &format!("becket: {why}\n")),
    };
    let rest = bytes.get(length..).unwrap_or_default();
    match head {
        RequestHead::Tunnel { authority } => {
            let endpoint = Endpoint::parse(&authority, None);
            match connection.outbound.connect(connection.client, &authority, endpoint) {
                Ok(server) => {
                    let mut client = connection.client;
                    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
                    connection.relay(&server, rest)
                }
                Err(why) => refuse(connection.client, why),
            }
        }
        RequestHead::Forward { authority, line, headers } => {
            let endpoint = Endpoint::parse(&authority, Some(80));
            let named = endpoint.as_ref().map(host_header);
            match connection.outbound.connect(connection.client, &authority, endpoint) {
                Ok(server) => {
                    let host = format!("Host: {}\r\n", named.unwrap_or_default());
                    let first = [&line, host.as_bytes(), &headers, rest].concat();
                    connection.relay(&server, &first)
                }
                Err(why) => refuse(connection.client, why),
            }
        }
    }
}

fn host_header(endpoint: &Endpoint) -> String {
    if endpoint.port == 80 { endpoint.host.to_string() } else { endpoint.to_string() }
}

/// Reads the head of a request, and returns it with its length. The inner error is shown to the program.
fn read(
    mut client: &TcpStream,
    bytes: &mut Vec<u8>,
) -> io::Result<Result<(RequestHead, usize), &'static str>> {
    let mut buffer = [0; 4096];
    loop {
        let read = client.read(&mut buffer)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(buffer.get(..read).unwrap_or_default());
        match RequestHead::parse(bytes) {
            Ok(None) if bytes.len() < LONGEST_HEAD => {}
            Ok(None) => return Ok(Err("the head of the request is too long")),
            Ok(Some(found)) => return Ok(Ok(found)),
            Err(why) => return Ok(Err(why)),
        }
    }
}

impl RequestHead {
    /// Parses a head; `None` if it is incomplete.
    fn parse(bytes: &[u8]) -> Result<Option<(Self, usize)>, &'static str> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = Request::new(&mut headers);
        let length = match request.parse(bytes).map_err(|_| "the request is not HTTP/1.1")? {
            Status::Complete(length) => length,
            Status::Partial => return Ok(None),
        };
        let (method, target) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
        if method == "CONNECT" {
            return Ok(Some((Self::Tunnel { authority: target.to_owned() }, length)));
        }
        let (authority, path) = whole_url(target)?;
        let line = format!("{method} {path} HTTP/1.1\r\n").into_bytes();
        let headers = passed_on(request.headers);
        Ok(Some((Self::Forward { authority: authority.to_owned(), line, headers }, length)))
    }
}

/// Splits the URL of a request into the authority and the path.
fn whole_url(target: &str) -> Result<(&str, String), &'static str> {
    const SCHEME: &str = "http://";
    let is_http = target.get(..SCHEME.len()).is_some_and(|start| start.eq_ignore_ascii_case(SCHEME));
    let rest = target.get(SCHEME.len()..).filter(|_| is_http);
    let rest = rest.ok_or("this is a proxy: it accepts `CONNECT host:port` and absolute `http` URLs")?;
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let path = path.split('#').next().unwrap_or_default();
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    Ok((authority, path))
}

/// Returns the headers that the host receives, including the end of the head.
fn passed_on(headers: &[httparse::Header<'_>]) -> Vec<u8> {
    let named = |name: &str| {
        headers.iter().filter(|header| header.name.eq_ignore_ascii_case("connection")).any(|header| {
            let value = String::from_utf8_lossy(header.value);
            value.split(',').any(|option| option.trim().eq_ignore_ascii_case(name))
        })
    };
    let stays =
        |name: &str| OF_THE_CONNECTION.iter().any(|own| name.eq_ignore_ascii_case(own)) || named(name);
    let mut text = Vec::new();
    for header in headers.iter().filter(|header| !stays(header.name)) {
        text.extend_from_slice(header.name.as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(header.value);
        text.extend_from_slice(b"\r\n");
    }
    text.extend_from_slice(b"Connection: close\r\n\r\n");
    text
}

fn refuse(client: &TcpStream, why: ConnectError) -> io::Result<()> {
    match why {
        ConnectError::Refused(connection) => answer(client, "403 Forbidden", &connection.line()),
        ConnectError::Failed(why) => answer(client, "502 Bad Gateway", &format!("becket: {why}\n")),
    }
}

/// Answers, and lets the program read the answer although it may still be sending.
fn answer(mut client: &TcpStream, status: &str, text: &str) -> io::Result<()> {
    let length = text.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    client.write_all(format!("{head}{text}").as_bytes())?;
    client.shutdown(Shutdown::Write)?;
    client.set_read_timeout(Some(LINGER))?;
    io::copy(&mut client.take(1 << 20), &mut io::sink())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn forwarded(request: &str) -> (String, String) {
        match RequestHead::parse(request.as_bytes()).unwrap().unwrap().0 {
            RequestHead::Forward { authority, line, headers } => {
                (authority, String::from_utf8([line, headers].concat()).unwrap())
            }
            RequestHead::Tunnel { authority } => panic!("a tunnel to {authority}"),
        }
    }

    // rule: E5
    #[test]
    fn a_request_is_passed_on_without_what_is_about_the_proxy() {
        let request = "GET http://a.test:8/x?y#z HTTP/1.1\r\nHost: b.test\r\nProxy-Connection: keep-alive\r\nAccept: */*\r\n\
                       Connection: x-one, keep-alive\r\nX-One: 1\r\nProxy-Authorization: secret\r\n\r\n";
        let (authority, sent) = forwarded(request);
        assert_eq!(authority, "a.test:8");
        assert_eq!(sent, "GET /x?y HTTP/1.1\r\nAccept: */*\r\nConnection: close\r\n\r\n");
        assert!(forwarded("GET HTTP://A.test HTTP/1.0\r\n\r\n").1.starts_with("GET / HTTP/1.1\r\n"));
        assert!(forwarded("GET http://a.test?x HTTP/1.1\r\n\r\n").1.starts_with("GET /?x HTTP/1.1\r\n"));
        assert_eq!(forwarded("GET http://a.test\\@b.test/ HTTP/1.1\r\n\r\n").0, "a.test");
        assert_eq!(forwarded("GET http://a.test@b.test/ HTTP/1.1\r\n\r\n").0, "a.test@b.test");
    }

    // rule: E5
    #[test]
    fn what_is_no_request_to_a_proxy_is_refused() {
        for request in
            ["GET / HTTP/1.1\r\n\r\n", "GET https://a.test/ HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n"]
        {
            assert!(RequestHead::parse(request.as_bytes()).is_err(), "{request:?}");
        }
        assert_eq!(RequestHead::parse(b"CONNECT a.test:443 HTTP/1.1\r\nHost").unwrap(), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        // rule: E5
        #[test]
        fn any_bytes_are_parsed_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = RequestHead::parse(&bytes);
            let _ = RequestHead::parse(&[b"GET http://", bytes.as_slice(), b" HTTP/1.1\r\n\r\n"].concat());
        }
    }
}
