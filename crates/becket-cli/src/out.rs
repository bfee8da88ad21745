//! The two output streams. Colour is kept or removed here, once; a missing reader is not an error.
//!
//! INVARIANT: no control character but those of styles and lines reaches a stream, except by the functions that write
//! bytes unchanged. Styles are the only sequences that commands may write.

use crate::args::{ColourChoice, Global, Volume};
use crate::env::Surroundings;
use crate::wrap;
use anstream::{AutoStream, ColorChoice};
use becket_base::text::{visible_in_json, visible_with_styles};
use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// Writes the output of commands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Out {
    stdout: ColorChoice,
    stderr: ColorChoice,
    volume: Volume,
    /// The width of lines on stdout, if it is known.
    width: Option<usize>,
    /// The width of lines on stderr, if it is a terminal: programs get messages in one line.
    error_width: Option<usize>,
}

/// True if the reader of stdout is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReaderGone(pub(crate) bool);

impl Out {
    /// Creates the streams, with colour if the user or the environment enables it.
    pub(crate) fn new(colour: ColourChoice, volume: Volume, around: &Surroundings) -> Self {
        let choice = |is_terminal| match colour {
            ColourChoice::Always => ColorChoice::Always,
            ColourChoice::Never => ColorChoice::Never,
            ColourChoice::Auto if around.wants_colour(is_terminal) => ColorChoice::Always,
            ColourChoice::Auto => ColorChoice::Never,
        };
        Out {
            stdout: choice(around.terminals.stdout),
            stderr: choice(around.terminals.stderr),
            volume,
            width: around.width,
            error_width: around.width.filter(|_| around.terminals.stderr),
        }
    }

    /// Creates the streams that the global options request.
    pub(crate) fn of(global: &Global, around: &Surroundings) -> Self {
        Out::new(global.color, global.volume(), around)
    }

    /// Returns true if only results and errors are written (`-q`).
    pub(crate) fn is_quiet(&self) -> bool {
        self.volume == Volume::Quiet
    }

    /// Returns true if details are written (`-v`).
    pub(crate) fn is_verbose(&self) -> bool {
        self.volume == Volume::Verbose
    }

    /// Returns true if stderr shows colour.
    pub(crate) fn colours_stderr(&self) -> bool {
        self.stderr != ColorChoice::Never
    }

    /// Writes a text, styled with ANSI codes, to stdout.
    pub(crate) fn print(&self, text: &str) -> io::Result<()> {
        quiet(write_styled(AutoStream::new(io::stdout().lock(), self.stdout), text))
    }

    /// Writes a text about the result to stdout, such as a summary or a hint, unless only results are written.
    pub(crate) fn remark(&self, text: &str) -> io::Result<()> {
        if self.is_quiet() { Ok(()) } else { self.print(&wrap::fit(text, self.width)) }
    }

    /// Writes a remark that users copy, such as a command: it is not wrapped.
    pub(crate) fn remark_to_copy(&self, text: &str) -> io::Result<()> {
        if self.is_quiet() { Ok(()) } else { self.print(text) }
    }

    /// Writes a text to stdout and returns whether its reader is gone. Colour is removed as in [`Out::print`].
    pub(crate) fn print_until_gone(&self, text: &str) -> io::Result<ReaderGone> {
        match write_styled(AutoStream::new(io::stdout().lock(), self.stdout), text) {
            Ok(()) => Ok(ReaderGone(false)),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ReaderGone(true)),
            Err(error) => Err(error),
        }
    }

    /// Returns true if stdout and stderr are the same file or pipe, as after `2>&1`.
    #[cfg(unix)]
    pub(crate) fn streams_are_one(&self) -> bool {
        let file = |stat: rustix::fs::Stat| (stat.st_dev, stat.st_ino);
        let (stdout, stderr) = (rustix::fs::fstat(io::stdout()), rustix::fs::fstat(io::stderr()));
        matches!((stdout, stderr), (Ok(stdout), Ok(stderr)) if file(stdout) == file(stderr))
    }

    /// Returns true if stdout and stderr are the same file or pipe; unknown on this platform.
    #[cfg(not(unix))]
    pub(crate) fn streams_are_one(&self) -> bool {
        false
    }

    /// Writes a text to stdout that must arrive: a missing reader is an error.
    pub(crate) fn answer(&self, text: &str) -> io::Result<()> {
        write_all(io::stdout().lock(), text.as_bytes())
    }

    /// Writes a value to stdout as indented JSON, with escapes for the characters that a terminal would obey.
    pub(crate) fn print_json(&self, value: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(value).map_err(io::Error::other)? + "\n";
        self.print_raw(visible_in_json(&text).as_bytes())
    }

    /// Writes bytes to stdout unchanged.
    pub(crate) fn print_raw(&self, bytes: &[u8]) -> io::Result<()> {
        quiet(write_all(io::stdout().lock(), bytes))
    }

    /// Writes bytes of another program to stderr unchanged. Errors are ignored.
    pub(crate) fn eprint_raw(&self, bytes: &[u8]) {
        drop(write_all(io::stderr().lock(), bytes));
    }

    /// Writes a note to stderr, unless only results and errors are written.
    pub(crate) fn note(&self, text: &str) {
        if !self.is_quiet() {
            self.eprint(text);
        }
    }

    /// Writes a text, styled with ANSI codes, to stderr, wrapped to the width of a terminal. Errors are ignored.
    pub(crate) fn eprint(&self, text: &str) {
        self.eprint_to_copy(&wrap::fit(text, self.error_width));
    }

    /// Writes a text that users copy, such as an address, to stderr: it is not wrapped. Errors are ignored.
    pub(crate) fn eprint_to_copy(&self, text: &str) {
        drop(write_styled(AutoStream::new(io::stderr().lock(), self.stderr), text));
    }
}

fn write_styled(to: impl Write, text: &str) -> io::Result<()> {
    write_all(to, visible_with_styles(text).as_bytes())
}

fn write_all(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes)?;
    to.flush()
}

fn quiet(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
