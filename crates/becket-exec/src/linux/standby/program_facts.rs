//! The facts about a program on which it depends whether its calls may be made ahead.
//!
//! The start of an interpreter reads the clock, which changes nothing. Code of its author that does so could measure how
//! long it has waited, or take the time of its start for that of its event. The two can't be told apart by their calls,
//! so the text decides: an interpreter may read the clock if no code of an author mentions the time, and other programs
//! may not.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::descriptors;

/// The names of interpreters, without their versions.
const INTERPRETERS: [&str; 6] = ["python", "pypy", "node", "nodejs", "bash", "ruby"];
/// A shell that reads the clock once when it starts, before its text.
const LOOKING_SHELL: &str = "bash";

/// Directories with code and settings of the system's packages.
const SYSTEM: [&str; 5] = ["/usr", "/lib", "/lib64", "/bin", "/etc"];

/// Words about the time, in lower case.
const WORDS: [&[u8]; 6] = [b"time", b"clock", b"seconds", b"epoch", b"monotonic", b"performance"];

/// Words about the time that other words contain when their case is ignored.
const EXACT_WORDS: [&[u8]; 3] = [b"Date", b"Temporal", b")T"];

/// The length of the longest text that is searched, in bytes.
const LONGEST_TEXT: u64 = 1 << 20;

/// The facts about a program.
#[derive(Debug, Default, Clone)]
pub(super) struct ProgramFacts {
    /// The device and inode of each argument that is a file: one of them is the script.
    arguments: HashSet<(u64, u64)>,
    /// True for an interpreter whose author does not mention the time, as far as the code is known.
    may_read_clock: bool,
    /// True for an interpreter.
    is_interpreter: bool,
    /// The directory that an interpreter is installed in.
    prefix: PathBuf,
    /// Set once it has opened its script, or if it has none: from now on it runs code of its author.
    has_begun: bool,
    /// Set for a shell that reads the clock once when it starts, and has not done so.
    may_look_once: bool,
    /// Set if it waits for its input together with other descriptors.
    pub(super) polls_input: bool,
}

impl ProgramFacts {
    /// Returns the facts about the program that a process has just begun.
    pub(super) fn of(process: libc::pid_t) -> Self {
        let file = fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let in_bin = file.parent().and_then(Path::file_name).is_some_and(|directory| directory == "bin");
        let is_interpreter = in_bin && INTERPRETERS.contains(&name);
        if !is_interpreter {
            return Self::default();
        }
        let cwd = descriptors::directory(process, libc::AT_FDCWD as u32 as u64).unwrap_or_default();
        let arguments = descriptors::arguments(process);
        let files: Vec<PathBuf> = arguments
            .iter()
            .skip(1)
            .map(|argument| cwd.join(argument))
            .filter(|path| fs::metadata(path).is_ok_and(|file| file.is_file()))
            .collect();
        let mentions = |argument: &OsString| mentions_time(argument.as_bytes());
        let mentions_time =
            arguments.iter().skip(1).any(mentions) || files.iter().any(|file| is_about_time(file));
        let identity = |path: &PathBuf| fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
        Self {
            arguments: files.iter().filter_map(identity).collect(),
            may_read_clock: !mentions_time,
            is_interpreter,
            prefix: file.parent().and_then(Path::parent).map(Path::to_owned).unwrap_or_default(),
            has_begun: files.is_empty(),
            may_look_once: files.is_empty() && name == LOOKING_SHELL,
            polls_input: false,
        }
    }

    /// Returns true if the program may read the clock now; `is_of_day` for a clock that tells the time of day.
    pub(super) fn may_read_clock(&mut self, is_of_day: bool) -> bool {
        let is_first = is_of_day && std::mem::take(&mut self.may_look_once);
        self.may_read_clock && (is_first || !(is_of_day && self.has_begun))
    }

    /// Returns true for an interpreter that has not opened its script.
    pub(super) fn is_starting_interpreter(&self) -> bool {
        self.is_interpreter && !self.has_begun
    }

    /// Notes that the program opens a file. Returns false if it is code of an author who mentions the time, which it may
    /// have measured already.
    pub(super) fn opens(&mut self, path: &Path, identity: (u64, u64)) -> bool {
        if self.arguments.contains(&identity) {
            self.has_begun = true;
            return true;
        }
        let is_authors = self.is_interpreter && !self.is_installed(path);
        !(is_authors && self.may_read_clock && is_about_time(path))
    }

    fn is_installed(&self, path: &Path) -> bool {
        let is_below = |directory: &Path| path.starts_with(directory);
        let is_own = self.prefix != Path::new("/") && is_below(&self.prefix);
        is_own || SYSTEM.iter().any(|directory| is_below(Path::new(directory)))
    }
}

/// Returns true if a file mentions the time, or can't be searched.
fn is_about_time(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(file) if !file.is_file() => false,
        Ok(file) if file.len() > LONGEST_TEXT => true,
        Ok(_) | Err(_) => fs::read(path).map_or(true, |text| {
            // An archive or a library can't be searched; compiled code of Python has its names as they are.
            let is_opaque = text.contains(&0) && path.extension().is_none_or(|extension| extension != "pyc");
            is_opaque || mentions_time(&text)
        }),
    }
}

/// Returns true if a text mentions the time.
fn mentions_time(text: &[u8]) -> bool {
    let lower = text.to_ascii_lowercase();
    let contains = |text: &[u8], word: &[u8]| text.windows(word.len()).any(|part| part == word);
    WORDS.iter().any(|word| contains(&lower, word)) || EXACT_WORDS.iter().any(|word| contains(text, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: H3
    #[test]
    fn texts_that_mention_the_time_are_found() {
        for text in [
            "import time",
            "from datetime import datetime",
            "setTimeout(() => process.exit(0), 5000)",
            "const t = Date.now()",
            "process.hrtime.bigint()",
            "performance.now()",
            "[ $SECONDS -gt 5 ] && exit 0",
            "echo $EPOCHREALTIME",
            "printf '%(%H)T'",
            "socket.settimeout(5)",
            "Time.now",
            "subprocess.run(['git', 'status'], timeout=5)",
            "read -t 5 x # a timeout",
        ] {
            assert!(mentions_time(text.as_bytes()), "{text}");
        }
        for text in [
            "import json, re, sys",
            "const update = validate(data)",
            "case $command in *push*) exit 2 ;; esac",
        ] {
            assert!(!mentions_time(text.as_bytes()), "{text}");
        }
    }
}
