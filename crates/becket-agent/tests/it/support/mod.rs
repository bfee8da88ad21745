//! A tree with traps, a host, and calls of its tools.

pub(crate) mod calls;
pub(crate) mod in_session;
pub(crate) mod session;
pub(crate) mod shell;

use becket_engine::{CancellationToken, Effect, Environment, RunningCall, Tool, ToolFailure, ToolSet};
use becket_model::Session;
pub(crate) use becket_testkit::wait::until;
use becket_tools::{Surroundings, hook_tools};
use serde_json::{Map, Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// The program directories on any machine that runs these tests.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A tree in which `work` is the session's cwd, `more` another working directory, and `outside` neither.
pub(crate) struct Tree {
    _root: TempDir,
    pub(crate) base: PathBuf,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let base = root.path().canonicalize().unwrap();
        let tree = Self { _root: root, base };
        tree.write("work/a.txt", "one\ntwo\n");
        tree.write("work/a b.txt", "blank\n");
        tree.write("work/sub/b.txt", "one\nthree\n");
        tree.write("work/sub2/b.txt", "one\n");
        tree.write("more/m.txt", "more\n");
        tree.write("outside/secret", "SECRET\n");
        tree.link("outside/secret", "work/link");
        tree.link("outside", "work/dirlink");
        tree.link("outside/nothing", "work/dangling");
        tree.link("work/a.txt", "work/inside-link");
        // A directory whose parent is elsewhere.
        tree.write("more/deep/x", "");
        tree.link("more/deep", "work/deep");
        tree.link("outside/secret", "more/out");
        tree
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.base.join("work")
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let file = self.base.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    pub(crate) fn link(&self, to: &str, at: &str) {
        symlink(self.base.join(to), self.base.join(at)).unwrap();
    }

    /// Returns every path below the tree, with its content.
    pub(crate) fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let (mut found, mut left) = (Vec::new(), vec![self.base.clone()]);
        while let Some(directory) = left.pop() {
            for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
                let path = entry.path();
                if entry.file_type().unwrap().is_dir() {
                    left.push(path.clone());
                }
                // A refreshed index does not count as a change of content.
                let kept = entry.file_type().unwrap().is_file() && !path.ends_with(".git/index");
                found.push((path.clone(), if kept { fs::read(&path).unwrap() } else { Vec::new() }));
            }
        }
        found.sort();
        found
    }

    pub(crate) fn environment(&self) -> Environment {
        Environment::empty().with_var("PATH", PATH).with_var("HOME", self.base.join("home"))
    }

    pub(crate) fn surroundings(&self) -> Surroundings {
        Surroundings::new(self.environment()).with_directory(self.base.join("more"))
    }

    pub(crate) fn host(&self) -> Host {
        self.host_of(self.surroundings())
    }

    pub(crate) fn host_of(&self, surroundings: Surroundings) -> Host {
        Host { tools: hook_tools(surroundings), session: Session::new("s", "/t.jsonl", self.work()) }
    }
}

/// The tools, and the session in which they are called.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) tools: ToolSet,
    pub(crate) session: Session,
}

impl Host {
    pub(crate) fn unasked(&self, tool: &str, input: Value) -> bool {
        let input = object(input);
        let only_reads = |tool: Arc<dyn Tool>| {
            tool.check(&input).is_ok() && tool.effect(&self.session, &input) == Effect::Reads
        };
        self.tools.find(tool).is_some_and(only_reads)
    }

    pub(crate) async fn call(&self, tool: &str, input: Value) -> ToolAnswer {
        self.call_until(tool, input, &CancellationToken::new()).await
    }

    pub(crate) async fn call_until(
        &self,
        tool: &str,
        input: Value,
        cancel: &CancellationToken,
    ) -> ToolAnswer {
        let input = object(input);
        let ended = match (self.tools.find(tool), self.tools.check(tool, &input)) {
            (Some(tool), Ok(())) => {
                let running = RunningCall {
                    session: &self.session,
                    id: "t",
                    input: &input,
                    own: &input,
                    rights: &[],
                    cancel,
                    limit: Duration::MAX,
                    caller: &(),
                };
                tool.run(running).await
            }
            (_, Err(error)) => Err(ToolFailure::new(error)),
            (None, Ok(())) => Err(ToolFailure::new(format!("there is no tool `{tool}`"))),
        };
        match ended {
            Ok(output) => ToolAnswer { text: output.as_text(), response: output.response, is_error: false },
            Err(failure) => {
                let response = json!({"interrupted": failure.interrupted});
                ToolAnswer { text: failure.error, response, is_error: true }
            }
        }
    }

    /// Returns the text for the model of a response that a hook rewrote.
    pub(crate) fn text_of(&self, tool: &str, response: &Value) -> Option<String> {
        Some(self.tools.find(tool)?.replaced(response).ok()?.as_text())
    }
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolAnswer {
    pub(crate) text: String,
    pub(crate) response: Value,
    pub(crate) is_error: bool,
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

/// Creates a pipe without a writer.
pub(crate) fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}
