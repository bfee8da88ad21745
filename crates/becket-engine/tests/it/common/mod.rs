//! Shared parts of the engine's tests: a project in a temporary folder, and events to fire at it.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod tool;

pub(crate) use tool::{DescribedTool, tool_set};

use becket_engine::{Builder, Engine, Environment, Outcome};
use becket_model::event::lifecycle::{SessionEnd, SessionStart, Stop, UserPromptSubmit};
use becket_model::event::tool::{PostToolUse, PreToolUse};
use becket_model::{Event, EventBody, Session};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A home, a project with settings, and a folder for private files, all of which are removed with it.
pub(crate) struct Project {
    temp: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        for dir in ["home/.claude", "work/.claude", "temp", "managed"] {
            std::fs::create_dir_all(temp.path().join(dir)).unwrap();
        }
        Project { temp }
    }

    /// Creates a project with these shared settings.
    pub(crate) fn with(settings: Value) -> Self {
        let project = Project::new();
        project.write("work/.claude/settings.json", &settings.to_string());
        project
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.temp.path().canonicalize().unwrap().join(below)
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.path("work")
    }

    pub(crate) fn write(&self, below: &str, text: &str) -> PathBuf {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn environment(&self) -> Environment {
        Environment::empty()
            .with_var("PATH", "/usr/local/bin:/usr/bin:/bin")
            .with_home(self.path("home"))
            .with_temp(self.path("temp"))
            .with_pid(4242)
    }

    pub(crate) fn builder(&self) -> Builder {
        let managed = self.path("managed");
        Engine::builder()
            .environment(self.environment())
            .start_dir(self.work())
            .request(|request| request.managed = Some(managed))
    }

    pub(crate) fn engine(&self) -> Engine {
        self.builder().build().unwrap()
    }

    pub(crate) fn event(&self, body: impl Into<EventBody>) -> Event {
        event_in(&self.work(), body)
    }

    pub(crate) fn read(&self, below: &str) -> String {
        std::fs::read_to_string(self.path(below)).unwrap()
    }
}

pub(crate) fn event_in(cwd: &Path, body: impl Into<EventBody>) -> Event {
    Event::new(Session::new("session-1", cwd.join("transcript.jsonl"), cwd), body)
}

pub(crate) fn call(tool: &str, input: Value) -> PreToolUse {
    PreToolUse::new(tool.into(), input.as_object().cloned().unwrap(), "toolu_1".into())
}

pub(crate) fn bash(command: &str) -> PreToolUse {
    call("Bash", json!({ "command": command }))
}

pub(crate) fn after(tool: &str, input: Value, response: Value) -> PostToolUse {
    PostToolUse::new(tool.into(), input.as_object().cloned().unwrap(), "toolu_1".into(), response)
}

pub(crate) fn prompt(text: &str) -> UserPromptSubmit {
    UserPromptSubmit::new(text.into())
}

pub(crate) fn start(source: &str) -> SessionStart {
    serde_json::from_value(json!({ "source": source })).unwrap()
}

pub(crate) fn end() -> SessionEnd {
    SessionEnd::new("other".into())
}

pub(crate) fn stop() -> Stop {
    serde_json::from_value(json!({ "stop_hook_active": false })).unwrap()
}

/// Returns one group of commands for an event.
pub(crate) fn hooks(event: &str, matcher: &str, handlers: Value) -> Value {
    json!({ "hooks": { event: [{ "matcher": matcher, "hooks": handlers }] } })
}

pub(crate) fn command(script: &str) -> Value {
    json!({ "type": "command", "command": script })
}

/// Fires an event on a new runtime, as a small host would.
pub(crate) fn fire(engine: &Engine, event: &Event) -> Outcome {
    block_on(engine.fire(event))
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// Returns a hook that prints this JSON.
pub(crate) fn says(answer: Value) -> Value {
    command(&format!("cat >/dev/null; printf '%s' '{}'", answer.to_string().replace('\'', "'\\''")))
}

/// Returns the answer of a PreToolUse hook.
pub(crate) fn pre(fields: Value) -> Value {
    let mut specific = json!({ "hookEventName": "PreToolUse" });
    specific.as_object_mut().unwrap().extend(fields.as_object().cloned().unwrap());
    json!({ "hookSpecificOutput": specific })
}

/// Returns the hooks of a skill's or an agent's frontmatter, with the findings about it.
pub(crate) fn frontmatter(
    project: &Project,
    source: becket_model::Source,
    text: &str,
    subagent: Option<becket_model::AgentId>,
) -> becket_engine::config::frontmatter::FrontmatterHooks {
    use becket_engine::config::{Trust, frontmatter};
    let file = project.write("work/skill/SKILL.md", text);
    let about = frontmatter::Frontmatter {
        profile: &becket_engine::Profile::claude(),
        source,
        file: &file,
        directory: file.parent().unwrap(),
        subagent,
        of_project: true,
        trust: Trust::default(),
        fail_closed: false,
        tools: &becket_rules::Renames::tools(),
        first_sequence: 0,
    };
    frontmatter::parse(text, &about)
}
