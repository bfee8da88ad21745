//! Tool calls in ACP, and the calls of the protocol that they stand for.
//!
//! An agent names the kind of a call, not its tool, and describes it piece by piece. The facts that a guard needs (the
//! command, the file) are taken from wherever the agent puts them; a call without them can't be decided.
//!
//! - [`commands`], [`paths`], [`server_tool`]: the candidates in a description
//! - [`effect`]: requests by which the agent itself reads, writes or runs something
//!
//! INVARIANT: the model writes the input, and most agents tolerate keys that they don't know. So every meaning that an
//! input may have is a call, and no key takes another meaning away.

mod commands;
mod effect;
mod paths;
mod server_tool;

pub use effect::effect_call;

use super::AcpError;
use crate::is_for_user;
use crate::read::directory::directories;
use crate::read::parts::{MOST, urls_in};
use paths::{PATHS, absolute};
use serde_json::{Map, Value, json};
use server_tool::{ServerTools, name_in_id, name_in_meta};

/// One call of the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcpCall {
    /// The tool in the terms of the protocol: `Bash`, `Write`, `mcp__server__tool`.
    pub tool: String,
    /// Its input.
    pub input: Map<String, Value>,
    /// The id: the agent's, with a number for the second and later parts of one call.
    pub id: String,
    /// The directory in which it runs, if it is not that of the session.
    pub directory: Option<String>,
}

impl AcpCall {
    /// Returns true for a part of the call that the agent describes under this id.
    pub fn is_part_of(&self, id: &str) -> bool {
        let rest = self.id.strip_prefix(id);
        rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('#').is_some_and(is_number))
    }
}

/// A tool call as far as the agent has described it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolCall(Map<String, Value>);

/// The fields that updates of a call replace.
const FIELDS: [&str; 9] =
    ["toolCallId", "title", "kind", "name", "status", "content", "locations", "rawInput", "rawOutput"];

impl ToolCall {
    /// Adds a description: that of `toolCall` in a permission request, or of an update. Fields that are missing, `null`
    /// or empty stay as they were.
    pub fn update(&mut self, described: &Value) {
        for field in FIELDS {
            if let Some(value) = described.get(field).filter(|value| !says_nothing(field, value)) {
                self.0.insert(field.to_owned(), value.clone());
            }
        }
        if let Some(name) = name_in_meta(described) {
            self.0.insert("metaName".to_owned(), json!(name));
        }
    }

    /// Returns the id of the call.
    pub fn id(&self) -> Option<&str> {
        self.text("toolCallId")
    }

    /// Returns the status: `pending`, `in_progress`, `completed`, `failed`.
    pub fn status(&self) -> Option<&str> {
        self.text("status")
    }

    /// Returns the kind; a call without one is of the kind `other`.
    pub fn kind(&self) -> &str {
        self.text("kind").unwrap_or("other")
    }

    /// Returns the result of the call for hooks: the output of the tool, or what the agent shows of it.
    pub fn response(&self) -> Value {
        let shown = || self.0.get("content").cloned().unwrap_or_else(|| json!([]));
        self.0.get("rawOutput").cloned().unwrap_or_else(shown)
    }

