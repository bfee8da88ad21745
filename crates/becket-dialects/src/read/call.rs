//! A tool call: its name, keys and id in the protocol, and the calls that it stands for.

use super::mcp_name;
use super::patch::{self, FileChange};
use super::{Facts, derived_id};
use crate::{ALL, CallShape, Dialect, ToolClass, ToolRow};
use becket_model::EventKind;
use serde_json::{Map, Value, json};

/// A tool call as the agent describes it.
#[derive(Debug, Clone)]
pub struct NativeCall {
    /// The agent's name of the tool.
    pub name: String,
    /// The agent's input.
    pub input: Map<String, Value>,
    /// The id: the agent's, or one derived from name and input.
    pub id: String,
    /// True if the agent gives calls no ids.
    pub has_derived_id: bool,
    /// True if neither the table has the tool nor its name is that of an MCP tool.
    pub is_unknown: bool,
    pub(crate) row: Option<&'static ToolRow>,
}

/// One call of the protocol.
pub(super) struct CallPart {
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
    pub(super) id: String,
}

/// The reason for which a call can't be read.
pub(super) struct CallError {
    pub(super) tool: String,
    pub(super) why: String,
}

impl NativeCall {
    /// Takes the call out of the fields of a payload.
    pub(super) fn take(
        dialect: &Dialect,
        kind: EventKind,
        fields: &mut Map<String, Value>,
        facts: &Facts<'_>,
    ) -> Result<(Self, Vec<CallPart>), CallError> {
        let name = match fields.shift_remove("tool_name") {
            Some(Value::String(name)) if !name.is_empty() => name,
            _ => return Err(CallError { tool: "?".to_owned(), why: "`tool_name` is missing".to_owned() }),
        };
        let fail = |why: String| CallError { tool: name.clone(), why };
        let input = input(kind, fields.shift_remove("tool_input")).map_err(fail)?;
        let given = fields.shift_remove("tool_use_id").and_then(|id| id.as_str().map(str::to_owned));
        let given = given.filter(|id| !id.is_empty());
        let row = dialect.tool(&name);
        let alias = || facts.aliases.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| ours.clone());
        let named = || mcp_name::read(dialect.mcp, &name, fields, facts).or_else(alias);
        let renamed = row.is_none().then(named).flatten();
        let call = NativeCall {
            has_derived_id: given.is_none(),
            id: given.unwrap_or_else(|| derived_id(&name, &input)),
            is_unknown: row.is_none() && renamed.is_none() && !is_of_protocol(dialect, &name),
            row,
            input,
            name,
        };
        let is_to_come = matches!(kind, EventKind::PreToolUse | EventKind::PermissionRequest);
        if !is_to_come && call.has_run_nothing() {
            return Ok((call, Vec::new()));
        }
        let fail = |why: String| CallError { tool: call.name.clone(), why };
        let parts = call.parts(renamed, fields).map_err(fail)?;
        if let Some(key) = row.and_then(ToolRow::essential_key).filter(|_| is_to_come)
            && parts.iter().any(|part| !part.input.get(key).is_some_and(Value::is_string))
        {
            return Err(fail(format!("`{key}` is not a text")));
        }
        Ok((call, parts))
    }

    /// Returns true if the call sends input to a command that runs already.
    pub fn is_input(&self) -> bool {
        self.row.is_some_and(|row| row.class == ToolClass::Input)
    }

    /// Returns whether the call stands for a list of calls that is empty, as that of a call which was denied by taking its
    /// commands away.
    fn has_run_nothing(&self) -> bool {
        let given = match self.row.map(|row| row.shape) {
            Some(CallShape::Commands(key)) => self.input.get(key),
            Some(CallShape::Paths(keys)) => keys.iter().find_map(|key| self.input.get(*key)),
            Some(CallShape::One | CallShape::Patch(_)) | None => None,
        };
        given.and_then(Value::as_array).is_some_and(Vec::is_empty)
    }

    fn parts(&self, renamed: Option<String>, fields: &Map<String, Value>) -> Result<Vec<CallPart>, String> {
        let Some(row) = self.row else {
            let tool = renamed.unwrap_or_else(|| self.name.clone());
            return Ok(vec![CallPart { tool, input: self.input.clone(), id: self.id.clone() }]);
        };
        let inputs = match row.shape {
            CallShape::One => vec![(row.ours, with_keys(&self.input, row.keys.iter().copied()))],
            CallShape::Commands(key) => commands(&self.input, key)?
                .into_iter()
                .map(|command| (row.ours, Map::from_iter([("command".to_owned(), Value::String(command))])))
                .collect(),
            CallShape::Paths(keys) => paths(&self.input, keys)?
                .into_iter()
                .map(|path| (row.ours, Map::from_iter([("file_path".to_owned(), Value::String(path))])))
                .collect(),
            CallShape::Patch(key) => {
                let text = self.input.get(key).and_then(Value::as_str);
                let text = text.ok_or_else(|| format!("`{key}` is not a text"))?;
                let changes = patch::read(text).map_err(|error| error.to_string())?;
                let cwd = fields.get("cwd").and_then(Value::as_str).unwrap_or_default();
                changes.into_iter().map(|change| edit(change, cwd)).collect()
            }
        };
        let id =
            |index: usize| if index == 0 { self.id.clone() } else { format!("{}#{}", self.id, index + 1) };
        let parts = inputs.into_iter().enumerate();
        Ok(parts
            .map(|(index, (tool, input))| CallPart { tool: tool.to_owned(), input, id: id(index) })
            .collect())
    }

    /// Returns the agent's input for the rewritten inputs of the calls that it stands for, `None` where one is as it
    /// was. Returns `None` if the agent's call has no such form.
    pub(crate) fn rewritten(&self, rewrites: &[Option<Map<String, Value>>]) -> Option<Map<String, Value>> {
        let shape = self.row.map_or(CallShape::One, |row| row.shape);
        match (shape, rewrites) {
            (CallShape::One, [Some(new)]) => {
                let keys = self.row.map_or(&[][..], |row| row.keys);
                Some(with_keys(new, keys.iter().map(|(theirs, ours)| (*ours, *theirs))))
            }
            (CallShape::Commands(key), rewrites) => {
                let old = commands(&self.input, key).ok()?;
                let new = old.iter().zip(rewrites).map(|(old, new)| match new {
                    Some(new) => new.get("command").and_then(Value::as_str).map(str::to_owned),
                    None => Some(old.clone()),
                });
                let new = new.collect::<Option<Vec<String>>>()?;
                let mut input = self.input.clone();
                input.insert(key.to_owned(), json!(new));
                Some(input)
            }
            (CallShape::One | CallShape::Patch(_) | CallShape::Paths(_), _) => None,
        }
    }
}

