//! Removes secrets from text of remote origin: an authorisation server may echo what it was sent.

/// Shorter secrets are not removed: they would match innocent text.
const SHORTEST: usize = 6;

/// Limit on the returned text, in characters.
const LONGEST: usize = 500;

/// Secrets that a text may have in it.
pub(crate) struct Redactor(Vec<String>);

impl Redactor {
    /// Collects these secrets, and their form-encoded spellings.
    pub(crate) fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let secrets = secrets.into_iter().filter(|secret| secret.len() >= SHORTEST);
        let both = |secret: &str| {
            let encoded: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
            [secret.to_owned(), encoded]
        };
        let mut all: Vec<String> = secrets.flat_map(both).collect();
        // The longest first: one may be a piece of another.
        all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        all.dedup();
        Self(all)
    }

    /// Adds every longer word of a text that is secret as a whole.
    pub(crate) fn of_words(text: &str) -> Self {
        Self::new(text.split(|c: char| c.is_whitespace() || "\"'{}[],:;".contains(c)))
    }

    /// Returns a text without them.
    pub(crate) fn clean(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "…"))
    }

    /// Returns the beginning of a text without them, on one line.
    pub(crate) fn line(&self, text: &str) -> String {
        line(&self.clean(text))
    }
}

/// Returns the beginning of a remote text, on one line and without control characters.
pub(crate) fn line(text: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    let mut line: String = text.trim().chars().take(LONGEST).map(shown).collect();
    if text.trim().chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_taken_out_and_lines_are_short() {
        let redactor = Redactor::new(["s3cret/1+", "s3cret/1+more", "abc"]);
        assert_eq!(redactor.line("a s3cret/1+more b s3cret%2F1%2B\nabc \u{1b}[1m"), "a … b … abc  [1m");
        assert_eq!(line(&"ä".repeat(LONGEST + 1)), format!("{}…", "ä".repeat(LONGEST)));
        let words = Redactor::of_words(r#"{"Authorization": "Bearer t0k3n-1"}"#);
        assert_eq!(words.clean("got t0k3n-1 ok"), "got … ok");
    }
}
