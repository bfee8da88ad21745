//! The directories with definitions, and the source of each.

use becket_engine::config::{Diagnostic, Plugin, PluginDefinitions, Request};
use becket_model::Source;
use std::path::{Path, PathBuf};

/// A directory that may contain agents, skills and commands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Home {
    /// The source of the definitions: managed, the user, the project, or a plugin.
    pub source: Source,
    /// The directory, absolute.
    pub directory: PathBuf,
    /// Directories of skills, and directories that are a skill.
    pub(crate) skills: Vec<PathBuf>,
    /// Directories of commands, and files that are a command.
    pub(crate) commands: Vec<PathBuf>,
    /// Directories of agents, and files that are an agent.
    pub(crate) agents: Vec<PathBuf>,
    /// Directories of output styles.
    pub(crate) output_styles: Vec<PathBuf>,
}

impl Home {
    fn new(source: Source, directory: PathBuf) -> Self {
        let of = |name| vec![directory.join(name)];
        let (skills, commands, agents) = (of("skills"), of("commands"), of("agents"));
        let output_styles = of("output-styles");
        Self { source, directory, skills, commands, agents, output_styles }
    }
}

/// All directories with definitions. The default has none, for a bare start.
#[derive(Debug, Clone, Default)]
pub struct Homes {
    /// The directories, in the order managed, project, user, plugins. In a folder that is not trusted the user's come
    /// before the project's: no agent with a guard is replaced by one that came with the folder (G3).
    pub(crate) list: Vec<Home>,
    /// The problems with plugin paths that do not exist or lead out of the plugin.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Homes {
    /// Returns the directories of the profile (C4) and the plugins, without the sources that the request excludes.
    #[must_use]
    pub fn of(request: &Request, plugins: &[Plugin]) -> Self {
        let managed = request.managed.as_ref().unwrap_or(&request.profile.managed);
        let mut list = vec![Home::new(Source::Policy, managed.join(&*request.profile.directory))];
        let users = request.users_own_directory();
        let mut of_project = Self::of_project(request, users.as_deref());
        let users =
            users.filter(|_| request.sources.user).map(|directory| Home::new(Source::User, directory));
        if request.trust.this_folder_trusted {
            list.append(&mut of_project);
        }
        list.extend(users);
        list.append(&mut of_project);
        let mut diagnostics = Vec::new();
        for plugin in plugins {
            let PluginDefinitions { skills, commands, agents, diagnostics: mut found, .. } =
                plugin.definitions();
            diagnostics.append(&mut found);
            let (source, directory) = (Source::Plugin(plugin.source()), plugin.directory.clone());
            let output_styles = vec![directory.join("output-styles")];
            list.push(Home { source, directory, skills, commands, agents, output_styles });
        }
        Self { list, diagnostics }
    }

    /// Returns the directories of the project. A directory that variables call the user's, and that is a part of the
    /// project, may have come with the folder (G3). A session started in the home directory finds the user's own
    /// directory there, which does not belong to a project.
    fn of_project(request: &Request, users: Option<&Path>) -> Vec<Home> {
        let project = request.start.join(&*request.profile.directory);
        let moved = request.users_directory_of_project().map(|directory| request.start.join(directory));
        let moved = moved.filter(|moved| !is_same(moved, &project));
        let all = std::iter::once(project).chain(moved).filter(|_| request.sources.project);
        let all = all.filter(|directory| !users.is_some_and(|users| is_same(users, directory)));
        all.map(|directory| Home::new(Source::Project, directory)).collect()
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Returns the prefix of a plugin's definitions: the name in its manifest.
pub(crate) fn namespace(source: &Source) -> Option<&str> {
    match source {
        Source::Plugin(plugin) => Some(&plugin.name),
        Source::Policy
        | Source::User
        | Source::Project
        | Source::Local
        | Source::Skill(_)
        | Source::Agent(_)
        | Source::Callback
        | Source::Function
        | Source::Flag => None,
    }
}
