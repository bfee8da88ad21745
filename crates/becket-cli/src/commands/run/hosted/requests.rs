//! The requests that the host may send while the session is open. Many may run concurrently, also during a turn.

use super::super::context::RunContext;
use super::super::control::Host;
use super::super::control::Request;
use super::super::control::{HostPrompt, Lines, Open, SessionInput};
use super::super::session::Session;
use super::super::typed;
use super::context_usage;
use super::description;
use super::flag_settings;
use super::plugins::{self, PluginProblems};
use super::servers;
use super::turns::{MessageTurn, Turns};
use crate::error::CliError;
use crate::report::style::{WARNING, plain, styled};
use becket_agent::checkpoints::{LineCounts, Rewound};
use becket_engine::CancellationToken;
use becket_llm::Thinking;
use becket_mcp::{ServerState, ServerView};
use becket_model::event::PermissionMode;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::path::Path;
use tokio::sync::mpsc;

/// A message, or the reason why no more can be read.
pub(super) type Message = Result<QueuedPrompt, CliError>;

/// A message of the host.
pub(super) struct QueuedPrompt {
    pub(super) message: HostPrompt,
    pub(super) turn: MessageTurn,
}

/// The subtype of a request, and the fields that it may have.
type RequestFields = (&'static str, &'static [&'static str]);

/// The supported requests.
const KNOWN: [RequestFields; 19] = [
    ("interrupt", &["cancel_queued", "reason"]),
    ("cancel_async_message", &["message_uuid"]),
    ("set_permission_mode", &["mode"]),
    ("set_model", &["model"]),
    ("set_max_thinking_tokens", &["max_thinking_tokens"]),
    ("rewind_files", &["user_message_id", "dry_run"]),
    ("get_context_usage", &["detail"]),
    ("mcp_status", &[]),
    ("mcp_message", &["server_name", "message"]),
    ("mcp_reconnect", &["serverName"]),
    ("mcp_toggle", &["serverName", "enabled"]),
    ("mcp_set_servers", &["servers"]),
    ("mcp_read_resource", &["serverName", "uri"]),
    ("stop_task", &["task_id"]),
    ("register_repo_root", &["directory", "reload_claude_md", "reload_plugins", "reload_skills"]),
    ("apply_flag_settings", &["settings"]),
    ("reload_output_styles", &[]),
    ("reload_skills", &[]),
    ("reload_plugins", &["hold_on_cache_impact", "add_plugins", "refuse_if_busy"]),
];
/// The limit on concurrent requests.
const MOST: usize = 256;
/// The request that reads plugins again.
const RELOAD: &str = "reload_plugins";
/// The code of the error if that request is not served because the session is busy.
const BUSY: &str = "reload_plugins_busy";
/// The request that changes settings.
const SETTINGS: &str = "apply_flag_settings";
/// The source, in DirectoryAdded, of a request of the host.
const REPO_ROOT: &str = "register_repo_root";

/// Answers a host.
pub(super) struct Requests<'a> {
    pub(super) host: Host,
    pub(super) at: RunContext<'a>,
    pub(super) session: &'a Session,
    pub(super) turns: &'a Turns,
    /// The token that ends the run.
    pub(super) cancel: &'a CancellationToken,
}

impl Requests<'_> {
    /// Reads all lines: forwards messages, and answers requests.
    pub(super) async fn read_all(&self, lines: &mut Lines, messages: mpsc::UnboundedSender<Message>) {
        let mut under_way = FuturesUnordered::new();
        let (open, mut messages) = (lines.open.clone(), Some(messages));
        let mut named = HashSet::new();
        let mut named_of_requests = HashSet::new();
        while messages.is_some() || !under_way.is_empty() {
            tokio::select! {
                heard = lines.next(), if messages.is_some() => match heard {
                    Some(Ok(SessionInput::Message(message))) => {
                        self.name_ignored(&message.ignored, "a message", &mut named);
                        let turn = self.turns.add(self.cancel, message.sent.uuid().map(str::to_owned));
                        self.hand_on(messages.as_ref(), Ok(QueuedPrompt { message, turn }));
                    }
                    Some(Ok(SessionInput::Request(request, _))) if under_way.len() >= MOST => {
                        open.remove(&request.id);
                        self.host.refuse(&request.id, &format!("{MOST} requests are pending: wait for one"));
                    }
                    Some(Ok(SessionInput::Request(request, cancel))) => {
                        let of = format!("`{}`", request.subtype);
                        self.name_ignored(&ignored(&request), &of, &mut named_of_requests);
                        let open = open.clone();
                        under_way.push(async move { self.answer(&request, &cancel, &open).await });
                    }
                    Some(Err(error)) => self.hand_on(messages.take().as_ref(), Err(error)),
                    None => drop(messages.take()),
                },
                Some(()) = under_way.next(), if !under_way.is_empty() => {}
                () = self.cancel.cancelled() => return,
            }
        }
    }

    /// Warns once about each field that has no effect.
    fn name_ignored(&self, ignored: &[String], of: &str, named: &mut HashSet<String>) {
        let texts = ignored.iter().map(|name| format!("`{name}` of {of} has no effect here"));
        for text in texts.filter(|text| named.insert(text.clone())) {
            self.at.out.eprint(&format!("{} {}\n", styled(WARNING, "warning:"), plain(&text)));
            self.host.warn(text);
        }
    }

    /// Forwards a message; the receiver is gone once the session is over.
    fn hand_on(&self, messages: Option<&mpsc::UnboundedSender<Message>>, message: Message) {
        if let Some(messages) = messages {
            drop(messages.send(message));
        }
    }

    async fn answer(&self, request: &Request, cancel: &CancellationToken, open: &Open) {
        if self.is_refused_as_busy(request) {
            open.remove(&request.id);
            return self.host.refuse_as(&request.id, BUSY, "the session is busy: ask again once it is idle");
        }
        let answer = tokio::select! {
            answer = self.wanted(request) => answer,
            // A change of settings is not left halfway.
            () = cancel.cancelled(), if request.subtype != SETTINGS => return,
        };
        // A host that has read the answer may use the id again.
        open.remove(&request.id);
        match answer {
            Ok(response) => self.host.grant(&request.id, response),
            Err(why) => self.host.refuse(&request.id, &why),
        }
    }

    /// # Errors
    /// Returns the reason for the failure, for the host.
    async fn wanted(&self, request: &Request) -> Result<Value, String> {
        let fields = &request.fields;
        match request.subtype.as_str() {
            "interrupt" => Ok(self.interrupt(fields)),
            "cancel_async_message" => {
                Ok(json!({"cancelled": self.turns.withdraw(text(fields, "message_uuid")?)}))
            }
            "set_permission_mode" => self.set_mode(text(fields, "mode")?),
            "set_model" => self.set_model(fields).await,
            "mcp_status" => Ok(json!({"mcpServers": self.servers()})),
            "mcp_message" => {
                let message = fields.get("message").cloned().ok_or("`message` is missing")?;
                self.host.server_says(text(fields, "server_name")?, message).await?;
                Ok(json!({}))
            }
            "mcp_toggle" => {
                let on = fields
                    .get("enabled")
                    .and_then(Value::as_bool)
                    .ok_or("`enabled` must be true or false")?;
                servers::toggle(self.session, text(fields, "serverName")?, on, self.cancel).await
            }
            "mcp_set_servers" => {
                servers::set(self.at, self.session, fields.get("servers"), self.cancel).await
            }
            "mcp_read_resource" => {
                let (server, uri) = (text(fields, "serverName")?, text(fields, "uri")?);
                servers::read_resource(self.session, server, uri, self.cancel).await
            }
            "get_context_usage" => Ok(context_usage::usage(self.session)),
            "set_max_thinking_tokens" => self.set_thinking(fields),
            "rewind_files" => self.rewind(fields),
            "mcp_reconnect" => self.reconnect(text(fields, "serverName")?).await,
            "stop_task" => self.stop_task(text(fields, "task_id")?).await,
            "apply_flag_settings" => {
                flag_settings::apply(self.session, fields.get("settings"), self.cancel).await
            }
            "reload_output_styles" => {
                let config = self.session.agent.engine().config();
                Ok(json!({"available_output_styles": self.session.plugins.style_names(&config)}))
            }
            "reload_skills" => {
                self.reload();
                Ok(json!({"skills": description::skills(self.session)}))
            }
            "reload_plugins" => self.reload_plugins(fields).await,
            "register_repo_root" => self.register_root(fields).await,
            "initialize" => {
                Err("`initialize` has to be the first line of a session, and the only one".to_owned())
            }
            other => {
                let known = KNOWN.map(|(subtype, _)| subtype).join(", ");
                Err(format!(
                    "becket does not answer control requests of the subtype `{other}`, only: {known}"
                ))
            }
        }
    }

    /// Ends the current turn. Background tasks go on, as they do when a user interrupts.
    fn interrupt(&self, fields: &Map<String, Value>) -> Value {
        let withdraws = fields.get("cancel_queued") == Some(&Value::Bool(true));
        let waiting = self.turns.interrupt(withdraws);
        let mut answer = json!({"still_queued": waiting.queued});
        if withdraws {
            answer["cancelled"] = json!(waiting.withdrawn);
        }
        answer
    }

    fn set_mode(&self, name: &str) -> Result<Value, String> {
        self.session.agent.set_mode(PermissionMode::from_name(name)).map_err(|error| error.to_string())?;
        Ok(json!({"mode": self.session.agent.info().mode.to_string()}))
    }

    async fn set_model(&self, fields: &Map<String, Value>) -> Result<Value, String> {
        let name = match fields.get("model") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(name.as_str()),
            Some(_) => return Err("`model` must be a string".to_owned()),
        };
        let name = typed::requested_model(self.session, name);
        let now = typed::switched(self.session, name, "sdk", self.cancel).await?;
        Ok(json!({"model": now}))
    }

    /// Sets the thinking budget: 0 disables thinking, null leaves it to the model. The newest models accept no number
    /// and decide themselves.
    fn set_thinking(&self, fields: &Map<String, Value>) -> Result<Value, String> {
        let thinking = match fields.get("max_thinking_tokens") {
            None | Some(Value::Null) => Thinking::Default,
            Some(value) => match value.as_u64().map(u32::try_from) {
                Some(Ok(0)) => Thinking::Off,
                Some(tokens) => Thinking::Budget(tokens.unwrap_or(u32::MAX)),
                None => return Err("`max_thinking_tokens` must be a whole number or null".to_owned()),
            },
        };
        self.session.agent.set_thinking(thinking);
        Ok(json!({}))
    }

    /// Restores the files that tools have edited since a prompt. Changes by commands are unknown, and stay.
    fn rewind(&self, fields: &Map<String, Value>) -> Result<Value, String> {
        let prompt = text(fields, "user_message_id")?;
        let dry = fields.get("dry_run") == Some(&Value::Bool(true));
        let done = self.session.agent.rewind_files(prompt, dry).ok_or(
            "this session keeps no file checkpoints: set CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true for it",
        )?;
        let Rewound { files, lines, skipped, undo, .. } = done.map_err(|error| error.to_string())?;
        let LineCounts { insertions, deletions } = lines;
        let mut answer = json!({
            "canRewind": true, "filesChanged": files, "insertions": insertions, "deletions": deletions,
        });
        if let Some(undo) = undo {
            answer["undoMessageId"] = json!(undo);
        }
        if skipped > 0 && !dry {
            answer["skippedLinks"] = json!(skipped);
        }
        Ok(answer)
    }

    fn servers(&self) -> Vec<Value> {
        let pool = self.session.servers.as_ref();
        pool.map(|pool| pool.servers().iter().map(server).collect()).unwrap_or_default()
    }

    async fn reconnect(&self, name: &str) -> Result<Value, String> {
        let pool = self.session.servers.as_ref().ok_or("this session has no MCP servers")?;
        pool.reconnect(name, self.cancel).await.map_err(|error| error.to_string())?;
        Ok(json!({}))
    }

    async fn stop_task(&self, id: &str) -> Result<Value, String> {
        let stopped = self.session.tools.tasks().stop(id).await;
        stopped.map(|_| json!({})).ok_or_else(|| format!("there is no background task `{id}`"))
    }

    /// Reloads skills and commands; returns the number of files that can't be used.
    fn reload(&self) -> usize {
        let errors =
            self.session.skills.load().into_iter().filter(becket_engine::config::Diagnostic::is_error);
        errors.count()
    }

    /// Reads plugins again, unless the host wants that held because tools would change.
    async fn reload_plugins(&self, fields: &Map<String, Value>) -> Result<Value, String> {
        if fields.get("add_plugins").is_some_and(|added| !matches!(added, Value::Null)) {
            return Err(
                "`add_plugins` is not supported: name plugins by `--plugin-dir` at the start".to_owned()
            );
        }
        let is_on = |name: &str| fields.get(name) == Some(&Value::Bool(true));
        let holds = is_on("hold_on_cache_impact");
        let impact = if holds { plugins::cache_impact(self.at, self.session)? } else { None };
        let problems = match impact {
            Some(_) => PluginProblems::default(),
            None => plugins::reload(self.at, self.session, self.cancel).await?,
        };
        let mut answer = json!({
            "commands": description::commands(self.session),
            "agents": description::agents(self.session),
            "plugins": self.session.init().plugins,
            "mcpServers": self.servers(),
            "error_count": problems.errors,
            "warnings": problems.texts,
        });
        if holds {
            answer["held"] = json!(impact.is_some());
        }
        if let Some(impact) = impact {
            answer["cache_impact"] = impact;
        }
        Ok(answer)
    }

    /// Returns whether a request must not be served now, as it demands itself: a turn is active or waits, or an agent
    /// works in the background.
    fn is_refused_as_busy(&self, request: &Request) -> bool {
        let wants =
            request.subtype == RELOAD && request.fields.get("refuse_if_busy") == Some(&Value::Bool(true));
        wants && (!self.turns.are_done() || self.session.has_running_agent())
    }

    /// Adds a working directory; reports other options of the request that are not supported.
    async fn register_root(&self, fields: &Map<String, Value>) -> Result<Value, String> {
        let directory = Path::new(text(fields, "directory")?);
        if !directory.is_absolute() || !directory.is_dir() {
            return Err(format!("`{}` is not the absolute path of a directory", directory.display()));
        }
        let wants = |name: &str| fields.get(name) == Some(&Value::Bool(true));
        if wants("reload_claude_md") {
            return Err("`reload_claude_md` is not supported: register the directory without it".to_owned());
        }
        let added = self.session.agent.add_directory(directory, REPO_ROOT).await;
        if wants("reload_skills") {
            drop(self.session.skills.load());
        }
        let mut answer = json!({"added": added});
        if wants(RELOAD) {
            let problems = plugins::reload(self.at, self.session, self.cancel).await?;
            answer["warnings"] = json!(problems.texts);
        }
        Ok(answer)
    }
}

