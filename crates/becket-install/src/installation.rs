//! One agent in one scope: the changes that register Becket, and those that remove it again.

use crate::agent::{AgentConfig, ConfigForm, Places, RegisteredEvent, Scope};
use crate::command::{EXEC_REWRITE, HookCommand, own_words};
use crate::document::{ConfigText, DocumentError, Entry};
use crate::file_change::FileChange;
use crate::own_file::{current_text, is_own_file, plugin, script, started_by};
use crate::record::{FileRecord, RecordError, Records, digest};
use becket_base::config_file::{ConfigFile, FileError};
use becket_model::EventKind;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The parts of a registration that the caller decides.
#[derive(Debug, Clone, Copy)]
pub struct Installation<'a> {
    /// The program: an absolute path, or `becket` to find it on `PATH`.
    pub program: &'a str,
    /// The longest time that a handler may take; `None` if there are no handlers.
    pub longest: Option<Duration>,
    /// Events to register besides those that are always registered.
    pub more: &'a [EventKind],
    /// Set if files that Becket wrote are replaced even if they were edited since.
    pub repair: bool,
    /// Set if shell lines are rewritten to run under `becket exec`, if the agent accepts a rewrite. Entries that
    /// already do so keep it.
    pub exec_rewrite: bool,
}

/// The reason why an agent was not changed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// There is no home directory.
    #[error("there is no home directory: set HOME, or use `--project`")]
    NoHome,
    /// The agent reads no hooks there.
    #[error("{title} reads no hooks from the configuration of a {missing}: use `--{instead}`", missing = .missing.name(), instead = .instead.name())]
    NoScope {
        /// The agent.
        title: &'static str,
        /// The scope that it does not have.
        missing: Scope,
        /// The one that it has.
        instead: Scope,
    },
    /// A file can't be used.
    #[error("`{}`: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: FileError,
    },
    /// A text can't be edited.
    #[error("`{}` was left alone: {why}", path.display())]
    Document {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: DocumentError,
    },
    /// The file with this name is not Becket's.
    #[error("`{}` is not a file of becket: move it away, or call becket from it", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A file that Becket wrote was edited.
    #[error("`{}` {edit}, so it was left alone: {remedy}", path.display())]
    Edited {
        /// The file.
        path: PathBuf,
        /// The edit.
        edit: &'static str,
        /// The way out.
        remedy: &'static str,
    },
    /// The record can't be used.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// The changes of one agent in one scope.
#[derive(Debug)]
pub struct Plan {
    /// The agent.
    pub agent: &'static AgentConfig,
    /// The scope.
    pub scope: Scope,
    /// The changes, one for each file.
    pub changes: Vec<Change>,
}

/// The change of one file, and of its record.
#[derive(Debug)]
pub struct Change {
    /// The change of the file.
    pub file: FileChange,
    record: Option<FileRecord>,
    /// The directories to remove with the file, if they are empty then.
    directories: Vec<PathBuf>,
}

impl Change {
    fn path(&self) -> &Path {
        self.file.path()
    }

    fn apply(&self, records: &mut Records) -> Result<(), InstallError> {
        // An entry without a record is recognised, a record without an entry is harmless: the record is written first,
        // and removed last.
        if self.record.is_some() {
            records.set(self.path(), self.record.clone())?;
        }
        self.file.file().remove_left_over();
        if !self.file.is_nothing() {
            self.file.apply().map_err(|why| at(self.path(), why))?;
        }
        for directory in self.directories.iter().rev() {
            // A directory that contains anything else stays.
            let _ = fs::remove_dir(directory);
        }
        if self.record.is_none() {
            records.hand_over(self.path(), &self.directories);
            records.set(self.path(), None)?;
        }
        Ok(())
    }

    /// Restores the content before the change.
    fn revert(&self, before: Option<FileRecord>, records: &mut Records) {
        if self.file.revert() {
            // The record of a removed entry is harmless.
            let _ = records.set(self.path(), before);
        }
    }
}

impl Plan {
    /// Returns true if nothing changes.
    pub fn is_nothing(&self) -> bool {
        self.changes.iter().all(|change| change.file.is_nothing())
    }

