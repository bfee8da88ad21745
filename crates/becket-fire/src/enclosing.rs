//! Enclosing events of this process, found without a variable: a hook may clear its environment (H14).
//!
//! Each `fire` shows the beginning of its event's mark to its descendants as the name of its process, and looks for
//! such names in its ancestors. The name of a process is readable even if the process can't be traced. This needs
//! `/proc` of Linux; elsewhere only the variable counts.

#[cfg(target_os = "linux")]
mod linux {
    use becket_engine::EventMark;
    use rustix::fs::{Mode, OFlags};
    use std::ffi::CString;

    /// The prefix of the name. The kernel keeps 15 bytes, so 8 digits of the mark fit after it.
    const NAME: &str = "becket:";
    const DIGITS: usize = 8;
    /// Room for a `stat`: 50 numbers of at most 20 digits, and a name.
    const STAT: usize = 2048;
    /// The limit on ancestors that are examined, which no real process tree reaches.
    const ANCESTORS: usize = 256;

    /// Sets a mark for child processes. Called on the main thread, whose name is that of the process.
    pub fn show(mark: EventMark) {
        let name: String = NAME.chars().chain(mark.to_string().chars().take(DIGITS)).collect();
        if let Ok(name) = CString::new(name) {
            // If it can't be set (a sandbox may forbid the call), the variable still counts.
            let _ = rustix::thread::set_name(&name);
        }
    }

    /// Returns the beginnings of the marks that the ancestors of this process show, the outermost first. The mark that
    /// this process shows is not among them.
    pub fn marks() -> Vec<String> {
        let shown = above().filter_map(|process| process.name.strip_prefix(NAME).map(str::to_owned));
        let mut marks: Vec<String> = shown.filter(|mark| mark.len() == DIGITS).collect();
        marks.reverse();
        marks
    }

    /// Returns the ancestors of this process, the nearest first.
    pub fn ancestors() -> Vec<super::Ancestor> {
        above()
            .map(|process| super::Ancestor { name: process.name, id: (process.pid, process.start) })
            .collect()
    }

    fn above() -> impl Iterator<Item = Process> {
        let parent = rustix::process::getppid().map(|parent| parent.as_raw_pid().cast_unsigned());
        let processes =
            std::iter::successors(parent.and_then(Process::of), |process| Process::of(process.parent));
        processes.take(ANCESTORS)
    }

    /// A process as its `stat` describes it.
    struct Process {
        pid: u32,
        name: String,
        parent: u32,
        /// The time of its start in ticks since the system's.
        start: u64,
    }

    impl Process {
        /// Parses `stat`: the name, which may contain anything, in brackets, two fields later the parent, 18 after that the
        /// start.
        fn of(pid: u32) -> Option<Self> {
            // The parent of the first process.
            if pid == 0 {
                return None;
            }
            let mut buffer = [0; STAT];
            // The kernel writes it whole into one buffer that has room for it.
            let file = rustix::fs::open(
                format!("/proc/{pid}/stat"),
                OFlags::RDONLY | OFlags::CLOEXEC,
                Mode::empty(),
            );
            let read = rustix::io::read(file.ok()?, &mut buffer).ok()?;
            let stat = buffer.get(..read)?;
            let from = stat.iter().position(|byte| *byte == b'(')?;
            let to = stat.iter().rposition(|byte| *byte == b')')?;
            let name = String::from_utf8_lossy(stat.get(from + 1..to)?).into_owned();
            let mut fields = std::str::from_utf8(stat.get(to + 1..)?).ok()?.split_ascii_whitespace();
            let parent = fields.nth(1)?.parse().ok()?;
            let start = fields.nth(17)?.parse().ok()?;
            Some(Process { pid, name, parent, start })
        }
    }
}

#[cfg(target_os = "linux")]
pub use linux::{ancestors, marks, show};

/// Does nothing: only Linux has such marks.
#[cfg(not(target_os = "linux"))]
pub fn show(_mark: becket_engine::EventMark) {}

/// Returns no marks: only Linux has them.
#[cfg(not(target_os = "linux"))]
pub fn marks() -> Vec<String> {
    Vec::new()
}

/// Returns no ancestors: they are read from `/proc`, which only Linux has.
#[cfg(not(target_os = "linux"))]
pub fn ancestors() -> Vec<Ancestor> {
    Vec::new()
}

/// A process above this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ancestor {
    /// The name of the process.
    pub name: String,
    /// The process id and the time of its start: no other process has both.
    pub id: (u32, u64),
}
