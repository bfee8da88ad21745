//! The kind of path that `check` receives: a settings file, a plugin, a project, a skill or an agent.

use super::CheckResult;
use crate::env::Surroundings;
use crate::error::CliError;
use crate::event::read;
use crate::session::Session;
use becket_base::text_file;
use becket_engine::config::frontmatter::{self, Frontmatter};
use becket_engine::config::{self, FLAG_TEXT, FlagSettings, LoadedFiles, Plugin, Request, Sources, Trust};
use becket_model::Source;
use ignore::{DirEntry, WalkBuilder};
use std::path::Path;

/// A directory without managed settings: a single path is checked without those of the machine.
const NOWHERE: &str = ".becket-check-reads-no-managed-settings";

/// Checks one path and nothing else.
///
/// # Errors
/// Errors if the path does not exist, or can't be checked.
pub(super) fn check(path: &Path, session: &Session, found: &mut CheckResult) -> Result<(), CliError> {
    let metadata = std::fs::metadata(path).map_err(|error| CliError::unread(path.to_owned(), &error))?;
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension {
        _ if metadata.is_dir() => directory(path, session, found),
        Some("md") => markdown(path, session, found),
        _ => {
            // A file that no program reads has no other findings.
            match config::lint_place(path, &session.request().profile.directory) {
                Some(diagnostic) => {
                    let text = text_file::read(path)?;
                    found.text(&path.to_string_lossy(), &text, vec![diagnostic]);
                }
                None => found.configuration(&file(path, session)),
            }
            Ok(())
        }
    }
}

fn directory(path: &Path, session: &Session, found: &mut CheckResult) -> Result<(), CliError> {
    if is_plugin(path) {
        found.configuration(&plugin(path, session));
        return Ok(());
    }
    if path.join("SKILL.md").is_file() {
        return markdown(&path.join("SKILL.md"), session, found);
    }
    let directory = session.request().profile.directory;
    if path.join(&*directory).is_dir() && !path.join(".claude-plugin/marketplace.json").exists() {
        found.configuration(&project(path, session));
        return Ok(());
    }
    below(path, &directory, session, found)
}

/// Checks every plugin and project below a directory, such as the plugins of a marketplace. Directories that git ignores are
/// not entered.
fn below(path: &Path, directory: &str, session: &Session, found: &mut CheckResult) -> Result<(), CliError> {
    let is_entered = |entry: &DirEntry| !matches!(entry.file_name().to_str(), Some(".git" | "node_modules"));
    let walk =
        WalkBuilder::new(path).hidden(false).filter_entry(is_entered).sort_by_file_path(Path::cmp).build();
    let mut checked = 0_usize;
    for entry in walk {
        let entry =
            entry.map_err(|error| CliError::Unwalked { path: path.to_owned(), why: error.to_string() })?;
        let place = entry.path();
        if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
            continue;
        }
        if is_plugin(place) {
            found.configuration(&plugin(place, session));
        } else if place.join(directory).is_dir() {
            found.configuration(&project(place, session));
        } else {
            continue;
        }
        checked += 1;
    }
    if checked == 0 { Err(CliError::NothingToCheck { path: path.to_owned() }) } else { Ok(()) }
}

fn project(path: &Path, session: &Session) -> Request {
    let mut request = bare(path, session);
    request.sources = Sources::none().project(true).local(true);
    request
}

/// Checks a settings file that comes from stdin.
///
/// # Errors
/// Errors if stdin can't be read.
pub(super) fn stdin(
    session: &Session,
    around: &Surroundings,
    found: &mut CheckResult,
) -> Result<(), CliError> {
    let text = read::stdin("a settings file", around)?;
    let text = String::from_utf8(text).map_err(|error| CliError::NotUtf8 {
        what: "stdin".to_owned(),
        at: error.utf8_error().valid_up_to(),
    })?;
    found.configuration(&of_text(text, session));
    found.rename(FLAG_TEXT, "<stdin>");
    Ok(())
}

fn of_text(text: String, session: &Session) -> Request {
    let mut request = bare(&session.start, session);
    request.flag = Some(FlagSettings::Text(text));
    request
}

/// Returns the configuration of a file that is being edited, with the text of the editor.
pub(super) fn edited(path: Option<&Path>, text: &str, session: &Session) -> LoadedFiles {
    if let Some(path) = path.filter(|path| path.is_file()) {
        let mut loaded = config::load(&file(path, session));
        if loaded.text(path).is_some() {
            loaded.replace_text(path, text);
            return loaded;
        }
    }
    config::load(&of_text(text.to_owned(), session))
}

fn is_plugin(path: &Path) -> bool {
    path.join(".claude-plugin/plugin.json").exists() || path.join("hooks/hooks.json").exists()
}

/// Returns the request for a settings file or a file of a plugin.
fn file(path: &Path, session: &Session) -> Request {
    let parent = path.parent().unwrap_or(path);
    let above = parent.parent().unwrap_or(parent);
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let of_plugin = match name(path).as_deref() {
        Some("hooks.json") => name(parent).as_deref() == Some("hooks"),
        Some("plugin.json") => name(parent).as_deref() == Some(".claude-plugin"),
        Some(_) | None => false,
    };
    if of_plugin {
        return plugin(above, session);
    }
    let mut request = bare(above, session);
    let is_projects = name(parent).as_deref() == Some(&*request.profile.directory)
        && name(path).as_deref() == Some("settings.json");
    let is_users = || request.user_directory().is_some_and(|users| leads_to(&users, parent));
    if is_projects && is_users() {
        request.sources.user = true;
    } else if is_projects {
        request.sources.project = true;
    } else {
        request.flag = Some(FlagSettings::File(path.to_owned()));
    }
    request
}

/// Returns whether two paths are the same directory.
fn leads_to(path: &Path, other: &Path) -> bool {
    matches!((path.canonicalize(), other.canonicalize()), (Ok(path), Ok(other)) if path == other)
}

fn plugin(path: &Path, session: &Session) -> Request {
    let mut request = bare(path, session);
    request.plugins = vec![Plugin::in_directory(path)];
    request
}

/// Returns a request that reads no file yet.
fn bare(start: &Path, session: &Session) -> Request {
    let mut request = session.request();
    start.clone_into(&mut request.start);
    request.flag = None;
    request.plugins = Vec::new();
    request.tolerates_missing_plugins = true;
    request.managed = Some(start.join(NOWHERE));
    request.sources = Sources::none();
    request
}

/// Checks the frontmatter of a skill (`SKILL.md`) or an agent (any other name).
fn markdown(path: &Path, session: &Session, found: &mut CheckResult) -> Result<(), CliError> {
    let text = text_file::read(path)?;
    markdown_text(path, &text, session, found);
    Ok(())
}

/// Checks the text of a skill or an agent.
pub(super) fn markdown_text(path: &Path, text: &str, session: &Session, found: &mut CheckResult) {
    let request = session.request();
    let directory = path.parent().unwrap_or(path);
    let named = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_skill = path.file_name().is_some_and(|name| name == "SKILL.md");
    let source =
        if is_skill { Source::Skill(named(directory).into()) } else { Source::Agent(named(path).into()) };
    let about = Frontmatter {
        profile: &request.profile,
        source,
        file: path,
        directory,
        subagent: None,
        of_project: false,
        trust: Trust::default(),
        fail_closed: false,
        tools: &request.tools,
        first_sequence: 0,
    };
    let mut diagnostics = frontmatter::parse(text, &about).diagnostics;
    diagnostics.extend(config::lint_frontmatter(text, &about));
    found.text(&path.to_string_lossy(), text, diagnostics);
}