    /// Makes the changes. If one fails, those before it are undone.
    ///
    /// # Errors
    /// Errors if a file can't be changed; all files are then as they were.
    pub fn apply(&self, records: &mut Records) -> Result<(), InstallError> {
        let mut done: Vec<(&Change, Option<FileRecord>)> = Vec::new();
        for change in &self.changes {
            let before = records.of(change.path()).cloned();
            if let Err(error) = change.apply(records) {
                let _ = records.set(change.path(), before);
                for (change, before) in done.into_iter().rev() {
                    change.revert(before, records);
                }
                return Err(error);
            }
            done.push((change, before));
        }
        Ok(())
    }
}

fn at(path: &Path, why: FileError) -> InstallError {
    InstallError::File { path: path.to_owned(), why }
}

/// Plans the registration of Becket with an agent.
///
/// # Errors
/// See [`InstallError`].
pub fn install(
    agent: &'static AgentConfig,
    scope: Scope,
    places: &Places,
    records: &Records,
    wanted: &Installation<'_>,
) -> Result<Plan, InstallError> {
    let path = path(agent, scope, places)?;
    let command = HookCommand {
        agent,
        scope,
        program: wanted.program,
        longest: wanted.longest,
        exec_rewrite: wanted.exec_rewrite || rewrites_lines(agent, &path),
    };
    let events = agent.registered(wanted.more);
    let changes = match agent.form {
        ConfigForm::Scripts => {
            let scripts = events.iter().map(|event| {
                let text = script(agent, &command.text(event));
                let file = OwnFile { agent, scope, event: *event, path: path.join(event.name) };
                file.written(text, wanted.repair, records)
            });
            scripts.collect::<Result<_, _>>()?
        }
        ConfigForm::Plugin(kind) => {
            let limit = agent.limit("", wanted.longest).as_millis().try_into().unwrap_or(u64::MAX);
            let files = events.first().map(|event| {
                let text = plugin(kind, &command, &command.words(event), limit);
                let file = OwnFile { agent, scope, event: *event, path: path.clone() };
                file.written(text, wanted.repair, records)
            });
            files.into_iter().collect::<Result<_, _>>()?
        }
        ConfigForm::Groups { .. } | ConfigForm::List(_) | ConfigForm::Tables | ConfigForm::Sequences => {
            vec![entries(agent, scope, &path, &command, &events, records)?]
        }
    };
    let plan = Plan { agent, scope, changes };
    check_writable(&plan)?;
    Ok(plan)
}

/// Plans the removal of Becket from an agent.
///
/// # Errors
/// See [`InstallError`].
pub fn uninstall(
    agent: &'static AgentConfig,
    scope: Scope,
    places: &Places,
    records: &Records,
) -> Result<Plan, InstallError> {
    let path = path(agent, scope, places)?;
    let changes = match agent.form {
        ConfigForm::Scripts => {
            let scripts = agent.fired().into_iter().map(|event| {
                let path = path.join(event.name);
                OwnFile { agent, scope, event, path }.removed(records)
            });
            scripts.collect::<Result<_, _>>()?
        }
        ConfigForm::Plugin(_) => {
            let event = agent.registered(&[]).into_iter().next();
            let files =
                event.map(|event| OwnFile { agent, scope, event, path: path.clone() }.removed(records));
            files.into_iter().collect::<Result<_, _>>()?
        }
        form @ (ConfigForm::Groups { .. }
        | ConfigForm::List(_)
        | ConfigForm::Tables
        | ConfigForm::Sequences) => vec![without_entries(form, &path, records)?],
    };
    let mut plan = Plan { agent, scope, changes };
    plan.changes.retain(|change| !change.file.is_nothing() || records.of(change.path()).is_some());
    check_writable(&plan)?;
    Ok(plan)
}

fn check_writable(plan: &Plan) -> Result<(), InstallError> {
    for change in plan.changes.iter().filter(|change| !change.file.is_nothing()) {
        change.file.file().check_writable().map_err(|why| at(change.path(), why))?;
    }
    Ok(())
}

