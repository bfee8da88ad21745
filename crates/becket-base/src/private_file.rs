//! Files and directories that only their owner may use.
//!
//! Files are created with mode 0600 and directories with mode 0700, from the first byte on and whatever the umask. No
//! file is opened through a symbolic link, and opening a pipe does not wait for its other end. On systems without such
//! modes, a file has the rights of its directory.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Returns options that create private files and follow no link; the caller adds how to open.
#[must_use]
pub fn options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no modes"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options
}

/// Creates a file that must not exist yet.
///
/// # Errors
/// Errors if the file can't be created; the kind is `AlreadyExists` if there is anything at that path, even a link.
pub fn create_new(path: &Path) -> io::Result<File> {
    options().write(true).create_new(true).open(path)
}

/// Creates a directory and those above it; existing ones stay as they are.
///
/// # Errors
/// Errors if the directory can't be created.
pub fn create_dir(path: &Path) -> io::Result<()> {
    dir_builder().recursive(true).create(path)
}

/// Creates a directory that must not exist yet.
///
/// # Errors
/// Errors if the directory can't be created; the kind is `AlreadyExists` if there is anything at that path.
pub fn create_new_dir(path: &Path) -> io::Result<()> {
    dir_builder().create(path)
}

/// Creates the directory of a file, as [`create_dir`] does.
///
/// # Errors
/// Errors if the directory can't be created.
pub fn create_parent(path: &Path) -> io::Result<()> {
    match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => create_dir(parent),
        None => Ok(()),
    }
}

fn dir_builder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// The reason why an open file is not private.
#[derive(Debug, thiserror::Error)]
pub enum NotPrivate {
    /// The file is a directory, a pipe or another special file.
    #[error("it is not a regular file")]
    NotFile,
    /// Another user owns the file.
    #[error("it belongs to the user {0}")]
    OtherOwner(u32),
    /// Others may read or write the file.
    #[error("others may read or write it (mode {0:03o}): run `chmod 600` on it")]
    Mode(u32),
    /// The system can't describe the file.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Checks that an open file is a regular one of this user, and that others can't use it.
///
/// # Errors
/// See [`NotPrivate`].
pub fn check(file: &File) -> Result<(), NotPrivate> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(NotPrivate::NotFile);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(NotPrivate::OtherOwner(metadata.uid()));
        }
        if metadata.mode() & 0o077 != 0 {
            return Err(NotPrivate::Mode(metadata.mode() & 0o777));
        }
    }
    Ok(())
}

/// Replaces the file at `path`, or creates it: a reader sees the old bytes or the new ones, also after a loss of power.
/// A link at `path` is replaced, not followed.
///
/// # Errors
/// Errors if the file can't be written; the old file is then unchanged.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut new = Replacement::beside(path, &options())?;
    new.write(bytes)?;
    new.commit(path)?;
    sync_parent(path);
    Ok(())
}

/// Makes a new name in the directory of `path` survive a loss of power, if the system can do that.
pub fn sync_parent(path: &Path) {
    #[cfg(unix)]
    if let Some(Ok(directory)) = path.parent().map(File::open) {
        // The file exists anyway.
        let _ = directory.sync_all();
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// The parts of the name of a file that is to replace another one: around the id of the process that writes it.
const MARK: &str = ".becket-";
const END: &str = ".tmp";

/// Removes the files beside `target` that processes left behind when they were killed while replacing it. Files of
/// running processes stay, and so do files that can't be removed.
pub fn remove_left_over(target: &Path) {
    let (Some(directory), Some(name)) = (target.parent(), target.file_name().and_then(OsStr::to_str)) else {
        return;
    };
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let writer = entry.file_name().to_str().and_then(|of_entry| writer_of(of_entry, name));
        if writer.is_some_and(has_ended) && entry.metadata().is_ok_and(|found| is_own_file(&found)) {
            // A file that stays is harmless.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns the id of the process that writes a file of this name to replace `target`.
fn writer_of(name: &str, target: &str) -> Option<u32> {
    let rest = name.strip_prefix('.')?.strip_prefix(target)?.strip_prefix(MARK)?.strip_suffix(END)?;
    let (process, number) = rest.split_once('-')?;
    let _number: u32 = number.parse().ok()?;
    process.parse().ok()
}

#[cfg(unix)]
fn has_ended(process: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let id = i32::try_from(process).ok().and_then(Pid::from_raw);
    id.is_some_and(|id| test_kill_process(id) == Err(rustix::io::Errno::SRCH))
}

/// Returns false, as the end of a process can't be detected on this platform.
#[cfg(not(unix))]
fn has_ended(_process: u32) -> bool {
    false
}

fn is_own_file(found: &fs::Metadata) -> bool {
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::uid(found) != rustix::process::geteuid().as_raw() {
        return false;
    }
    found.is_file()
}

/// A new file that takes the name of another one with [`Replacement::commit`]. If it is dropped before, it is removed.
#[derive(Debug)]
pub struct Replacement {
    path: PathBuf,
    file: File,
    is_committed: bool,
}

impl Replacement {
    /// Creates the file at `path`, after removing what an ended process left there. Only one process may use that path.
    ///
    /// # Errors
    /// Errors if the file can't be created.
    pub fn create(path: PathBuf, options: &OpenOptions) -> io::Result<Self> {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Self::create_new(path, options),
        }
    }

    /// Creates the file in the directory of `target`, under a name that no other process or thread uses.
    ///
    /// # Errors
    /// Errors if the file can't be created.
    pub fn beside(target: &Path, options: &OpenOptions) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let name = format!(".{name}{MARK}{}-{number}{END}", std::process::id());
        // An ended process may have had the same id.
        Self::create(target.with_file_name(name), options)
    }

    fn create_new(path: PathBuf, options: &OpenOptions) -> io::Result<Self> {
        let file = options.clone().write(true).create_new(true).open(&path)?;
        Ok(Self { path, file, is_committed: false })
    }

    /// Returns the open file.
    #[must_use]
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Writes the bytes to the disk.
    ///
    /// # Errors
    /// Errors if the bytes can't be written.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.file.sync_all()
    }

    /// Gives the file the name `target`.
    ///
    /// # Errors
    /// Errors if the file can't be renamed; it is then removed.
    pub fn commit(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.is_committed = true;
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.is_committed {
            // There is no caller to report to, and the error that matters has already been reported.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests;
