//! Checks the scripts that handlers name: that they exist and may run, and that Stop hooks have a guard.

use super::commands::{asks, is_stop, scripts, slash_command, warn_endless, warn_unasked};
use super::{Entry, programs};
use crate::config::diagnostic::{Diagnostic, Severity};
use crate::config::handler::{Action, Command, Shell};
use crate::config::load::{Layer, LoadedFiles, user_directory};
use crate::config::resolve::parts;
use crate::config::source::read;
use crate::config::source::report::Report;
use becket_base::find_program;
use becket_model::Source;
use becket_rules::shell::Line;
use std::path::{Path, PathBuf};

/// The largest script that is read, in bytes.
const MAX_SCRIPT: u64 = 1024 * 1024;

/// Checks the scripts of all handlers; reads files and runs nothing.
pub fn lint_files(loaded: &LoadedFiles) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for part in &parts(loaded) {
        let text = part.layer.text.as_deref().unwrap_or_default();
        let mut report = Report::new(part.layer.file.clone(), part.layer.source.clone(), text);
        for entry in &part.sheet.entries {
            for script in named(entry, part.layer, loaded) {
                look_at(&script, entry, loaded, &mut report);
            }
            programs::lint(entry, loaded, &mut report);
        }
        found.extend(report.finish());
    }
    found.extend(read_by_nobody(loaded));
    found
}

/// Files next to the settings that are often mistaken for settings.
const READ_BY_NOBODY: [&str; 2] = ["hooks.json", "hooks/hooks.json"];

/// Reports files of hooks at places where no program looks for hooks.
fn read_by_nobody(loaded: &LoadedFiles) -> Vec<Diagnostic> {
    let request = &loaded.request;
    let directory = &*request.profile.directory;
    let mut places = Vec::new();
    if request.sources.project {
        places.push((Source::Project, request.start.join(directory)));
    }
    if let Some(user) = user_directory(request).filter(|_| request.sources.user) {
        places.push((Source::User, user));
    }
    let mut found = Vec::new();
    for (source, place) in places {
        let is_plugin = place.join(".claude-plugin/plugin.json").exists();
        for name in READ_BY_NOBODY.into_iter().filter(|_| !is_plugin) {
            let file = place.join(name);
            if !file.is_file() {
                continue;
            }
            let mut report = Report::new(file.into(), source.clone(), "");
            let message = format!("`{directory}/{name}` is not read: its hooks never run");
            report
                .about_file(Severity::Warning, "file-not-read", message)
                .help(format!("move its `hooks` into `{directory}/settings.json`"))
                .rule("C4");
            found.extend(report.finish());
        }
    }
    found
}

/// Returns the finding about a single file if it contains hooks at a place where no program looks for them.
pub fn lint_place(file: &Path, directory: &str) -> Option<Diagnostic> {
    if let Some(place) = file.ancestors().nth(2).filter(|_| file.ends_with(".cursor/hooks/hooks.json")) {
        let is_plugin = [".cursor-plugin", ".claude-plugin"].iter().any(|name| place.join(name).is_dir());
        return (!is_plugin)
            .then(|| not_read(file, ".cursor/hooks/hooks.json", "move it to `.cursor/hooks.json`"));
    }
    let name = READ_BY_NOBODY.into_iter().find(|name| file.ends_with(Path::new(directory).join(name)))?;
    let place = file.ancestors().nth(Path::new(name).components().count())?;
    if place.join(".claude-plugin/plugin.json").exists() {
        return None;
    }
    let help = format!("move its `hooks` into `{directory}/settings.json`");
    Some(not_read(file, &format!("{directory}/{name}"), &help))
}

fn not_read(file: &Path, name: &str, help: &str) -> Diagnostic {
    let message = format!("`{name}` is not read: its hooks never run");
    let found = Diagnostic::new(Severity::Error, "file-not-read", message, file.into(), Source::Project);
    Diagnostic { help: Some(help.to_owned()), ..found.with_rule("C4") }
}

/// A script, and whether it is started directly rather than by an interpreter.
struct Script {
    written: String,
    path: PathBuf,
    runs_itself: bool,
    /// Set if the handler certainly reaches this script and looks for it here.
    is_certain: bool,
}

fn look_at(script: &Script, entry: &Entry, loaded: &LoadedFiles, report: &mut Report<'_>) {
    let at = entry.handler.action_span;
    let shown = script.path.display();
    match std::fs::metadata(&script.path) {
        // That no program is meant is reported already.
        Err(_) if slash_command(&script.written).is_some() => return,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let message = format!(
                "there is no file `{shown}`, so this hook ends with 127, and the action passes unchecked"
            );
            report
                .never_works(script.is_certain, at, "missing-script", message)
                .help(format!(
                    "`{}` is looked for in the directory where the session starts; correct the path, or add the file",
                    script.written
                ))
                .rule("H2");
            return;
        }
        Err(error) => {
            report.warning(at, "missing-script", format!("can't look at `{shown}`: {error}")).rule("H2");
            return;
        }
        Ok(_) if script.runs_itself && !becket_base::is_executable(&script.path) => {
            report
                .never_works(script.is_certain, at, "not-executable", format!("`{shown}` is not executable"))
                .help(format!("run `chmod +x {}`, or start it with its interpreter", script.written))
                .rule("H2");
        }
        Ok(_) => {}
    }
    let Ok(Some(bytes)) = read::bytes(&script.path, MAX_SCRIPT) else { return };
    let text = String::from_utf8_lossy(&bytes);
    if script.runs_itself {
        of_first_line(&text, script, entry, loaded, report);
    }
    if !entry.handler.questions && asks(&text) {
        warn_unasked(entry, &format!("`{shown}`"), report);
    }
    if is_stop(entry.event) {
        let blocks = text.contains("exit 2") || text.contains("exit(2)") || text.contains("\"block\"");
        if blocks && !text.contains("stop_hook_active") {
            warn_endless(entry, &format!("`{shown}`"), report);
        }
    }
}

