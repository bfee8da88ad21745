use super::*;
use crate::path::NoLinks;
use proptest::prelude::*;
use std::path::Path;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    // rule: D3
    #[test]
    fn no_line_is_passed_over_that_the_analysis_would_hold(
        parts in prop::collection::vec("rm|rmdir|r|m|[a-z]{1,3}|[ -~\n\t]|/|/etc|\\.\\.| |;|\\|&|sudo |xargs |sh -c |eval |-rf|\\$", 0..12),
        ends in prop::bool::ANY,
    ) {
        let line = format!("{}{}", parts.concat(), if ends { " -rf /" } else { "" });
        let scope = Scope {
            cwd: Path::new("/work/app"),
            home: Some(Path::new("/home/ann")),
            anchor: Path::new("/work/app"),
            links: &NoLinks,
        };
        if names_no_removal(&line) {
            prop_assert_eq!(in_bash(&shell::Line::parse(&line), &scope, &|_| None), None);
        }
    }
}

#[test]
fn what_is_written_otherwise_is_analysed() {
    for line in ["rm -rf /", "r\\m x", "'r''m' x", "$x /", "r{m,} x", "`x`", "~/x", "a <b", "(a)", "ärm"] {
        assert!(!names_no_removal(line), "{line}");
    }
    for line in ["ls", "cargo test -p a --lib; git status | cat", "make A=b\n./x.sh"] {
        assert!(names_no_removal(line), "{line}");
    }
}

// rule: D3
#[test]
fn a_quoted_value_with_a_blank_is_one_word() {
    let scope = Scope {
        cwd: Path::new("/work/app"),
        home: Some(Path::new("/home/ann lee")),
        anchor: Path::new("/work/app"),
        links: &NoLinks,
    };
    let variables = |name: &str| (name == "BACKUP").then(|| "/home/ann lee".to_owned());
    for line in ["rm -rf \"$HOME\"", "X='/home/ann lee'; rm -rf \"$X\"", "rm -rf \"$BACKUP\""] {
        assert!(in_bash(&shell::Line::parse(line), &scope, &variables).is_some(), "{line}");
    }
}
