//! The log of a project's records: one JSON object a line. A log that grows too large is renamed, and the one before it is
//! removed.

use super::record::{LONGEST_LINE, TimeRecord};
use becket_base::file_lock::{self, LockState};
use becket_base::private_file;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The maximum size of a log, in bytes.
const LARGEST: u64 = 8 << 20;

/// Returns the log of the sessions in `project`, below `directory`.
#[must_use]
pub fn log_file(directory: &Path, project: &Path) -> PathBuf {
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    let name = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40);
    let name: String = name.collect();
    // Two projects may have the same name.
    directory.join(format!("{name}-{:016x}.jsonl", digest(project.as_os_str().as_encoded_bytes())))
}

/// Returns the log that a full one is renamed to.
#[must_use]
pub fn older_log_file(path: &Path) -> PathBuf {
    path.with_extension("1.jsonl")
}

/// Returns the FNV-1a hash: the names of logs must not change with the version of a library.
fn digest(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// A log that records are appended to. Several processes may do so.
#[derive(Debug)]
pub struct TimeLog {
    path: PathBuf,
    file: File,
    largest: u64,
}

impl TimeLog {
    /// Opens a log, with the directories above it.
    ///
    /// # Errors
    /// Errors if the log can't be created, or if it is not a private file of this user.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(TimeLog { file: append(path)?, path: path.to_owned(), largest: LARGEST })
    }

    /// Appends a record.
    ///
    /// # Errors
    /// Errors if the record can't be written, or if it is too long.
    pub fn write(&mut self, record: &TimeRecord) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let length = line.len() as u64;
        if length > LONGEST_LINE {
            return Err(io::Error::other("the record of an event is too long"));
        }
        if self.file.metadata()?.len() + length > self.largest {
            self.rotate()?;
        }
        // One write, so that lines of several processes don't mix.
        self.file.write_all(&line)
    }

    /// Starts a new log, unless another process does. A lock on the full one decides which process renames it.
    fn rotate(&mut self) -> io::Result<()> {
        if file_lock::try_lock(&self.file)? == LockState::Busy {
            return Ok(());
        }
        if is_same(&self.file, &self.path) {
            fs::rename(&self.path, older_log_file(&self.path))?;
        }
        self.file = append(&self.path)?;
        Ok(())
    }
}

fn append(path: &Path) -> io::Result<File> {
    let open = || private_file::options().append(true).create(true).open(path);
    let file = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            private_file::create_parent(path)?;
            open()?
        }
        opened => opened?,
    };
    private_file::check(&file).map_err(io::Error::other)?;
    Ok(file)
}

/// Returns true if the path still leads to the open file.
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |found: fs::Metadata| (found.dev(), found.ino());
    matches!((file.metadata().map(id), fs::symlink_metadata(path).map(id)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(not(unix))]
fn is_same(file: &File, path: &Path) -> bool {
    matches!((file.metadata(), fs::symlink_metadata(path)), (Ok(one), Ok(other)) if one.len() == other.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::times::VERSION;

    fn record(at: u64) -> TimeRecord {
        TimeRecord {
            version: VERSION,
            host: "fire".into(),
            at,
            session: "s".into(),
            event: "Stop".into(),
            subject: None,
            us: 5,
            runs: Vec::new(),
        }
    }

    fn opened(path: &Path, largest: u64) -> TimeLog {
        TimeLog { largest, ..TimeLog::open(path).expect("it can be opened") }
    }

    #[test]
    fn a_full_log_is_renamed_and_only_one_is_kept() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = log_file(&directory.path().join("new"), Path::new("/work/shop"));
        let line = serde_json::to_string(&record(1)).expect("JSON") + "\n";
        let room = line.len() as u64;
        // This one still has the first file open when others have renamed it.
        let mut late = opened(&path, room);
        for at in 1..4 {
            opened(&path, room).write(&record(at)).expect("it is written");
        }
        let text = |path: &Path| fs::read_to_string(path).expect("a log");
        let count = || fs::read_dir(directory.path().join("new")).expect("a directory").count();
        assert_eq!(
            (text(&older_log_file(&path)), text(&path)),
            (line.replace(":1,\"s", ":2,\"s"), line.replace(":1,\"s", ":3,\"s"))
        );
        late.write(&record(4)).expect("it is written");
        assert!(text(&path).contains("\"at\":3"), "another process has begun a new log: {}", text(&path));
        assert_eq!(count(), 2);
    }

    #[test]
    fn threads_and_handles_share_a_log_without_losing_a_line() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("shared.jsonl");
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let path = &path;
                scope.spawn(move || {
                    let mut log = opened(path, 60 * 1_000);
                    (0..300).for_each(|at| log.write(&record(thread * 1_000 + at)).expect("it is written"));
                });
            }
        });
        let both =
            [older_log_file(&path), path].map(|path| fs::read_to_string(path).unwrap_or_default()).concat();
        let mut seen: Vec<u64> = both
            .lines()
            .map(|line| serde_json::from_str::<TimeRecord>(line).expect("a whole line").at)
            .collect();
        seen.sort_unstable();
        seen.dedup();
        // 1,200 lines of some 90 bytes fill the log once.
        assert!(both.len() > 60 * 1_000 && seen.len() == both.lines().count(), "{}", both.len());
    }

    #[cfg(unix)]
    #[test]
    fn a_log_is_private_and_a_link_or_a_log_of_others_is_refused() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("below/x.jsonl");
        TimeLog::open(&path).expect("it can be opened").write(&record(1)).expect("it is written");
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&directory.path().join("below"))), (0o600, 0o700));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("its mode can be set");
        assert!(TimeLog::open(&path).expect_err("others may read it").to_string().contains("chmod"));
        let link = directory.path().join("link.jsonl");
        symlink(&path, &link).expect("a link can be made");
        TimeLog::open(&link).expect_err("a link is not followed");
    }

    #[test]
    fn projects_of_one_name_have_different_logs() {
        let log = |project: &str| log_file(Path::new("/x"), Path::new(project));
        assert_ne!(log("/a/shop"), log("/b/shop"));
        assert_eq!(log("/a/shop").display().to_string(), "/x/shop-dcb9a2d1eb4ae60a.jsonl");
        assert!(log("/").starts_with("/x"));
    }
}
