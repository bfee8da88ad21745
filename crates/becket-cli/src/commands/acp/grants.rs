//! The calls that the user has allowed, so that the agent's request for the same thing needs no second approval.
//!
//! An approval covers a command as it is written, and a file with the content that the user was shown. A write with
//! other content is another call. An approval ends with the call that it was given for, and with the turn.

use becket_dialects::acp::AcpCall;
use serde_json::Value;

/// The calls that were allowed and have not been made yet.
#[derive(Debug, Default)]
pub(super) struct Grants(Vec<AcpCall>);

impl Grants {
    pub(super) fn add(&mut self, calls: &[AcpCall]) {
        self.0.extend_from_slice(calls);
    }

    /// Forgets the approvals of a call that is over.
    pub(super) fn forget(&mut self, call: &str) {
        self.0.retain(|granted| !granted.is_part_of(call));
    }

    /// Returns true if a call was allowed, and forgets it: an approval counts once. `current` is the content of the
    /// call's file.
    pub(super) fn take(&mut self, call: &AcpCall, current: Option<&str>) -> bool {
        let covering = match text(call, "content") {
            Some(content) => self.of_write(call, content, current),
            None => self.0.iter().position(|granted| is_same(granted, call)).map(|at| vec![at]),
        };
        let Some(covering) = covering else { return false };
        let mut at = 0..;
        self.0.retain(|_| at.next().is_none_or(|at| !covering.contains(&at)));
        true
    }

    /// Returns the grants that lead to this content: a write of it, one change of the file, or all changes together.
    fn of_write(&self, call: &AcpCall, content: &str, current: Option<&str>) -> Option<Vec<usize>> {
        let path = text(call, "file_path")?;
        let of_file: Vec<usize> =
            (0..self.0.len()).filter(|at| text(&self.0[*at], "file_path") == Some(path)).collect();
        let alone = of_file.iter().map(|at| vec![*at]);
        let mut ways = alone.chain([of_file.clone()]);
        ways.find(|way| !way.is_empty() && self.result(way, current).as_deref() == Some(content))
    }

    /// Returns the content of a file after these changes.
    fn result(&self, changes: &[usize], current: Option<&str>) -> Option<String> {
        let mut now = current.map(str::to_owned);
        for granted in changes.iter().map(|at| &self.0[*at]) {
            now = Some(match text(granted, "content") {
                Some(content) => content.to_owned(),
                None => edited(&now?, text(granted, "old_string")?, text(granted, "new_string")?)?,
            });
        }
        now
    }
}

/// Applies a change; returns `None` if its position is ambiguous.
fn edited(current: &str, old: &str, new: &str) -> Option<String> {
    let (before, after) = current.split_once(old).filter(|_| !old.is_empty())?;
    (!after.contains(old)).then(|| [before, new, after].concat())
}

fn is_same(granted: &AcpCall, call: &AcpCall) -> bool {
    let has_same = |key| text(granted, key).is_some() && text(granted, key) == text(call, key);
    granted.tool == call.tool
        && granted.directory == call.directory
        && (has_same("command") || has_same("file_path"))
}

fn text<'c>(call: &'c AcpCall, key: &str) -> Option<&'c str> {
    call.input.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(tool: &str, input: Value) -> AcpCall {
        let Value::Object(input) = input else { unreachable!("an object") };
        AcpCall { tool: tool.to_owned(), input, id: "c1".to_owned(), directory: None }
    }

    fn write(content: &str) -> AcpCall {
        call("Write", json!({"file_path": "/p/a.txt", "content": content}))
    }

    fn edit(old: &str, new: &str) -> AcpCall {
        call("Edit", json!({"file_path": "/p/a.txt", "old_string": old, "new_string": new}))
    }

    #[test]
    fn a_yes_covers_what_was_shown_once() {
        let cases: [(&[AcpCall], AcpCall, bool); 9] = [
            (&[write("a")], write("a"), true),
            (&[write("a")], write("b"), false),
            (&[edit("one", "1")], write("1 two one-off"), false),
            (&[edit("two", "2")], write("one 2 one-off"), true),
            (&[edit("two", "2")], write("one 2 one-off\nrm -rf ~"), false),
            (&[edit("two", "2"), edit("-off", "!")], write("one 2 one!"), true),
            (&[edit("", "")], write("anything"), false),
            (&[call("Bash", json!({"command": "ls"}))], call("Bash", json!({"command": "ls"})), true),
            (&[call("Bash", json!({"command": "ls"}))], call("Bash", json!({"command": "ls -l"})), false),
        ];
        for (granted, wanted, expected) in cases {
            let mut grants = Grants::default();
            grants.add(granted);
            assert_eq!(grants.take(&wanted, Some("one two one-off")), expected, "{granted:?} {wanted:?}");
            assert!(!grants.take(&wanted, Some("one two one-off")), "{wanted:?} a second time");
        }
        let mut grants = Grants::default();
        grants.add(&[edit("two", "2")]);
        assert!(!grants.take(&write("one 2 one-off"), None), "a file that can't be read");
        let ls = call("Bash", json!({"command": "ls"}));
        let elsewhere = AcpCall { directory: Some("/s".to_owned()), ..ls.clone() };
        grants.add(std::slice::from_ref(&ls));
        assert!(!grants.take(&elsewhere, None), "another directory");
        grants.forget("c1");
        assert!(!grants.take(&ls, None), "a call that is over");
    }
}
