//! A tool that records its inputs, a person with fixed answers, and a session with hooks around them.

#![allow(clippy::expect_used, clippy::panic, reason = "a test helper fails by panicking")]

use crate::support::until;
use becket_agent::permission::{Classification, Classifier, ToClassify};
use becket_agent::tool_call::{AskPermission, PermissionAnswer, PermissionPrompt, Report, ToolCalls};
use becket_engine::{
    Builder, CancellationToken, Effect, Engine, Environment, RunningCall, Tool, ToolCall, ToolFailure,
    ToolOutput, ToolServer, ToolSet,
};
use becket_llm::ToolSpec;
use becket_model::Session;
use becket_model::event::PermissionMode;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::Notify;

/// A timeout that is long enough for any loaded machine.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// The behaviour of a probe.
#[derive(Clone, Default)]
pub(crate) enum Does {
    #[default]
    Answers,
    Fails(String),
    Panics,
    /// Runs until it is cancelled or dropped.
    Hangs,
    /// Panics before it returns a future.
    PanicsEarly,
}

/// A tool named `Probe`; takes `n`, a number, and `path`, a text.
#[derive(Clone, Default)]
pub(crate) struct Probe {
    /// The name of the tool; `None` means `Probe`.
    pub(crate) name: Option<&'static str>,
    pub(crate) does: Does,
    pub(crate) effect: Option<Effect>,
    pub(crate) requires_user: bool,
    pub(crate) other_name: Option<&'static str>,
    pub(crate) server: Option<ToolServer>,
    /// The defaults of its schema.
    pub(crate) defaults: Value,
    /// A token that is cancelled when the tool's effect is requested.
    pub(crate) cancels: Option<CancellationToken>,
    /// The inputs that the tool ran with.
    pub(crate) ran: Arc<Mutex<Vec<Value>>>,
    pub(crate) started: Arc<Notify>,
}

impl Probe {
    pub(crate) fn ran(&self) -> Vec<Value> {
        self.ran.lock().unwrap().clone()
    }

    pub(crate) fn toolbox(&self) -> ToolSet {
        ToolSet::new([Arc::new(self.clone()) as Arc<dyn Tool>])
    }
}

impl Tool for Probe {
    fn name(&self) -> &str {
        self.name.unwrap_or("Probe")
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Probe".into(),
            description: "probes".into(),
            input_schema: json!({"type": "object"}),
        }
    }

    fn other_name(&self) -> Option<&str> {
        self.other_name
    }

    fn server(&self) -> Option<&ToolServer> {
        self.server.as_ref()
    }

    fn requires_user(&self) -> bool {
        self.requires_user
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        match input.get("n") {
            None | Some(Value::Number(_)) => Ok(()),
            Some(other) => Err(format!("`n` must be a number, not `{other}`")),
        }
    }

    fn defaults(&self) -> Map<String, Value> {
        self.defaults.as_object().cloned().unwrap_or_default()
    }

    /// Returns the test's effect; a call on `/edit` is an edit.
    fn effect(&self, _: &Session, input: &Map<String, Value>) -> Effect {
        if input.get("path").and_then(Value::as_str).is_some_and(|path| path.starts_with("/edit")) {
            return Effect::Edits;
        }
        if let Some(cancel) = &self.cancels {
            cancel.cancel();
        }
        if matches!(self.does, Does::PanicsEarly) {
            panic!("the probe knows nothing");
        }
        self.effect.unwrap_or(Effect::Acts)
    }

    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let text = value.as_str().ok_or("it is not text")?;
        Ok(ToolOutput::text(text, value.clone()))
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        self.ran.lock().unwrap().push(Value::Object(running.input.clone()));
        self.started.notify_one();
        Box::pin(async move {
            match &self.does {
                Does::Answers | Does::PanicsEarly => Ok(ToolOutput::text("probed", json!({"probed": true}))),
                Does::Fails(error) => Err(ToolFailure::new(error.clone())),
                Does::Panics => panic!("the probe broke"),
                Does::Hangs => std::future::pending().await,
            }
        })
    }
}

/// A person with a fixed answer; counts prompts.
#[derive(Clone)]
pub(crate) struct Person {
    says: Says,
    pub(crate) asked: Arc<AtomicUsize>,
    pub(crate) seen: Arc<Mutex<Vec<PermissionPrompt>>>,
    pub(crate) shown: Arc<Notify>,
}

#[derive(Clone)]
pub(crate) enum Says {
    Yes,
    No,
    Panics,
    /// Never answers.
    Nothing,
    /// Does not answer the first prompt, and denies the others.
    NothingThenNo,
    /// Does not answer the first prompt, and allows the others.
    NothingThenYes,
    /// Allows once notified.
    YesAfter(Arc<Notify>),
}

