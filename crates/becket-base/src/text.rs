//! Texts that are shortened for a message, or made safe to show.

/// Returns bytes as lowercase hexadecimal digits.
///
/// ```
/// assert_eq!(becket_base::text::hex(&[0, 15, 255]), "000fff");
/// ```
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
}

/// Returns at most `characters` characters of a text; a shortened text ends with `…`.
///
/// ```
/// assert_eq!(becket_base::text::cut("grüße", 3), "grü…");
/// assert_eq!(becket_base::text::cut("grü", 3), "grü");
/// ```
#[must_use]
pub fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Returns the beginning of a text as one line without control characters, cut as [`cut`] does. Reads no more of the
/// text than it shows.
///
/// ```
/// assert_eq!(becket_base::text::one_line(" a\n\tb\u{1b}[1m c", 80), "a b[1m c");
/// ```
#[must_use]
pub fn one_line(text: &str, characters: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
        line.extend(word.chars().filter(|character| !character.is_control()));
        if line.char_indices().nth(characters + 1).is_some() {
            break;
        }
    }
    cut(line.trim_end(), characters)
}

/// Returns text without control characters except line breaks and tabs: others are written as escapes, and so are
/// characters that hide others.
///
/// ```
/// assert_eq!(becket_base::text::visible("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\n");
/// ```
#[must_use]
pub fn visible(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => clean.push(c),
            c if c.is_control() || is_hidden(c) => clean.extend(c.escape_default()),
            c => clean.push(c),
        }
    }
    clean
}

/// Returns true for characters that reverse the direction of a line or have no width: they could hide the effect of a
/// command.
const fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        for (text, characters, expected) in
            [("", 0, ""), ("a", 0, "…"), ("äöü", 3, "äöü"), ("äöüß", 3, "äöü…"), ("🙂🙂", 1, "🙂…")]
        {
            assert_eq!(cut(text, characters), expected, "{text:?}");
        }
    }

    #[test]
    fn a_line_has_single_blanks_and_no_control_characters() {
        for (text, expected) in [
            ("  one\r\n two\tthree ", "one two three"),
            ("a \u{1b} b", "a b"),
            ("\u{7}\u{8}", ""),
            ("1234567 90123 45", "1234567 90123…"),
            ("1234567 90123 \u{7}", "1234567 90123"),
        ] {
            assert_eq!(one_line(text, 13), expected, "{text:?}");
        }
    }
}
