//! A project, a host, and sessions whose servers are found among all processes.

use becket_embed::models::{Choice, models};
use becket_embed::view::fired::FireReport;
use becket_embed::{Host, NotOpened, Session};
use becket_engine::{CancellationToken, Environment, Profile};
use becket_model::Event;
use becket_testkit::proc::{Marker, wait_until};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A server controlled by its flags.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../becket-mcp/tests/servers/server.py");

pub(crate) struct Place {
    directory: tempfile::TempDir,
    pub(crate) marker: Marker,
    host: Host,
}

/// Returns the entry of a server.
pub(crate) fn ours(flags: &[&str]) -> Value {
    let arguments = [&[SCRIPT], flags].concat();
    json!({"command": "python3", "args": arguments})
}

/// Returns a hook through which a server denies.
pub(crate) fn denies(server: &str) -> Value {
    let denial = json!({"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "told so"});
    json!({"type": "mcp_tool", "server": server, "tool": "echo", "input": {"hookSpecificOutput": denial}})
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("there is a place for files");
        std::fs::create_dir(directory.path().join("project")).expect("it can be made");
        let mut variables = vec![("HOST", "the host's"), ("TAKEN", "away")];
        #[expect(clippy::disallowed_methods, reason = "servers are found by it")]
        let path = std::env::var("PATH").expect("there is one");
        variables.push(("PATH", &path));
        let variables = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let environment = Environment::from_vars(variables).with_temp(directory.path());
        let host = Host {
            models: models(&Choice::default(), &environment).expect("no script is named"),
            environment,
            profile: Profile::claude(),
            settings: None,
            plugins: Vec::new(),
            managed: Some(directory.path().join("managed")),
            strict: false,
            private: directory.path().join("private"),
        };
        Place { directory, marker: Marker::new(), host }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    /// Adds a variable of the host.
    pub(crate) fn with_var(mut self, name: &str, value: &str) -> Self {
        self.host.environment = self.host.environment.with_var(name, value);
        self
    }

    /// Opens a session with these hooks on tool calls, whose servers have the marker.
    pub(crate) fn opened(&self, hooks: &[Value], more: Value) -> Result<Session, NotOpened> {
        self.opened_until(hooks, more, CancellationToken::new())
    }

    /// Does the same, until a token of the host is cancelled.
    pub(crate) fn opened_until(
        &self,
        hooks: &[Value],
        more: Value,
        cancel: CancellationToken,
    ) -> Result<Session, NotOpened> {
        let settings = json!({"hooks": {"PreToolUse": [{"hooks": hooks}]}});
        let mut wants = json!({"start": self.project(), "settings": settings, "env": {}});
        for (name, value) in more.as_object().expect("an object") {
            wants[name] = value.clone();
        }
        let (name, value) = self.marker.env();
        wants["env"][name] = value.into();
        let wants = serde_json::from_value(wants).unwrap_or_else(|error| panic!("{error}"));
        self.host.open(wants, cancel, |builder| builder)
    }

    /// Fires a call and returns the hooks' results.
    pub(crate) async fn fired(&self, session: &Session) -> Value {
        self.fired_until(session, session.cancel()).await
    }

    /// Does the same, until a token is cancelled.
    pub(crate) async fn fired_until(&self, session: &Session, cancel: &CancellationToken) -> Value {
        let event = call(session);
        let (event, outcome) = session.fire(session.ready(event), cancel).await.expect("nobody cancels it");
        serde_json::to_value(FireReport::new(&outcome, event.body.subject(), Vec::new()))
            .expect("it can be written")
    }

    /// Returns the number of running servers.
    pub(crate) fn servers(&self) -> usize {
        self.marker.alive().into_iter().filter(|id| is_server(*id)).count()
    }

    /// Returns the variables of the running server and its working directory.
    pub(crate) fn of_server(&self) -> (HashMap<String, String>, PathBuf) {
        let id = self.marker.alive().into_iter().find(|id| is_server(*id)).expect("one runs");
        let place = Path::new("/proc").join(id.to_string());
        let variables = std::fs::read(place.join("environ")).expect("it is ours");
        let variables = String::from_utf8_lossy(&variables).into_owned();
        let pairs = variables.split('\0').filter_map(|pair| pair.split_once('='));
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        (pairs, place.join("cwd").read_link().expect("it is somewhere"))
    }

    /// Returns true if no server remains now.
    pub(crate) fn is_left_alone(&self) -> bool {
        self.marker.alive().is_empty()
    }

    /// Returns true if no server remains after a short time.
    pub(crate) fn will_be_left_alone(&self) -> bool {
        wait_until(|| self.is_left_alone())
    }
}

/// Returns a call of a tool.
pub(crate) fn call(session: &Session) -> Event {
    let input = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"});
    let fields: Map<String, Value> = input.as_object().expect("an object").clone();
    session.event("PreToolUse", fields).expect("it is an event")
}

/// Returns true if a process is a server itself, and not one of its children.
fn is_server(id: u32) -> bool {
    let line = std::fs::read(Path::new("/proc").join(id.to_string()).join("cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0).nth(1).is_some_and(|script| script == SCRIPT.as_bytes())
}