impl Person {
    pub(crate) fn new(says: Says) -> Self {
        Self { says, asked: Arc::default(), seen: Arc::default(), shown: Arc::default() }
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl AskPermission for Person {
    fn ask<'a>(
        &'a self,
        prompt: &'a PermissionPrompt,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, PermissionAnswer> {
        let before = self.asked.fetch_add(1, Ordering::SeqCst);
        self.seen.lock().unwrap().push(prompt.clone());
        self.shown.notify_one();
        Box::pin(async move {
            let yes = PermissionAnswer::Allow { updates: Vec::new() };
            match &self.says {
                Says::Yes => yes,
                Says::No => PermissionAnswer::Deny { message: None, interrupt: false },
                Says::Panics => panic!("the screen is gone"),
                Says::Nothing => std::future::pending().await,
                Says::NothingThenNo | Says::NothingThenYes if before == 0 => std::future::pending().await,
                Says::NothingThenNo => PermissionAnswer::Deny { message: None, interrupt: false },
                Says::NothingThenYes => yes,
                Says::YesAfter(told) => {
                    told.notified().await;
                    yes
                }
            }
        })
    }
}

/// A classifier with a fixed answer; records its inputs.
#[derive(Clone)]
pub(crate) struct Judge {
    says: &'static str,
    pub(crate) asked: Arc<Mutex<Vec<ToClassify>>>,
}

impl Judge {
    pub(crate) fn new(says: &'static str) -> Self {
        Self { says, asked: Arc::default() }
    }

    pub(crate) fn asked(&self) -> Vec<ToClassify> {
        self.asked.lock().unwrap().clone()
    }
}

impl Classifier for Judge {
    fn classify<'a>(
        &'a self,
        call: &'a ToClassify,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Classification, String>> {
        self.asked.lock().unwrap().push(call.clone());
        Box::pin(async move {
            match self.says {
                "allow" => Ok(Classification::Allow),
                "deny" => Ok(Classification::Deny { reason: "it goes too far".into() }),
                "unsure" => Ok(Classification::Unsure { reason: "who knows".into() }),
                "fails" => Err("the model is gone".into()),
                "hangs" => std::future::pending().await,
                "panics" => panic!("the judge broke"),
                other => panic!("no classifier `{other}`"),
            }
        })
    }
}

/// A directory with hooks, and a session in it.
pub(crate) struct Place {
    _root: TempDir,
    pub(crate) dir: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().canonicalize().unwrap();
        Self { _root: root, dir }
    }

    pub(crate) fn environment(&self) -> Environment {
        Environment::empty()
            .with_var("PATH", "/usr/local/bin:/usr/bin:/bin")
            .with_var("HERE", &self.dir)
            .with_home(self.dir.join("home"))
    }

    pub(crate) fn builder(&self, settings: &Value) -> Builder {
        let managed = self.dir.join("managed");
        Engine::builder()
            .environment(self.environment())
            .start_dir(&self.dir)
            .request(|request| request.managed = Some(managed))
            .settings_text(settings.to_string())
    }

    pub(crate) fn engine(&self, settings: &Value, interactive: bool, toolbox: &ToolSet) -> Engine {
        self.builder(settings).interactive(interactive).tools(toolbox.clone()).build().unwrap()
    }

    pub(crate) fn session(&self, mode: Option<&str>) -> Session {
        let mut session = Session::new("s", self.dir.join("t.jsonl"), &self.dir);
        session.permission_mode = mode.map(PermissionMode::from_name);
        session
    }

    /// Returns the content of a file that a hook has written here.
    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.dir.join(file)).unwrap_or_default()
    }

    /// Waits until a hook has created a file.
    pub(crate) async fn wait_for(&self, file: &str) {
        until(&format!("`{file}` is made"), || self.dir.join(file).exists()).await;
    }
}

/// Returns settings with one handler for each of these commands.
pub(crate) fn hooks(of: &[(&str, &[&str])]) -> Value {
    let groups = |commands: &[&str]| -> Value {
        let handlers: Vec<Value> =
            commands.iter().map(|command| json!({"type": "command", "command": command})).collect();
        json!([{"hooks": handlers}])
    };
    let events: Map<String, Value> =
        of.iter().map(|(event, commands)| ((*event).to_owned(), groups(commands))).collect();
    json!({"hooks": events})
}

pub(crate) fn call(input: Value) -> ToolCall {
    call_of("Probe", input)
}

pub(crate) fn call_of(tool: &str, input: Value) -> ToolCall {
    ToolCall { id: "toolu_1".into(), name: tool.into(), input: input.as_object().cloned().unwrap() }
}

pub(crate) async fn run(calls: &ToolCalls, session: &Session, call: ToolCall) -> Report {
    let run = tokio::time::timeout(LONG, async { calls.run(session, call, &CancellationToken::new()).await });
    run.await.expect("the call came to an end")
}
