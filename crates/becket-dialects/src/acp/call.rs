//! Tool calls in ACP, and the calls of the protocol that they stand for.
//!
//! An agent names the kind of a call, not its tool, and describes it piece by piece. The facts that a guard needs (the
//! command, the file) are taken from wherever the agent puts them; a call without them can't be decided.

use super::AcpError;
use crate::quoted::quoted;
use serde_json::{Map, Value, json};

/// One call of the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcpCall {
    /// The tool in the terms of the protocol: `Bash`, `Write`, `mcp__server__tool`.
    pub tool: String,
    /// Its input.
    pub input: Map<String, Value>,
    /// The id: the agent's, with a number for the second and later parts of one call.
    pub id: String,
}

/// A tool call as far as the agent has described it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolCall(Map<String, Value>);

/// The fields that updates of a call replace.
const FIELDS: [&str; 9] =
    ["toolCallId", "title", "kind", "name", "status", "content", "locations", "rawInput", "rawOutput"];

impl ToolCall {
    /// Adds a description: that of `toolCall` in a permission request, or of an update. Fields that are missing or
    /// `null` stay as they were.
    pub fn update(&mut self, described: &Value) {
        for field in FIELDS {
            if let Some(value) = described.get(field).filter(|value| !value.is_null()) {
                self.0.insert(field.to_owned(), value.clone());
            }
        }
        if let Some(name) = meta_name(described) {
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

    /// Returns the calls that it stands for. `cwd` is the base of relative paths.
    ///
    /// # Errors
    /// Errors if the agent does not describe what the call does.
    pub fn calls(&self, cwd: &str) -> Result<Vec<AcpCall>, AcpError> {
        let id = self.id().filter(|id| !id.is_empty()).ok_or(AcpError::missing("toolCallId"))?;
        let parts = self.parts(cwd)?;
        let numbered = parts.into_iter().enumerate().map(|(index, (tool, input))| AcpCall {
            tool,
            input,
            id: if index == 0 { id.to_owned() } else { format!("{id}#{}", index + 1) },
        });
        Ok(numbered.collect())
    }

    fn parts(&self, cwd: &str) -> Result<Vec<Part>, AcpError> {
        // A call of an MCP server is one, whatever kind the agent gives it.
        let mcp = self.mcp_names();
        if !mcp.is_empty() {
            let input = self.mcp_input();
            return Ok(mcp.into_iter().map(|tool| (tool, input.clone())).collect());
        }
        match self.kind() {
            "execute" => Ok(vec![("Bash".to_owned(), object([("command", json!(self.command()?))]))]),
            "edit" | "delete" | "move" => self.edits(cwd),
            "read" => self.of_files("Read", cwd),
            "fetch" => {
                let url = self.raw_text(&["url", "uri"]).or_else(|| self.text("title").map(str::to_owned));
                let url = url.ok_or_else(|| self.vague("which address is fetched"))?;
                Ok(vec![("WebFetch".to_owned(), self.with_raw(object([("url", json!(url))])))])
            }
            "search" => Ok(vec![("Grep".to_owned(), self.search(cwd))]),
            _ => {
                let tool = self.name().or_else(|| self.text("title").map(str::to_owned));
                let tool = tool.filter(|name| !name.trim().is_empty());
                let tool = tool.ok_or_else(|| self.vague("which tool is called"))?;
                Ok(vec![(tool, self.raw().cloned().unwrap_or_default())])
            }
        }
    }

    /// Returns the shell line of the call.
    fn command(&self) -> Result<String, AcpError> {
        let raw = self.raw().and_then(|raw| {
            let command = ["command", "cmd", "script"].iter().find_map(|key| raw.get(*key))?;
            match command {
                Value::String(line) => Some(line.clone()),
                Value::Array(words) => {
                    let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
                    Some(shell_line(&words?))
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
            }
        });
        // Agents without an input in the request show the line as the title.
        let line = raw.or_else(|| self.text("title").map(|title| title.trim_matches('`').to_owned()));
        line.filter(|line| !line.trim().is_empty()).ok_or_else(|| self.vague("which command is run"))
    }

    /// Returns the changes of files: each difference is a separate call.
    fn edits(&self, cwd: &str) -> Result<Vec<Part>, AcpError> {
        let mut parts = Vec::new();
        for block in self.content().iter().filter(|block| block["type"] == "diff") {
            let path = block["path"].as_str().ok_or(AcpError::missing("content[].path"))?;
            let new = block["newText"].as_str().ok_or(AcpError::missing("content[].newText"))?;
            let path = json!(absolute(path, cwd));
            parts.push(match block["oldText"].as_str().filter(|old| !old.is_empty()) {
                None => ("Write".to_owned(), object([("file_path", path), ("content", json!(new))])),
                Some(old) => {
                    let texts = [("old_string", json!(old)), ("new_string", json!(new))];
                    ("Edit".to_owned(), object([("file_path", path)].into_iter().chain(texts)))
                }
            });
        }
        if !parts.is_empty() {
            return Ok(parts);
        }
        let raw_content = self.raw().and_then(|raw| raw.get("content")).and_then(Value::as_str);
        if let (Some(path), Some(content)) = (self.raw_text(&PATHS), raw_content) {
            let fields = [("file_path", json!(absolute(&path, cwd))), ("content", json!(content))];
            return Ok(vec![("Write".to_owned(), object(fields))]);
        }
        let files = self.files(cwd);
        if files.is_empty() {
            return Err(self.vague("which file is changed"));
        }
        let edit = |path: String| {
            let fields = [("file_path", json!(path)), ("old_string", json!("")), ("new_string", json!(""))];
            ("Edit".to_owned(), self.with_raw(object(fields)))
        };
        Ok(files.into_iter().map(edit).collect())
    }

    fn of_files(&self, tool: &str, cwd: &str) -> Result<Vec<Part>, AcpError> {
        let files = self.files(cwd);
        if files.is_empty() {
            return Err(self.vague("which file is read"));
        }
        let of_file = |path: String| (tool.to_owned(), self.with_raw(object([("file_path", json!(path))])));
        Ok(files.into_iter().map(of_file).collect())
    }

    fn search(&self, cwd: &str) -> Map<String, Value> {
        let title = self.text("title").unwrap_or_default();
        let pattern = self.raw_text(&["pattern", "query"]).unwrap_or_else(|| title.to_owned());
        let path = self.files(cwd).into_iter().next();
        let fields = [("pattern", Some(json!(pattern))), ("path", path.map(|path| json!(path)))];
        let fields = fields.into_iter().filter_map(|(key, value)| Some((key, value?)));
        self.with_raw(object(fields))
    }

    /// Returns the files of the call: those of its input, or else the locations that the agent reports.
    fn files(&self, cwd: &str) -> Vec<String> {
        let mut files: Vec<String> =
            self.raw_text(&PATHS).into_iter().map(|path| absolute(&path, cwd)).collect();
        let locations = self.0.get("locations").and_then(Value::as_array).into_iter().flatten();
        for path in locations.filter_map(|location| location["path"].as_str()) {
            let path = absolute(path, cwd);
            if !files.contains(&path) {
                files.push(path);
            }
        }
        files
    }

    /// Returns the names that the tool of an MCP server may have in the protocol. If an agent's own name is ambiguous,
    /// each is decided.
    fn mcp_names(&self) -> Vec<String> {
        let of_raw = self.raw().and_then(|raw| {
            let text = |key: &str| raw.get(key).and_then(Value::as_str);
            Some(vec![mcp_name(text("server")?, text("tool")?)])
        });
        if let Some(names) = of_raw {
            return names;
        }
        let Some(name) = self.name() else { return Vec::new() };
        if name.starts_with("mcp__") {
            return vec![name];
        }
        let Some(rest) = name.strip_prefix("mcp_") else { return Vec::new() };
        let splits = rest.match_indices('_').filter(|(at, _)| *at > 0 && at + 1 < rest.len());
        splits.map(|(at, _)| mcp_name(&rest[..at], &rest[at + 1..])).collect()
    }

    fn mcp_input(&self) -> Map<String, Value> {
        let raw = self.raw().cloned().unwrap_or_default();
        match raw.get("arguments") {
            Some(Value::Object(arguments)) if raw.contains_key("tool") => arguments.clone(),
            Some(_) | None => raw,
        }
    }

    /// Returns the tool's own name, if the agent gives it.
    fn name(&self) -> Option<String> {
        let named = self.text("name").or_else(|| self.text("metaName")).map(str::to_owned);
        named.or_else(|| name_in_id(self.id()?))
    }

    fn content(&self) -> &[Value] {
        self.0.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    fn raw(&self) -> Option<&Map<String, Value>> {
        self.0.get("rawInput").and_then(Value::as_object)
    }

    fn raw_text(&self, keys: &[&str]) -> Option<String> {
        let raw = self.raw()?;
        keys.iter().find_map(|key| raw.get(*key).and_then(Value::as_str)).map(str::to_owned)
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
        self.0.get(field).and_then(Value::as_str)
    }

    fn vague(&self, what: &'static str) -> AcpError {
        AcpError::Vague { kind: self.kind().to_owned(), what }
    }
}

/// A tool and its input.
type Part = (String, Map<String, Value>);

/// Keys of inputs that contain a path.
const PATHS: [&str; 6] = ["file_path", "filePath", "path", "absolute_path", "abs_path", "filename"];

/// Reads a request of the agent that has the editor read, write or run something; `None` for any other.
///
/// # Errors
/// Errors if a field is missing.
pub fn effect_call(method: &str, params: &Map<String, Value>, id: &str) -> Result<Option<AcpCall>, AcpError> {
    let text = |key: &'static str| params.get(key).and_then(Value::as_str).ok_or(AcpError::missing(key));
    let (tool, input) = match method {
        "fs/write_text_file" => {
            let fields = [("file_path", json!(text("path")?)), ("content", json!(text("content")?))];
            ("Write", object(fields))
        }
        "fs/read_text_file" => ("Read", object([("file_path", json!(text("path")?))])),
        "terminal/create" => {
            let words = match params.get("args") {
                None | Some(Value::Null) => Some(Vec::new()),
                Some(args) => args.as_array().and_then(|args| args.iter().map(Value::as_str).collect()),
            };
            let words = words.ok_or(AcpError::missing("args"))?;
            let all: Vec<&str> = std::iter::once(text("command")?).chain(words).collect();
            // A command without arguments is a line for a shell in the terminals of editors.
            let line = if all.len() == 1 { all.concat() } else { shell_line(&all) };
            ("Bash", object([("command", json!(line))]))
        }
        _ => return Ok(None),
    };
    Ok(Some(AcpCall { tool: tool.to_owned(), input, id: id.to_owned() }))
}

/// Returns the line of a program with arguments; for a shell with a script, the script.
fn shell_line(words: &[&str]) -> String {
    if let [shell, flag, script] = words
        && shell.rsplit('/').next().is_some_and(|name| name.ends_with("sh"))
        && flag.starts_with('-')
        && flag.ends_with('c')
    {
        return (*script).to_owned();
    }
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn absolute(path: &str, cwd: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("{cwd}/{path}") }
}

/// Returns the name that an agent hides in `_meta`.
fn meta_name(described: &Value) -> Option<String> {
    let meta = described.get("_meta")?.as_object()?;
    let of_agent = |value: &Value| value.get("toolName").and_then(Value::as_str).map(str::to_owned);
    let own = meta.get("toolName").and_then(Value::as_str).map(str::to_owned);
    own.or_else(|| meta.values().find_map(of_agent))
}

/// Returns the name in the id of a call, `name-1790000000000-1`, as Gemini CLI and its relatives form it.
fn name_in_id(id: &str) -> Option<String> {
    let (rest, number) = id.rsplit_once('-')?;
    let (name, time) = rest.rsplit_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_made = is_number(number) && is_number(time) && time.len() >= 12;
    (is_made && !name.is_empty()).then(|| name.to_owned())
}

fn mcp_name(server: &str, tool: &str) -> String {
    format!("mcp__{server}__{tool}")
}

fn object<'k>(fields: impl IntoIterator<Item = (&'k str, Value)>) -> Map<String, Value> {
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests;
