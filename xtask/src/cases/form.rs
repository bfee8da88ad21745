//! One case of the common form, and the parts that the case files of the crates share.

use super::inputs;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A case that a program in any language can run.
#[derive(Serialize)]
pub(super) struct Case {
    pub(super) name: String,
    /// The rules of the protocol that it covers.
    pub(super) rules: Vec<String>,
    /// Files below an empty directory, with their texts or their JSON.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) files: Map<String, Value>,
    /// Symbolic links there, with their targets.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) links: Map<String, Value>,
    /// The options of the session.
    pub(super) open: Map<String, Value>,
    /// Hooks of the host, each with its answer or failure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) callbacks: Vec<Value>,
    pub(super) event: String,
    pub(super) input: Map<String, Value>,
    /// The expected result.
    pub(super) expected: Value,
}

impl Case {
    /// Creates a case without configuration.
    ///
    /// # Errors
    /// Errors if the event does not exist.
    pub(super) fn new(name: String, source: &Map<String, Value>, event: &str) -> Result<Self, String> {
        let rules = [source.get("rule"), source.get("rules")].into_iter().flatten();
        let rules = rules.flat_map(|one| one.as_array().cloned().unwrap_or_else(|| vec![one.clone()]));
        Ok(Case {
            name,
            rules: rules.filter_map(|rule| rule.as_str().map(str::to_owned)).collect(),
            files: Map::new(),
            links: Map::new(),
            open: Map::from_iter([("trust".to_owned(), json!(true))]),
            callbacks: Vec::new(),
            event: event.to_owned(),
            input: inputs::of(event)?,
            expected: Value::Null,
        })
    }

    /// Adds a handler to the event's hooks in the settings of a source.
    ///
    /// # Errors
    /// Errors if no file can contain hooks of that source.
    pub(super) fn add(&mut self, source: &str, handler: Value) -> Result<(), String> {
        let event = self.event.clone();
        let settings = self.settings(source)?;
        let groups = &mut settings["hooks"][event];
        if groups.is_null() {
            *groups = json!([{"hooks": []}]);
        }
        match groups[0]["hooks"].as_array_mut() {
            Some(handlers) => handlers.push(handler),
            None => return Err("the hooks are not a list".to_owned()),
        }
        Ok(())
    }

    /// Returns the settings of a source.
    ///
    /// # Errors
    /// Errors if no file can contain hooks of that source.
    pub(super) fn settings(&mut self, source: &str) -> Result<&mut Value, String> {
        let own =
            if self.open.get("profile").is_some_and(|name| name == "agent") { ".agent" } else { ".claude" };
        let file = match source {
            "policy" => "managed/managed-settings.json",
            "user" => &format!("home/{own}/settings.json"),
            "project" => &format!("project/{own}/settings.json"),
            "local" => &format!("project/{own}/settings.local.json"),
            "flag" => return Ok(self.open.entry("settings").or_insert_with(|| json!({}))),
            other => match other.strip_prefix("plugin:") {
                Some(name) => &self.plugin(name),
                None => return Err(format!("no file brings hooks of the source `{other}`")),
            },
        };
        Ok(self.files.entry(file).or_insert_with(|| json!({})))
    }

    /// Adds a plugin; returns the path of its hooks.
    fn plugin(&mut self, name: &str) -> String {
        let manifest = format!("plugins/{name}/.claude-plugin/plugin.json");
        // The manifest of a plugin does not contain its marketplace.
        let called = name.split_once('@').map_or(name, |(called, _)| called);
        if self.files.insert(manifest, json!({"name": called})).is_none() {
            let plugins = self.open.entry("plugin_dirs").or_insert_with(|| json!([]));
            if let Some(plugins) = plugins.as_array_mut() {
                plugins.push(json!(format!("[ROOT]/plugins/{name}")));
            }
        }
        format!("plugins/{name}/hooks/hooks.json")
    }

    /// Returns the handler of a command that answers as `reply` specifies, and is labelled `sh LABEL`. `reply` has
    /// `json`, `stdout` or `bytes`, `stderr`, `exit`, or `failure: "timeout"`; `closed` makes its failure a block.
    pub(super) fn command(&mut self, label: &str, reply: &Map<String, Value>) -> Value {
        let script = self.answering(label, reply);
        self.files.insert(format!("project/{label}"), Value::from(script));
        handler(label, [reply].into_iter())
    }

    /// Does the same, with another answer on the second run.
    pub(super) fn command_twice(&mut self, label: &str, replies: [&Map<String, Value>; 2]) -> Value {
        let first = self.answering(label, replies[0]);
        let later = self.answering(&format!("{label}.later"), replies[1]);
        let script = format!("test -e {label}.seen && exec sh {label}.later\ntouch {label}.seen\n{first}");
        self.files.insert(format!("project/{label}"), Value::from(script));
        self.files.insert(format!("project/{label}.later"), Value::from(later));
        handler(label, replies.into_iter())
    }

    /// Returns a script that answers.
    fn answering(&mut self, label: &str, reply: &Map<String, Value>) -> String {
        let mut lines = Vec::new();
        if reply.contains_key("failure") {
            lines.push("sleep 60".to_owned());
        }
        for (stream, text, to) in [("out", stdout(reply), ""), ("err", stderr(reply), " >&2")] {
            if !text.is_empty() {
                self.files.insert(format!("project/{label}.{stream}"), Value::from(text));
                lines.push(format!("cat {label}.{stream}{to}"));
            }
        }
        if let Some(bytes) = reply.get("bytes").and_then(Value::as_array) {
            let octal = |byte: &Value| format!("\\{:03o}", byte.as_u64().unwrap_or_default());
            lines.push(format!("printf '{}'", bytes.iter().map(octal).collect::<String>()));
        }
        lines.push(format!("exit {}\n", reply.get("exit").and_then(Value::as_i64).unwrap_or_default()));
        lines.join("\n")
    }
}

fn handler<'a>(label: &str, replies: impl Iterator<Item = &'a Map<String, Value>>) -> Value {
    let mut handler = json!({"type": "command", "command": format!("sh {label}")});
    for reply in replies {
        if reply.contains_key("failure") {
            handler["timeout"] = json!(1);
        }
        if let Some(mode) = reply.get("mode") {
            handler["mode"] = mode.clone();
        }
        if reply.contains_key("closed") {
            handler["onFailure"] = json!("block");
        }
    }
    handler
}

fn stdout(reply: &Map<String, Value>) -> String {
    let text = reply.get("stdout").and_then(Value::as_str).map(str::to_owned);
    text.or_else(|| reply.get("json").map(Value::to_string)).unwrap_or_default()
}

fn stderr(reply: &Map<String, Value>) -> String {
    reply.get("stderr").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the name of a case: its own, or its subject.
pub(super) fn name(source: &Map<String, Value>) -> String {
    match source.get("name").and_then(Value::as_str) {
        Some(name) => name.to_owned(),
        None => {
            let beside = ["rule", "rules", "about", "is", "yes", "no"];
            let parts = source.iter().filter(|(key, _)| !beside.contains(&key.as_str()));
            parts.map(|(key, value)| format!("{key} {value}")).collect::<Vec<_>>().join(", ")
        }
    }
}
