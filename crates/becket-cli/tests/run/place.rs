//! Prepares the place of a case, and runs the program in it.

use crate::case::{Case, Hook, Run, Signal, Then};
use crate::seen::RunRecord;
use becket_testkit::env::{ProgramOutput, TestEnv};
use becket_testkit::messages_api::{Server, unreachable_url};
use becket_testkit::proc::{Marker, wait_until};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The first part of a hook: it records its name and its input in one write, so that concurrent records stay separate.
const RECORDER: &str = r#"#!/bin/sh
IN=$(cat)
printf '{"hook":"%s","input":%s}\n' "$1" "$IN" >"$TOLD.$$"
cat "$TOLD.$$" >>"$TOLD"
rm "$TOLD.$$"
. "$HOOKS/$1"
"#;

/// The settings of each source, and their paths.
const SOURCES: [(&str, &str); 4] = [
    ("project", "project/.claude/settings.json"),
    ("user", "home/.claude/settings.json"),
    ("policy", "managed/managed-settings.json"),
    ("flag", "flag.json"),
];

/// The place of a case.
pub(crate) struct Place {
    env: TestEnv,
    has_flag: bool,
    marker: Marker,
}

impl Place {
    /// Prepares the place of a case.
    pub(crate) fn new(case: &Case) -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_becket"));
        let place = Self { env, has_flag: has_flag(case), marker: Marker::new() };
        place.write("bin/hook", RECORDER);
        let program = place.env.root().join("bin/hook");
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("it was just written");
        place.write("hooks/see", "");
        case.texts.iter().for_each(|(name, text)| place.write(&format!("hooks/{name}"), text));
        for (source, path) in SOURCES {
            if let Some(settings) = place.settings(case, source) {
                place.write(path, &settings.to_string());
            }
        }
        place.files(&case.files);
        if let Some(text) = &case.prepare {
            let mut command = Command::new("sh");
            command.args(["-c", &place.filled(text)]).current_dir(place.env.project());
            assert!(command.status().expect("sh is there").success(), "{text}");
        }
        place
    }

    /// Returns the directory of the case.
    pub(crate) fn root(&self) -> &Path {
        self.env.root()
    }

    fn files(&self, files: &BTreeMap<String, String>) {
        files.iter().for_each(|(path, text)| self.write(path, text));
    }

    fn write(&self, path: &str, text: &str) {
        self.env.write(path, self.filled(text));
    }

    fn filled(&self, text: &str) -> String {
        text.replace("[ROOT]", &self.env.root().to_string_lossy())
    }

    /// Returns the settings of a source, with its hooks.
    fn settings(&self, case: &Case, source: &str) -> Option<Value> {
        let given = match source {
            "project" => &case.settings,
            "user" => &case.user,
            "policy" => &case.policy,
            _ => &case.flag,
        };
        let mut settings = given.as_object().cloned().unwrap_or_default();
        let mut hooks = settings.get("hooks").and_then(Value::as_object).cloned().unwrap_or_default();
        for event in case.see.iter().filter(|_| source == "user") {
            add(&mut hooks, event, json!({"hooks": [{"type": "command", "command": "hook see"}]}));
        }
        for (event, of_event) in &case.hooks {
            for (n, hook) in of_event.iter().enumerate().filter(|(_, hook)| hook.of == source) {
                let name = hook.name.clone().unwrap_or_else(|| format!("{event}-{}", n + 1));
                self.write(&format!("hooks/{name}"), &hook.does);
                add(&mut hooks, event, group(hook, &name));
            }
        }
        if !hooks.is_empty() {
            settings.insert("hooks".to_owned(), Value::Object(hooks));
        }
        (!settings.is_empty()).then_some(Value::Object(settings))
    }

    /// Runs the program, and collects its results.
    pub(crate) fn run(&self, run: &Run) -> RunRecord {
        let server = Server::start(run.turns.clone().into_iter().map(|turn| self.turn(turn)).collect());
        let url = if run.nobody { unreachable_url() } else { server.url() };
        let told = self.env.root().join("told.jsonl");
        drop(fs::remove_file(&told));
        let command = self.command(run, &url, &told.to_string_lossy());
        let ended = match &run.signal {
            Some(signal) => self.signalled(command.into_command(), signal, &server),
            None => command.stdin(self.filled(&run.stdin)).run(),
        };
        assert!(wait_until(|| self.marker.alive().is_empty()), "left behind: {:?}", self.marker.alive());
        RunRecord::new(&self.env, ended, &server, &told)
    }

    /// Changes the files that another run finds, and runs the program.
    pub(crate) fn then(&self, then: &Then) -> RunRecord {
        self.files(&then.files);
        self.run(&then.run)
    }

    fn turn(&self, mut turn: becket_testkit::messages_api::Turn) -> becket_testkit::messages_api::Turn {
        for call in &mut turn.tool_uses {
            let text = self.filled(&call.input.to_string());
            call.input = serde_json::from_str(&text).expect("a path breaks no JSON");
        }
        turn
    }

    fn command(&self, run: &Run, url: &str, told: &str) -> becket_testkit::env::Run {
        let mut arguments: Vec<String> = Vec::new();
        if self.has_flag {
            arguments.extend(["--settings".to_owned(), self.filled("[ROOT]/flag.json")]);
        }
        arguments.push("run".to_owned());
        if let Some(script) = &run.script {
            self.write("script.json", &json!({"turns": script}).to_string());
            arguments.extend(["--model".to_owned(), self.filled("script:[ROOT]/script.json")]);
        }
        if !run.plain {
            arguments.extend(["--output-format", "stream-json", "--include-hook-events"].map(str::to_owned));
        }
        arguments.extend(run.args.iter().map(|argument| self.filled(argument)));
        arguments.push("-p".to_owned());
        arguments.extend(run.prompt.clone());
        let root = self.env.root();
        let (name, value) = self.marker.env();
        let mut command = self.env.becket(arguments).path_first(&root.join("bin")).env(&name, &value);
        command = command.env("ANTHROPIC_API_KEY", "sk-test").env("ANTHROPIC_BASE_URL", url);
        // Independent of the model: conversations of the cases are compacted at one size.
        command = command.env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000");
        command = command.env("TOLD", told).env_os("HOOKS", root.join("hooks"));
        for (name, value) in &run.env {
            command = command.env(name, &self.filled(value));
        }
        command
    }

    fn signalled(&self, mut command: Command, signal: &Signal, server: &Server) -> ProgramOutput {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("becket starts");
        let file = signal.when.as_ref().map(|file| self.env.root().join(file));
        let is_time =
            || file.as_ref().is_none_or(|file| file.exists()) && server.requests().len() >= signal.requests;
        assert!(wait_until(is_time), "the time for {signal:?} never came");
        let sent = Command::new("kill").args(["-s", &signal.send, &child.id().to_string()]).status();
        assert!(sent.expect("kill is there").success());
        let output = child.wait_with_output().expect("it ends");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        ProgramOutput {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }
}

fn has_flag(case: &Case) -> bool {
    case.flag.is_object() || case.hooks.values().flatten().any(|hook| hook.of == "flag")
}

fn add(hooks: &mut Map<String, Value>, event: &str, group: Value) {
    let groups = hooks.entry(event).or_insert_with(|| json!([]));
    groups.as_array_mut().expect("a case's hooks are lists").push(group);
}

fn group(hook: &Hook, name: &str) -> Value {
    let mut handler = json!({"type": "command", "command": format!("hook {name}")});
    for (key, value) in &hook.with {
        handler[key] = value.clone();
    }
    match &hook.matcher {
        Some(matcher) => json!({"matcher": matcher, "hooks": [handler]}),
        None => json!({"hooks": [handler]}),
    }
}
