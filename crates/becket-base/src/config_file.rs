//! A configuration file as it was read, and its replacement: whole or not at all, and only if it is unchanged.
//!
//! A link stays a link, its target is replaced; mode and owner stay. Two writers of this kind exclude each other. A
//! change that any other program makes before the last moment is noticed: the file is left alone, or edited again.

use crate::file_lock::DirectoryLock;
use crate::private_file::{Replacement, options, remove_left_over, sync_parent};
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The size beyond which a file is not a configuration.
const LIMIT: u64 = 16 * 1024 * 1024;

/// The number of attempts to edit a file that other programs change at the same time.
const ATTEMPTS: u32 = 6;

/// The access mode of a file that is created; an existing file keeps its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Readable as far as the process's umask allows.
    AsUsual,
    /// Executable as well.
    Executable,
    /// Readable by its owner alone.
    Private,
}

/// A file as it was read.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    path: PathBuf,
    /// The file that a link leads to, or the path itself.
    target: PathBuf,
    bytes: Option<Vec<u8>>,
    attributes: Option<Attributes>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Attributes {
    mode: u32,
    owner: u32,
    group: u32,
    links: u64,
}

/// The reason why a file was not read or changed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file can't be read.
    #[error("it can't be read: {0}")]
    Read(io::Error),
    /// The path is a link that leads nowhere.
    #[error("it is a link to `{}`, which does not exist: create the file, or remove the link", .0.display())]
    Dangling(PathBuf),
    /// The path is a directory, a pipe or another special file.
    #[error("it is not a regular file")]
    NotFile,
    /// The file is too large.
    #[error("it is larger than {} MiB", LIMIT / (1024 * 1024))]
    TooLarge,
    /// The file is not UTF-8.
    #[error("it is not UTF-8 from byte {0} on")]
    NotUtf8(usize),
    /// The file is read-only.
    #[error("it is read-only (mode {0:03o}): run `chmod u+w` on it if it may be changed")]
    ReadOnly(u32),
    /// The directory of the file is read-only.
    #[error("`{}` is read-only: run `chmod u+w` on it if it may be changed", .0.display())]
    ReadOnlyDirectory(PathBuf),
    /// The file has several names, of which only one would be changed.
    #[error("it has {0} names (hard links), of which only one would be changed: edit it by hand")]
    HardLinks(u64),
    /// The file was changed since it was read.
    #[error("it was changed meanwhile, so it was left alone: run the command again")]
    Changed,
    /// Another process is changing a file in the same directory.
    #[error(
        "another process is changing a file in its directory, so it was left alone: run the command again"
    )]
    Busy,
    /// The file can't be written.
    #[error("it can't be written, and is as it was: {0}")]
    Write(io::Error),
}

/// The reason why a file was not edited.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError<E> {
    /// The file can't be read or changed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The text can't be edited.
    #[error(transparent)]
    Edit(E),
}

