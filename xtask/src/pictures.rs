//! `cargo xtask pictures`: the pictures in `docs/images`, each from a real run.
//!
//! - `demo.svg`: the start of the README at a terminal, line by line
//! - `session.svg`: an agent at a terminal, as tmux shows it
//! - `profile.png`: the page of `becket profile --html` in a browser
//!
//! INVARIANT: nothing in a picture is written by hand except the typed lines.

use crate::page::{self, browser_command};
use crate::{program, root, say};
use anstyle_svg::Term;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The lines of the demo, each with the pause after it, in seconds.
const DEMO: [(&str, f32); 4] = [
    ("becket init --yes --quiet --template minimal", 1.5),
    ("becket fire PreToolUse --tool Bash --set tool_input.command='git push --force origin main'", 3.5),
    ("becket explain PreToolUse --tool Bash --set tool_input.command='make deploy' | tail -n 2", 3.0),
    ("becket test | tail -n 3", 2.5),
];

/// The columns of the terminal.
const COLUMNS: usize = 100;

/// Makes the pictures.
///
/// # Errors
/// Errors if a program is missing, or if a run ends in an unexpected way.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if !arguments.is_empty() {
        return Err("`pictures` takes no arguments".to_owned());
    }
    let images = root().join("docs/images");
    let becket = program::becket()?;
    make(&becket, &images)
}

/// Makes the pictures in a directory.
pub(crate) fn make(becket: &Path, images: &Path) -> Result<(), String> {
    fs::create_dir_all(images).map_err(|error| format!("`{}`: {error}", images.display()))?;
    let stage = Stage::new(becket)?;
    write(&images.join("demo.svg"), &stage.demo()?)?;
    write(&images.join("session.svg"), &stage.session()?)?;
    page::browser()?;
    stage.profile(&images.join("profile.png"))
}

/// A temporary home and project, with `becket` on the path.
struct Stage {
    directory: tempfile::TempDir,
}

