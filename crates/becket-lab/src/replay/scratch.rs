//! The scratch directory of a replay: copies of the project, a home, a place for temporary files, and the probes.
//!
//! INVARIANT: hooks write only below [`Scratch::writable`], and everything is removed with its owner.

use super::copy_git;
use crate::owned_directory::{OwnedDirectory, remove_left_over};
use crate::project::{ProjectError, ProjectTemplate};
use crate::runner::Subject;
use becket_engine::Environment;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The beginning of the names of scratch directories.
const PREFIX: &str = "becket-replay-";
/// Variables that hooks inherit.
const KEPT: [&str; 11] = [
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "NVM_DIR",
    "PYENV_ROOT",
    "SHELL",
    "TERM",
    "TZ",
    "USER",
];
/// The parts of the user's directory of settings that a scratch home has.
const OF_HOME: [&str; 4] = ["settings.json", "settings.local.json", "hooks", "scripts"];
/// The maximum number of files and bytes of these.
const MOST_FILES: usize = 2_000;
const MOST_BYTES: u64 = 32 << 20;
/// Programs whose results depend on more than the hook's input.
const WATCHED: [&str; 22] = [
    "aws", "curl", "date", "dig", "gcloud", "gh", "git", "glab", "host", "kubectl", "nc", "ncat", "nslookup",
    "ping", "rsync", "scp", "sftp", "shuf", "ssh", "telnet", "uuidgen", "wget",
];

/// The reason why there is no scratch directory.
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    /// The project can't be copied.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// A file can't be written or read.
    #[error("the scratch directory of the replay can't be made: `{}`: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
    /// The user's hooks are too large.
    #[error("`{}` has more than {MOST_FILES} files or {} MiB, which is too much to copy", path.display(), MOST_BYTES >> 20)]
    HomeTooLarge {
        /// The directory.
        path: PathBuf,
    },
}

/// A scratch directory.
#[derive(Debug)]
pub struct Scratch {
    root: PathBuf,
    template: ProjectTemplate,
    settings: String,
    search_path: OsString,
    kept: Vec<(OsString, OsString)>,
    /// Removes it when it is dropped.
    _directory: OwnedDirectory,
}

impl Scratch {
    /// Creates a scratch directory for a configuration.
    ///
    /// # Errors
    /// Errors if the project is too large to be copied, or a file can't be written.
    pub fn create(subject: &Subject) -> Result<Self, ScratchError> {
        let template = ProjectTemplate::scan(&subject.root, &subject.settings)?;
        let at = |path: &Path| {
            let path = path.to_owned();
            move |why| ScratchError::File { path, why }
        };
        let place = subject.environment.temp();
        remove_left_over(PREFIX, &place);
        let directory = OwnedDirectory::create(PREFIX, &place).map_err(at(&place))?;
        let root = directory.path().canonicalize().map_err(at(&place))?;
        let scratch = Scratch {
            search_path: subject
                .environment
                .var("PATH")
                .unwrap_or_else(|| OsStr::new("/usr/bin:/bin"))
                .to_owned(),
            kept: kept(&subject.environment),
            settings: subject.settings.clone(),
            root,
            template,
            _directory: directory,
        };
        for directory in ["work/home", "work/tmp", "work/trace", "probes"] {
            let path = scratch.root.join(directory);
            fs::create_dir_all(&path).map_err(at(&path))?;
        }
        scratch.write_probes().map_err(at(&scratch.root))?;
        if let Some(home) = subject.environment.home() {
            scratch.copy_home(home)?;
        }
        Ok(scratch)
    }

    /// Returns the only directory in which hooks may write.
    pub fn writable(&self) -> PathBuf {
        self.root.join("work")
    }

    /// Returns the directory for the notes of probes.
    pub(super) fn trace(&self) -> PathBuf {
        self.root.join("work/trace")
    }

    /// Copies the project with its repository; `settings` replaces the project's settings file.
    pub(super) fn copy(&self, name: &str, settings: Option<&str>) -> Result<PathBuf, ScratchError> {
        let project = self.template.root().file_name().unwrap_or_else(|| OsStr::new("project"));
        let root = self.root.join("work").join(name).join(project);
        self.template.copy_to(&root)?;
        let at = |why| ScratchError::File { path: root.clone(), why };
        copy_git::copy(self.template.root(), &root).map_err(at)?;
        if let Some(settings) = settings {
            let directory = root.join(&self.settings);
            fs::create_dir_all(&directory).map_err(at)?;
            fs::write(directory.join("settings.json"), settings).map_err(at)?;
        }
        Ok(root)
    }

