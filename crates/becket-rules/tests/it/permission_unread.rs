//! A line that is too long to be read: nothing about it is known, so every rule that may restrict it does (P4, P6,
//! P14).

use std::path::Path;

use becket_rules::shell::{CommandPattern, Line};
use becket_rules::{Behavior, Call, NoLinks, RuleList, RuleOrigin, RuleSet, Scope};
use serde_json::{Map, Value};

/// The maximum number of characters of a line.
const LONGEST: usize = 10_000;

fn padded(start: &str, length: usize) -> String {
    format!("{start} #{}", "x".repeat(length - start.len() - 2))
}

fn decide(rules: &[(RuleList, &str)], line: &str) -> Behavior {
    let origin = RuleOrigin { label: "project".to_owned(), anchor: "/work/.claude".into() };
    let mut set = RuleSet::default();
    for (list, text) in rules {
        assert!(set.add(*list, text, origin.clone()).is_ok(), "{text}");
    }
    let cwd = Path::new("/work");
    let scope = Scope { cwd, home: None, anchor: cwd, links: &NoLinks };
    let input = Map::from_iter([("command".to_owned(), Value::from(line))]);
    set.decide(&Call::new("Bash", &input), &scope).behavior
}

// rules: P4, P6
#[test]
fn a_line_that_is_too_long_runs_every_guard() {
    let pattern = CommandPattern::new("git push *");
    assert!(!Line::parse(&padded("ls", LONGEST)).condition(&pattern).runs());
    assert!(Line::parse(&padded("ls", LONGEST + 1)).condition(&pattern).runs());
}

// rules: P4, P7, P14
#[test]
fn a_line_that_is_too_long_is_what_rules_may_mean() {
    use RuleList::{Allow, Ask, Deny};
    let long = |start| padded(start, LONGEST + 1);
    // Without rules nothing decides, so a mode that runs everything runs it.
    assert_eq!(decide(&[], &long("ls")), Behavior::Undecided);
    assert_eq!(decide(&[(Allow, "Bash(ls *)")], &long("ls")), Behavior::Undecided);
    assert_eq!(decide(&[(Deny, "Bash(git push *)")], &long("ls; git push")), Behavior::Deny);
    // A command may be written so that its words don't show it.
    assert_eq!(decide(&[(Deny, "Bash(git push *)")], &long("ls")), Behavior::Ask);
    assert_eq!(decide(&[(Ask, "Bash(git push *)"), (Allow, "Bash")], &long("ls")), Behavior::Ask);
    assert_eq!(decide(&[(Deny, "Bash(git push *)")], &padded("ls", LONGEST)), Behavior::Undecided);
    assert_eq!(decide(&[(Deny, "WebFetch(domain:x)")], &long("ls")), Behavior::Undecided);
    assert_eq!(decide(&[(Deny, "Bash(git push *)")], &long("$'\\x67it' push")), Behavior::Deny);
    assert_eq!(decide(&[(Ask, "Bash(git push *)")], &long("g'i't push")), Behavior::Ask);
    // A file may be anywhere in the line.
    for (list, rule) in [(Deny, "Read(./secrets/**)"), (Ask, "Edit(./secrets/**)")] {
        let named = if list == Deny { Behavior::Deny } else { Behavior::Ask };
        assert_eq!(decide(&[(list, rule)], &long("cat secrets/key")), named);
        assert_eq!(decide(&[(list, rule)], &long("x=secrets; cat $x/key")), Behavior::Ask);
        assert_eq!(decide(&[(list, rule)], &padded("ls", LONGEST)), Behavior::Undecided);
    }
}
