//! Whole calls: permission rules, conditions and critical removals, from their data files.

use becket_rules::{
    Applies, Behavior, Call, Condition, Renames, RuleList, RuleSet, critical_removal, tools::Access,
};
use serde_json::{Map, Value};

use crate::cases::{self, here, origin};

fn rules_of(case: &Map<String, Value>) -> RuleSet {
    let mut rules = RuleSet::default();
    for list in RuleList::ALL {
        for text in cases::texts(case, list.key()) {
            rules.add(list, text, origin()).unwrap();
        }
    }
    rules
}

fn call_of(case: &Map<String, Value>) -> Call<'_> {
    Call::new(cases::text(case, "tool"), case["input"].as_object().unwrap())
}

// rules: P1, P2, P3, P4, P5, P7, P9, P10, P11, P15, M7
#[test]
fn the_rules_decide_as_the_data_file_says() {
    for case in cases::read(include_str!("../cases/permissions.json")) {
        let rules = rules_of(&case);
        let decision = rules.decide(&call_of(&case), &here());
        let found = match decision.behavior {
            Behavior::Deny => "deny",
            Behavior::Ask => "ask",
            Behavior::Allow => "allow",
            Behavior::Undecided => "undecided",
        };
        assert_eq!(found, cases::text(&case, "is"), "{case:?}: {}", decision.why);
        assert_eq!(decision.rule.is_some(), found != "undecided");
        assert!(!decision.why.is_empty() && !decision.why.ends_with('.'));
    }
}

// rules: P6, P7, P9, P10, P12, P15, M7
#[test]
fn conditions_hold_as_the_data_file_says() {
    for case in cases::read(include_str!("../cases/conditions.json")) {
        let condition = Condition::parse(cases::text(&case, "if")).unwrap().unwrap();
        let found = condition.applies(&call_of(&case), &here());
        let name = match &found {
            Applies::Match { .. } => "match",
            Applies::NoMatch { .. } => "no",
            Applies::Unknown { .. } => "unknown",
        };
        assert_eq!(name, cases::text(&case, "is"), "{case:?}: {found:?}");
        assert_eq!(found.runs(), name != "no");
    }
}

// rule: D3
#[test]
fn removals_are_critical_as_the_data_file_says() {
    for case in cases::read(include_str!("../cases/removals.json")) {
        for (key, expected) in [("critical", true), ("fine", false)] {
            for command in cases::texts(&case, key) {
                let input = serde_json::json!({ "command": command });
                let found = critical_removal(&Call::new("Bash", input.as_object().unwrap()), &here());
                assert_eq!(found.is_some(), expected, "{command}: {found:?}");
            }
        }
    }
}

// rule: P1
#[test]
fn a_whole_tool_that_is_denied_is_not_offered() {
    let mut rules = RuleSet::default();
    for text in ["Bash(git *)", "WebFetch", "mcp__git", "Task", "Note*", "Read(*)"] {
        rules.add(RuleList::Deny, text, origin()).unwrap();
    }
    rules.add(RuleList::Ask, "Grep", origin()).unwrap();
    let offered =
        ["Agent", "Bash", "Edit", "Grep", "NotebookEdit", "Read", "WebFetch", "mcp__git__a", "mcp__gits__a"];
    let renames = Renames::tools();
    let denied: Vec<&str> = rules.tools_denied(offered, &renames).map(|(tool, _)| tool).collect();
    assert_eq!(denied, ["Agent", "NotebookEdit", "Read", "WebFetch", "mcp__git__a"]);
}

// rule: P7
#[test]
fn a_path_without_a_call_is_judged_too() {
    let mut rules = RuleSet::default();
    rules.add(RuleList::Deny, "Read(.env)", origin()).unwrap();
    rules.add(RuleList::Allow, "Edit(src/**)", origin()).unwrap();
    for (access, path, denied, allowed) in [
        (Access::Read, "a/.env", true, false),
        (Access::Edit, "src/.env", true, false),
        (Access::Edit, "src/a", false, true),
        (Access::Read, "src/a", false, false),
    ] {
        assert_eq!(rules.path_denied(access, path, &here()).is_some(), denied, "{path}");
        assert_eq!(rules.path_allowed(access, path, &here()).is_some(), allowed, "{path}");
    }
}

// rule: P11
#[test]
fn the_order_of_rules_never_counts() {
    let texts =
        [(RuleList::Allow, "Bash"), (RuleList::Deny, "Bash(git push *)"), (RuleList::Ask, "Bash(git *)")];
    for (command, expected) in
        [("ls", Behavior::Allow), ("git log", Behavior::Ask), ("ls; git push", Behavior::Deny)]
    {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut rules = RuleSet::default();
            for (list, text) in order.map(|index| texts[index]) {
                rules.add(list, text, origin()).unwrap();
            }
            let input = serde_json::json!({ "command": command });
            let call = Call::new("Bash", input.as_object().unwrap());
            assert_eq!(rules.decide(&call, &here()).behavior, expected, "{command} {order:?}");
        }
    }
}
