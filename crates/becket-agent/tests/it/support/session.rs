//! A session with a scripted model, real hooks, and tools that do what their input says.

use crate::support::until;
use becket_agent::session::Facts;
use becket_agent::update::{Update, UpdateKind};
use becket_agent::{Agent, AgentBuilder};
use becket_engine::{
    CancellationToken, Effect, Engine, Environment, Hints, RunningCall, Tool, ToolFailure, ToolOutput,
    ToolSet,
};
use becket_llm::{Block, Message, Script, ScriptedModel, ToolSpec};
use becket_model::Session;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// A timeout that is long enough for any loaded machine.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// The record of the tools' work.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) ran: Mutex<Vec<Value>>,
    now: AtomicUsize,
    pub(crate) most: AtomicUsize,
}

/// A tool: `Probe` runs alone, `Side` runs together with others, `Bash` is called like a shell. Each answers `did <n>`,
/// or follows its input: `fails`, `sleep_ms`, `hangs`, `moves` (to a directory below the session's), `limit` (answers with
/// the limit of the call).
struct Does {
    name: &'static str,
    facts: Facts,
    dir: PathBuf,
    done: Arc<Done>,
}

impl Tool for Does {
    fn name(&self) -> &str {
        self.name
    }

    fn spec(&self) -> ToolSpec {
        let description = "does what it is told".to_owned();
        ToolSpec { name: self.name.into(), description, input_schema: json!({"type": "object"}) }
    }

    fn hints(&self) -> Hints {
        Hints { together: self.name == "Side", ..Hints::default() }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        match input.get("n") {
            None | Some(Value::Number(_)) => Ok(()),
            Some(other) => Err(format!("`n` must be a number, not `{other}`")),
        }
    }

    fn effect(&self, _: &Session, input: &Map<String, Value>) -> Effect {
        if input.contains_key("acts") { Effect::Acts } else { Effect::Reads }
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        let input = running.input;
        self.done.ran.lock().unwrap().push(Value::Object(input.clone()));
        let at_once = self.done.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.done.most.fetch_max(at_once, Ordering::SeqCst);
        Box::pin(async move {
            if let Some(wait) = input.get("sleep_ms").and_then(Value::as_u64) {
                tokio::time::sleep(Duration::from_millis(wait)).await;
            }
            if input.contains_key("hangs") {
                fs::write(self.dir.join("hangs"), "").unwrap();
                std::future::pending::<()>().await;
            }
            if let Some(to) = input.get("moves").and_then(Value::as_str) {
                self.facts.set_cwd(self.dir.join(to));
            }
            self.done.now.fetch_sub(1, Ordering::SeqCst);
            if let Some(error) = input.get("fails").and_then(Value::as_str) {
                return Err(ToolFailure::new(error));
            }
            if input.contains_key("limit") {
                return Ok(ToolOutput::text(format!("limit: {:?}", running.limit), json!({})));
            }
            let n = input.get("n").cloned().unwrap_or_default();
            Ok(ToolOutput::text(format!("did {n}"), json!({"did": n})))
        })
    }
}

/// A directory with hooks, and a session in it.
pub(crate) struct At {
    _root: TempDir,
    pub(crate) dir: PathBuf,
    pub(crate) model: Arc<ScriptedModel>,
    pub(crate) done: Arc<Done>,
    pub(crate) updates: Arc<Mutex<Vec<Update>>>,
    pub(crate) engine: Engine,
    pub(crate) toolbox: ToolSet,
    pub(crate) facts: Facts,
}

/// The first lines of a hook, which record its input and store it in `$in`.
const NOTED: &str = r#"in=$(cat); printf '%s\n' "$in" >> "$HERE/log"; "#;

/// Returns settings with these hooks: for each event a list of shell texts, or of handlers with `command` and other
/// keys.
pub(crate) fn settings(hooks: &Value, more: &Value) -> Value {
    let handler = |hook: &Value| {
        let mut handler = if hook.is_object() { hook.clone() } else { json!({"command": hook}) };
        handler["type"] = "command".into();
        handler["command"] = format!("{NOTED}{}", handler["command"].as_str().unwrap()).into();
        handler
    };
    let events = hooks.as_object().into_iter().flatten().map(|(event, list)| {
        let handlers: Vec<Value> = list.as_array().unwrap().iter().map(handler).collect();
        (event.clone(), json!([{"hooks": handlers}]))
    });
    let mut settings = json!({"hooks": events.collect::<Map<_, _>>()});
    for (key, value) in more.as_object().into_iter().flatten() {
        settings[key] = value.clone();
    }
    settings
}

