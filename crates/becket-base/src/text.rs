//! Texts that are shortened for a message, or made safe to show.

use std::borrow::Cow;

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

/// Returns the beginning of a text as one line, as [`visible`] writes it, cut as [`cut`] does. Reads no more of the
/// text than it shows.
///
/// ```
/// assert_eq!(becket_base::text::one_line(" a\n\tb\u{1b}[1m c", 80), "a b\\u{1b}[1m c");
/// ```
#[must_use]
pub fn one_line(text: &str, characters: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
        word.chars().for_each(|c| push_visible(&mut line, c));
        if line.char_indices().nth(characters + 1).is_some() {
            break;
        }
    }
    cut(line.trim_end(), characters)
}

/// Returns text without control characters except line breaks and tabs: others are written as escapes, and so are
/// characters that hide others, and the two that are in no XML document.
///
/// ```
/// assert_eq!(becket_base::text::visible("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\n");
/// ```
#[must_use]
pub fn visible(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    text.chars().for_each(|c| push_visible(&mut clean, c));
    clean
}

fn push_visible(text: &mut String, c: char) {
    if is_unsafe(c) {
        text.extend(c.escape_default());
    } else {
        text.push(c);
    }
}

/// Returns true for control characters except line breaks and tabs, and for hidden ones.
fn is_unsafe(c: char) -> bool {
    !matches!(c, '\n' | '\t') && (c.is_control() || is_hidden(c))
}

/// Returns text as [`visible`] does, with a substitute for each such character that has as many bytes: positions remain
/// valid.
///
/// ```
/// assert_eq!(becket_base::text::visible_in_place("a\u{1b}b\u{9b}c\u{202e}d\u{e0041}\n"), "a b·c�d··\n");
/// ```
#[must_use]
pub fn visible_in_place(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c.len_utf8() {
            _ if !is_unsafe(c) => clean.push(c),
            1 => clean.push(' '),
            2 => clean.push('·'),
            3 => clean.push(char::REPLACEMENT_CHARACTER),
            _ => clean.push_str("··"),
        }
    }
    clean
}

/// Returns the text of a JSON document with the same values, in which the characters that [`visible`] escapes are
/// escapes.
///
/// ```
/// assert_eq!(becket_base::text::visible_in_json("[\"a\u{9b}b\u{e0041}\"]\n"), "[\"a\\u009bb\\udb40\\udc41\"]\n");
/// ```
#[must_use]
pub fn visible_in_json(text: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| c != '\r' && is_unsafe(c);
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if is_escaped(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| clean.push_str(&format!("\\u{unit:04x}")));
        } else {
            clean.push(c);
        }
    }
    Cow::Owned(clean)
}

/// Returns text as [`visible`] does, but keeps its styles: sequences such as `\x1b[1m`, which change nothing but the
/// look of what follows. A line break may have a carriage return.
///
/// ```
/// let text = "\x1b[1;31ma\x1b[0m\x1b[2Jb\x07\r\n";
/// let expected = "\x1b[1;31ma\x1b[0m\\u{1b}[2Jb\\u{7}\r\n";
/// assert_eq!(becket_base::text::visible_with_styles(text), expected);
/// ```
#[must_use]
pub fn visible_with_styles(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let kept = if rest.starts_with("\r\n") { 2 } else { style(rest) };
        let (done, more) = rest.split_at(if kept > 0 { kept } else { c.len_utf8() });
        if kept > 0 {
            clean.push_str(done);
        } else {
            push_visible(&mut clean, c);
        }
        rest = more;
    }
    Cow::Owned(clean)
}

/// Returns the length of the style with which a text begins, or 0.
fn style(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\x1b[") else { return 0 };
    let length = parameters.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':');
    match length.filter(|length| parameters[*length..].starts_with('m')) {
        Some(length) => "\x1b[".len() + length + "m".len(),
        None => 0,
    }
}

/// Returns true for characters that reverse the direction of a line, have no width or are not characters: they could
/// hide the effect of a command.
const fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{e0000}'..='\u{e0fff}'
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
            ("a \u{1b} b", "a \\u{1b} b"),
            ("\u{7}\u{8}", "\\u{7}\\u{8}"),
            ("a\u{2028}b\u{85}c", "a b c"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("1234567 90123 45", "1234567 90123…"),
            ("1234567 90123 \u{7}", "1234567 90123…"),
        ] {
            assert_eq!(one_line(text, 13), expected, "{text:?}");
        }
    }

    #[test]
    fn nothing_that_moves_the_cursor_hides_text_or_breaks_xml_stays() {
        for c in [
            '\u{1b}',
            '\u{7f}',
            '\u{9b}',
            '\r',
            '\u{2028}',
            '\u{202e}',
            '\u{feff}',
            '\u{fffe}',
            '\u{ffff}',
            '\u{e0041}',
        ] {
            let text = format!("é{c}\x1b[31mz");
            let escaped = c.escape_default();
            assert_eq!(visible(&text), format!("é{escaped}\\u{{1b}}[31mz"));
            assert_eq!(visible_with_styles(&text), format!("é{escaped}\x1b[31mz"));
            let in_place = visible_in_place(&text);
            assert!(in_place.len() == text.len() && !in_place.contains([c, '\x1b']), "{in_place:?}");
        }
        for raw in ["\x1b", "\x1b[", "\x1b[1", "\x1b[2J", "\x1b]0;t\x07", "\x1b[?25l", "\x1b[1é", "\u{9b}1m"]
        {
            assert!(!visible_with_styles(raw).contains(['\x1b', '\u{9b}']), "{raw:?}");
        }
    }
}
