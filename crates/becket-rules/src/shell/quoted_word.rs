//! A text quoted for a shell.

/// Returns the text as one word of a shell: unchanged if it has no special meaning, otherwise in single quotes.
///
/// ```
/// use becket_rules::shell::quoted_word;
///
/// assert_eq!(quoted_word("src/main.rs"), "src/main.rs");
/// assert_eq!(quoted_word("it's $HOME"), r"'it'\''s $HOME'");
/// ```
#[must_use]
pub fn quoted_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