/// Returns the fields of a supported request that have no effect.
fn ignored(request: &Request) -> Vec<String> {
    let Some((_, known)) = KNOWN.iter().find(|(subtype, _)| *subtype == request.subtype) else {
        return Vec::new();
    };
    // An option that is off requests nothing.
    let is_on = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
    let unknown = request.fields.iter().filter(|(name, value)| {
        name.as_str() != "subtype" && !known.contains(&name.as_str()) && is_on(value)
    });
    unknown.map(|(name, _)| name.clone()).collect()
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    fields.get(name).and_then(Value::as_str).ok_or_else(|| format!("`{name}` must be a string"))
}

fn server(view: &ServerView) -> Value {
    let mut status = json!({
        "name": view.name,
        "status": super::super::init::status(&view.state),
        "scope": view.configured.scope.to_string(),
    });
    match &view.state {
        ServerState::Connected { info, .. } => {
            status["serverInfo"] = json!({
                "name": info.name.as_deref().unwrap_or(&view.name),
                "version": info.version.as_deref().unwrap_or_default(),
            });
        }
        ServerState::Failed { why } => status["error"] = json!(why.to_string()),
        ServerState::Disabled { why } => status["error"] = json!(why.to_string()),
        ServerState::NeedsAuth { .. }
        | ServerState::Waiting
        | ServerState::Connecting
        | ServerState::Closed => {}
    }
    if let Some(tools) = &view.tools {
        let tool = |tool: &becket_mcp::Tool| json!({"name": tool.name, "description": tool.description});
        status["tools"] = tools.as_slice().iter().map(tool).collect();
    }
    status
}
