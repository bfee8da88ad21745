//! The real MCP servers that the tests of `becket-mcp` talk to: one from PyPI, one from npm, both pinned.
//!
//! They are installed below `target/mcp`, once: a marker beside each holds what it was made from. A registry that lacks
//! one of them is a reason to skip its tests, which is said aloud; the tests pass without it only because of that reason.

use crate::say;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the tests have to be started with.
pub(crate) struct Prepared {
    /// `BECKET_TEST_MCP_TIME` and `BECKET_TEST_MCP_EVERYTHING`: the command line of each server as a JSON array.
    /// `BECKET_TEST_MCP_SKIP`: why one of them is missing.
    pub(crate) environment: Vec<(&'static str, String)>,
}

/// Installs what is not there yet.
pub(crate) fn prepare(root: &Path) -> Prepared {
    let fixtures = root.join("crates/becket-mcp/tests/fixtures");
    let target = root.join("target/mcp");
    let servers = [
        ("BECKET_TEST_MCP_TIME", from_pypi(&fixtures, &target)),
        ("BECKET_TEST_MCP_EVERYTHING", from_npm(&fixtures, &target)),
    ];
    let mut environment = Vec::new();
    let mut missing = Vec::new();
    for (variable, server) in servers {
        match server {
            Ok(command) => environment.push((variable, serde_json::Value::from(command).to_string())),
            Err(reason) => missing.push(reason),
        }
    }
    if !missing.is_empty() {
        let reason = missing.join("; ");
        say(&format!("SKIPPED: tests with real MCP servers: {reason}"));
        environment.push(("BECKET_TEST_MCP_SKIP", reason));
    }
    Prepared { environment }
}

fn from_pypi(fixtures: &Path, target: &Path) -> Result<Vec<String>, String> {
    let (wanted, venv) = (fixtures.join("requirements.txt"), target.join("venv"));
    installed(&venv, std::slice::from_ref(&wanted), || {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
        let mut pip = Command::new(venv.join("bin/python"));
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", "-r"]);
        run(pip.arg(&wanted))
    })?;
    Ok(vec![text(&venv.join("bin/python")), "-m".into(), "mcp_server_time".into()])
}

fn from_npm(fixtures: &Path, target: &Path) -> Result<Vec<String>, String> {
    let place = target.join("npm");
    let wanted = ["package.json", "package-lock.json"].map(|file| fixtures.join("npm").join(file));
    installed(&place, &wanted, || {
        fs::create_dir_all(&place).map_err(|error| error.to_string())?;
        for file in &wanted {
            let name = file.file_name().unwrap_or_default();
            fs::copy(file, place.join(name)).map_err(|error| format!("`{}`: {error}", file.display()))?;
        }
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
        run(npm.current_dir(&place))
    })?;
    let script = place.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    Ok(vec!["node".into(), text(&script), "stdio".into()])
}

/// Runs `install` unless it was done with these very files. The marker comes last: a half-made place is made again.
fn installed(
    place: &Path,
    wanted: &[PathBuf],
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let read =
        |file: &PathBuf| fs::read_to_string(file).map_err(|error| format!("`{}`: {error}", file.display()));
    let made_from = wanted.iter().map(read).collect::<Result<String, String>>()?;
    let marker = place.join("made-from");
    if fs::read_to_string(&marker).is_ok_and(|before| before == made_from) {
        return Ok(());
    }
    say(&format!("installing a real MCP server in {}", place.display()));
    install()?;
    fs::write(&marker, made_from).map_err(|error| format!("`{}`: {error}", marker.display()))
}

/// Runs it; its first words are the reason if it fails.
fn run(command: &mut Command) -> Result<(), String> {
    let program = text(Path::new(command.get_program()));
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("can't run `{program}`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let words: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).take(3).collect();
    Err(format!("`{program}` failed: {}", words.join(" ")))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
