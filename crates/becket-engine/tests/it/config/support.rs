//! A home, a project and a place for managed settings in a temporary directory, and what a configuration found there.

use becket_engine::config::{Config, Diagnostic, LoadedFiles, Plugin, Request, load, resolve};
use becket_engine::{Environment, Profile};
use std::path::{Path, PathBuf};

/// A separate machine for one test.
pub(crate) struct Machine {
    directory: tempfile::TempDir,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let machine = Machine { directory: tempfile::tempdir().unwrap() };
        for place in ["home/.claude", "project/.claude", "managed", "plugin"] {
            std::fs::create_dir_all(machine.path(place)).unwrap();
        }
        machine
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(path)
    }

    /// Writes a file, and creates its directories.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Writes the settings of a source: `user`, `project`, `local`, `managed` or `plugin`.
    pub(crate) fn settings(&self, source: &str, text: impl AsRef<[u8]>) -> PathBuf {
        self.write(file_of(source), text)
    }

    pub(crate) fn request(&self) -> Request {
        let environment = Environment::empty().with_home(self.path("home"));
        let mut request = Request::new(Profile::claude(), environment, self.path("project"));
        request.managed = Some(self.path("managed"));
        request
    }

    pub(crate) fn with_plugin(&self) -> Request {
        let mut request = self.request();
        request.plugins.push(Plugin::new("kit@market", self.path("plugin")));
        request
    }

    pub(crate) fn loaded(&self) -> LoadedFiles {
        load(&self.with_plugin())
    }

    pub(crate) fn config(&self) -> Config {
        resolve(&self.loaded())
    }
}

fn file_of(source: &str) -> &str {
    match source {
        "user" => "home/.claude/settings.json",
        "project" => "project/.claude/settings.json",
        "local" => "project/.claude/settings.local.json",
        "managed" => "managed/managed-settings.json",
        "plugin" => "plugin/hooks/hooks.json",
        "manifest" => "plugin/.claude-plugin/plugin.json",
        other => panic!("no such source: {other}"),
    }
}

/// Returns the labels of an event's handlers, in order.
pub(crate) fn labels(config: &Config, event: becket_model::EventKind) -> Vec<String> {
    config.hooks.of(event).iter().map(|handler| handler.place.label.to_string()).collect()
}

/// Returns the codes of findings.
pub(crate) fn codes(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// Returns a hooks file with one command under one event.
pub(crate) fn one(event: &str, command: &str) -> String {
    let handler = serde_json::json!({ "type": "command", "command": command });
    serde_json::json!({ "hooks": { event: [{ "hooks": [handler] }] } }).to_string()
}

/// Returns whether a path is that file of the machine.
pub(crate) fn is(path: &Path, machine: &Machine, file: &str) -> bool {
    path == machine.path(file)
}
