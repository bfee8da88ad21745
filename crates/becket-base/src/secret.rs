//! Secret texts and their redaction: keys, tokens, values of headers.
//!
//! A [`Secret`] can't be shown by accident: `Debug` prints a placeholder, and there is neither `Display` nor a serde
//! form. Code that needs the text calls [`Secret::expose`], which is easily searched for. Servers quote what they are
//! sent, in error pages above all: a [`Redactor`] removes it from their texts.

mod found;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use url::Url;

/// The replacement for a secret.
pub const REDACTED: &str = "[redacted]";

/// A text that is never shown by `Debug` or in an error.
///
/// ```
/// use becket_base::secret::Secret;
///
/// let token = Secret::new("hunter2");
/// assert_eq!(format!("{token:?}"), "[redacted]");
/// assert_eq!(token.expose(), "hunter2");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Wraps a text.
    #[must_use]
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(Arc::from(text.as_ref()))
    }

    /// Wraps a text without the blanks around it: files of keys end in a newline.
    #[must_use]
    pub fn trimmed(text: impl AsRef<str>) -> Self {
        Self::new(text.as_ref().trim())
    }

    /// Returns the text itself, for sending or storing it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns whether the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

/// The minimum length in bytes: shorter texts are not secrets, and removing them would garble messages.
const SHORTEST: usize = 4;

/// Secrets to remove from texts, as they are and as JSON and forms spell them. Shows none of them.
#[derive(Clone, Default)]
pub struct Redactor(Vec<Vec<u8>>);

impl Redactor {
    /// Collects secrets.
    #[must_use]
    pub fn new<T: AsRef<[u8]>>(secrets: impl IntoIterator<Item = T>) -> Self {
        let mut redactor = Self::default();
        secrets.into_iter().for_each(|secret| redactor.add(secret));
        redactor
    }

    /// Collects the secret parts of a URL: credentials, query, fragment.
    #[must_use]
    pub fn of_url(url: &Url) -> Self {
        let parts = [Some(url.username()), url.password(), url.query(), url.fragment()];
        let mut redactor = Self::new(parts.into_iter().flatten());
        url.query_pairs().for_each(|(_, value)| redactor.add(value.as_bytes()));
        redactor
    }

    /// Adds the parts of a text that look like secrets: keys of known services, private keys, JSON Web Tokens,
    /// credentials in URLs, and values of names such as `API_TOKEN`, `password` and `authorization`. A guess, for texts
    /// that others wrote: it finds too much rather than too little.
    pub fn add_found_in(&mut self, text: &str) {
        found::in_text(text).into_iter().for_each(|secret| self.add(secret));
    }

    /// Adds a secret, without the blanks around it. Very short ones are ignored.
    pub fn add(&mut self, secret: impl AsRef<[u8]>) {
        let secret = secret.as_ref().trim_ascii();
        if secret.len() < SHORTEST || self.0.iter().any(|known| known == secret) {
            return;
        }
        let form: String = url::form_urlencoded::byte_serialize(secret).collect();
        let spellings = [Some(secret.to_vec()), in_json(secret), Some(form.into_bytes())];
        self.0.extend(spellings.into_iter().flatten());
        // The longer ones first: they may contain a shorter one.
        self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        self.0.dedup();
    }

    /// Returns the text without the secrets.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.redact_bytes(text.as_bytes())).into_owned()
    }

    /// Returns the bytes without the secrets.
    #[must_use]
    pub fn redact_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        self.0.iter().fold(Cow::Borrowed(bytes), |bytes, secret| match without(&bytes, secret) {
            Some(redacted) => Cow::Owned(redacted),
            None => bytes,
        })
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}

/// Returns a secret as JSON spells it, if that differs.
fn in_json(secret: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(secret).ok()?;
    let json = serde_json::Value::from(text).to_string();
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    (inner != text).then(|| inner.as_bytes().to_vec())
}

/// Returns the bytes with each occurrence of a secret replaced; `None` if it does not occur.
fn without(bytes: &[u8], secret: &[u8]) -> Option<Vec<u8>> {
    let first = *secret.first()?;
    let mut redacted: Option<Vec<u8>> = None;
    let (mut copied, mut at) = (0, 0);
    while let Some(next) = bytes.get(at..)?.iter().position(|byte| *byte == first) {
        at += next;
        if bytes[at..].starts_with(secret) {
            let redacted = redacted.get_or_insert_default();
            redacted.extend_from_slice(&bytes[copied..at]);
            redacted.extend_from_slice(REDACTED.as_bytes());
            at += secret.len();
            copied = at;
        } else {
            at += 1;
        }
    }
    redacted.as_mut()?.extend_from_slice(&bytes[copied..]);
    redacted
}

/// Parts of the names of variables that contain secrets.
const SECRET: [&str; 7] = ["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "COOKIE"];

/// Returns whether the name of a variable marks its value as secret, such as `API_KEY`.
#[must_use]
pub fn is_secret_variable(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: S3
    #[test]
    fn neither_debug_nor_a_redacted_text_shows_a_secret() {
        let secret = Secret::new("sk-1\"2");
        let redactor = Redactor::new([secret.expose()]);
        assert_eq!(format!("{secret:?} {redactor:?} {:#?}", Some(&secret)).matches("sk-").count(), 0);
        let url = Url::parse("https://anna:pass%20word@x.example/?key=query%20value&a=b").unwrap();
        let mut of_url = Redactor::of_url(&url);
        ["token-1-long", " token-1 ", "no", "s3cret/1+"].into_iter().for_each(|secret| of_url.add(secret));
        for (redactor, text, expected) in [
            (&redactor, "no sk-1\"2 here", "no [redacted] here"),
            (&redactor, r#"{"key":"sk-1\"2"}"#, r#"{"key":"[redacted]"}"#),
            (&of_url, "token-1", "[redacted]"),
            (&of_url, "ttoken-1token-1-longx", "t[redacted][redacted]x"),
            (&of_url, "token-", "token-"),
            (&of_url, "anna and pass%20word", "[redacted] and [redacted]"),
            (&of_url, "key=query%20value&a=b", "[redacted]"),
            (&of_url, "query value", "[redacted]"),
            (&of_url, "s3cret/1+ s3cret%2F1%2B", "[redacted] [redacted]"),
            (&of_url, "no", "no"),
            (&of_url, "", ""),
            (&Redactor::new([" \n"]), "a b", "a b"),
        ] {
            assert_eq!(redactor.redact(text), expected, "{text}");
        }
    }
}
