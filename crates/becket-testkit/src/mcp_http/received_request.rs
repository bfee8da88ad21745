//! A received request.

use std::io::{self, BufRead};

use serde_json::Value;

/// A request.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// `POST`, `GET`, `DELETE`.
    pub verb: String,
    /// The path with its query.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null if there is none, a string if it is not JSON.
    pub body: Value,
    /// The number of the connection to the server, from 1.
    pub connection: usize,
    /// The number of the request among those with this verb and RPC method, from 1.
    pub nth: usize,
}

impl ReceivedRequest {
    /// Returns the JSON-RPC method; empty if there is none.
    #[must_use]
    pub fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or("")
    }

    /// Returns the id of the request; null if there is none.
    #[must_use]
    pub fn id(&self) -> &Value {
        &self.body["id"]
    }

    /// Returns the tool that is called; empty if none is.
    #[must_use]
    pub fn tool(&self) -> &str {
        self.body["params"]["name"].as_str().unwrap_or("")
    }

    /// Returns the value of a header; the name is in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the session id sent by the client.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        self.header("mcp-session-id").filter(|session| !session.is_empty())
    }

    /// Reads the next request of a connection; `None` if the client has closed it.
    pub(crate) fn read(from: &mut impl BufRead, connection: usize) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_ascii_whitespace().map(str::to_owned);
        let (verb, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let headers = headers(from)?;
        let mut seen = Self { verb, path, headers, body: Value::Null, connection, nth: 0 };
        let length = seen.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        from.read_exact(&mut body)?;
        let text = || Value::String(String::from_utf8_lossy(&body).into_owned());
        seen.body = match length {
            0 => Value::Null,
            _ => serde_json::from_slice(&body).unwrap_or_else(|_| text()),
        };
        Ok(Some(seen))
    }
}

fn headers(from: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        from.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { return Ok(headers) };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}