/// Reports a first line that names no program which could run the script.
fn of_first_line(text: &str, script: &Script, entry: &Entry, loaded: &LoadedFiles, report: &mut Report<'_>) {
    let Some(line) = text.strip_prefix("#!").and_then(|text| text.split_inclusive('\n').next()) else {
        return;
    };
    let (at, shown) = (entry.handler.action_span, script.path.display());
    let words: Vec<&str> = line.split_whitespace().collect();
    let (Some(program), name) = (words.first(), words.get(1)) else { return };
    let starts_by_name = program.ends_with("/env") && name.is_some_and(|name| !name.starts_with('-'));
    let is_alone = words.len() == if starts_by_name { 2 } else { 1 };
    let help = "write the script with LF alone at the end of its lines";
    if line.ends_with("\r\n") && is_alone {
        let message = format!(
            "the first line of `{shown}` ends with CR LF, and no interpreter has a name with CR, so this hook ends with 126 or 127, and the action passes unchecked"
        );
        report.never_works(script.is_certain, at, "no-interpreter", message).help(help).rule("H2");
    } else if line.ends_with("\r\n") && !program.ends_with("/env") {
        let message = format!(
            "the first line of `{shown}` ends with CR LF, which becomes a part of the interpreter's argument: most refuse to start, and exit code 2 blocks every call"
        );
        report.warning(at, "no-interpreter", message).help(help).rule("H2");
    } else if let Some(program) = missing_interpreter(program, name.filter(|_| starts_by_name), loaded) {
        let message = format!(
            "`{shown}` needs `{program}`, which is not on this machine, so this hook ends with 126 or 127, and the action passes unchecked"
        );
        report
            .warning(at, "no-interpreter", message)
            .help("install it, or correct the first line")
            .rule("H2");
    }
}

/// Returns the interpreter of a first line if it is not on this machine; `name` is that which `env` looks for.
fn missing_interpreter<'l>(
    program: &'l str,
    name: Option<&&'l str>,
    loaded: &LoadedFiles,
) -> Option<&'l str> {
    if !Path::new(program).is_absolute() || !Path::new(program).exists() {
        return Some(program);
    }
    let path = loaded.request.environment.var("PATH").filter(|_| !programs::sets_path(loaded))?;
    name.copied().filter(|name| !name.contains('=') && find_program(name, path).is_none())
}

/// Returns the scripts that a handler's command names in full, with its placeholders filled in.
fn named(entry: &Entry, layer: &Layer, loaded: &LoadedFiles) -> Vec<Script> {
    let known = known_directories(layer, loaded);
    let mut is_plain = true;
    let words: Vec<Vec<String>> = match &entry.handler.action {
        Action::Command(Command::Shell { script, shell: Shell::Default }) => {
            let Some(text) = filled(script, &known) else {
                return Vec::new();
            };
            let whole = |command: &becket_rules::shell::Command| {
                command.words().map_while(|word| word.map(str::to_owned)).collect()
            };
            let line = Line::parse(&text);
            // A command that tests something first, or goes elsewhere, may do without the script.
            let looks = ["test", "[", "[[", "command", "cd", "pushd", "if"];
            let first = |command: &becket_rules::shell::Command| {
                command.words().next().flatten().is_some_and(|word| looks.contains(&word))
            };
            is_plain = !text.contains("[[") && !text.contains("||") && !line.commands().iter().any(first);
            line.commands().iter().map(whole).collect()
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
    let of_plugin = layer.root.is_some();
    let found = words.iter().filter_map(|words| script(words, loaded));
    let certain = |script: Script| {
        let is_placed = Path::new(&script.written).is_absolute() || !of_plugin;
        Script { is_certain: is_plain && is_placed, ..script }
    };
    found.map(certain).collect()
}

fn script(words: &[String], loaded: &LoadedFiles) -> Option<Script> {
    let written = scripts(words.iter().map(|word| Some(word.as_str())))?;
    let home = loaded.request.environment.home();
    let path = match (written.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_), None) => return None,
        (None, _) if written.contains(['$', '%', '*', '`']) => return None,
        (None, _) => loaded.request.start.join(&written),
    };
    Some(Script { runs_itself: words.first() == Some(&written), path, written, is_certain: false })
}

/// Returns the variables whose values are known before anything runs.
fn known_directories(layer: &Layer, loaded: &LoadedFiles) -> Vec<(String, PathBuf)> {
    let profile = &loaded.request.profile;
    let mut known = vec![(profile.var("PROJECT_DIR"), loaded.request.start.clone())];
    if let Some(root) = &layer.root {
        known.push((profile.var("PLUGIN_ROOT"), root.root.clone()));
        known.extend(root.data.clone().map(|data| (profile.var("PLUGIN_DATA"), data)));
    }
    known.extend(loaded.request.environment.home().map(|home| ("HOME".to_owned(), home.to_owned())));
    known
}

/// Returns the text with those variables filled in; `None` if a value would need quoting.
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
