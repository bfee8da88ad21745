//! The beginning of a server's text, fit for one line of a message.

/// The number of characters that are shown.
const SHOWN: usize = 200;

/// Returns the first characters, without any that move the cursor, change the direction or are invisible.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    // A character takes four bytes at most, and a bad byte becomes one character.
    let some = &bytes[..bytes.len().min(8 * SHOWN)];
    let text = String::from_utf8_lossy(some);
    let mut words = String::new();
    for character in text.trim().chars().map(|c| if is_harmless(c) { c } else { ' ' }) {
        if !(character == ' ' && words.ends_with(' ')) {
            words.push(character);
        }
    }
    let is_cut = some.len() < bytes.len() || words.chars().count() > SHOWN;
    let mut shown: String = words.chars().take(SHOWN).collect();
    if is_cut {
        shown.push('…');
    }
    // The message quotes it in backticks.
    shown.replace('`', "'")
}

fn is_harmless(character: char) -> bool {
    let directs = matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !character.is_control() && !directs
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    // rules: O10, O11
    #[test]
    fn what_a_server_says_is_harmless_in_a_message() {
        for (bytes, shown) in [
            (&b"  <h1>No</h1>\r\n<p>\x1b[31mred\x07</p> "[..], "<h1>No</h1> <p> [31mred </p>"),
            (b"\xff\x1f\x8b gzip", "\u{fffd} \u{fffd} gzip"),
            ("a\u{202e}b\u{feff}`c`".as_bytes(), "a b 'c'"),
            (b"", ""),
        ] {
            assert_eq!(excerpt(bytes), shown);
        }
        assert_eq!(excerpt("ä".repeat(200).as_bytes()), "ä".repeat(200));
        assert_eq!(excerpt("ä".repeat(201).as_bytes()), format!("{}…", "ä".repeat(200)));
        assert_eq!(excerpt(&vec![b' '; 1 << 20]), "…");
    }
}
