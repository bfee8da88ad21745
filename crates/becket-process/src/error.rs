//! Errors of starting a command, with messages that say what to do.

use std::io;
use std::path::PathBuf;

/// A command that was not started. An I/O failure after the start is not a `SpawnError`: see [`crate::End`].
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The program does not exist.
    #[error("program `{program}` was not found ({searched}): install it or give its full path")]
    ProgramMissing {
        /// The program as written by the user.
        program: String,
        /// The places that were searched.
        searched: String,
    },
    /// The file exists but may not be executed.
    #[error(
        "`{path}` can't be executed: run `chmod +x` on it, and check that it is a file on a volume that allows programs"
    )]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
    /// The first line names an interpreter that does not exist.
    #[error("`{path}` starts with `#!{interpreter}`, which does not exist: correct its first line")]
    BadInterpreter {
        /// The script.
        path: PathBuf,
        /// The text after `#!`, without the line end.
        interpreter: String,
    },
    /// The first line ends with a carriage return, which becomes part of the interpreter's name.
    #[error(
        "the first line of `{path}` (`#!{interpreter}`) ends with a carriage return: save the file with LF line ends"
    )]
    CrlfShebang {
        /// The script.
        path: PathBuf,
        /// The text after `#!`, without the line end.
        interpreter: String,
    },
    /// The loader of a binary is missing, as for one built for another libc.
    #[error("`{path}` needs a loader that does not exist here: install a build for this system")]
    LoaderMissing {
        /// The binary.
        path: PathBuf,
    },
    /// The file is neither a binary of this machine nor a script with a first line for the kernel.
    #[error(
        "`{path}` is not a program of this machine: give it a first line such as `#!/bin/sh`, or run it through a shell"
    )]
    NoShebang {
        /// The file.
        path: PathBuf,
    },
    /// The file is still open for writing.
    #[error("`{path}` is being written by another process: close it first")]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The working directory does not exist or is not a directory.
    #[error("the working directory `{cwd}` does not exist: choose another one")]
    CwdGone {
        /// The directory.
        cwd: PathBuf,
    },
    /// The working directory can't be entered.
    #[error("the working directory `{cwd}` can't be entered: check its permissions")]
    CwdForbidden {
        /// The directory.
        cwd: PathBuf,
    },
    /// The rights of the process could not be restricted, so it was not started.
    #[error("`{program}` was not started, since its rights can't be restricted: {why}")]
    NotConfined {
        /// The program.
        program: String,
        /// The error reported by the system.
        why: io::Error,
    },
    /// The host has no descriptor left for the pipes.
    #[error(
        "no file descriptor is left for the command's pipes: raise `ulimit -n` or run fewer commands at once"
    )]
    TooManyDescriptors,
    /// The system has no process slot left.
    #[error("the system refuses another process: raise `ulimit -u` or run fewer commands at once")]
    TooManyProcesses,
    /// Arguments and environment are longer than the kernel accepts.
    #[error(
        "arguments and environment of `{program}` are too long for the system: pass large values through stdin or a file"
    )]
    TooLong {
        /// The program as written by the user.
        program: String,
    },
    /// A NUL byte where the system accepts none.
    #[error("{place} `{text}` contains a NUL byte: remove it")]
    NulByte {
        /// The kind of the text: the program, an argument, a variable, the working directory.
        place: &'static str,
        /// The text; for a variable, its name.
        text: String,
    },
    /// Any other error of the system.
    #[error("`{program}` could not be started: {source}")]
    Other {
        /// The program as written by the user.
        program: String,
        /// The error reported by the system.
        source: io::Error,
    },
}
