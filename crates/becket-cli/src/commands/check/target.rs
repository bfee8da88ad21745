//! The kind of a path given to `check`: a settings file, a plugin, a project, a skill or an agent.

use super::CheckResult;
use crate::error::CliError;
use crate::session::Session;
use becket_base::text_file;
use becket_engine::config::frontmatter::{self, Frontmatter};
use becket_engine::config::{FlagSettings, Plugin, Request, Sources, Trust};
use becket_model::Source;
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
            found.configuration(&file(path, session));
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
    let mut request = bare(path, session);
    request.sources = Sources { user: false, project: true, local: true };
    if !path.join(&*request.profile.directory).is_dir() {
        return Err(CliError::NothingToCheck { path: path.to_owned() });
    }
    found.configuration(&request);
    Ok(())
}

fn is_plugin(path: &Path) -> bool {
    path.join(".claude-plugin/plugin.json").exists() || path.join("hooks/hooks.json").exists()
}

/// A file of settings, or of a plugin.
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
    if is_projects {
        request.sources.project = true;
    } else {
        request.flag = Some(FlagSettings::File(path.to_owned()));
    }
    request
}

fn plugin(path: &Path, session: &Session) -> Request {
    let mut request = bare(path, session);
    request.plugins = vec![Plugin::in_directory(path)];
    request
}

/// A request that reads no file yet.
fn bare(start: &Path, session: &Session) -> Request {
    let mut request = session.request();
    start.clone_into(&mut request.start);
    request.flag = None;
    request.plugins = Vec::new();
    request.managed = Some(start.join(NOWHERE));
    request.sources = Sources { user: false, project: false, local: false };
    request
}

/// The frontmatter of a skill (`SKILL.md`) or an agent (any other name).
fn markdown(path: &Path, session: &Session, found: &mut CheckResult) -> Result<(), CliError> {
    let text = text_file::read(path)?;
    let request = session.request();
    let directory = path.parent().unwrap_or(path);
    let named = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_skill = path.file_name().is_some_and(|name| name == "SKILL.md");
    let source =
        if is_skill { Source::Skill(named(directory).into()) } else { Source::Agent(named(path).into()) };
    let read = frontmatter::parse(
        &text,
        &Frontmatter {
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
        },
    );
    found.text(&path.to_string_lossy(), &text, read.diagnostics);
    Ok(())
}
