//! The directories in which definitions lie, and whose word each is.

use becket_engine::config::{Plugin, Request};
use becket_model::Source;
use std::path::{Path, PathBuf};

/// One directory that may hold `agents`, `skills` and `commands`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// Origin of the definitions: managed, the user, the project, or a plugin.
    pub source: Source,
    /// The directory, absolute.
    pub directory: PathBuf,
}

/// All of them. The default has none, as a bare start.
#[derive(Debug, Clone, Default)]
pub struct Homes {
    /// Managed, project, user, plugins.
    pub(crate) list: Vec<Home>,
}

impl Homes {
    /// The places that the profile names (C4), and the plugins; those of files that the request leaves out are left out.
    #[must_use]
    pub fn of(request: &Request, plugins: &[Plugin]) -> Self {
        let managed = request.managed.as_ref().unwrap_or(&request.profile.managed);
        let mut list =
            vec![Home { source: Source::Policy, directory: managed.join(&*request.profile.directory) }];
        let project = request.start.join(&*request.profile.directory);
        let users = request.user_directory();
        // A session that starts in the home directory finds the user's own there, which belong to no project.
        if request.sources.project && !users.as_ref().is_some_and(|users| is_same(users, &project)) {
            list.push(Home { source: Source::Project, directory: project });
        }
        list.extend(
            users.filter(|_| request.sources.user).map(|directory| Home { source: Source::User, directory }),
        );
        let plugins = plugins.iter().map(|plugin| Home {
            source: Source::Plugin(plugin.source()),
            directory: plugin.directory.clone(),
        });
        list.extend(plugins);
        Self { list }
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Returns the prefix of a plugin's definitions: the name from its manifest.
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
