//! A home, a project and a model server; starting, resuming and examining sessions.

use crate::hard::checker;
use becket_agent::conversation::{Conversation, StoredConversation};
use becket_agent::transcript::{Flaw, Store, StoredSession};
use becket_testkit::env::{ProgramOutput, Run, TestEnv};
use becket_testkit::messages_api::{Call, Server, Turn};
use becket_testkit::proc::{Marker, wait_until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

/// The prompt that makes the model say [`GONE_ON`] and end its turn.
pub(crate) const GO_ON: &str = "Now please go on.";
pub(crate) const GONE_ON: &str = "I have gone on.";

/// A place to run sessions in.
pub(crate) struct Place {
    pub(crate) env: TestEnv,
    pub(crate) server: Server,
    pub(crate) marker: Marker,
}

impl Place {
    /// Creates a place with settings for the project, and a model that gives these turns.
    pub(crate) fn new(settings: &Value, turns: Vec<Turn>) -> Self {
        Self::on(settings, Server::start(turns))
    }

    /// Creates a place with a model that answers [`GONE_ON`] if it is asked to go on, and otherwise the turn of `make`.
    pub(crate) fn with(settings: &Value, mut make: impl FnMut(&Value) -> Turn + Send + 'static) -> Self {
        let answer = move |body: &Value| if said(body, GO_ON) { Turn::text(GONE_ON) } else { make(body) };
        Self::on(settings, Server::start_with(answer))
    }

    fn on(settings: &Value, server: Server) -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_becket"));
        env.write("project/.claude/settings.json", settings.to_string());
        // These are in the user's settings: those of a project count once the folder is trusted.
        let allow = ["Bash", "Write", "Edit", "Agent", "Read"];
        let permissions = json!({"permissions": {"allow": allow, "defaultMode": "acceptEdits"}});
        env.write("home/.claude/settings.json", permissions.to_string());
        Self { env, server, marker: Marker::new() }
    }

    /// Returns a `becket run` in this place; all processes that it starts carry the marker.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let (name, value) = self.marker.env();
        let run = self.env.becket([&["run", "-p"], arguments].concat());
        let run = run.env("ANTHROPIC_BASE_URL", &self.server.url()).env("ANTHROPIC_API_KEY", "none");
        // Background work ends with the session, and is not awaited.
        run.env("CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS", "0").env(&name, &value)
    }

    /// Runs becket and returns its result as JSON; no process may be left.
    #[track_caller]
    pub(crate) fn result(&self, arguments: &[&str]) -> (Value, ProgramOutput) {
        let ended = self.run(&[&["--output-format", "json"], arguments].concat()).run();
        self.nobody_is_left();
        let result = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        (result, ended)
    }

    /// Starts becket without waiting.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.run(arguments).into_command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("becket starts")
    }

    /// Resumes a session, which must succeed; its transcript must be complete.
    #[track_caller]
    pub(crate) fn goes_on(&self, id: &str, context: &str) {
        self.whole(id, context);
        let ended = self.run(&["--resume", id, GO_ON]).run();
        let wrongs = self.server.wrongs();
        let printed = (ended.code, ended.stdout.trim_end());
        assert_eq!(printed, (Some(0), GONE_ON), "{context}: {wrongs:?} {ended:?}");
        assert_eq!(wrongs, Vec::<String>::new(), "{context}");
    }

    /// Returns the stored messages of a session; the API would accept them, and only the last line may be damaged.
    #[track_caller]
    pub(crate) fn whole(&self, id: &str, context: &str) -> Vec<becket_llm::Message> {
        let restored = self.restored(id);
        let torn = |flaw: &Flaw| matches!(flaw, Flaw::Torn { .. });
        let is_fine = restored.damage.len() <= 1 && restored.damage.iter().all(|damage| torn(&damage.what));
        assert!(is_fine, "{context}: {:?}", restored.damage);
        let mut conversation: Conversation = match restored.stored {
            StoredConversation::Whole(conversation) => conversation,
            StoredConversation::Deferred(deferred) => deferred.cancelled(),
        };
        let said = conversation.say(vec![becket_llm::Block::Text("more".into())]);
        assert!(said.is_ok(), "{context}: {said:?}");
        let messages = conversation.messages();
        assert_eq!(checker::refusal(&messages), None, "{context}");
        messages
    }

    fn restored(&self, id: &str) -> StoredSession {
        let path = self.transcript(id).expect("there is a transcript");
        let root = path.ancestors().nth(3).expect("it lies below a root");
        let (_, restored) =
            Store::new(root).resume(&self.env.project(), id).unwrap_or_else(|error| panic!("{error}"));
        restored
    }

    /// Returns the transcript of a session, if it has one. An empty one counts as missing.
    pub(crate) fn transcript(&self, id: &str) -> Option<PathBuf> {
        let name = format!("{id}.jsonl");
        let is_it = |path: &PathBuf| path.ends_with(&name) && path.metadata().is_ok_and(|of| of.len() > 0);
        below(&self.env.root().join("home")).into_iter().find(is_it)
    }

    #[track_caller]
    pub(crate) fn nobody_is_left(&self) {
        let left = self.marker.alive();
        assert_eq!(
            left,
            Vec::<u32>::new(),
            "{}",
            left.iter().map(|pid| command_line(*pid)).collect::<String>()
        );
    }

    /// Waits a moment until no process is left.
    #[track_caller]
    pub(crate) fn soon_nobody_is_left(&self, context: &str) {
        let gone = wait_until(|| self.marker.alive().is_empty());
        let left: Vec<String> = self.marker.alive().into_iter().map(command_line).collect();
        assert!(gone, "{context}: {left:?}");
    }

    /// Returns the lines of a file of the project.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.env.project().join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