/// The tools of the protocol that another agent has under the same name, as another tool.
const SHARED: [&str; 1] = ["MultiEdit"];

/// Returns true if the dialect is that of the protocol, whose tools have their own names, and no other agent runs commands or
/// writes files under this name: then the payload is one of that agent, read in the wrong dialect.
fn is_of_protocol(dialect: &Dialect, name: &str) -> bool {
    let acts = |row: &&ToolRow| matches!(row.class, ToolClass::Shell | ToolClass::Input | ToolClass::Write);
    let mut others = ALL.iter().flat_map(|other| other.tools.iter().filter(acts));
    dialect.tools.is_empty()
        && (SHARED.contains(&name) || !others.any(|row| row.native == name && row.native != row.ours))
}

/// The input of a call. An agent may write it as text, and `null` for none.
fn input(kind: EventKind, given: Option<Value>) -> Result<Map<String, Value>, String> {
    match given {
        Some(Value::Object(input)) => Ok(input),
        Some(Value::Null) => Ok(Map::new()),
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Object(input)) => Ok(input),
            _ => Err("`tool_input` is a text that is not a JSON object".to_owned()),
        },
        // A call that has been made is not decided by its input any more.
        None if kind != EventKind::PreToolUse && kind != EventKind::PermissionRequest => Ok(Map::new()),
        None => Err("`tool_input` is missing".to_owned()),
        Some(_) => Err("`tool_input` is not an object".to_owned()),
    }
}

fn with_keys<'k>(
    input: &Map<String, Value>,
    keys: impl Iterator<Item = (&'k str, &'k str)> + Clone,
) -> Map<String, Value> {
    let name = |key: &str| {
        let mut keys = keys.clone();
        keys.find(|(from, _)| *from == key).map_or_else(|| key.to_owned(), |(_, to)| to.to_owned())
    };
    input.iter().map(|(key, value)| (name(key), value.clone())).collect()
}

/// The commands of a call, at least one: a text, or a list of texts or of objects with a `command`.
fn commands(input: &Map<String, Value>, key: &str) -> Result<Vec<String>, String> {
    let given = input.get(key).or_else(|| input.get("command"));
    let given = given.ok_or_else(|| format!("`{key}` is missing"))?;
    texts(given, &["command"]).ok_or_else(|| format!("`{key}` is not a list of commands"))
}

fn paths(input: &Map<String, Value>, keys: &[&str]) -> Result<Vec<String>, String> {
    let given = keys.iter().find_map(|key| input.get(*key));
    let given = given.ok_or_else(|| format!("`{}` is missing", keys.join("` or `")))?;
    texts(given, &["path", "file_path"])
        .ok_or_else(|| format!("`{}` is not a list of paths", keys.join("` or `")))
}

fn texts(given: &Value, keys: &[&str]) -> Option<Vec<String>> {
    let one = |item: &Value| {
        let text = item.as_str().or_else(|| keys.iter().find_map(|key| item.get(*key)?.as_str()));
        text.map(str::to_owned)
    };
    match given {
        Value::Array(items) if !items.is_empty() => items.iter().map(one).collect(),
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(_) | Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// The change of a file as a call of Write or Edit. A deletion is an edit that leaves nothing.
fn edit(change: FileChange, cwd: &str) -> (&'static str, Map<String, Value>) {
    let path = |path: String| if path.starts_with('/') { path } else { format!("{cwd}/{path}") };
    let (tool, input) = match change {
        FileChange::Write { path: file, content } => {
            ("Write", json!({"file_path": path(file), "content": content}))
        }
        FileChange::Edit { path: file, old, new } => (
            "Edit",
            json!({"file_path": path(file), "old_string": old, "new_string": new, "replace_all": false}),
        ),
        FileChange::Delete { path: file } => (
            "Edit",
            json!({"file_path": path(file), "old_string": "", "new_string": "", "replace_all": true}),
        ),
    };
    let Value::Object(input) = input else { return (tool, Map::new()) };
    (tool, input)
}
