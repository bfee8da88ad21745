//! Files that a process has read, looked at or found missing, and the check that they are still the same.
//!
//! A file is compared by its identity, size, mode, owner and times of change. A change that leaves all of them alone
//! would have to follow the observation within one tick of the file system's clock, so a file that has just changed is
//! not observed: the process waits there.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time within which two changes of a file may have the same time stamp.
const TICK: Duration = Duration::from_millis(50);
/// The same on file systems that count in seconds.
const COARSE_TICK: Duration = Duration::from_secs(2);

/// File systems whose files change only through this system, by the magic numbers of `statfs`.
const LOCAL: [u64; 11] = [
    0xef53,      // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683e, // Btrfs
    0x0102_1994, // tmpfs
    0x794c_7630, // overlayfs
    0x2fc1_2fc1, // ZFS
    0xf2f5_2010, // F2FS
    0x7371_7368, // SquashFS
    0x8584_58f6, // ramfs
    0xca45_1a4e, // bcachefs
    0xe0f5_e1e2, // EROFS
];

/// The files that a process has seen.
#[derive(Debug, Default)]
pub(super) struct Observations {
    seen: HashMap<(PathBuf, bool), Seen>,
    /// Directories of which only the identity counts.
    places: Vec<(PathBuf, (u64, u64))>,
    /// The file systems by device; true if changes in them can be noticed.
    devices: HashMap<u64, bool>,
}

/// A file as a process has seen it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Seen {
    /// Nothing can be reached under the path, with this error.
    Missing(Option<i32>),
    /// A file.
    File(Fingerprint),
}

/// The properties of a file by which a change is noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fingerprint {
    pub(super) identity: (u64, u64),
    kind: u32,
    owner: (u32, u32),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Fingerprint {
    pub(super) fn new(metadata: &Metadata) -> Self {
        Self {
            identity: (metadata.dev(), metadata.ino()),
            kind: metadata.mode(),
            owner: (metadata.uid(), metadata.gid()),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Returns true for a regular file or a directory.
    fn is_plain(&self) -> bool {
        [libc::S_IFREG, libc::S_IFDIR, libc::S_IFLNK].contains(&(self.kind & libc::S_IFMT))
    }

    /// Returns true if the file may change again without another time stamp.
    fn is_recent(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (seconds, nanoseconds) = self.changed;
        let changed = u64::try_from(seconds)
            .ok()
            .zip(u32::try_from(nanoseconds).ok())
            .map_or(Duration::MAX, |(seconds, nanoseconds)| Duration::new(seconds, nanoseconds));
        // Stamps of whole seconds are those of a file system that has no others.
        let has_fractions = self.changed.1 != 0 || self.modified.1 != 0;
        changed.saturating_add(if has_fractions { TICK } else { COARSE_TICK }) >= now
    }

    /// Returns true if an executed file has rights of its own, which a tracee does not get.
    pub(super) fn is_privileged(&self) -> bool {
        self.kind & (libc::S_ISUID | libc::S_ISGID) != 0
    }
}

impl Observations {
    /// Remembers a file as it is now; `follows` if a link at the end of the path is followed. Returns `None` if a change
    /// could not be noticed.
    pub(super) fn observe(&mut self, path: &Path, follows: bool) -> Option<Seen> {
        if is_of_process(path) {
            return None;
        }
        let seen = look(path, follows);
        let is_watched = match &seen {
            Seen::File(file) => file.is_plain() && !file.is_recent() && self.is_local(file.identity.0, path),
            Seen::Missing(_) => self.is_missing_from_local(path),
        };
        if !is_watched {
            return None;
        }
        let key = (path.to_owned(), follows);
        let before = self.seen.entry(key).or_insert_with(|| seen.clone());
        (*before == seen).then_some(seen)
    }

    /// Remembers which directory is at a path, whatever it contains.
    pub(super) fn observe_place(&mut self, path: &Path) -> Option<()> {
        self.places.push((path.to_owned(), identity(path)?));
        Some(())
    }

    /// Returns a file that is not as it was seen, if there is one.
    pub(super) fn changed(&self) -> Option<&Path> {
        if let Some((path, _)) = self.places.iter().find(|(path, id)| identity(path) != Some(*id)) {
            return Some(path);
        }
        let mut seen = self.seen.iter();
        seen.find(|((path, follows), seen)| look(path, *follows) != **seen)
            .map(|((path, _), _)| path.as_path())
    }

    fn is_missing_from_local(&mut self, path: &Path) -> bool {
        let existing = path.ancestors().skip(1).find_map(|path| Some((fs::metadata(path).ok()?.dev(), path)));
        existing.is_some_and(|(device, path)| self.is_local(device, path))
    }

    fn is_local(&mut self, device: u64, path: &Path) -> bool {
        *self.devices.entry(device).or_insert_with(|| {
            let status = rustix::fs::statfs(path);
            status.is_ok_and(|status| {
                u64::try_from(status.f_type).is_ok_and(|magic| LOCAL.contains(&(magic & 0xffff_ffff)))
            })
        })
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Returns true if a path leads through `/proc`: there it depends on the process that follows it.
fn is_of_process(path: &Path) -> bool {
    let leads = |path: &Path| path.starts_with("/proc") || path.starts_with("/dev/fd");
    let real = path.ancestors().find_map(|path| fs::canonicalize(path).ok());
    leads(path) || real.is_some_and(|real| leads(&real))
}

fn look(path: &Path, follows: bool) -> Seen {
    let found = if follows { fs::metadata(path) } else { fs::symlink_metadata(path) };
    match found {
        Ok(metadata) => Seen::File(Fingerprint::new(&metadata)),
        Err(error) => Seen::Missing(io::Error::raw_os_error(&error)),
    }
}