/// Returns all files below a directory.
fn below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| match entry.path() {
            path if path.is_dir() => below(&path),
            path => vec![path],
        })
        .collect()
}

/// Describes a process and its state, parent, group, session.
fn command_line(pid: u32) -> String {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
    let (line, stat) = (read("cmdline").replace('\0', " "), read("stat"));
    let of: Vec<&str> = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').take(4).collect();
    format!("{pid}: {line}({}) ", of.join(" "))
}

/// Returns a hook that is a command.
pub(crate) fn hook(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

/// Returns settings with these hooks: for each event a list of handlers.
pub(crate) fn hooks(of: &[(&str, Vec<Value>)]) -> Value {
    let groups = of.iter().map(|(event, handlers)| ((*event).to_owned(), json!([{"hooks": handlers}])));
    let hooks: serde_json::Map<String, Value> = groups.collect();
    json!({"hooks": hooks})
}

/// Returns a call of Bash.
pub(crate) fn bash(id: impl Into<String>, command: &str) -> Call {
    call(id, "Bash", json!({"command": command}))
}

pub(crate) fn call(id: impl Into<String>, name: &str, input: Value) -> Call {
    Call { id: id.into(), name: name.into(), input, raw: None }
}

/// Returns true if the last message of a request contains a text.
pub(crate) fn said(body: &Value, text: &str) -> bool {
    let last = body["messages"].as_array().and_then(|all| all.last());
    last.is_some_and(|last| last.to_string().contains(text))
}

/// Returns the results in the last message of a request: the call, true if it failed, and all of its text.
pub(crate) fn results(body: &Value) -> Vec<(String, bool, String)> {
    let last = body["messages"].as_array().and_then(|all| all.last()).cloned().unwrap_or_default();
    let blocks = last["content"].as_array().cloned().unwrap_or_default();
    let result = |block: &Value| {
        let content = &block["content"];
        let parts = content.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
        let text = content.as_str().map_or_else(|| parts.collect(), str::to_owned);
        let id = block["tool_use_id"].as_str().unwrap_or_default().to_owned();
        (id, block["is_error"] == true, text)
    };
    blocks.iter().filter(|block| block["type"] == "tool_result").map(result).collect()
}

/// Returns the n-th session id.
pub(crate) fn id(n: u64) -> String {
    format!("5f1c9f0e-3c0b-4b7e-9a55-{n:012x}")
}
