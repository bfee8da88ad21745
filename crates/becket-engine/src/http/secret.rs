//! What must never be shown (S3): header values that variables were expanded in, credentials, a URL's query.
//!
//! Servers send back what they were sent, in error pages above all. What a report or an error shows of an answer goes
//! through here. The answer itself is read as it came: it is the hook's own word, like what a command prints.

use reqwest::Url;
use std::borrow::Cow;

/// Shorter texts are no secrets, and hiding them would garble messages.
const SHORTEST: usize = 4;

/// What is shown instead.
const HIDDEN: &str = "***";

/// The secrets of one request. Has no `Debug`.
#[derive(Default)]
pub(super) struct Secrets(Vec<Vec<u8>>);

impl Secrets {
    /// Those of a URL.
    pub(super) fn of_url(url: &Url) -> Self {
        let mut secrets = Secrets::default();
        for text in [Some(url.username()), url.password(), url.query(), url.fragment()].into_iter().flatten()
        {
            secrets.add(text.as_bytes());
        }
        for (_, value) in url.query_pairs() {
            secrets.add(value.as_bytes());
        }
        secrets
    }

    /// Adds one.
    pub(super) fn add(&mut self, secret: &[u8]) {
        let secret = secret.trim_ascii();
        if secret.len() >= SHORTEST {
            self.0.push(secret.to_vec());
            // The longer one first: it may hold the shorter.
            self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        }
    }

    /// The text without them.
    pub(super) fn hide(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.hide_bytes(text.as_bytes())).into_owned()
    }

    /// The bytes without them.
    pub(super) fn hide_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        self.0.iter().fold(Cow::Borrowed(bytes), |bytes, secret| match without(&bytes, secret) {
            Some(hidden) => Cow::Owned(hidden),
            None => bytes,
        })
    }
}

/// `None` where it does not occur.
fn without(bytes: &[u8], secret: &[u8]) -> Option<Vec<u8>> {
    let first = *secret.first()?;
    let mut hidden: Option<Vec<u8>> = None;
    let (mut copied, mut at) = (0, 0);
    while let Some(next) = bytes.get(at..)?.iter().position(|byte| *byte == first) {
        at += next;
        if bytes[at..].starts_with(secret) {
            let hidden = hidden.get_or_insert_default();
            hidden.extend_from_slice(&bytes[copied..at]);
            hidden.extend_from_slice(HIDDEN.as_bytes());
            at += secret.len();
            copied = at;
        } else {
            at += 1;
        }
    }
    hidden.as_mut()?.extend_from_slice(&bytes[copied..]);
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: S3
    #[test]
    fn secrets_are_hidden_wherever_they_stand() {
        let url = Url::parse("https://anna:pass%20word@x.example/?key=query%20value&a=b").unwrap();
        let mut secrets = Secrets::of_url(&url);
        secrets.add(b" token-1 ");
        secrets.add(b"token-1-long");
        secrets.add(b"no");
        for (text, shown) in [
            ("token-1", "***"),
            ("ttoken-1token-1-longx", "t******x"),
            ("token-", "token-"),
            ("anna and pass%20word", "*** and ***"),
            ("key=query%20value&a=b", "***"),
            ("query value", "***"),
            ("no", "no"),
            ("", ""),
        ] {
            assert_eq!(secrets.hide(text), shown, "{text}");
        }
    }
}
