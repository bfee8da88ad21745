//! Descriptions of rule updates.

use becket_rules::{Change, Destination, PermissionUpdate, RuleList};

/// Returns the rules that would apply from now on, and their destination.
pub(super) fn describe(update: &PermissionUpdate) -> String {
    let rules = |list: &RuleList, rules: &[becket_rules::Rule]| {
        let rules: Vec<String> = rules.iter().map(|rule| format!("`{rule}`")).collect();
        let list = match list {
            RuleList::Deny => "deny",
            RuleList::Ask => "ask for",
            RuleList::Allow => "allow",
        };
        format!("{list} {}", rules.join(", "))
    };
    let what = match &update.change {
        Change::AddRules(list, added) => rules(list, added),
        Change::ReplaceRules(list, only) => format!("only {}", rules(list, only)),
        Change::RemoveRules(list, removed) => format!("no longer {}", rules(list, removed)),
        Change::SetMode(mode) => format!("the mode `{}`", mode.name()),
        Change::AddDirectories(directories) => format!("work in `{}` too", directories.join("`, `")),
        Change::RemoveDirectories(directories) => format!("do not work in `{}`", directories.join("`, `")),
    };
    let place = match update.destination {
        Destination::Session => "this session",
        Destination::LocalSettings => "here, for you",
        Destination::ProjectSettings => "here, for all",
        Destination::UserSettings => "everywhere, for you",
    };
    format!("{what} ({place})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // rule: P13
    #[test]
    fn what_would_be_remembered_is_said_in_words() {
        for (update, expected) in [
            (json!({"tool": "Bash(ls)", "behavior": "allow"}), "allow `Bash(ls)` (this session)"),
            (
                json!({"type": "setMode", "mode": "acceptEdits", "destination": "localSettings"}),
                "the mode `acceptEdits` (here, for you)",
            ),
            (
                json!({"type": "addDirectories", "directories": ["/a", "/b"], "destination": "userSettings"}),
                "work in `/a`, `/b` too (everywhere, for you)",
            ),
        ] {
            let update = PermissionUpdate::parse(&update).expect("it can be read");
            assert_eq!(describe(&update), expected);
        }
    }
}
