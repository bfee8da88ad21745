//! A tool call: its name, keys and id in the protocol, and the calls that it stands for.

use super::command::{commands, without_commands};
use super::parts::{CallPart, parts};
use super::{Facts, derived_id, keys, mcp_name};
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
pub(super) struct ReadCall {
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
    pub(super) id: String,
    /// The directory in which it runs, if it is not that of the session.
    pub(super) directory: Option<String>,
}

/// The reason why a call can't be read.
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
    ) -> Result<(Self, Vec<ReadCall>), CallError> {
        let name = match fields.shift_remove("tool_name") {
            Some(Value::String(name)) if !name.is_empty() => name,
            _ => return Err(CallError { tool: "?".to_owned(), why: "`tool_name` is missing".to_owned() }),
        };
        let fail = |why: String| CallError { tool: name.clone(), why };
        let row = dialect.tool(&name);
        let bare = row.and_then(|row| row.bare);
        let input = input(kind, fields.shift_remove("tool_input"), bare).map_err(fail)?;
        let given = fields.shift_remove("tool_use_id").and_then(|id| id.as_str().map(str::to_owned));
        let given = given.filter(|id| !id.is_empty());
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
        let cwd = fields.get("cwd").and_then(Value::as_str).unwrap_or_default();
        let read = call.read(renamed, cwd, is_to_come);
        match read {
            Ok(calls) => Ok((call, calls)),
            Err(why) => Err(CallError { tool: call.name, why }),
        }
    }

    /// Returns true if the call sends input to a command that is already running.
    pub fn is_input(&self) -> bool {
        self.row.is_some_and(|row| row.class == ToolClass::Input)
    }

    /// Returns whether the call stands for an empty list of calls, as does one that was denied by removing its
    /// commands.
    fn has_run_nothing(&self) -> bool {
        let names: &[&str] = match self.row.map(|row| row.shape) {
            Some(CallShape::Commands(names) | CallShape::Paths(names) | CallShape::Patterns(names)) => names,
            Some(
                CallShape::One
                | CallShape::Patch(_)
                | CallShape::PatchOrOne(_)
                | CallShape::Urls(_)
                | CallShape::Search(_),
            )
            | None => &[],
        };
        let mut given = names.iter().filter_map(|name| self.input.get(*name)).peekable();
        given.peek().is_some() && given.all(|given| given.as_array().is_some_and(Vec::is_empty))
    }

    /// Returns the calls of the protocol. One that is still to come must have what it can't be decided without.
    fn read(&self, renamed: Option<String>, cwd: &str, is_to_come: bool) -> Result<Vec<ReadCall>, String> {
        let id =
            |index: usize| if index == 0 { self.id.clone() } else { format!("{}#{}", self.id, index + 1) };
        let Some(row) = self.row else {
            let tool = renamed.unwrap_or_else(|| self.name.clone());
            return Ok(vec![ReadCall { tool, input: self.input.clone(), id: id(0), directory: None }]);
        };
        let parts = parts(row, &self.input, cwd)?;
        let lacks = |part: &CallPart| {
            let key = row.essential_key(part.tool)?;
            (!part.input.get(key).is_some_and(Value::is_string)).then_some(key)
        };
        if let Some(key) = parts.iter().find_map(lacks).filter(|_| is_to_come) {
            return Err(format!("`{key}` is not a text"));
        }
        let read = |(index, part): (usize, CallPart)| {
            let CallPart { tool, input, directory } = part;
            ReadCall { tool: tool.to_owned(), input, id: id(index), directory }
        };
        Ok(parts.into_iter().enumerate().map(read).collect())
    }

    /// Returns the agent's input for the rewritten inputs of the calls that it stands for, `None` for an unchanged one.
    /// Returns `None` if the agent's call has no such form.
    pub(crate) fn rewritten(&self, rewrites: &[Option<Map<String, Value>>]) -> Option<Map<String, Value>> {
        match self.row.map_or(CallShape::One, |row| row.shape) {
            CallShape::One | CallShape::Search(_) => self.rewritten_one(rewrites),
            CallShape::Commands(names) => self.rewritten_commands(names, rewrites),
            CallShape::Patch(_)
            | CallShape::PatchOrOne(_)
            | CallShape::Paths(_)
            | CallShape::Patterns(_)
            | CallShape::Urls(_) => None,
        }
    }

    /// Returns the rewritten input of a call that keeps its form; all of its parts have to be rewritten alike.
    fn rewritten_one(&self, rewrites: &[Option<Map<String, Value>>]) -> Option<Map<String, Value>> {
        let (first, others) = rewrites.split_first()?;
        let new = first.as_ref().filter(|_| others.iter().all(|other| other == first))?;
        let keys = self.row.map_or(&[][..], |row| row.keys);
        let mut input = keys::theirs(new, &self.input, keys)?;
        // The call was judged in the directory that it names.
        for key in self.row.map_or(&[][..], |row| row.directory) {
            if let Some(directory) = self.input.get(*key) {
                keys::put(&mut input, key, directory).ok()?;
            } else if input.contains_key(*key) {
                return None;
            }
        }
        for (key, value) in &mut input {
            match self.input.get(key) {
                // The list had one entry, which the protocol's tool takes as a text.
                Some(Value::Array(old)) if old.iter().all(Value::is_string) && value.is_string() => {
                    *value = json!([value.clone()]);
                }
                // Its entries had more than this text.
                Some(Value::Array(_) | Value::Object(_)) if value.is_string() => return None,
                Some(_) | None => {}
            }
        }
        Some(input)
    }

    /// Returns the input with other commands. Each that is not rewritten keeps its form.
    fn rewritten_commands(
        &self,
        names: &[&str],
        rewrites: &[Option<Map<String, Value>>],
    ) -> Option<Map<String, Value>> {
        let old = commands(&self.input, names).ok().filter(|old| old.len() == rewrites.len())?;
        let mut input = without_commands(&self.input, names);
        let is_other = |(key, value): (&String, &Value)| key != "command" && input.get(key) != Some(value);
        if rewrites.iter().flatten().any(|new| new.iter().any(is_other)) {
            return None;
        }
        let new = old.into_iter().zip(rewrites).map(|(old, new)| match new {
            Some(new) => new.get("command").filter(|line| line.is_string()).cloned(),
            None => Some(old.native),
        });
        let new = new.collect::<Option<Vec<Value>>>()?;
        input.insert((*names.first()?).to_owned(), json!(new));
        Some(input)
    }
}

