//! Plugins in directories of skills: `skills/<name>/.claude-plugin/plugin.json`, on unless settings turn them off (C9).
//!
//! INVARIANT: the plugins of a project count once its folder is trusted (G3), and none takes the id of one that the
//! user has: options and data go by the id.

use super::fault::{Fault, Spot};
use super::manifest::MANIFEST;
use super::{Candidate, SKILLS_DIRECTORY};
use crate::config::request::{Plugin, PluginOrigin, Request};
use crate::config::source::read;
use becket_base::is_same_path;
use becket_model::Source;
use std::path::{Path, PathBuf};

/// Returns the user's plugins and those of the project, each by the name of its manifest.
pub(super) fn candidates(request: &Request, faults: &mut Vec<Fault>) -> Vec<Candidate> {
    let below = |directory: PathBuf| directory.join("skills");
    let users = request.users_own_directory().filter(|_| request.sources.user).map(below);
    let project = below(request.start.join(&*request.profile.directory));
    let is_users = users.as_ref().is_some_and(|users| is_same_path(users, &project));
    let mut found: Vec<Candidate> =
        users.iter().flat_map(|skills| plugins_in(skills, Source::User, faults)).collect();
    if !request.sources.project || is_users {
        return found;
    }
    // The user's directory, where it is a part of the project.
    let moved = request.users_directory_of_project().map(|directory| below(request.start.join(directory)));
    let moved = moved.filter(|moved| !is_same_path(moved, &project));
    for skills in std::iter::once(project).chain(moved) {
        for candidate in plugins_in(&skills, Source::Project, faults) {
            if !request.trust.this_folder_trusted {
                faults.push(withheld(&candidate));
            } else if found.iter().any(|other| other.plugin.id == candidate.plugin.id) {
                faults.push(replaced(&candidate));
            } else {
                found.push(candidate);
            }
        }
    }
    found
}

/// Returns the plugins in one directory of skills, in the order of their paths. A manifest that can't be read is one: its
/// error is reported with those of the plugin.
fn plugins_in(skills: &Path, source: Source, faults: &mut Vec<Fault>) -> Vec<Candidate> {
    let origin = PluginOrigin::SkillsDirectory { by_project: source == Source::Project };
    let mut directories = match read::entries(skills) {
        Ok(directories) => directories,
        Err(error) => {
            let message = format!("this directory can't be read, so plugins in it are missing: {error}");
            faults.push(Fault::error(Spot::whole(source, skills), "unreadable-file", message));
            Vec::new()
        }
    };
    directories.retain(|directory| !matches!(read::text(&directory.join(MANIFEST)), Ok(None)));
    let candidate = |directory: PathBuf| {
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut candidate =
            Candidate::new(Plugin { origin, ..Plugin::new(format!("{name}@{SKILLS_DIRECTORY}"), directory) });
        candidate.name();
        candidate
    };
    directories.into_iter().map(candidate).collect()
}

fn withheld(candidate: &Candidate) -> Fault {
    let message = format!("the plugin `{}` is held back until this folder is trusted", candidate.plugin.id);
    Fault::warning(manifest(candidate), "withheld-untrusted", message).rule("G3")
}

fn replaced(candidate: &Candidate) -> Fault {
    let message = format!(
        "the plugin `{}` of this project is not loaded, so its hooks are missing: the user has one with this id",
        candidate.plugin.id
    );
    Fault::error(manifest(candidate), "plugin-name-twice", message)
        .help("give it another name in its manifest")
}

fn manifest(candidate: &Candidate) -> Spot {
    Spot::whole(Source::Project, &candidate.plugin.directory.join(MANIFEST))
}
