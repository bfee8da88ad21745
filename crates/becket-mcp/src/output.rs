//! What of an answer is shown.

/// The beginning of a text, at most that many characters; cut, it ends with `…`.
pub(crate) fn beginning(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