impl Stage {
    fn new(becket: &Path) -> Result<Self, String> {
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        let stage = Stage { directory };
        for folder in ["home", "bin", "project/src", "managed"] {
            fs::create_dir_all(stage.path(folder)).map_err(|error| error.to_string())?;
        }
        let line =
            format!("exec '{}' --managed-dir '{}' \"$@\"", becket.display(), stage.path("managed").display());
        let program = stage.path("bin/becket");
        write(&program, &format!("#!/bin/sh\n{line}\n"))?;
        let files = [("Cargo.toml", "[package]\nname = \"till\"\n"), ("src/lib.rs", "")];
        for (name, text) in files {
            write(&stage.path("project").join(name), text)?;
        }
        stage.types("chmod +x ../bin/becket && git init --quiet -b main .")?;
        Ok(stage)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns the variables of a run.
    #[expect(clippy::disallowed_methods, reason = "a chore of the workspace, started by a person")]
    fn variables(&self) -> Vec<(&'static str, String)> {
        let path = std::env::var("PATH").unwrap_or_default();
        vec![
            ("PATH", format!("{}:{path}", self.path("bin").display())),
            ("HOME", self.path("home").display().to_string()),
            ("CLICOLOR_FORCE", "1".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            ("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
        ]
    }

    /// Types a line in a shell of the project; returns the visible output.
    fn types(&self, line: &str) -> Result<String, String> {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{line} 2>&1")]).current_dir(self.path("project"));
        let output = shell.env_clear().envs(self.variables()).stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("can't run sh: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let place = self.directory.path().display().to_string();
        // A blocked event ends with 2.
        match output.status.code() {
            Some(0 | 2) => Ok(text.replace(&place, "~")),
            _ => Err(format!("`{line}` ends with {}: {text}", output.status)),
        }
    }

    /// Returns the demo: each line appears when it is typed, and its output below it.
    fn demo(&self) -> Result<String, String> {
        let mut text = String::new();
        let mut delays = Vec::new();
        let mut now = 0.5;
        for (line, pause) in DEMO {
            let output = self.types(line)?;
            let shown = format!("\u{1b}[32m$\u{1b}[0m \u{1b}[1m{line}\u{1b}[0m\n{}\n", output.trim_end());
            for (index, _) in shown.lines().enumerate() {
                delays.push(now);
                now += if index == 0 { 0.8 } else { 0.06 };
            }
            text.push_str(&shown);
            text.push('\n');
            delays.push(now);
            now += pause;
        }
        Ok(appearing(&terminal(&text), &delays, now + 3.0))
    }

    /// Returns a session in which a scripted model works under the hooks of the example.
    fn session(&self) -> Result<String, String> {
        let repository = self.path("guarded-repo");
        let from = root().join("examples/guarded-repo");
        self.types(&format!("cp -R '{}' '{}'", from.display(), repository.display()))?;
        let socket = self.path("tmux.socket");
        let tmux = |arguments: &[&str]| {
            let output = Command::new("tmux").arg("-S").arg(&socket).args(arguments).output();
            let output = output.map_err(|error| format!("can't run tmux: {error}"))?;
            Ok::<String, String>(String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let mut line = vec!["env".to_owned(), "-i".to_owned()];
        line.extend(self.variables().into_iter().map(|(name, value)| format!("'{name}={value}'")));
        line.push(format!(
            "sh -c 'cd \"{}\" && becket run --trust-project --model script:demo.json'",
            repository.display()
        ));
        let done = (|| {
            tmux(&["new-session", "-d", "-x", "100", "-y", "44", &line.join(" ")])?;
            tmux(&["set-option", "-g", "status", "off"])?;
            until(|| Ok(tmux(&["capture-pane", "-p"])?.contains("Esc interrupts")))?;
            tmux(&["send-keys", "-l", "tidy up"])?;
            tmux(&["send-keys", "Enter"])?;
            until(|| Ok(tmux(&["capture-pane", "-p"])?.contains("done ")))?;
            tmux(&["capture-pane", "-p", "-e"])
        })();
        drop(tmux(&["kill-server"]));
        let place = self.directory.path().display().to_string();
        done.map(|screen| terminal(&screen.replace(&place, "~")))
    }

    /// Draws the page of a profile.
    fn profile(&self, picture: &Path) -> Result<(), String> {
        self.types(
            "BECKET_PROFILE=1 becket test > /dev/null && becket profile --html profile.html > /dev/null",
        )?;
        let page = self.path("project/profile.html");
        let mut browser = browser_command();
        browser.args(["--hide-scrollbars", "--window-size=1360,760", "--virtual-time-budget=4000"]);
        browser.arg(format!("--user-data-dir={}", self.path("user").display()));
        browser.arg(format!("--screenshot={}", picture.display())).arg(format!("file://{}", page.display()));
        let output = browser.output().map_err(|error| format!("can't run chromium: {error}"))?;
        if output.status.success() && picture.is_file() {
            say(&format!("{}", picture.display()));
            Ok(())
        } else {
            Err(format!("the profile gave no picture: {}", String::from_utf8_lossy(&output.stderr)))
        }
    }
}

/// Waits for a fact, at most a minute.
fn until(fact: impl Fn() -> Result<bool, String>) -> Result<(), String> {
    let deadline = Instant::now() + Duration::from_mins(1);
    while Instant::now() < deadline {
        if fact()? {
            return Ok(());
        }
        sleep(Duration::from_millis(100));
    }
    Err("the session did not come to its end".to_owned())
}

/// Returns a picture of a text with colours.
fn terminal(text: &str) -> String {
    Term::new().min_width_px(COLUMNS * 9).render_svg(text.trim_end())
}

/// Makes the lines of a picture appear one after another, repeatedly.
fn appearing(svg: &str, delays: &[f32], all: f32) -> String {
    let mut style = String::from("<style>\n");
    let mut out = String::new();
    let mut lines = 0;
    for line in svg.lines() {
        let is_line = line.trim_start().starts_with("<tspan x=\"10px\"");
        match delays.get(lines).filter(|_| is_line) {
            Some(delay) => {
                let percent = delay / all * 100.0;
                style.push_str(&format!(
                    ".l{lines} {{ animation: l{lines} {all:.1}s step-end infinite; }} @keyframes l{lines} {{ 0% {{ visibility: hidden; }} \
                     {percent:.2}% {{ visibility: visible; }} }}\n"
                ));
                out.push_str(&line.replacen("<tspan", &format!("<tspan class=\"l{lines}\""), 1));
                lines += 1;
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    // Users who prefer no motion see the whole picture.
    style.push_str(
        "@media (prefers-reduced-motion: reduce) { tspan { animation: none !important; } }\n</style>\n",
    );
    match out.find("<style>") {
        Some(at) => {
            out.insert_str(at, &style);
            out
        }
        None => out,
    }
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|error| format!("`{}`: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_picture_appear_one_after_another() {
        let svg = terminal("\u{1b}[32m$\u{1b}[0m one\ntwo\n\nthree");
        let moving = appearing(&svg, &[0.5, 1.0, 1.5, 2.0], 4.0);
        for line in 0..4 {
            assert!(moving.contains(&format!("class=\"l{line}\"")), "{line}: {moving}");
        }
        assert!(moving.contains("12.50%") && moving.contains("prefers-reduced-motion"), "{moving}");
        assert!(appearing(&svg, &[], 1.0).contains("one"));
    }
}
