//! A configuration file as it was read, and its replacement: whole or not at all, and only if it is unchanged.
//!
//! A link stays a link, its target is replaced; mode and owner stay.

use becket_base::private_file::{Replacement, options, remove_left_over, sync_parent};
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The size beyond which a file is not a configuration.
const LIMIT: u64 = 16 * 1024 * 1024;

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
    #[error("it is a link to `{}`, which is not there: make the file, or remove the link", .0.display())]
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
    /// The file can't be written.
    #[error("it can't be written, and is as it was: {0}")]
    Write(io::Error),
}

impl ConfigFile {
    /// Reads a file; it need not exist.
    ///
    /// # Errors
    /// See [`FileError`].
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let absent =
            |target: PathBuf| ConfigFile { path: path.to_owned(), target, bytes: None, attributes: None };
        let metadata = match path.symlink_metadata() {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound) => return Ok(absent(path.to_owned())),
            Err(error) => return Err(FileError::Read(error)),
            Ok(metadata) => metadata,
        };
        let mut target = path.to_owned();
        if metadata.is_symlink() {
            target = path.canonicalize().map_err(|error| match error.kind() == ErrorKind::NotFound {
                true => FileError::Dangling(path.read_link().unwrap_or_default()),
                false => FileError::Read(error),
            })?;
        }
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

    /// Replaces the file, or removes it for `None`. `executable` counts for a new file.
    ///
    /// # Errors
    /// Errors if the file can't be replaced; it is then as it was.
    pub fn replace(&self, new: Option<&[u8]>, executable: bool) -> Result<(), FileError> {
        self.check_writable()?;
        self.check_unchanged()?;
        let Some(new) = new else {
            return fs::remove_file(&self.target).map_err(FileError::Write);
        };
        if let Some(directory) = self.target.parent() {
            fs::create_dir_all(directory).map_err(FileError::Write)?;
        }
        let mut replacement =
            Replacement::beside(&self.target, &self.options(executable)).map_err(FileError::Write)?;
        self.keep_attributes(&mut replacement).map_err(FileError::Write)?;
        replacement.write(new).map_err(FileError::Write)?;
        self.check_unchanged()?;
        replacement.commit(&self.target).map_err(FileError::Write)?;
        sync_parent(&self.target);
        Ok(())
    }

    /// Removes files that a process left beside this one because it was killed while replacing it.
    pub(crate) fn remove_left_over(&self) {
        remove_left_over(&self.target);
    }

    /// Returns the options of the copy, which is private until it has the mode of an existing file.
    fn options(&self, executable: bool) -> OpenOptions {
        if self.attributes.is_some() {
            return options();
        }
        #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no modes"))]
        let mut new = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut new, if executable { 0o777 } else { 0o666 });
        #[cfg(not(unix))]
        let _ = executable;
        new
    }

    #[cfg(unix)]
    fn keep_attributes(&self, replacement: &mut Replacement) -> io::Result<()> {
        use rustix::fs::{Gid, Mode, Uid, fchmod, fchown};
        use std::os::unix::fs::MetadataExt;
        let Some(kept) = self.attributes else { return Ok(()) };
        let file = replacement.file();
        let metadata = file.metadata()?;
        if (metadata.uid(), metadata.gid()) != (kept.owner, kept.group) {
            let (owner, group) = (Uid::from_raw(kept.owner), Gid::from_raw(kept.group));
            fchown(&*file, Some(owner), Some(group))?;
        }
        fchmod(&*file, Mode::from_raw_mode(kept.mode & 0o7777))?;
        Ok(())
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