/// Returns whether a tool, under its name in the protocol, does nothing but give a text to the user, as a question or as
/// the end of the work.
///
/// ```
/// assert!(becket_dialects::is_for_user("AskUserQuestion"));
/// assert!(!becket_dialects::is_for_user("TodoWrite"));
/// ```
#[must_use]
pub fn is_for_user(tool: &str) -> bool {
    FOR_USER.contains(&tool)
}

/// The tools by which an agent asks its user or ends its work. Other internal tools keep texts in files.
const FOR_USER: [&str; 5] =
    ["AskUserQuestion", "StructuredOutput", "complete_task", "submit_and_exit", "task_complete"];

/// The tools of the protocol whose name other agents use for a different tool.
const SHARED: [&str; 1] = ["MultiEdit"];

/// Returns true if the dialect is that of the protocol, whose tools keep their names, and no other agent runs commands
/// or writes files under this name: then the payload is from that agent, read in the wrong dialect.
fn is_of_protocol(dialect: &Dialect, name: &str) -> bool {
    let acts = |row: &&ToolRow| matches!(row.class, ToolClass::Shell | ToolClass::Input | ToolClass::Write);
    let mut others = ALL.iter().flat_map(|other| other.tools.iter().filter(acts));
    dialect.tools.is_empty()
        && (SHARED.contains(&name) || !others.any(|row| row.native == name && row.native != row.ours))
}

/// Returns the input of a call. An agent may write it as text, and `null` for an empty one; `bare` is the key of a
/// value that may be the input itself.
fn input(kind: EventKind, given: Option<Value>, bare: Option<&str>) -> Result<Map<String, Value>, String> {
    let under = |key: &str, value: Value| Map::from_iter([(key.to_owned(), value)]);
    match (given, bare) {
        (Some(Value::Object(input)), _) => Ok(input),
        (Some(Value::Null), _) => Ok(Map::new()),
        (Some(Value::String(text)), bare) => match (serde_json::from_str(&text), bare) {
            (Ok(Value::Object(input)), _) => Ok(input),
            (_, Some(key)) => Ok(under(key, Value::String(text))),
            (_, None) => Err("`tool_input` is a text that is not a JSON object".to_owned()),
        },
        (Some(items @ Value::Array(_)), Some(key)) => Ok(under(key, items)),
        // After the call, its input no longer decides anything.
        (None, _) if kind != EventKind::PreToolUse && kind != EventKind::PermissionRequest => Ok(Map::new()),
        (None, _) => Err("`tool_input` is missing".to_owned()),
        (Some(_), _) => Err("`tool_input` is not an object".to_owned()),
    }
}