fn path(agent: &AgentConfig, scope: Scope, places: &Places) -> Result<PathBuf, InstallError> {
    let instead = match scope {
        Scope::User if agent.user.is_none() => Some(Scope::Project),
        Scope::Project if agent.project.is_none() => Some(Scope::User),
        Scope::User | Scope::Project => None,
    };
    if let Some(instead) = instead {
        return Err(InstallError::NoScope { title: agent.dialect().title, missing: scope, instead });
    }
    agent.path(scope, places).ok_or(InstallError::NoHome)
}

/// Returns true if entries of becket rewrite shell lines: a repair must not end that. A file that can't be read is
/// reported by the following step.
fn rewrites_lines(agent: &AgentConfig, path: &Path) -> bool {
    let text = |path: &Path| {
        let file = ConfigFile::read(path).ok()?;
        file.text().ok().map(str::to_owned)
    };
    let rewrites =
        |words: Option<Vec<String>>| words.is_some_and(|words| words.iter().any(|word| word == EXEC_REWRITE));
    let is_rewriting = |path: &Path| text(path).is_some_and(|text| rewrites(started_by(agent.form, &text)));
    match agent.form {
        ConfigForm::Scripts => agent.fired().into_iter().any(|event| is_rewriting(&path.join(event.name))),
        ConfigForm::Plugin(_) => is_rewriting(path),
        form @ (ConfigForm::Groups { .. }
        | ConfigForm::List(_)
        | ConfigForm::Tables
        | ConfigForm::Sequences) => {
            let text = text(path).unwrap_or_default();
            let own = ConfigText::new(form, &text).own_entries().unwrap_or_default();
            own.iter().any(|entry| rewrites(own_words(&entry.command)))
        }
    }
}

/// Returns the record of a file, or that of a file with the same content whose project has moved here.
fn known(records: &Records, file: &ConfigFile) -> Option<FileRecord> {
    records.of(file.path()).cloned().or_else(|| records.moved_to(file.path(), file.bytes()?))
}

/// Returns the change that adds entries to a file.
fn entries(
    agent: &AgentConfig,
    scope: Scope,
    path: &Path,
    command: &HookCommand<'_>,
    events: &[RegisteredEvent],
    records: &Records,
) -> Result<Change, InstallError> {
    let file = ConfigFile::read(path).map_err(|why| at(path, why))?;
    let known = known(records, &file);
    let known = known.as_ref();
    let refused = |why| InstallError::Document { path: path.to_owned(), why };
    let before = bare(agent.form, &file, known)?;
    let entries: Vec<Entry> = events
        .iter()
        .map(|event| Entry {
            event: event.name.to_owned(),
            command: command.text(event),
            limit: agent.in_unit(agent.limit(event.name, command.longest)),
        })
        .collect();
    let edited = ConfigText::new(agent.form, &before).add(&entries).map_err(refused)?;
    let insertions = edited.insertions();
    let mut created = edited.created;
    created.extend(known.map(|known| known.created.clone()).unwrap_or_default());
    created.sort();
    created.dedup();
    let after = edited.text.into_bytes();
    let record = FileRecord {
        path: path.to_owned(),
        agent: agent.name.to_owned(),
        scope,
        existed: known.map_or(file.bytes().is_some(), |known| known.existed),
        digest: digest(&after),
        inserted: edited.inserted,
        insertions,
        created,
        directories: known.map_or_else(|| file.missing_directories(), |known| known.directories.clone()),
    };
    let file = FileChange::new(file, Some(after), false);
    Ok(Change { file, record: Some(record), directories: Vec::new() })
}

/// Returns the text of a file without own entries.
fn bare(form: ConfigForm, file: &ConfigFile, known: Option<&FileRecord>) -> Result<String, InstallError> {
    let path = file.path();
    let text = file.text().map_err(|why| at(path, why))?;
    let original = known.and_then(|known| known.original(text.as_bytes()));
    if let Some(original) = original.and_then(|original| String::from_utf8(original).ok()) {
        return Ok(original);
    }
    let text = ConfigText::new(form, text);
    let refused = |why| InstallError::Document { path: path.to_owned(), why };
    if text.own_entries().map_err(refused)?.is_empty() {
        return Ok(file.text().map_err(|why| at(path, why))?.to_owned());
    }
    let (created, insertions) =
        known.map_or((&[][..], &[][..]), |known| (&known.created[..], &known.insertions[..]));
    Ok(text.remove_inserted(created, insertions).map_err(refused)?.text)
}

