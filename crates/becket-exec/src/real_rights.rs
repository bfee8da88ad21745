//! Conversion of rights as written to rights on this system: links are followed, and missing paths are judged
//! (protocol.md E5).

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use becket_model::{PathRights, Rights};

use crate::error::StartError;

/// Returns the rights with absolute paths without links.
///
/// An allowed path that is missing grants nothing. A denied path must not come into existence either: if it is
/// missing, or a link leads to it, the directory in which it would be created or replaced can't be written to.
/// `needed` are directories that have to stay writable, besides those that the rights name.
///
/// # Errors
/// Returns [`StartError::RightsPath`] if a directory that has to stay writable would not, or a path can't be examined.
pub fn real_rights(written: &Rights, needed: &[PathBuf]) -> Result<Rights, StartError> {
    let needed: Vec<PathBuf> = needed.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let mut real = Rights {
        read: allowed(&written.read),
        write: allowed(&written.write),
        deny_read: BTreeSet::new(),
        deny_write: BTreeSet::new(),
        network: written.network.clone(),
        signals: written.signals,
    };
    let failed = |path: &Path, why| StartError::RightsPath { path: path.to_owned(), why };
    for path in &written.deny_read {
        let found = PathOnDisk::find(path).map_err(|why| failed(path, why))?;
        keep_links(&found, &needed, &mut real).map_err(|why| failed(path, why))?;
        if found.is_there {
            real.deny_read.insert(found.real);
        }
    }
    for path in &written.deny_write {
        let found = PathOnDisk::find(path).map_err(|why| failed(path, why))?;
        keep_links(&found, &needed, &mut real).map_err(|why| failed(path, why))?;
        if found.is_there {
            real.deny_write.insert(found.real);
        } else {
            keep(&found.real, &needed, &mut real).map_err(|why| failed(path, why))?;
        }
    }
    Ok(real)
}

fn allowed(written: &PathRights) -> PathRights {
    match written {
        PathRights::All => PathRights::All,
        PathRights::Below(paths) => {
            PathRights::below(paths.iter().filter_map(|path| path.canonicalize().ok()))
        }
    }
}

/// Makes the directories unwritable that contain links on the way.
fn keep_links(found: &PathOnDisk, needed: &[PathBuf], real: &mut Rights) -> io::Result<()> {
    found.directories_of_links.iter().try_for_each(|directory| keep(directory, needed, real))
}

/// Makes a directory unwritable if it isn't already.
fn keep(directory: &Path, needed: &[PathBuf], real: &mut Rights) -> io::Result<()> {
    if !real.can_write(directory) {
        return Ok(());
    }
    let is_named = match &real.write {
        PathRights::All => directory == Path::new("/"),
        PathRights::Below(paths) => paths.contains(directory),
    };
    if is_named || needed.iter().any(|needed| needed.starts_with(directory)) {
        let why = format!(
            "it does not exist or is reached by a link, and `{}`, where it could be created, has to be writable; create it \
             first, or name the file itself",
            directory.display()
        );
        return Err(io::Error::other(why));
    }
    real.deny_write.insert(directory.to_owned());
    Ok(())
}

/// A path as found on disk.
#[derive(Debug)]
struct PathOnDisk {
    /// The path without links, as far as it exists.
    real: PathBuf,
    is_there: bool,
    directories_of_links: Vec<PathBuf>,
}

impl PathOnDisk {
    fn find(path: &Path) -> io::Result<Self> {
        let mut found = Self { real: PathBuf::from("/"), is_there: true, directories_of_links: Vec::new() };
        for part in path.components() {
            match part {
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
                Component::ParentDir => {
                    found.real.pop();
                }
                Component::Normal(name) => {
                    let next = found.real.join(name);
                    match fs::symlink_metadata(&next) {
                        Ok(metadata) if metadata.is_symlink() => {
                            found.directories_of_links.push(found.real.clone());
                            match next.canonicalize() {
                                Ok(target) => found.real = target,
                                Err(why) if why.kind() == ErrorKind::NotFound => return Ok(found.missing()),
                                Err(why) => return Err(why),
                            }
                        }
                        Ok(_) => found.real = next,
                        Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                            return Ok(found.missing());
                        }
                        Err(why) => return Err(why),
                    }
                }
            }
        }
        Ok(found)
    }

    fn missing(self) -> Self {
        Self { is_there: false, ..self }
    }
}

#[cfg(all(test, unix))]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn work() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let work = directory.path().canonicalize().unwrap().join("work");
        fs::create_dir_all(work.join("config/hooks")).unwrap();
        (directory, work)
    }

    fn rights(work: &Path, deny_write: &Path) -> Result<Rights, StartError> {
        real_rights(
            &Rights {
                write: PathRights::below([work]),
                deny_write: BTreeSet::from([deny_write.to_owned()]),
                ..Rights::default()
            },
            &[],
        )
    }

    // rule: E5
    #[test]
    fn a_denied_path_that_is_missing_can_not_be_made() {
        let (_directory, work) = work();
        let real = rights(&work, &work.join("config/new/file")).unwrap();
        assert_eq!(real.deny_write, BTreeSet::from([work.join("config")]));
        let refused = rights(&work, &work.join("new")).unwrap_err();
        assert!(refused.to_string().contains("create it first"), "{refused}");
        assert_eq!(rights(&work, Path::new("/nowhere/else")).unwrap().deny_write, BTreeSet::new());
    }

    // rule: E5
    #[test]
    fn a_directory_that_is_needed_stays_writable() {
        let (_directory, work) = work();
        let written = Rights {
            write: PathRights::below([work.parent().unwrap()]),
            deny_write: BTreeSet::from([work.join("new")]),
            ..Rights::default()
        };
        assert_eq!(real_rights(&written, &[]).unwrap().deny_write, BTreeSet::from([work.clone()]));
        assert!(real_rights(&written, std::slice::from_ref(&work)).is_err());
        assert!(real_rights(&written, &[work.join("config")]).is_err());
    }

    // rule: E5
    #[test]
    fn a_link_to_a_denied_path_can_not_be_replaced() {
        let (_directory, work) = work();
        fs::create_dir(work.join("real")).unwrap();
        symlink(work.join("real"), work.join("config/link")).unwrap();
        let real = rights(&work, &work.join("config/link/file")).unwrap();
        assert_eq!(real.deny_write, BTreeSet::from([work.join("config"), work.join("real")]));
        symlink(work.join("config"), work.join("at-top")).unwrap();
        assert!(rights(&work, &work.join("at-top/hooks")).is_err());
    }

    // rule: E5
    #[test]
    fn links_are_followed_and_allowed_paths_that_are_missing_grant_nothing() {
        let (_directory, work) = work();
        symlink(&work, work.with_file_name("linked")).unwrap();
        let written = Rights {
            read: PathRights::below([work.with_file_name("linked"), work.join("missing")]),
            deny_read: BTreeSet::from([work.with_file_name("linked").join("config"), work.join("missing")]),
            ..Rights::default()
        };
        let real = real_rights(&Rights { write: PathRights::below([&work]), ..written }, &[]).unwrap();
        assert_eq!(real.read, PathRights::below([&work]));
        assert_eq!(real.deny_read, BTreeSet::from([work.join("config")]));
    }
}
