//! `initialize`, the first line of a host that uses the control protocol: the description of the session, in addition
//! to the arguments.
//!
//! Unsupported fields on which no host relies are ignored with a warning; others reject the session.

use super::delivered_args::DeliveredArgs;
use super::hooks::{self, CallbackConfig};
use super::host::Host;
use super::host_message::Request;
use crate::args::RunArgs;
use crate::error::CliError;
use crate::session::Session;
use becket_engine::Engine;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Fields that describe the host, and request nothing.
const DESCRIPTIVE: [&str; 5] = [
    "perTaskStopAffordance",
    "sdkMcpServerManifests",
    "sdkMcpServerManifestsOrigin",
    "supportedDialogKinds",
    "systemPromptSnapshot",
];

/// Fields that can't be ignored: without them, a session could do something that its host forbids.
const REFUSED: [(&str, &str); 1] = [("managedSettings", "managed settings are an administrator's files")];

/// The minimum limit of a call.
const SHORTEST: Duration = Duration::from_secs(1);

/// The host's description of the session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Initialize {
    /// The id of the request.
    pub(crate) id: String,
    /// The callbacks; `None` if the host has none.
    hooks: Option<Vec<CallbackConfig>>,
    /// The MCP servers of the host, and the time limits of their calls.
    pub(crate) servers: Vec<(String, Option<Duration>)>,
    agents: Option<Map<String, Value>>,
    mcp_servers: Option<Map<String, Value>>,
    system_prompt: Option<String>,
    append_system_prompt: Option<String>,
    title: Option<String>,
    /// The JSON Schema of answers.
    schema: Option<Value>,
    /// True if the host wants prompt suggestions.
    suggests: bool,
    /// True if the host wants the messages of subagents.
    forwards: bool,
    /// The only skills that the session has.
    skills: Option<Vec<String>>,
    /// The tools that are called instead of others, by the names of the others.
    aliases: Option<Map<String, Value>>,
    /// The arguments that the request delivers.
    delivered: DeliveredArgs,
    /// The fields that have no effect.
    ignored: Vec<String>,
}

impl Initialize {
    /// Reads the description.
    ///
    /// # Errors
    /// Errors if a field can't be read or is not supported, with a message for the host.
    pub(crate) fn read(request: &Request) -> Result<Self, String> {
        let mut fields = request.fields.clone();
        // An option that is off requests nothing.
        fields.retain(|_, value| !matches!(value, Value::Null | Value::Bool(false)));
        fields.remove("subtype");
        if let Some((name, instead)) = REFUSED.iter().find(|(name, _)| fields.contains_key(*name)) {
            return Err(format!("`{name}` of `initialize` is not supported: {instead}"));
        }
        DESCRIPTIVE.iter().for_each(|name| drop(fields.remove(*name)));
        let configs = fields.remove("sdkMcpServerConfigs");
        let mut ignored = fields.get("hooks").map(hooks::ignored).unwrap_or_default();
        ignored.extend(ignored_of_servers(fields.get("sdkMcpServers"), configs.as_ref()));
        let read = Initialize {
            id: request.id.clone(),
            hooks: fields.remove("hooks").as_ref().map(hooks::read).transpose()?,
            servers: servers(fields.remove("sdkMcpServers"), configs.as_ref())?,
            agents: object(fields.remove("agents"), "agents")?,
            mcp_servers: object(fields.remove("mcpServers"), "mcpServers")?,
            system_prompt: fields.remove("systemPrompt").map(prompt).transpose()?,
            append_system_prompt: text(fields.remove("appendSystemPrompt"), "appendSystemPrompt")?,
            title: text(fields.remove("title"), "title")?,
            schema: fields.remove("jsonSchema"),
            suggests: fields.remove("promptSuggestions") == Some(Value::Bool(true)),
            forwards: fields.remove("forwardSubagentText") == Some(Value::Bool(true)),
            skills: skills(fields.remove("skills"))?,
            aliases: aliases(fields.remove("toolAliases"))?,
            delivered: DeliveredArgs::take(&mut fields)?,
            ignored: Vec::new(),
        };
        ignored.extend(fields.keys().cloned());
        Ok(Initialize { ignored, ..read })
    }

