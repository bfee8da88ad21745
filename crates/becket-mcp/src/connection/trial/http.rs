//! The subset of HTTP that a server of the older kind needs.

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

/// A request.
#[derive(Debug, Clone, Default)]
pub(in crate::connection) struct Head {
    /// Method and target.
    pub(in crate::connection) line: String,
    /// The headers, with names in lower case.
    pub(in crate::connection) headers: Vec<(String, String)>,
    pub(in crate::connection) body: Vec<u8>,
}

impl Head {
    pub(in crate::connection) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether its body contains this text.
    pub(in crate::connection) fn has(&self, text: &str) -> bool {
        String::from_utf8_lossy(&self.body).contains(text)
    }
}

/// Reads the next request; `None` once the client has disconnected.
pub(in crate::connection) async fn read_head<S: AsyncRead + Unpin>(
    socket: &mut BufReader<S>,
) -> Option<Head> {
    let mut head = Head::default();
    loop {
        let mut line = String::new();
        if socket.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        match line.split_once(": ") {
            _ if line.is_empty() => break,
            Some((name, value)) => head.headers.push((name.to_ascii_lowercase(), value.to_owned())),
            None => head.line = line.trim_end_matches(" HTTP/1.1").to_owned(),
        }
    }
    let length = head.header("content-length").map_or(0, |length| length.parse().unwrap());
    head.body = vec![0; length];
    socket.read_exact(&mut head.body).await.ok()?;
    Some(head)
}

/// Returns a response with a body.
pub(in crate::connection) fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
}
