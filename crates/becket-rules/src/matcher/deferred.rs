//! Expressions so plain that their characters alone prove them valid, compiled when a value is first compared.
//!
//! Most matchers of a large configuration are for other tools, or other events, than the one that is fired.

use super::program::Program;
use super::{Verdict, syntax};
use std::sync::OnceLock;

/// The longest text that is deferred, in bytes: it compiles to at most three steps a byte, far below the limit.
const LONGEST: usize = 1024;

/// A program that is compiled on first use.
#[derive(Debug, Default)]
pub(super) struct DeferredProgram(OnceLock<Option<Box<Program>>>);

impl DeferredProgram {
    /// Compares a value with the expression `text`, which must be the same plain one in every call.
    pub(super) fn judge(&self, text: &str, value: &str) -> Verdict {
        if is_ruled_out(text, value) {
            return Verdict::NoMatch;
        }
        let compiled = || Program::compile(&syntax::parse(text).ok()?.node).map(Box::new);
        // INVARIANT: a plain text compiles. Otherwise nothing is known, and a guard runs.
        self.0.get_or_init(compiled).as_ref().map_or(Verdict::Unknown, |program| program.judge(value))
    }
}

/// Returns true if no match of the plain expression `text` can begin anywhere in the value: it need not be compiled.
fn is_ruled_out(text: &str, value: &str) -> bool {
    let is_without = |branch: &str| {
        let (opening, value) = (opening(branch), value.as_bytes());
        match branch.starts_with('^') {
            true => !value.starts_with(opening),
            false => !opening.is_empty() && !value.windows(opening.len()).any(|part| part == opening),
        }
    };
    value.len() <= LONGEST && text.split('|').all(is_without)
}

/// Returns the literal characters with which every match of a plain branch begins.
fn opening(branch: &str) -> &[u8] {
    let inner = branch.strip_prefix('^').unwrap_or(branch).as_bytes();
    let end = inner.iter().position(|byte| b".*+$".contains(byte)).unwrap_or(inner.len());
    // The character before `*` may be missing.
    let end = if inner.get(end) == Some(&b'*') { end.saturating_sub(1) } else { end };
    inner.get(..end).unwrap_or_default()
}

/// Returns true if the text is certainly an expression: letters, digits, `_`, `-`, blanks, `,`, `:`, `/`, `|`, and dots, each of
/// these but `|` with at most one `*` or `+`; each branch may begin with `^` and end with `$`.
pub(super) fn is_plain(text: &str) -> bool {
    text.len() <= LONGEST && text.split('|').all(is_plain_branch)
}

fn is_plain_branch(branch: &str) -> bool {
    let inner = branch.strip_prefix('^').unwrap_or(branch);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    let mut may_repeat = false;
    inner.bytes().all(|byte| match byte {
        b'*' | b'+' => std::mem::replace(&mut may_repeat, false),
        other => {
            may_repeat = other.is_ascii_alphanumeric() || b"_- ,:/.".contains(&other);
            may_repeat
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::bounded;

    const PIECES: [&str; 15] = ["a", "Z", "7", "_", "-", " ", ".", "/", "*", "+", "|", "^", "$", "(", "\\"];

    // rules: M3, M4
    #[test]
    fn what_is_plain_is_valid_and_compiles() {
        let mut plain = 0;
        let texts = (0..15_usize.pow(4)).map(|number| -> String {
            (0..4).map(|place| PIECES[number / 15_usize.pow(place) % 15]).collect()
        });
        for text in texts.filter(|text| is_plain(text)) {
            plain += 1;
            assert!(bounded::compile(&text).is_ok(), "{text}");
            let parsed = syntax::parse(&text).unwrap_or_else(|_| panic!("{text}"));
            assert!(!parsed.has_back_reference, "{text}");
            let program = Program::compile(&parsed.node).unwrap_or_else(|| panic!("{text}"));
            for value in ["", "a", "Za", "a7", "7a-Z", "aaa", "-", "_ a", "/a.", "Z/7"] {
                let deferred = DeferredProgram::default().judge(&text, value);
                assert_eq!(deferred, program.judge(value), "{text} on {value}");
            }
        }
        assert!(plain > 1000, "{plain}");
        let longest = ".*".repeat(LONGEST / 2);
        assert_ne!(DeferredProgram::default().judge(&longest, "a"), Verdict::Unknown);
        for text in ["a**", "*a", "^*", "a$*", "|+", "a(b", "[a", "a{2}", "\\d", "a?", "é", "$^*"] {
            assert!(!is_plain(text), "{text}");
        }
    }

    // rule: M4
    #[test]
    fn one_that_can_not_be_compiled_lets_every_guard_run() {
        for text in ["(", "a**", "(a)\\1", "[a"] {
            assert_eq!(DeferredProgram::default().judge(text, text), Verdict::Unknown, "{text}");
        }
    }
}
