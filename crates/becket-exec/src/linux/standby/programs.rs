//! Programs as files: the look-up of a command, interpreters of `#!` lines, and rights that a tracee does not get.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use becket_process::{Command, Standby};

use super::observations::{Observations, Seen};
use crate::standby::StandbyEnd;

/// The length of the line in which the kernel looks for an interpreter.
const FIRST_LINE: u64 = 256;
/// The maximum number of interpreters of one script.
const MOST_INTERPRETERS: usize = 4;

/// Remembers the files that the start of a command depends on: its directory, its program, and what is found before it.
///
/// # Errors
/// Errors if a change of one of them could not be noticed, or if the program has rights of its own.
pub(super) fn observe_command(command: &Command, observations: &mut Observations) -> Result<(), StandbyEnd> {
    let refused = || StandbyEnd::NotStarted("a change of its program could not be noticed".into());
    observations.observe_place(&command.cwd).ok_or_else(refused)?;
    let files = Standby::program_files(command);
    let Some((program, before)) = files.split_last() else { return Ok(()) };
    let is_watched = before.iter().all(|file| observations.observe(file, true).is_some())
        && observe(program, observations);
    is_watched.then_some(()).ok_or_else(refused)
}

/// Remembers a program that is executed, and its interpreters. Returns false if a change could not be noticed, or if one of
/// them has rights of its own.
pub(super) fn observe(program: &Path, observations: &mut Observations) -> bool {
    let mut program = program.to_owned();
    for _ in 0..=MOST_INTERPRETERS {
        match observations.observe(&program, true) {
            None => return false,
            Some(Seen::Missing(_)) => return true,
            Some(Seen::File(file)) if file.is_privileged() || has_capabilities(&program) => return false,
            Some(Seen::File(_)) => (),
        }
        let mut line = Vec::new();
        let read = File::open(&program).and_then(|file| file.take(FIRST_LINE).read_to_end(&mut line));
        let Some(text) = read.ok().and_then(|_| line.strip_prefix(b"#!")) else { return true };
        let text = text.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_start();
        let interpreter = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if !interpreter.starts_with(b"/") {
            return false;
        }
        program = Path::new(OsStr::from_bytes(interpreter)).to_owned();
    }
    false
}

/// Returns true if the file has rights of its own, which a tracee does not get.
fn has_capabilities(path: &Path) -> bool {
    rustix::fs::getxattr(path, "security.capability", &mut [0_u8; 64][..]).is_ok()
}
