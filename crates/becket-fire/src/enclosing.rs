//! Events inside of which this process is fired, found without a variable: a hook may clear its environment (H14).
//!
//! Each `fire` shows the beginning of its event's mark to its descendants as the name of its process, and looks for
//! such names in its ancestors. The name of a process can be read even if it can't be traced. This needs `/proc` of
//! Linux; elsewhere only the variable counts.

#[cfg(target_os = "linux")]
mod linux {
    use becket_engine::EventMark;
    use std::ffi::CString;

    /// The prefix of the name. The kernel keeps 15 bytes, so 8 digits of the mark fit after it.
    const NAME: &str = "becket:";
    const DIGITS: usize = 8;
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

    /// Returns the beginnings of the marks that the ancestors of this process show, the outermost first.
    pub fn marks() -> Vec<String> {
        let mut marks = Vec::new();
        let mut pid = std::process::id();
        for _ in 0..ANCESTORS {
            let Some((name, parent)) = name_and_parent(pid) else { break };
            marks.extend(name.strip_prefix(NAME).map(str::to_owned));
            pid = parent;
        }
        marks.retain(|mark| mark.len() == DIGITS);
        marks.reverse();
        marks
    }

    /// Parses a process's `stat`: its name, which may contain anything, in brackets, and two fields later its parent.
    fn name_and_parent(pid: u32) -> Option<(String, u32)> {
        let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let from = stat.iter().position(|byte| *byte == b'(')?;
        let to = stat.iter().rposition(|byte| *byte == b')')?;
        let name = String::from_utf8_lossy(stat.get(from + 1..to)?).into_owned();
        let fields = std::str::from_utf8(stat.get(to + 1..)?).ok()?;
        let parent = fields.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some((name, parent))
    }
}

#[cfg(target_os = "linux")]
pub use linux::{marks, show};

/// Shows a mark to the processes that this one starts.
#[cfg(not(target_os = "linux"))]
pub fn show(_mark: becket_engine::EventMark) {}

/// The marks that the ancestors of this process show.
#[cfg(not(target_os = "linux"))]
pub fn marks() -> Vec<String> {
    Vec::new()
}
