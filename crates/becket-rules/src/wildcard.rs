//! Text with `*` for any text: tool names, parameter values, skills. Not for paths and not for commands.
//!
//! INVARIANT: the time for each piece between stars is linear in the text, without backtracking: the leftmost match of
//! each piece leaves the most room for the rest.

/// Returns whether `text` matches `pattern`, in which each `*` matches any text, also an empty one.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for piece in middle.split('*') {
        match text.find(piece).and_then(|at| text.get(at + piece.len()..)) {
            Some(after) => text = after,
            None => return false,
        }
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("a*", "a", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*c", "axbxbxc", true),
            ("a*b*c", "axcxb", false),
            ("**b**", "abc", true),
            ("*ab*ab", "xab", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
        assert!(!matches(&"a*".repeat(500), &"ab".repeat(100)));
    }
}