    /// Creates repositories in other states than the copy's.
    pub(super) fn git_states(&self, of: &Path, name: &str) -> Result<Vec<PathBuf>, ScratchError> {
        let below = self.root.join("work/git").join(name);
        let made = copy_git::variants(of, &below, &["main", "master", "becket-replay"]);
        made.map_err(|why| ScratchError::File { path: below, why })
    }

    /// Returns the environment of hooks: an allow list, a scratch home, and the probes before everything else.
    pub(super) fn environment(&self) -> Environment {
        let probes = self.root.join("probes");
        let mut path = probes.join("bin").into_os_string();
        path.push(":");
        path.push(&self.search_path);
        let mut require = OsString::from("--require=");
        require.push(probes.join("probe.cjs"));
        let (home, temp) = (self.root.join("work/home"), self.root.join("work/tmp"));
        let own: [(&str, OsString); 11] = [
            ("PATH", path),
            ("HOME", home.clone().into()),
            ("TMPDIR", temp.clone().into()),
            ("PYTHONPATH", probes.join("python").into()),
            ("NODE_OPTIONS", require),
            ("BECKET_REPLAY_PATH", self.search_path.clone()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_TERMINAL_PROMPT", "0".into()),
            ("GIT_OPTIONAL_LOCKS", "0".into()),
            ("PYTHONDONTWRITEBYTECODE", "1".into()),
        ];
        let own = own.into_iter().map(|(name, value)| (OsString::from(name), value));
        Environment::from_vars(self.kept.iter().cloned().chain(own)).with_home(home).with_temp(temp)
    }

    fn write_probes(&self) -> io::Result<()> {
        let probes = self.root.join("probes");
        fs::create_dir_all(probes.join("bin"))?;
        fs::create_dir_all(probes.join("python"))?;
        fs::write(probes.join("python/sitecustomize.py"), include_str!("probes/sitecustomize.py"))?;
        fs::write(probes.join("probe.cjs"), include_str!("probes/probe.cjs"))?;
        let program = probes.join("program.sh");
        fs::write(&program, include_str!("probes/program.sh"))?;
        executable(&program)?;
        WATCHED.iter().try_for_each(|name| link(&program, &probes.join("bin").join(name)))
    }

    /// Copies the user's settings and hooks. Hooks don't find the rest of the home, such as credentials.
    fn copy_home(&self, home: &Path) -> Result<(), ScratchError> {
        let (from, to) = (home.join(&self.settings), self.root.join("work/home").join(&self.settings));
        let (mut files, mut bytes) = (0, 0);
        for name in OF_HOME {
            for entry in ignore::WalkBuilder::new(from.join(name)).standard_filters(false).build().flatten() {
                let Ok(inside) = entry.path().strip_prefix(&from) else { continue };
                if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                    continue;
                }
                files += 1;
                bytes += entry.metadata().map_or(0, |metadata| metadata.len());
                if files > MOST_FILES || bytes > MOST_BYTES {
                    return Err(ScratchError::HomeTooLarge { path: from.join(name) });
                }
                let target = to.join(inside);
                let copied = target.parent().map_or(Ok(()), fs::create_dir_all);
                let copied = copied.and_then(|()| fs::copy(entry.path(), &target));
                copied.map_err(|why| ScratchError::File { path: entry.path().to_owned(), why })?;
            }
        }
        let plugins = from.join("plugins");
        if plugins.is_dir() {
            // Too large to be copied, and hooks only read it.
            let linked = fs::create_dir_all(&to).and_then(|()| link(&plugins, &to.join("plugins")));
            linked.map_err(|why| ScratchError::File { path: plugins, why })?;
        }
        Ok(())
    }
}

fn kept(environment: &Environment) -> Vec<(OsString, OsString)> {
    let is_kept = |name: &OsStr| KEPT.iter().any(|kept| name == *kept);
    let kept = environment.vars().filter(|(name, _)| is_kept(name));
    kept.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_file() { fs::copy(from, to).map(drop) } else { Ok(()) }
}

#[cfg(unix)]
fn executable(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable(_file: &Path) -> io::Result<()> {
    Ok(())
}
