//! Arbitrary text as a matcher and as a value: compiled or refused, and judged soon, without a panic. Where both
//! engines can run it, the automaton and the backtracking judge agree.

#![no_main]

use becket_rules::{Alphabet, Matcher, Renames, Verdict};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (matcher, value) = text.split_once('\u{1}').unwrap_or((&text, "mcp__git__push"));
    for alphabet in [Alphabet::Wide, Alphabet::Narrow] {
        let Ok(compiled) = Matcher::compile(Some(matcher), alphabet, &Renames::tools()) else { continue };
        let verdict = compiled.judge(value);
        assert_eq!(compiled.matches(value), verdict != Verdict::NoMatch);
        assert_eq!(compiled.judge(value), verdict, "a matcher has no memory");
    }
    let _ = becket_rules::watch_names(Some(matcher));
});
