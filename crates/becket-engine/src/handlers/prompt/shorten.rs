//! Cuts the middle out of a text that is too long for a model, and marks the cut.

use std::borrow::Cow;

/// Room for the note in place of the removed text, in characters.
const NOTICE: usize = 80;

/// Returns the text; if it has more than `most` characters, its head and its tail with a line between them that says
/// how much is missing, `most` characters in all. `most` is larger than a notice.
pub(crate) fn middle_out(text: &str, most: usize) -> Cow<'_, str> {
    // A character has at least one byte, so most texts need not be counted.
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let all = text.chars().count();
    if all <= most {
        return Cow::Borrowed(text);
    }
    let kept = most.saturating_sub(NOTICE);
    let head = kept * 2 / 3;
    let tail = kept - head;
    let (before, after) = (byte_of(text, head), byte_of(text, all - tail));
    let missing = all - kept;
    Cow::Owned(format!("{}\n[… {missing} characters left out …]\n{}", &text[..before], &text[after..]))
}

fn byte_of(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn head_and_tail_stay() {
        let text = format!("HEAD{}TAIL", "é".repeat(1_000));
        let short = middle_out(&text, 200);
        assert!(short.starts_with("HEAD") && short.ends_with("TAIL"), "{short}");
        assert!(short.contains("888 characters left out"), "{short}");
        assert!(matches!(middle_out("short", 200), Cow::Borrowed("short")));
        let umlauts = "é".repeat(200);
        assert!(matches!(middle_out(&umlauts, 200), Cow::Borrowed(_)), "characters count, not bytes");
    }

    proptest! {
        #[test]
        fn it_never_gets_longer_than_told(text in ".{0,400}", most in 100_usize..300) {
            prop_assert!(middle_out(&text, most).chars().count() <= most.max(text.chars().count().min(most)));
        }
    }
}
