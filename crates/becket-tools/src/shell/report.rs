//! The file in which a line's shell writes down where it is: in a directory of its own that is gone with the call, so that
//! nothing that comes late is left.

use becket_base::private_file;
use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// The longest path that is read, in bytes, and more than any system call takes.
const LONGEST: u64 = 16 << 10;

/// The state of a shell at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShellWas {
    At(PathBuf),
    /// In a directory that is gone.
    Nowhere,
}

/// A place for one report.
#[derive(Debug)]
pub(super) struct Report {
    directory: PathBuf,
}

impl Report {
    /// Makes the place, below a directory for the user only.
    pub(super) fn new(below: &Path) -> io::Result<Self> {
        let name = format!("cwd-{:016x}", RandomState::new().hash_one(below));
        let directory = below.join(name);
        private_file::create_dir(below)?;
        std::fs::create_dir(&directory)?;
        Ok(Self { directory })
    }

    /// Returns the file's name for the shell.
    ///
    /// # Errors
    /// Its name is not valid text.
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
        let said = bytes.strip_suffix(b".\n")?;
        Some(match said.strip_suffix(b"\n") {
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
