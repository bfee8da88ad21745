//! Results of a rule set beyond one call: tools that are not offered, paths without a call, the order of rules.

use becket_rules::{Behavior, Call, Renames, RuleList, RuleSet, tools::Access};

use crate::rules::cases::{here, origin};

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
