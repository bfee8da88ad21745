//! The plan to add guards to a project, or to update them.

use crate::document::SettingsItem;
use crate::file_change::FileChange;
use crate::guard::answers::{Answers, complete, filled, filled_element, in_toml};
use crate::guard::change::{GuardPlan, planned};
use crate::guard::error::GuardError;
use crate::guard::facts::RepositoryFacts;
use crate::guard::folder::{CASES, Guard, GuardFile, place};
use crate::guard::record::{GuardRecord, GuardRecords};
use crate::guard::settings::ProjectSettings;
use crate::record::digest;
use becket_base::config_file::ConfigFile;
use becket_base::on_disk;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A guard to add.
#[derive(Debug, Clone)]
pub struct Addition {
    /// The guard.
    pub guard: Guard,
    /// Its origin: `becket`, a directory, or `github:OWNER/REPO@COMMIT`.
    pub source: String,
    /// The answers of the user. The others are those of an earlier addition, facts or defaults.
    pub answers: Answers,
}

/// Plans to add guards to the project in `root`. Unchanged parts of an earlier addition stay as they are, and rules and
/// hooks of it that the settings have lost are restored.
///
/// # Errors
/// See [`GuardError`].
pub fn add_guards(
    root: &Path,
    additions: &[Addition],
    facts: &RepositoryFacts,
) -> Result<GuardPlan, GuardError> {
    let before = GuardRecords::read(root)?;
    let settings = ProjectSettings::read(root)?;
    let bare = settings.bare(&before)?;
    let mut after = before.clone();
    let (mut changes, mut kept) = (Vec::new(), Vec::new());
    for addition in additions {
        let name = &addition.guard.manifest.name;
        let known = before.guards.get(name);
        let answers = answers(addition, known, facts)?;
        let written = GuardFiles { root, guard: name, known };
        let files = files_of(&addition.guard, &answers);
        for file in &files {
            changes.extend(written.file(file)?);
        }
        let (stale, edited) = written.stale(&files)?;
        changes.extend(stale);
        kept.extend(edited);
        let mut items = Vec::new();
        for item in items_of(&addition.guard, &answers) {
            // Parts of the user's own settings stay when the guard is removed.
            if !settings.contains(&bare, &item)? {
                items.push(item);
            }
        }
        let digests = files.iter().map(|file| (place(name, &file.path), digest(&file.bytes)));
        let record = GuardRecord {
            source: addition.source.clone(),
            hash: addition.guard.hash.clone(),
            answers,
            files: digests.map(|(path, digest)| (path.to_string_lossy().into_owned(), digest)).collect(),
            items,
        };
        after.guards.insert(name.clone(), record);
    }
    let names: Vec<&str> = additions.iter().map(|addition| addition.guard.manifest.name.as_str()).collect();
    let (change, record) = settings.rewritten(&before, &after, &names)?;
    after.settings = record;
    after.directories = directories(root, &before, changes.iter().chain([&change]));
    // The settings come last, so that every script exists by then.
    changes.push(after.change(root)?);
    changes.push(change);
    check_inside(root, &changes)?;
    Ok(GuardPlan { changes, kept, directories: Vec::new() })
}

fn answers(
    addition: &Addition,
    known: Option<&GuardRecord>,
    facts: &RepositoryFacts,
) -> Result<Answers, GuardError> {
    let manifest = &addition.guard.manifest;
    let mut given = known.map(|known| known.answers.clone()).unwrap_or_default();
    given.retain(|id, _| manifest.questions.iter().any(|question| question.id == *id));
    given.extend(addition.answers.clone());
    complete(manifest, &given, facts)
}

/// Returns the files of a guard as they are written. A file that is not text has no placeholders.
fn files_of(guard: &Guard, answers: &Answers) -> Vec<GuardFile> {
    let filled = |file: &GuardFile| {
        let text = std::str::from_utf8(&file.bytes).ok()?;
        Some(match file.path.as_str() {
            CASES => filled(text, answers, in_toml),
            _ => filled(text, answers, str::to_owned),
        })
    };
    let file = |file: &GuardFile| GuardFile {
        bytes: filled(file).map_or_else(|| file.bytes.clone(), String::into_bytes),
        ..file.clone()
    };
    guard.files.iter().map(file).collect()
}

