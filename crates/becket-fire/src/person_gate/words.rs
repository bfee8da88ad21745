//! The words of a text, as far as a shell could read them.

/// Returns true if one of the words of a text fits, read with and without its quotes and escapes.
pub(super) fn mentions(text: &str, fits: impl Fn(&str) -> bool) -> bool {
    has_word(text, |word| fits(word.trim_matches(['-', '.'])))
}

/// Returns true if a word of a text is the name of the file, alone or after a short option or an `@`.
pub(super) fn names_file(text: &str, file: &str) -> bool {
    has_word(text, |word| {
        let before = word.trim_end_matches(['-', '.']).strip_suffix(file);
        before.is_some_and(|before| {
            before.is_empty() || before.starts_with('-') || before.ends_with(['.', '@'])
        })
    })
}

/// Returns true if one of the words of a text fits, as it is written, read with and without its quotes and escapes.
fn has_word(text: &str, fits: impl Fn(&str) -> bool) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    let has = |text: &str| text.split(|c: char| !is_part(c)).any(&fits);
    has(&unquoted(text)) || has(text)
}

/// Returns a text without its quotes and escapes.
pub(super) fn unquoted(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect()
}