    /// Returns the texts that the agent shows of the call.
    pub fn shown_text(&self) -> String {
        let texts = self.content().iter().filter_map(|block| block["content"]["text"].as_str());
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Returns the calls that it may stand for: all of them are judged. `cwd` is the base of relative paths.
    ///
    /// # Errors
    /// Errors if the agent does not describe what the call does.
    pub fn calls(&self, cwd: &str) -> Result<Vec<AcpCall>, AcpError> {
        let id = self.id().filter(|id| !id.is_empty()).ok_or(AcpError::missing("toolCallId"))?;
        let parts = self.parts(cwd)?;
        if parts.len() > MOST {
            return Err(AcpError::TooMany);
        }
        Ok(numbered(parts, id))
    }

    fn parts(&self, cwd: &str) -> Result<Vec<Part>, AcpError> {
        let servers = self.server_tools();
        // The title of a call whose name is that of a server's tool says nothing more.
        let title = self.text("title").filter(|_| !servers.is_named);
        let (kind, missing) = match self.kind() {
            "execute" => (self.executed(title, cwd)?, "which command is run"),
            "edit" | "delete" | "move" => (self.edits(cwd)?, "which file is changed"),
            "read" => (self.reads(cwd)?, "which file is read"),
            "fetch" => (self.fetches(title)?, "which address is fetched"),
            "search" => (self.searches(cwd)?, "what is searched"),
            _ => (self.others(&servers, cwd)?, "which tool is called"),
        };
        let commands = match self.kind() {
            "execute" => Vec::new(),
            _ if servers.is_named => Vec::new(),
            _ => self.further_commands(cwd),
        };
        let parts: Vec<Part> = servers.parts.into_iter().chain(kind).chain(commands).collect();
        if parts.is_empty() { Err(self.vague(missing)) } else { Ok(parts) }
    }

    /// Returns each line in each directory, and the changes that the agent shows. Agents without an input show the line
    /// as the title.
    fn executed(&self, title: Option<&str>, cwd: &str) -> Result<Vec<Part>, AcpError> {
        let unclear = || self.vague("which command is run");
        let mut lines = commands::lines(self.field("rawInput")).ok_or_else(unclear)?;
        let title = title.map(|title| title.trim_matches('`')).filter(|title| !title.trim().is_empty());
        if lines.is_empty() {
            lines.extend(title.map(str::to_owned));
        }
        let none = Map::new();
        let directories = directories(&[], self.raw().unwrap_or(&none), cwd)
            .map_err(|_| self.vague("in which directory a command is run"))?;
        let mut parts = commands::parts(&lines, &directories);
        parts.extend(self.diffs(cwd)?);
        Ok(parts)
    }

    /// Returns the changes of files: each difference is a call, and each file without a difference.
    fn edits(&self, cwd: &str) -> Result<Vec<Part>, AcpError> {
        let mut parts = self.diffs(cwd)?;
        let content = self.raw().and_then(|raw| raw.get("content")).filter(|content| content.is_string());
        for path in self.files(cwd)? {
            if parts.iter().any(|part| part.input.get("file_path").and_then(Value::as_str) == Some(&path)) {
                continue;
            }
            let mut input = self.with_raw(object([("file_path", json!(path))]));
            parts.push(match content {
                Some(content) => {
                    Part::new("Write", object([("file_path", json!(path)), ("content", content.clone())]))
                }
                None => {
                    for text in ["old_string", "new_string"] {
                        if !input.get(text).is_some_and(Value::is_string) {
                            input.insert(text.to_owned(), json!(""));
                        }
                    }
                    Part::new("Edit", input)
                }
            });
        }
        Ok(parts)
    }

    fn diffs(&self, cwd: &str) -> Result<Vec<Part>, AcpError> {
        let mut parts = Vec::new();
        for block in self.content().iter().filter(|block| block["type"] == "diff") {
            let path = block["path"].as_str().ok_or(AcpError::missing("content[].path"))?;
            let new = block["newText"].as_str().ok_or(AcpError::missing("content[].newText"))?;
            let path = json!(absolute(path, cwd)?);
            parts.push(match block["oldText"].as_str().filter(|old| !old.is_empty()) {
                None => Part::new("Write", object([("file_path", path), ("content", json!(new))])),
                Some(old) => {
                    let texts = [("old_string", json!(old)), ("new_string", json!(new))];
                    Part::new("Edit", object([("file_path", path)].into_iter().chain(texts)))
                }
            });
        }
        Ok(parts)
    }

    fn reads(&self, cwd: &str) -> Result<Vec<Part>, AcpError> {
        let read = |path| Part::new("Read", self.with_raw(object([("file_path", json!(path))])));
        let reads = self.files(cwd)?.into_iter().map(read);
        Ok(reads.chain(self.diffs(cwd)?).collect())
    }

    fn searches(&self, cwd: &str) -> Result<Vec<Part>, AcpError> {
        let pattern = self.raw_text(&["pattern", "query"]).or(self.text("title")).unwrap_or_default();
        let mut paths: Vec<Option<String>> = self.files(cwd)?.into_iter().map(Some).collect();
        if paths.is_empty() {
            paths.push(None);
        }
        let search = |path: Option<String>| {
            let path = path.map(|path| ("path", json!(path)));
            Part::new("Grep", self.with_raw(object([("pattern", json!(pattern))].into_iter().chain(path))))
        };
        Ok(paths.into_iter().map(search).collect())
    }

    fn fetches(&self, title: Option<&str>) -> Result<Vec<Part>, AcpError> {
        let unclear = || self.vague("which address is fetched");
        let none = Map::new();
        let raw = self.raw().unwrap_or(&none);
        let mut found: Vec<&str> = Vec::new();
        for value in ["url", "uri", "urls", "href"].iter().filter_map(|key| raw.get(*key)) {
            match value.as_array() {
                Some(items) => {
                    for item in items {
                        found.push(item.as_str().ok_or_else(unclear)?);
                    }
                }
                None if value.is_null() => {}
                None => found.push(value.as_str().ok_or_else(unclear)?),
            }
        }
        // Gemini CLI's `web_fetch` has its addresses in a text.
        found.extend(raw.get("prompt").and_then(Value::as_str).map(urls_in).unwrap_or_default());
        if found.len() > MOST {
            return Err(AcpError::TooMany);
        }
        if found.is_empty() {
            found.extend(title);
        }
        let fetch = |url: &str| Part::new("WebFetch", self.with_raw(object([("url", json!(url))])));
        Ok(found.into_iter().map(fetch).collect())
    }

    /// Returns the commands in the input of a call of another kind: Codex gives `make && cat a` the kind `read`. Such a
    /// `command` need not be one of a shell.
    fn further_commands(&self, cwd: &str) -> Vec<Part> {
        let Some(raw) = self.raw() else { return Vec::new() };
        let lines = commands::lines(self.field("rawInput")).unwrap_or_default();
        let directories = directories(&[], raw, cwd).unwrap_or_else(|_| vec![None]);
        commands::parts(&lines, &directories)
    }

    /// Returns the calls of a kind without a tool of its own: the tool by its name or title, and the changes that the agent
    /// shows.
    fn others(&self, servers: &ServerTools, cwd: &str) -> Result<Vec<Part>, AcpError> {
        if servers.is_named {
            return self.diffs(cwd);
        }
        // A title is a text of the agent, and exempts no call.
        let title = || self.text("title").filter(|title| !servers.explain(title) && !is_for_user(title));
        let own = self.name().or_else(title);
        let own = own.filter(|name| !name.trim().is_empty());
        let own = own.map(|name| Part::new(name, self.raw().cloned().unwrap_or_default()));
        Ok(own.into_iter().chain(self.diffs(cwd)?).collect())
    }

    /// Returns the files of the call: those of its input, and the locations that the agent reports.
    fn files(&self, cwd: &str) -> Result<Vec<String>, AcpError> {
        let mut found = Vec::new();
        if let Some(raw) = self.field("rawInput") {
            paths::add(raw, cwd, &mut found)?;
        }
        let locations = self.field("locations").and_then(Value::as_array).into_iter().flatten();
        // The further locations of a search that is over are those that it has found.
        let is_over = self.kind() == "search" && matches!(self.status(), Some("completed" | "failed"));
        let most = if is_over { 1_usize.saturating_sub(found.len()) } else { usize::MAX };
        for path in locations.filter_map(|location| location["path"].as_str()).take(most) {
            paths::push(absolute(path, cwd)?, &mut found)?;
        }
        Ok(found)
    }

    /// Returns the tool's own name, if the agent gives it.
    fn name(&self) -> Option<&str> {
        self.text("name").or_else(|| self.text("metaName")).or_else(|| name_in_id(self.id()?))
    }

    fn server_tools(&self) -> ServerTools {
        ServerTools::of(self.name(), self.raw())
    }

    fn content(&self) -> &[Value] {
        self.field("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    fn raw(&self) -> Option<&Map<String, Value>> {
        self.field("rawInput").and_then(Value::as_object)
    }

    fn raw_text(&self, keys: &[&str]) -> Option<&str> {
        let raw = self.raw()?;
        keys.iter().find_map(|key| raw.get(*key).and_then(Value::as_str))
    }

    /// Returns the fields with the rest of the agent's own input.
    fn with_raw(&self, mut fields: Map<String, Value>) -> Map<String, Value> {
        for (key, value) in self.raw().into_iter().flatten() {
            if !fields.contains_key(key) && !PATHS.contains(&key.as_str()) {
                fields.insert(key.clone(), value.clone());
            }
        }
        fields
    }

    fn text(&self, field: &str) -> Option<&str> {
        self.field(field).and_then(Value::as_str)
    }

    fn field(&self, field: &str) -> Option<&Value> {
        self.0.get(field)
    }

    fn vague(&self, what: &'static str) -> AcpError {
        AcpError::Vague { kind: self.kind().to_owned(), what }
    }
}

/// Returns true for a value that changes no description: opencode asks with an empty input about a call that it has
/// described.
fn says_nothing(field: &str, value: &Value) -> bool {
    let is_empty = match value {
        Value::Null => return true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    is_empty && matches!(field, "rawInput" | "locations")
}

/// One meaning of a description.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    tool: String,
    input: Map<String, Value>,
    directory: Option<String>,
}

impl Part {
    fn new(tool: impl Into<String>, input: Map<String, Value>) -> Self {
        Part { tool: tool.into(), input, directory: None }
    }
}

/// Returns parts as calls.
fn numbered(parts: Vec<Part>, id: &str) -> Vec<AcpCall> {
    let numbered = parts.into_iter().enumerate().map(|(index, part)| AcpCall {
        tool: part.tool,
        input: part.input,
        id: if index == 0 { id.to_owned() } else { format!("{id}#{}", index + 1) },
        directory: part.directory,
    });
    numbered.collect()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn object<'k>(fields: impl IntoIterator<Item = (&'k str, Value)>) -> Map<String, Value> {
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests;