fn items_of(guard: &Guard, answers: &Answers) -> Vec<SettingsItem> {
    let items = guard.manifest.items().into_iter();
    let filled = items.flat_map(|item| {
        let values = filled_element(&item.value, answers).into_iter();
        values.map(move |value| SettingsItem { value, ..item.clone() }).collect::<Vec<_>>()
    });
    filled.collect()
}

/// The files of a guard in a project.
struct GuardFiles<'a> {
    root: &'a Path,
    guard: &'a str,
    known: Option<&'a GuardRecord>,
}

impl GuardFiles<'_> {
    /// Returns the change that writes a file; `None` if the user has edited a file that the guard has not changed.
    fn file(&self, file: &GuardFile) -> Result<Option<FileChange>, GuardError> {
        let place = place(self.guard, &file.path);
        let path = self.root.join(&place);
        let now = ConfigFile::read(&path).map_err(|why| GuardError::File { path: path.clone(), why })?;
        let known = self.known.and_then(|known| known.files.get(place.to_string_lossy().as_ref()));
        let new = digest(&file.bytes);
        match (now.bytes().map(digest), known) {
            // Its mode may differ.
            (Some(now), _) if now == new => {}
            (Some(now), Some(known)) if now != *known && *known == new => return Ok(None),
            (Some(now), Some(known)) if now != *known => {
                return Err(GuardError::Edited { path, guard: self.guard.to_owned() });
            }
            (Some(_), None) => return Err(GuardError::Foreign { path, guard: self.guard.to_owned() }),
            (Some(_), Some(_)) | (None, _) => {}
        }
        planned(now, Some(file.bytes.clone()), file.executable).map(Some)
    }

    /// Returns the removals of files that the guard no longer has, and those that stay since they were edited.
    fn stale(&self, files: &[GuardFile]) -> Result<(Vec<FileChange>, Vec<PathBuf>), GuardError> {
        let mut known: BTreeMap<String, String> =
            self.known.map(|known| known.files.clone()).unwrap_or_default();
        for file in files {
            known.remove(place(self.guard, &file.path).to_string_lossy().as_ref());
        }
        removals(self.root, &known)
    }
}

/// Checks that no change is outside of the project: a link in a repository may lead anywhere.
pub(super) fn check_inside(root: &Path, changes: &[FileChange]) -> Result<(), GuardError> {
    let changed = changes.iter().filter(|change| !change.is_nothing()).map(FileChange::path);
    match changed.into_iter().find(|path| !is_in_project(root, path)) {
        Some(path) => Err(GuardError::Outside { path: path.to_owned() }),
        None => Ok(()),
    }
}

/// Returns true if a path is in the project once its links are resolved.
pub(super) fn is_in_project(root: &Path, path: &Path) -> bool {
    on_disk(path).starts_with(on_disk(root))
}

/// Returns the removals of files by their digests, and the paths of those that were edited.
pub(super) fn removals(
    root: &Path,
    files: &BTreeMap<String, String>,
) -> Result<(Vec<FileChange>, Vec<PathBuf>), GuardError> {
    let (mut gone, mut edited) = (Vec::new(), Vec::new());
    for (path, known) in files {
        let path = root.join(path);
        let file = ConfigFile::read(&path).map_err(|why| GuardError::File { path: path.clone(), why })?;
        match file.bytes().map(digest) {
            None => {}
            Some(now) if now == *known => gone.push(planned(file, None, false)?),
            Some(_) => edited.push(path),
        }
    }
    Ok((gone, edited))
}

/// Returns the directories that guards have created or will create, from the root of the project, the outermost first.
fn directories<'c>(
    root: &Path,
    before: &GuardRecords,
    changes: impl Iterator<Item = &'c FileChange>,
) -> Vec<PathBuf> {
    let mut all = before.directories.clone();
    let new = changes.flat_map(FileChange::new_directories);
    all.extend(new.filter_map(|directory| directory.strip_prefix(root).map(Path::to_owned).ok()));
    all.sort();
    all.dedup();
    all
}
