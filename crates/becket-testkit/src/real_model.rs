//! A real model behind a server of OpenAI's protocol, if `cargo xtask test` has installed one. The model is tiny: tests
//! can check that it answers, and how its answer ends, but never its content.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

#[expect(clippy::disallowed_methods, reason = "where the model is, is said from outside")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The server of a real model. It ends with its standard input, and at the latest when this value is dropped, even if a
/// test panics.
#[derive(Debug)]
pub struct ModelServer {
    child: Child,
    url: String,
}

impl ModelServer {
    /// Starts `script`, which gets the file of the model and prints `PORT n`. Returns `None` if there is no model, and
    /// prints the reason.
    #[expect(clippy::print_stdout, reason = "who reads the output of tests sees what was not tested")]
    #[must_use]
    pub fn start(script: &Path) -> Option<Self> {
        let place = (variable("BECKET_TEST_MODEL_PYTHON"), variable("BECKET_TEST_MODEL_GGUF"));
        let (Some(python), Some(gguf)) = place else {
            let why = variable("BECKET_TEST_MODEL_SKIP").unwrap_or("`cargo xtask test` brings one".into());
            println!("SKIPPED: no test with a real model: {}", why.to_string_lossy());
            return None;
        };
        let mut command = Command::new(python);
        command.arg("-I").arg(script).arg(gguf).env("OMP_WAIT_POLICY", "passive").env("OMP_NUM_THREADS", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut serving = Self { child: command.spawn().expect("the server starts"), url: String::new() };
        let stdout = serving.child.stdout.take().expect("it is piped");
        let lines = BufReader::new(stdout).lines().map_while(Result::ok);
        let port = lines.filter_map(|line| line.strip_prefix("PORT ").map(str::to_owned)).next();
        serving.url = format!("http://127.0.0.1:{}", port.expect("the server says its port"));
        Some(serving)
    }

    /// Returns its URL, without `/v1`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        // The end of its input ends it; a server that hangs is ended with its process group.
        drop(self.child.stdin.take());
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
