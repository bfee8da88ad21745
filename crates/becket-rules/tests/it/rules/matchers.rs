//! Matchers compared with their data file, and with the reference engine.

use std::time::{Duration, Instant};

use becket_rules::{Alphabet, Matcher, MatcherError, MatcherKind, Renames, Verdict, watch_names};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::rules::cases;

const CASES: &str = include_str!("../../cases/matchers.json");

fn compile(text: &str) -> Result<Matcher, MatcherError> {
    Matcher::compile(Some(text), Alphabet::Wide, &Renames::tools())
}

fn of_case(case: &Map<String, Value>) -> Matcher {
    let alphabet = if case.contains_key("narrow") { Alphabet::Narrow } else { Alphabet::Wide };
    let renames = match case.get("names").and_then(Value::as_str) {
        Some("none") => Renames::none(),
        Some("stop_failures") => Renames::stop_failures(),
        Some(other) => panic!("{other}"),
        None => Renames::tools().with("OldName", "NewName"),
    };
    let text = case.get("matcher").and_then(Value::as_str);
    Matcher::compile(text, alphabet, &renames).unwrap_or_else(|error| panic!("{error}"))
}

// rules: M1, M2, M3, M5, M7
#[test]
fn the_data_file_holds() {
    for case in cases::read(CASES) {
        let matcher = of_case(&case);
        for value in cases::texts(&case, "yes") {
            assert_eq!(matcher.judge(value), Verdict::Match, "{value:?} should match {:?}", matcher.text());
        }
        for value in cases::texts(&case, "no") {
            assert_eq!(
                matcher.judge(value),
                Verdict::NoMatch,
                "{value:?} should not match {:?}",
                matcher.text()
            );
        }
    }
}

// rule: M4
#[test]
fn invalid_expressions_are_errors() {
    for text in
        ["(", "[a", "a**", "*a*", "a)", "(?<n>a)(?<n>b)", "a{2,1}", "[b-a]", "\\", "(?<a", "+", "x{1}{2}"]
    {
        let error = compile(text).expect_err(text);
        assert!(error.to_string().contains(text), "{error}");
        assert!(!error.to_string().ends_with('.'), "{error}");
    }
    for hostile in ["(".repeat(100_000), "(?:a{999}){999}".to_owned(), "a".repeat(1_000_000) + "."] {
        assert!(compile(&hostile).is_err_and(|error| error.to_string().len() < 1000));
    }
}

// rules: M2, M3
#[test]
fn the_kind_tells_how_the_text_was_read() {
    let none = Matcher::compile(None, Alphabet::Wide, &Renames::none()).unwrap();
    assert_eq!(none.kind(), MatcherKind::Everything);
    assert_eq!(compile("a, b").unwrap().kind(), MatcherKind::Names(&["a".to_owned(), "b".to_owned()]));
    assert_eq!(compile("a.b").unwrap().kind(), MatcherKind::Expression("a.b"));
}

// rule: M8
#[test]
fn the_watch_list_is_the_literal_names() {
    assert_eq!(watch_names(Some(".envrc|.env | *|")), [".envrc", ".env", "*"]);
    assert_eq!(watch_names(Some("a,b")), ["a,b"]);
    assert!(watch_names(Some("")).is_empty() && watch_names(None).is_empty());
}

// rule: M3
#[test]
fn no_expression_runs_long() {
    let start = Instant::now();
    let value = "a".repeat(4000);
    for text in ["^(a+)+$", "(a|a)*b", "^(?=(a*)*b)", "(?:a?){500}a{500}b", "(?<=(a+)+)b", "^(\\w+\\s?)*$"] {
        let matcher = compile(text).unwrap();
        assert!(!matcher.is_risky(), "{text}");
        assert_ne!(matcher.judge(&value), Verdict::Unknown, "{text}");
    }
    for text in ["^(a+)+\\1$b", "(a|a)*\\1b", "(.*)(.*)(.*)(.*)\\4x", "(a?){60}\\1b"] {
        let matcher = compile(text).unwrap();
        assert!(matcher.is_risky(), "{text}");
        for length in 0..64 {
            let _ = matcher.judge(&"a".repeat(length));
        }
        assert_eq!(matcher.judge(&value), Verdict::Unknown, "{text}");
        assert!(matcher.matches(&value), "what is unknown runs the guard");
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

/// Runs the regex engine itself, on UTF-16 units as ECMAScript does.
fn judge(text: &str, value: &str) -> Option<bool> {
    let regex =
        regress::Regex::from_unicode(text.encode_utf16().map(u32::from), regress::Flags::default()).ok()?;
    let units: Vec<u16> = value.encode_utf16().collect();
    Some(regex.find_from_ucs2(&units, 0).next().is_some())
}

fn atom() -> impl Strategy<Value = String> {
    let words = [
        "a", "b", "_", ".", "\\d", "\\w", "\\s", "\\S", "[ab]", "[^a]", "[a-c-]", "[\\w.]", "\\b", "\\B",
        "^", "$", "-", "[]", "[^]", "\\x61", "{", "]", "}", "é", "\\u00e9", "a{,2}", "\\-", "[\\b]", "\\0",
        "\\n",
    ];
    proptest::sample::select(words.to_vec()).prop_map(str::to_owned)
}

fn expression() -> impl Strategy<Value = String> {
    atom().prop_recursive(4, 24, 4, |inner| {
        let group = proptest::sample::select(vec!["(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>"]);
        let count = proptest::sample::select(vec!["*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "{0}"]);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            (group, inner.clone()).prop_map(|(open, inner)| format!("{open}{inner})")),
            (inner.clone(), count).prop_map(|(inner, count)| format!("(?:{inner}){count}")),
            (inner.clone(), inner).prop_map(|(one, other)| format!("{one}|{other}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    // rules: M3, M4
    #[test]
    fn the_automaton_agrees_with_the_judge(text in expression(), value in "[ab_é\\-1 {}\\n]{0,8}") {
        prop_assume!(!text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_- ,|".contains(&b)));
        prop_assume!(text != "*");
        match (compile(&text), judge(&text, &value)) {
            (Ok(matcher), Some(expected)) => {
                prop_assert_eq!(matcher.judge(&value) == Verdict::Match, expected, "{} on {:?}", text, value);
            }
            (Err(error), Some(_)) => prop_assert!(false, "{} is valid: {}", text, error),
            (Ok(_), None) => prop_assert!(false, "{} is invalid", text),
            (Err(_), None) => {}
        }
    }

    // rule: M4
    #[test]
    fn any_text_is_a_matcher_or_an_error(text in ".{0,60}", value in ".{0,20}") {
        let compiled = compile(&text);
        prop_assert_eq!(compiled.is_ok(), judge(&text, "").is_some()
            || matches!(text.as_str(), "" | "*"), "{:?}: {:?}", text, compiled.err());
        if let Ok(matcher) = compiled {
            let _ = matcher.matches(&value);
        }
    }
}
