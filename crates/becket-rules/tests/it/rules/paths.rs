//! Path patterns in the three readings: allow, deny and ask, and `if`.

use becket_rules::{Behavior, Call, Condition, RuleList, RuleSet};
use serde_json::Value;

use crate::rules::cases::{self, here, origin};

/// Returns whether `Read(pattern)` matches: as an allow rule, as a deny rule, as an `if`.
fn read(pattern: &str, path: &str) -> [bool; 3] {
    let rule = format!("Read({pattern})");
    let input = serde_json::json!({ "file_path": path });
    let call = Call::new("Read", input.as_object().unwrap());
    let decided = |list| {
        let mut rules = RuleSet::default();
        rules.add(list, &rule, origin()).unwrap();
        rules.decide(&call, &here()).behavior
    };
    let condition = Condition::parse(&rule).unwrap().unwrap();
    [
        decided(RuleList::Allow) == Behavior::Allow,
        decided(RuleList::Deny) == Behavior::Deny,
        matches!(condition.applies(&call, &here()), becket_rules::Applies::Match { .. }),
    ]
}

// rules: P7, P8
#[test]
fn the_data_file_holds() {
    let mut checked = 0;
    for case in cases::read(include_str!("../../cases/paths.json")) {
        let pattern = cases::text(&case, "pattern");
        let mut check = |key: &str, which: &[usize], expected: bool| {
            for path in cases::texts(&case, key) {
                let found = read(pattern, path);
                for index in which {
                    let reading = ["allow", "deny", "if"][*index];
                    assert_eq!(found[*index], expected, "`{pattern}` on `{path}` as {reading}");
                    checked += 1;
                }
            }
        };
        check("all", &[0, 1, 2], true);
        check("none", &[0, 1, 2], false);
        for (index, [yes, no]) in
            [["allow", "not_allow"], ["deny", "not_deny"], ["if", "not_if"]].into_iter().enumerate()
        {
            check(yes, &[index], true);
            check(no, &[index], false);
        }
    }
    assert!(checked > 250, "only {checked}");
}

// rule: P7
#[test]
fn a_path_that_cannot_be_told_runs_the_guard_and_is_not_allowed() {
    for input in [
        serde_json::json!({}),
        serde_json::json!({"file_path": 7}),
        serde_json::json!({"file_path": "~bob/x"}),
    ] {
        let call = Call::new("Read", input.as_object().unwrap());
        let condition = Condition::parse("Read(//x/**)").unwrap().unwrap();
        assert!(
            matches!(condition.applies(&call, &here()), becket_rules::Applies::Unknown { .. }),
            "{input}"
        );
        let mut rules = RuleSet::default();
        rules.add(RuleList::Allow, "Read(//**)", origin()).unwrap();
        assert_eq!(rules.decide(&call, &here()).behavior, Behavior::Undecided, "{input}");
    }
}

// rule: P7
#[test]
fn a_long_path_is_matched_in_bounded_time() {
    let start = std::time::Instant::now();
    let deep = "/work/app".to_owned() + &"/a".repeat(100_000);
    let wide = "/work/app/".to_owned() + &"a".repeat(200_000);
    for pattern in ["a/**/a/**/b", "**/a*a*a*b", "*a*a*a*b", "//**/b", "a*/[!a]"] {
        assert_eq!(read(pattern, &deep), [false; 3], "{pattern}");
        assert_eq!(read(pattern, &wide), [false; 3], "{pattern}");
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(120), "{:?}", start.elapsed());
}

// rule: P7
#[test]
fn the_main_field_of_every_path_tool_is_read() {
    for tool in becket_rules::tools::table() {
        let Some(field) = becket_rules::tools::path_field(tool.name) else { continue };
        let input = Value::from_iter([(field, Value::from("src/a"))]);
        let call = Call::new(tool.name, input.as_object().unwrap());
        let holds = |text: &str| Condition::parse(text).unwrap().unwrap().applies(&call, &here()).runs();
        assert!(holds(&format!("{}(src/**)", tool.name)), "{tool:?}");
        assert!(!holds(&format!("{}(lib/**)", tool.name)), "{tool:?}");
    }
}
