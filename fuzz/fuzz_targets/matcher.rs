//! Arbitrary text as a matcher and as a value: compiled or refused, and judged soon, without a panic. Where both
//! engines can run it, the automaton and the backtracking judge agree.

#![no_main]

use becket_rules::{Alphabet, Matcher, MatcherKind, Renames, Verdict};
use libfuzzer_sys::fuzz_target;
use regress::{Flags, Regex};

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
    agrees(matcher, value);
});

/// Asks the judge where both texts are so short that its backtracking, which has no limit, can't run long.
fn agrees(matcher: &str, value: &str) {
    let repeats = matcher.matches(['*', '+', '{', '?']).count();
    let Ok(compiled) = Matcher::compile(Some(matcher), Alphabet::Wide, &Renames::none()) else { return };
    let (MatcherKind::Expression(_), None) = (compiled.kind(), compiled.longest_judged()) else { return };
    if matcher.len() < 24 && value.len() < 12 && repeats < 4 {
        let units = matcher.encode_utf16().map(u32::from);
        let judge = Regex::from_unicode(units, Flags::default()).expect("the matcher compiled");
        let value: Vec<u16> = value.encode_utf16().collect();
        let found = judge.find_from_ucs2(&value, 0).next().is_some();
        assert_eq!(compiled.judge(&String::from_utf16_lossy(&value)) == Verdict::Match, found);
    }
}
