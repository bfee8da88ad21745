//! The file to which a line's shell writes its final directory: in a directory of its own that is removed with the
//! call, so that nothing is left if it is written late.

use becket_base::private_file;
use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// The maximum length of a path that is read, in bytes; more than any system call accepts.
const LONGEST: u64 = 16 << 10;

/// The final state of a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShellWas {
    At(PathBuf),
    /// In a directory that no longer exists.
    Nowhere,
}

/// The place of one report.
#[derive(Debug)]
pub(super) struct Report {
    directory: PathBuf,
}

impl Report {
    /// Creates the place, below a private directory.
    pub(super) fn new(below: &Path) -> io::Result<Self> {
        let name = format!("cwd-{:016x}", RandomState::new().hash_one(below));
        let directory = below.join(name);
        private_file::create_dir(below)?;
        std::fs::create_dir(&directory)?;
        Ok(Self { directory })
    }

    /// Returns the name of the file for the shell.
    ///
    /// # Errors
    /// Errors if the name is not valid text.
    pub(super) fn file(&self) -> io::Result<String> {
        let file = self.directory.join("cwd").into_os_string().into_string();
        file.map_err(|file| io::Error::other(format!("`{}` is not text", Path::new(&file).display())))
    }

    /// Reads the state of the shell; `None` if it wrote none.
    pub(super) fn read(&self) -> Option<ShellWas> {
        use std::io::Read;
        let mut bytes = Vec::new();
        let file = std::fs::File::open(self.directory.join("cwd")).ok()?;
        file.take(LONGEST).read_to_end(&mut bytes).ok()?;
        let content = bytes.strip_suffix(b".\n")?;
        Some(match content.strip_suffix(b"\n") {
            Some(path) => ShellWas::At(PathBuf::from(text(path.to_vec()))),
            None => ShellWas::Nowhere,
        })
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

#[cfg(unix)]
fn text(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn text(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}