impl ConfigFile {
    /// Reads a file; it need not exist.
    ///
    /// # Errors
    /// See [`FileError`].
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let Some(target) = target_of(path)? else {
            return Ok(ConfigFile {
                path: path.to_owned(),
                target: path.to_owned(),
                bytes: None,
                attributes: None,
            });
        };
        let metadata = target.metadata().map_err(FileError::Read)?;
        if !metadata.is_file() {
            return Err(FileError::NotFile);
        }
        if metadata.len() > LIMIT {
            return Err(FileError::TooLarge);
        }
        let bytes = fs::read(&target).map_err(FileError::Read)?;
        let attributes = Some(Attributes::of(&metadata));
        Ok(ConfigFile { path: path.to_owned(), target, bytes: Some(bytes), attributes })
    }

    /// Returns the path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the content; `None` if there is no file.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref()
    }

    /// Returns the content as text; empty if there is no file.
    ///
    /// # Errors
    /// Errors if the content is not UTF-8.
    pub fn text(&self) -> Result<&str, FileError> {
        std::str::from_utf8(self.bytes().unwrap_or_default())
            .map_err(|error| FileError::NotUtf8(error.valid_up_to()))
    }

    /// Returns the directories above the file that do not exist, the outermost first.
    pub fn missing_directories(&self) -> Vec<PathBuf> {
        let above = self.target.ancestors().skip(1).take_while(|directory| !directory.exists());
        let mut missing: Vec<PathBuf> = above.map(Path::to_owned).collect();
        missing.reverse();
        missing
    }

    /// Checks that the file may be replaced.
    ///
    /// # Errors
    /// Errors if the file is read-only, or has several names.
    pub fn check_writable(&self) -> Result<(), FileError> {
        let Some(attributes) = self.attributes else { return Ok(()) };
        if cfg!(unix) && attributes.mode & 0o200 == 0 {
            return Err(FileError::ReadOnly(attributes.mode & 0o777));
        }
        if attributes.links > 1 {
            return Err(FileError::HardLinks(attributes.links));
        }
        Ok(())
    }

    /// Checks that the directory of the file, or the nearest one that exists, may be written.
    ///
    /// # Errors
    /// Errors if its mode lets nobody write it.
    pub fn check_directory(&self) -> Result<(), FileError> {
        let Some(directory) = self.target.ancestors().skip(1).find(|directory| directory.exists()) else {
            return Ok(());
        };
        let metadata = directory.metadata().map_err(FileError::Read)?;
        match cfg!(unix) && metadata.permissions().readonly() {
            true => Err(FileError::ReadOnlyDirectory(directory.to_owned())),
            false => Ok(()),
        }
    }

    /// Edits the text of a file, and creates the file with its directory if it does not exist. A missing file has an
    /// empty text, and a text that stays the same is not written. `edit` is called again if the file changes meanwhile.
    /// Blocks the thread while another process changes a file in the same directory.
    ///
    /// # Errors
    /// Errors with the error of `edit`, or if the file can't be read or written; it is then as it was.
    pub fn update<E>(
        path: &Path,
        access: Access,
        mut edit: impl FnMut(&str) -> Result<String, E>,
    ) -> Result<(), UpdateError<E>> {
        for _ in 0..ATTEMPTS {
            let target = target_of(path)?.unwrap_or_else(|| path.to_owned());
            let directory = directory_of(&target);
            let is_there = directory.is_dir();
            let _lock = lock(&target)?;
            let file = ConfigFile::read(path)?;
            let old = file.text()?;
            let new = edit(old).map_err(UpdateError::Edit)?;
            if new == old {
                return Ok(());
            }
            if !is_there {
                // A missing directory can't be locked.
                fs::create_dir_all(directory).map_err(FileError::Write)?;
                continue;
            }
            match file.put(Some(new.as_bytes()), access) {
                Err(FileError::Changed) => {}
                written => return Ok(written?),
            }
        }
        Err(FileError::Changed.into())
    }

    /// Replaces the file, or removes it for `None`. Blocks the thread while another process changes a file in the same
    /// directory.
    ///
    /// # Errors
    /// Errors if the file can't be replaced, or has changed since it was read; it is then as it was.
    pub fn replace(&self, new: Option<&[u8]>, access: Access) -> Result<(), FileError> {
        if new.is_some() {
            fs::create_dir_all(directory_of(&self.target)).map_err(FileError::Write)?;
        }
        let _lock = lock(&self.target)?;
        self.put(new, access)
    }

    /// Replaces the file in a directory that is locked.
    fn put(&self, new: Option<&[u8]>, access: Access) -> Result<(), FileError> {
        self.check_writable()?;
        self.remove_left_over();
        let Some(new) = new else {
            self.check_unchanged()?;
            return fs::remove_file(&self.target).map_err(FileError::Write);
        };
        let mut replacement =
            Replacement::beside(&self.target, &self.options(access)).map_err(FileError::Write)?;
        self.keep_attributes(&mut replacement).map_err(FileError::Write)?;
        replacement.write(new).map_err(FileError::Write)?;
        self.check_unchanged()?;
        replacement.commit(&self.target).map_err(FileError::Write)?;
        sync_parent(&self.target);
        Ok(())
    }

    /// Removes files that a process left beside this one because it was killed while replacing it. Replacing or
    /// removing the file does this as well.
    pub fn remove_left_over(&self) {
        remove_left_over(&self.target);
    }

    /// Returns the options of the copy, which is private until it has the mode of an existing file.
    fn options(&self, access: Access) -> OpenOptions {
        let mode = match access {
            Access::AsUsual => 0o666,
            Access::Executable => 0o777,
            Access::Private => return options(),
        };
        if self.attributes.is_some() {
            return options();
        }
        #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no modes"))]
        let mut new = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut new, mode);
        #[cfg(not(unix))]
        let _ = mode;
        new
    }

    #[cfg(unix)]
    fn keep_attributes(&self, replacement: &mut Replacement) -> io::Result<()> {
        use rustix::fs::{Gid, Uid, fchown};
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
        let Some(kept) = self.attributes else { return Ok(()) };
        let file = replacement.file();
        let metadata = file.metadata()?;
        if (metadata.uid(), metadata.gid()) != (kept.owner, kept.group) {
            let (owner, group) = (Uid::from_raw(kept.owner), Gid::from_raw(kept.group));
            fchown(&*file, Some(owner), Some(group))?;
        }
        file.set_permissions(fs::Permissions::from_mode(kept.mode & 0o7777))
    }

    #[cfg(not(unix))]
    fn keep_attributes(&self, _: &mut Replacement) -> io::Result<()> {
        Ok(())
    }

    fn check_unchanged(&self) -> Result<(), FileError> {
        let now = ConfigFile::read(&self.path)?;
        let is_same =
            now.bytes == self.bytes && now.target == self.target && now.attributes == self.attributes;
        if is_same { Ok(()) } else { Err(FileError::Changed) }
    }
}

/// Returns the file that a path leads to; `None` if there is no file.
fn target_of(path: &Path) -> Result<Option<PathBuf>, FileError> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::Read(error)),
        Ok(metadata) if !metadata.is_symlink() => Ok(Some(path.to_owned())),
        Ok(_) => path.canonicalize().map(Some).map_err(|error| match error.kind() == ErrorKind::NotFound {
            true => FileError::Dangling(path.read_link().unwrap_or_default()),
            false => FileError::Read(error),
        }),
    }
}

fn directory_of(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn lock(target: &Path) -> Result<DirectoryLock, FileError> {
    DirectoryLock::of(target).map_err(|_| FileError::Busy)
}

impl Attributes {
    #[cfg(unix)]
    fn of(metadata: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Attributes {
            mode: metadata.mode(),
            owner: metadata.uid(),
            group: metadata.gid(),
            links: metadata.nlink(),
        }
    }

    #[cfg(not(unix))]
    fn of(metadata: &fs::Metadata) -> Self {
        let mode = if metadata.permissions().readonly() { 0o444 } else { 0o644 };
        Attributes { mode, owner: 0, group: 0, links: 1 }
    }
}

#[cfg(test)]
mod tests;