impl At {
    /// Creates a session with hooks by event, and a script of turns, as JSON.
    pub(crate) fn new(settings: &Value, turns: &Value) -> Self {
        Self::of(settings, turns, false)
    }

    pub(crate) fn of(settings: &Value, turns: &Value, interactive: bool) -> Self {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().canonicalize().unwrap();
        fs::create_dir(dir.join("sub")).unwrap();
        let script = json!({"name": "scripted", "turns": turns}).to_string();
        let facts = Facts::new(Session::new("unset", "", &dir));
        let done = Arc::new(Done::default());
        let tool = |name| {
            let (facts, dir, done) = (facts.clone(), dir.clone(), Arc::clone(&done));
            Arc::new(Does { name, facts, dir, done }) as Arc<dyn Tool>
        };
        let toolbox = ToolSet::new(["Probe", "Side", "Bash"].map(tool));
        let engine = Engine::builder()
            .environment(
                Environment::empty()
                    .with_var("PATH", "/usr/local/bin:/usr/bin:/bin")
                    .with_var("HERE", &dir)
                    .with_home(dir.join("home")),
            )
            .start_dir(&dir)
            .request(|request| request.managed = Some(dir.join("managed")))
            .settings_text(settings.to_string())
            .interactive(interactive)
            .tools(toolbox.clone())
            .build()
            .unwrap();
        Self {
            _root: root,
            dir,
            model: Arc::new(ScriptedModel::new(Script::from_text(&script, "script").unwrap())),
            done,
            updates: Arc::default(),
            engine,
            toolbox,
            facts,
        }
    }

    pub(crate) fn builder(&self) -> AgentBuilder {
        let updates = Arc::clone(&self.updates);
        AgentBuilder::new(self.engine.clone(), self.toolbox.clone(), self.model.clone(), &self.dir)
            .facts(self.facts.clone())
            .watch(move |update: &Update| updates.lock().unwrap().push(update.clone()))
    }

    pub(crate) async fn open(&self) -> Agent {
        self.builder().open().await.unwrap()
    }

    /// Returns the inputs of hooks, in order.
    pub(crate) fn noted(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.dir.join("log")).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns the names of the events that hooks received.
    pub(crate) fn events(&self) -> Vec<String> {
        self.noted().iter().map(|input| input["hook_event_name"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns each request as one text: `user: …`, `assistant: …`.
    pub(crate) fn requests(&self) -> Vec<String> {
        let requests = self.model.requests();
        requests.iter().map(|recorded| shown(&recorded.request.messages)).collect()
    }

    pub(crate) fn happened<T>(&self, pick: impl Fn(&UpdateKind) -> Option<T>) -> Vec<T> {
        self.updates.lock().unwrap().iter().filter_map(|update| pick(&update.what)).collect()
    }

    pub(crate) fn notices(&self) -> Vec<String> {
        self.happened(|what| match what {
            UpdateKind::Notice(notice) => Some(notice.text.clone()),
            _ => None,
        })
    }

    pub(crate) async fn wait_for(&self, file: &str) {
        until(&format!("`{file}` is made"), || self.dir.join(file).exists()).await;
    }
}

/// Returns messages as one text.
pub(crate) fn shown(messages: &[Message]) -> String {
    let lines = messages.iter().map(|message| {
        let blocks: Vec<String> = message.content.iter().map(block).collect();
        format!("{:?}: {}", message.role, blocks.join(" | ")).to_lowercase()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn block(block: &Block) -> String {
    match block {
        Block::Text(text) => text.clone(),
        Block::ToolUse { id, name, input } => format!("call {id} {name} {}", Value::Object(input.clone())),
        Block::ToolResult { tool_use_id, content, is_error } => {
            let texts: Vec<&str> = content.iter().filter_map(Block::as_text).collect();
            let error = if *is_error { " error" } else { "" };
            format!("result {tool_use_id}{error}: {}", texts.join(" "))
        }
        other => format!("{other:?}"),
    }
}

pub(crate) async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(LONG, work).await.unwrap()
}

pub(crate) fn never() -> CancellationToken {
    CancellationToken::new()
}