/// Returns the change that removes the entries of a file.
fn without_entries(form: ConfigForm, path: &Path, records: &Records) -> Result<Change, InstallError> {
    let file = ConfigFile::read(path).map_err(|why| at(path, why))?;
    let known = known(records, &file);
    let known = known.as_ref();
    if file.bytes().is_none() {
        return Ok(gone(file, known));
    }
    let text = bare(form, &file, known)?;
    let is_new = known.is_some_and(|known| !known.existed);
    let directories = known.map_or_else(Vec::new, |known| known.directories.clone());
    let after = if is_new && ConfigText::new(form, &text).is_bare() { None } else { Some(text.into_bytes()) };
    Ok(Change { file: FileChange::new(file, after, false), record: None, directories })
}

/// Returns the change of a file that no longer exists.
fn gone(file: ConfigFile, known: Option<&FileRecord>) -> Change {
    let directories = known.map_or_else(Vec::new, |known| known.directories.clone());
    Change { file: FileChange::new(file, None, false), record: None, directories }
}

/// A file that is Becket's own as a whole: the script of an event, or a plugin.
struct OwnFile {
    agent: &'static AgentConfig,
    scope: Scope,
    /// The event of a script, or the first one of a plugin.
    event: RegisteredEvent,
    path: PathBuf,
}

impl OwnFile {
    /// Returns the change that writes the file.
    fn written(&self, text: String, repair: bool, records: &Records) -> Result<Change, InstallError> {
        let path = &self.path;
        let file = ConfigFile::read(path).map_err(|why| at(path, why))?;
        let known = known(records, &file);
        if let Some(bytes) = file.bytes() {
            if !is_own_file(self.agent.form, &String::from_utf8_lossy(bytes)) {
                return Err(InstallError::Foreign { path: path.clone() });
            }
            let edit = self.edit(bytes, known.as_ref()).filter(|_| bytes != text.as_bytes() && !repair);
            if let Some(edit) = edit {
                return Err(InstallError::Edited {
                    path: path.clone(),
                    edit,
                    remedy: "`--repair` writes it again",
                });
            }
        }
        let record = FileRecord {
            path: path.clone(),
            agent: self.agent.name.to_owned(),
            scope: self.scope,
            existed: false,
            digest: digest(text.as_bytes()),
            inserted: Vec::new(),
            insertions: Vec::new(),
            created: Vec::new(),
            directories: known.map_or_else(|| file.missing_directories(), |known| known.directories),
        };
        let is_program = matches!(self.agent.form, ConfigForm::Scripts);
        let file = FileChange::new(file, Some(text.into_bytes()), is_program);
        Ok(Change { file, record: Some(record), directories: Vec::new() })
    }

    /// Returns the change that removes the file.
    fn removed(&self, records: &Records) -> Result<Change, InstallError> {
        let path = &self.path;
        let file = ConfigFile::read(path).map_err(|why| at(path, why))?;
        let known = known(records, &file);
        let Some(bytes) = file.bytes() else { return Ok(gone(file, known.as_ref())) };
        if !is_own_file(self.agent.form, &String::from_utf8_lossy(bytes)) {
            let after = Some(bytes.to_owned());
            let file = FileChange::new(file, after, false);
            return Ok(Change { file, record: None, directories: Vec::new() });
        }
        if let Some(edit) = self.edit(bytes, known.as_ref()) {
            return Err(InstallError::Edited { path: path.clone(), edit, remedy: "remove it by hand" });
        }
        Ok(gone(file, known.as_ref()))
    }

    /// Returns the way in which the content differs from the one that Becket wrote: the recorded one, or without a
    /// record that of this version.
    fn edit(&self, bytes: &[u8], known: Option<&FileRecord>) -> Option<&'static str> {
        if let Some(known) = known {
            return (known.digest != digest(bytes)).then_some("was edited since becket wrote it");
        }
        let written = |text: &str| current_text(self.agent, self.scope, &self.event, text);
        let is_current = std::str::from_utf8(bytes).is_ok_and(|text| written(text).as_deref() == Some(text));
        (!is_current).then_some("was edited, or written by another version of becket")
    }
}
