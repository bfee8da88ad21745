//! Looks at the scripts that handlers name: are they there, may they run, do Stop hooks guard themselves.

use super::Entry;
use super::commands::{is_stop, scripts, warn_endless};
use crate::config::diagnostic::Diagnostic;
use crate::config::load::{Layer, Loaded};
use crate::config::resolve::parts;
use crate::config::source::read;
use crate::config::source::report::Report;
use crate::handler::{Action, Command, Shell};
use becket_rules::shell::Line;
use std::path::{Path, PathBuf};

/// The largest script that is read, in bytes.
const MAX_SCRIPT: u64 = 1024 * 1024;

/// Looks at the scripts of all handlers; reads files, runs nothing.
pub fn lint_files(loaded: &Loaded) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for part in &parts(loaded) {
        let text = part.layer.text.as_deref().unwrap_or_default();
        let mut report = Report::new(part.layer.file.clone(), part.layer.source.clone(), text);
        for entry in &part.sheet.entries {
            for script in named(entry, part.layer, loaded) {
                look_at(&script, entry, &mut report);
            }
        }
        found.extend(report.finish());
    }
    found
}

/// A script, and whether it is started by itself rather than by an interpreter.
struct Script {
    written: String,
    path: PathBuf,
    runs_itself: bool,
}

fn look_at(script: &Script, entry: &Entry, report: &mut Report<'_>) {
    let at = entry.handler.action_span;
    let shown = script.path.display();
    match std::fs::metadata(&script.path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            report.warning(at, "missing-script", format!("there is no file `{shown}`")).rule("H2");
            return;
        }
        Err(error) => {
            report.warning(at, "missing-script", format!("`{shown}` can't be looked at: {error}")).rule("H2");
            return;
        }
        Ok(metadata) if script.runs_itself && !is_executable(&metadata) => {
            report
                .warning(at, "not-executable", format!("`{shown}` may not be executed"))
                .help(format!("run `chmod +x {}`, or start it with its interpreter", script.written))
                .rule("H2");
        }
        Ok(_) => {}
    }
    if is_stop(entry.event)
        && let Ok(Some(bytes)) = read::bytes(&script.path, MAX_SCRIPT)
    {
        let text = String::from_utf8_lossy(&bytes);
        let blocks = text.contains("exit 2") || text.contains("exit(2)") || text.contains("\"block\"");
        if blocks && !text.contains("stop_hook_active") {
            warn_endless(entry, &format!("`{shown}`"), report);
        }
    }
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    metadata.is_file()
}

/// The scripts that a handler's command names in full, its placeholders filled in.
fn named(entry: &Entry, layer: &Layer, loaded: &Loaded) -> Vec<Script> {
    let known = known_directories(layer, loaded);
    let words: Vec<Vec<String>> = match &entry.handler.action {
        Action::Command(Command::Shell { script, shell: Shell::Default }) => {
            let Some(text) = filled(script, &known) else {
                return Vec::new();
            };
            let whole = |command: &becket_rules::shell::Command| {
                command.words().map_while(|word| word.map(str::to_owned)).collect()
            };
            Line::parse(&text).commands().iter().map(whole).collect()
        }
        Action::Command(Command::Exec { program, args }) => {
            let all = std::iter::once(program.to_string()).chain(args.iter().cloned());
            vec![all.map_while(|word| filled(&word, &known)).collect()]
        }
        Action::Command(Command::Shell { shell: Shell::PowerShell, .. })
        | Action::Http(_)
        | Action::McpTool(_)
        | Action::Prompt(_)
        | Action::Agent(_)
        | Action::Callback(_) => Vec::new(),
    };
    words.iter().filter_map(|words| script(words, loaded)).collect()
}

fn script(words: &[String], loaded: &Loaded) -> Option<Script> {
    let written = scripts(words.iter().map(|word| Some(word.as_str())))?;
    let home = loaded.request.environment.home();
    let path = match (written.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_), None) => return None,
        (None, _) if written.contains(['$', '%', '*', '`']) => return None,
        (None, _) => loaded.request.start.join(&written),
    };
    Some(Script { runs_itself: words.first() == Some(&written), path, written })
}

/// The variables whose values are known before anything runs.
fn known_directories(layer: &Layer, loaded: &Loaded) -> Vec<(String, PathBuf)> {
    let profile = &loaded.request.profile;
    let mut known = vec![(profile.var("PROJECT_DIR"), loaded.request.start.clone())];
    if let Some(root) = &layer.root {
        known.push((profile.var("PLUGIN_ROOT"), root.root.clone()));
        known.extend(root.data.clone().map(|data| (profile.var("PLUGIN_DATA"), data)));
    }
    known.extend(loaded.request.environment.home().map(|home| ("HOME".to_owned(), home.to_owned())));
    known
}

/// The text with those variables filled in; `None` where a value would need quoting.
fn filled(text: &str, known: &[(String, PathBuf)]) -> Option<String> {
    let mut text = text.to_owned();
    for (name, value) in known {
        if !text.contains(name.as_str()) {
            continue;
        }
        let value = Path::to_str(value).filter(|value| value.chars().all(is_plain))?;
        text = text.replace(&format!("${{{name}}}"), value);
        let mut parts = text.split(&format!("${name}")).map(str::to_owned).collect::<Vec<_>>().into_iter();
        let mut joined = parts.next().unwrap_or_default();
        for part in parts {
            let longer = part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            joined.push_str(if longer { "$UNKNOWN_" } else { value });
            joined.push_str(&part);
        }
        text = joined;
    }
    Some(text)
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '+' | '@' | '-')
}
