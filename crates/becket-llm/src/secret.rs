//! A key that can be sent but not shown.
//!
//! Has no `Display`, no `Serialize` and a redacted `Debug`. Removes its text from anything that a server sent back.

use std::fmt;
use std::sync::Arc;

/// The replacement for a secret.
const REDACTED: &str = "[redacted]";

/// A key or token. `Debug` shows `[redacted]`; only [`Secret::expose`] gives the text.
///
/// rule: S3
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Takes the text, without the blanks around it (keys are read from files that end in a newline).
    #[must_use]
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(Arc::from(text.as_ref().trim()))
    }

    /// The text itself, for the header that carries it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns whether there is nothing to send.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `text` without this secret, as it is and as JSON would escape it.
    pub(crate) fn scrub(&self, text: &str) -> String {
        if self.is_empty() {
            return text.to_owned();
        }
        let plain = text.replace(self.expose(), REDACTED);
        let quoted = serde_json::Value::from(self.expose()).to_string();
        let escaped = quoted.trim_matches('"');
        if escaped == self.expose() { plain } else { plain.replace(escaped, REDACTED) }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: S3
    #[test]
    fn neither_debug_nor_scrubbed_text_shows_the_secret() {
        let secret = Secret::new("sk-1\"2\n");
        assert_eq!(format!("{secret:?} {:#?}", Some(&secret)).matches("sk-").count(), 0);
        assert_eq!(secret.scrub("no sk-1\"2 here"), "no [redacted] here");
        assert_eq!(secret.scrub(r#"{"key":"sk-1\"2"}"#), r#"{"key":"[redacted]"}"#);
    }

    #[test]
    fn an_empty_secret_scrubs_nothing() {
        assert_eq!(Secret::new(" \n").scrub("abc"), "abc");
    }
}