    /// Returns the arguments with the overrides of this request.
    ///
    /// # Errors
    /// Errors if the agents of the command line are not a JSON object, so that others can't be added.
    pub(crate) fn over(&self, args: &RunArgs) -> Result<RunArgs, CliError> {
        let mut args = args.clone();
        if let Some(agents) = &self.agents {
            let mut all = match &args.model.agents {
                Some(given) => serde_json::from_str::<Map<String, Value>>(given)
                    .map_err(|error| CliError::usage(format!("`--agents` is not a JSON object: {error}")))?,
                None => Map::new(),
            };
            all.extend(agents.clone());
            args.model.agents = Some(Value::Object(all).to_string());
        }
        if let Some(servers) = &self.mcp_servers {
            args.sources.mcp_config.push(json!({"mcpServers": servers}).to_string());
        }
        if let Some(schema) = &self.schema {
            args.sdk.json_schema = Some(schema.to_string());
        }
        let instead = |own: &mut Option<String>, wanted: &Option<String>| {
            if wanted.is_some() {
                own.clone_from(wanted);
            }
        };
        instead(&mut args.model.system_prompt, &self.system_prompt);
        instead(&mut args.model.append_system_prompt, &self.append_system_prompt);
        instead(&mut args.session.name, &self.title);
        Ok(args)
    }

    /// Returns the session with the settings, denied tools and plugins of this request.
    ///
    /// # Errors
    /// Errors if an argument announces one that is missing, or one of them can't be used.
    pub(crate) fn session(&self, session: &Session, args: &RunArgs) -> Result<Session, CliError> {
        self.delivered.over(session, &args.sdk.initialize_fields)
    }

    /// Returns true if the request contains plugins.
    pub(crate) fn delivers_plugins(&self) -> bool {
        self.delivered.has_plugins()
    }

    /// Registers the callbacks.
    ///
    /// # Errors
    /// Errors if a matcher is invalid.
    pub(crate) fn register(&self, engine: &Engine, host: Option<&Host>) -> Result<(), CliError> {
        let Some((host, hooks)) = host.zip(self.hooks.as_ref()) else { return Ok(()) };
        let callbacks = hooks.iter().map(|wanted| wanted.callback(host));
        engine.on_all(callbacks).map_err(|error| CliError::Initialize { why: error.to_string() })?;
        Ok(())
    }

    /// Returns true if the host provides MCP servers.
    pub(crate) fn lends_servers(&self) -> bool {
        !self.servers.is_empty()
    }

    /// Returns true if the host wants prompt suggestions.
    pub(crate) fn wants_suggestions(&self) -> bool {
        self.suggests
    }

    /// Returns true if the host wants the messages of subagents.
    pub(crate) fn wants_subagents(&self) -> bool {
        self.forwards
    }

    /// Returns the only skills that the session has; `None` if it has all.
    pub(crate) fn skills(&self) -> Option<&[String]> {
        self.skills.as_deref()
    }

    /// Returns the names of tools, each with the name of the tool that is called instead.
    pub(crate) fn tool_aliases(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let texts = |(name, other): (&String, &Value)| Some((name.clone(), other.as_str()?.to_owned()));
        self.aliases.iter().flatten().filter_map(texts)
    }

    /// Returns true if the host has callbacks.
    pub(crate) fn has_hooks(&self) -> bool {
        self.hooks.is_some()
    }

    /// Returns the warnings for the user.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.ignored.iter().map(|name| format!("`{name}` of `initialize` has no effect here"))
    }
}

