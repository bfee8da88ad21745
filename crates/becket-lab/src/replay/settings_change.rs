//! The changes between two settings files, one by one.
//!
//! A change is a hook, a matcher group, a permission rule or another value that is added, removed or replaced. The first
//! `n` of them, applied to the old file, are a file between the two.

use serde_json::{Map, Value};

/// The changes from one file to another.
#[derive(Debug)]
pub(super) struct SettingsChanges {
    old: Value,
    new: Value,
    described: Vec<String>,
}

impl SettingsChanges {
    /// Compares two files.
    pub(super) fn between(old: Value, new: Value) -> Self {
        let mut merge = Merge { limit: usize::MAX, described: Vec::new() };
        drop(merge.value("", Some(&old), Some(&new)));
        SettingsChanges { old, new, described: merge.described }
    }

    /// Returns the number of changes.
    pub(super) fn len(&self) -> usize {
        self.described.len()
    }

    /// Describes a change.
    pub(super) fn describe(&self, number: usize) -> &str {
        self.described.get(number).map_or("", String::as_str)
    }

    /// Returns the old file with the first changes.
    pub(super) fn first(&self, changes: usize) -> Value {
        let mut merge = Merge { limit: changes, described: Vec::new() };
        merge.value("", Some(&self.old), Some(&self.new)).unwrap_or(Value::Object(Map::new()))
    }
}

/// A walk over both files that takes the first changes.
struct Merge {
    limit: usize,
    described: Vec<String>,
}

impl Merge {
    /// Records a change; returns whether it is applied.
    fn change(&mut self, what: String) -> bool {
        self.described.push(what);
        self.described.len() <= self.limit
    }

    fn value(&mut self, path: &str, old: Option<&Value>, new: Option<&Value>) -> Option<Value> {
        match (old, new) {
            (Some(old), Some(new)) if old == new => Some(old.clone()),
            (Some(Value::Object(old)), Some(Value::Object(new))) => Some(self.object(path, old, new)),
            (Some(Value::Array(old)), Some(Value::Array(new))) => Some(self.array(path, old, new)),
            // A missing value is treated like an empty one, so that each entry is a separate change.
            (None, Some(Value::Object(new))) if is_outer(path) => {
                unless_empty(self.object(path, &Map::new(), new))
            }
            (Some(Value::Object(old)), None) if is_outer(path) => {
                unless_empty(self.object(path, old, &Map::new()))
            }
            (None, Some(Value::Array(new))) if is_outer(path) => unless_empty(self.array(path, &[], new)),
            (Some(Value::Array(old)), None) if is_outer(path) => unless_empty(self.array(path, old, &[])),
            (Some(old), Some(new)) => {
                let taken = self.change(format!("`{path}` is {} instead of {}", short(new), short(old)));
                Some(if taken { new } else { old }.clone())
            }
            (Some(old), None) => {
                let taken = self.change(format!("`{path}` {} is removed", short(old)));
                (!taken).then(|| old.clone())
            }
            (None, Some(new)) => {
                let taken = self.change(format!("`{path}` {} is added", short(new)));
                taken.then(|| new.clone())
            }
            (None, None) => None,
        }
    }

    fn object(&mut self, path: &str, old: &Map<String, Value>, new: &Map<String, Value>) -> Value {
        let mut merged = Map::new();
        let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
        for key in keys {
            let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            if let Some(value) = self.value(&inner, old.get(key), new.get(key)) {
                merged.insert(key.clone(), value);
            }
        }
        Value::Object(merged)
    }

    /// Merges two lists. Elements are paired by their identity; order alone is not a change.
    fn array(&mut self, path: &str, old: &[Value], new: &[Value]) -> Value {
        let mut left: Vec<&Value> = new.iter().collect();
        let mut merged = Vec::new();
        for element in old {
            let same = left.iter().position(|other| other == &element);
            let pair = same.or_else(|| left.iter().position(|other| is_paired(element, other)));
            let partner = pair.map(|at| left.remove(at));
            let inner = format!("{path}[{}]", identity(element));
            merged.extend(self.value(&inner, Some(element), partner));
        }
        for element in left {
            let inner = format!("{path}[{}]", identity(element));
            merged.extend(self.value(&inner, None, Some(element)));
        }
        Value::Array(merged)
    }
}

/// Keys that identify an element of a list.
const IDENTITY: [&str; 6] = ["command", "url", "tool", "prompt", "matcher", "name"];

fn unless_empty(value: Value) -> Option<Value> {
    let is_empty =
        value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
    (!is_empty).then_some(value)
}

/// Returns whether a path leads to no element of a list.
fn is_outer(path: &str) -> bool {
    !path.contains('[')
}

fn is_paired(one: &Value, other: &Value) -> bool {
    let (Value::Object(one), Value::Object(other)) = (one, other) else { return false };
    let is_group = |object: &Map<String, Value>| object.contains_key("hooks");
    if is_group(one) && is_group(other) {
        let commands = |group: &Map<String, Value>| -> Vec<Value> {
            let hooks = group.get("hooks").and_then(Value::as_array).into_iter().flatten();
            hooks.filter_map(|hook| hook.get("command").cloned()).collect()
        };
        let (ours, theirs) = (commands(one), commands(other));
        return one.get("matcher") == other.get("matcher")
            || ours.iter().any(|command| theirs.contains(command));
    }
    IDENTITY.iter().any(|key| one.get(*key).is_some_and(|value| other.get(*key) == Some(value)))
}

fn identity(element: &Value) -> String {
    let key = IDENTITY.iter().find_map(|key| element.get(*key).and_then(Value::as_str));
    match (key, element) {
        (Some(key), _) => becket_base::text::one_line(key, 60),
        (None, Value::Object(_)) => "*".to_owned(),
        (None, other) => short(other),
    }
}

fn short(value: &Value) -> String {
    becket_base::text::one_line(&value.to_string(), 80)
}

#[cfg(test)]
mod tests {
    use super::SettingsChanges;
    use serde_json::json;

    #[test]
    fn the_first_changes_lead_from_the_old_file_to_the_new_one() {
        let old = json!({"a": 1, "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "x"}, {"command": "y"}]}]},
            "permissions": {"deny": ["Bash(rm *)", "Read(.env)"]}});
        let new = json!({"a": 2, "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "y", "timeout": 3}]}]},
            "permissions": {"deny": ["Read(.env)"], "ask": ["Bash(git push *)"]}});
        let changes = SettingsChanges::between(old.clone(), new.clone());
        assert_eq!(changes.len(), 5, "{changes:?}");
        assert_eq!(changes.first(0), old);
        assert_eq!(changes.first(5), new);
        assert_eq!(changes.first(1)["a"], 2);
        assert_eq!(changes.describe(1), r#"`hooks.PreToolUse[Bash].hooks[x]` {"command":"x"} is removed"#);
        assert_eq!(changes.first(2)["hooks"]["PreToolUse"][0]["hooks"], json!([{"command": "y"}]));
        let added = SettingsChanges::between(json!({}), json!({"permissions": {"deny": ["Bash", "Read"]}}));
        assert_eq!((added.len(), added.first(1)["permissions"]["deny"].clone()), (2, json!(["Bash"])));
        let group = |matcher: &str| json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [{"command": "x"}]}]}});
        let moved = SettingsChanges::between(group("Read"), group("Write"));
        assert_eq!(moved.describe(0), r#"`hooks.PreToolUse[Read].matcher` is "Write" instead of "Read""#);
        assert_eq!(changes.describe(3), r#"`permissions.deny["Bash(rm *)"]` "Bash(rm *)" is removed"#);
    }
}