fn servers(names: Option<Value>, configs: Option<&Value>) -> Result<Vec<(String, Option<Duration>)>, String> {
    let names = match names {
        None => return Ok(Vec::new()),
        Some(Value::Array(names)) => names,
        Some(_) => return Err("`sdkMcpServers` must be a list".to_owned()),
    };
    names
        .into_iter()
        .map(|name| {
            let Value::String(name) = name else {
                return Err("a name in `sdkMcpServers` is not a string".to_owned());
            };
            let config = configs.and_then(|configs| configs.get(&name));
            // Tools are rules, and a rule that is not enforced is worse than none.
            if config.and_then(|config| config.get("tools")).is_some() {
                return Err(format!(
                    "`sdkMcpServerConfigs.{name}.tools` is not supported: write permission rules (`mcp__{name}__…`)"
                ));
            }
            let limit = config.and_then(|config| config.get("timeout")).and_then(server_limit);
            Ok((name, limit))
        })
        .collect()
}

/// Returns the paths of settings of the host's servers that have no effect: unknown ones, invalid limits, and those of
/// servers that the host does not have.
fn ignored_of_servers(names: Option<&Value>, configs: Option<&Value>) -> Vec<String> {
    let Some(Value::Object(configs)) = configs else {
        return configs.map(|_| "sdkMcpServerConfigs".to_owned()).into_iter().collect();
    };
    let is_named =
        |name: &str| names.and_then(Value::as_array).is_some_and(|all| all.iter().any(|one| one == name));
    let mut ignored = Vec::new();
    for (name, config) in configs {
        match config {
            Value::Object(config) if is_named(name) => {
                let is_read = |key: &str, value: &Value| match key {
                    "timeout" => server_limit(value).is_some(),
                    _ => key == "tools",
                };
                let unread = config.iter().filter(|(key, value)| !is_read(key, value));
                ignored.extend(unread.map(|(key, _)| format!("sdkMcpServerConfigs.{name}.{key}")));
            }
            Value::Object(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => ignored.push(format!("sdkMcpServerConfigs.{name}")),
        }
    }
    ignored
}

/// Returns the limit of a server's calls, given in milliseconds.
fn server_limit(milliseconds: &Value) -> Option<Duration> {
    milliseconds.as_u64().map(Duration::from_millis).filter(|limit| *limit >= SHORTEST)
}

/// Reads the names of skills; the word `all` restricts nothing.
fn skills(value: Option<Value>) -> Result<Option<Vec<String>>, String> {
    let wrong = || "`skills` must be a list of names, or `all`".to_owned();
    match value {
        None => Ok(None),
        Some(Value::String(word)) if word == "all" => Ok(None),
        Some(Value::Array(names)) => {
            let names: Option<Vec<String>> =
                names.iter().map(|name| name.as_str().map(str::to_owned)).collect();
            names.map(Some).ok_or_else(wrong)
        }
        Some(_) => Err(wrong()),
    }
}

fn aliases(value: Option<Value>) -> Result<Option<Map<String, Value>>, String> {
    let aliases = object(value, "toolAliases")?;
    match aliases.iter().flatten().find(|(_, other)| !other.is_string()) {
        Some((name, _)) => Err(format!("`toolAliases.{name}` must be the name of a tool")),
        None => Ok(aliases),
    }
}

/// Reads a text, or the pieces of one.
fn prompt(value: Value) -> Result<String, String> {
    let wrong = || "`systemPrompt` must be a string or a list of strings".to_owned();
    match value {
        Value::String(text) => Ok(text),
        Value::Array(pieces) => {
            let pieces: Option<Vec<&str>> = pieces.iter().map(Value::as_str).collect();
            let full = |piece: &&str| !piece.is_empty();
            let pieces: Vec<&str> = pieces.ok_or_else(wrong)?.into_iter().filter(full).collect();
            Ok(pieces.join("\n\n"))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Err(wrong()),
    }
}

fn object(value: Option<Value>, name: &str) -> Result<Option<Map<String, Value>>, String> {
    match value {
        None => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(_) => Err(format!("`{name}` must be an object")),
    }
}

fn text(value: Option<Value>, name: &str) -> Result<Option<String>, String> {
    match value {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{name}` must be a string")),
    }
}
