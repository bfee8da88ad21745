//! The output of a line: its beginning and its end in memory, and, once it is too long to show, all of it in a private
//! file.

use super::line_output::Keep;
use crate::capture::{Capture, Excerpt};
use crate::tasks::{OutputFile, TaskId};
use becket_process::{ByteCap, Stream};
use std::path::PathBuf;

/// The maximum size of the file of one output: its first bytes, and a few of the last.
const CAP: ByteCap = ByteCap::bytes(64 << 20);

/// One output, with both streams in the order in which they were printed.
#[derive(Debug)]
pub(super) struct Whole {
    directory: PathBuf,
    capture: Capture,
    file: OutputStorage,
}

/// The storage of the whole output.
#[derive(Debug)]
enum OutputStorage {
    /// The output is in memory.
    InMemory,
    InFile(OutputFile),
    /// The output could not be stored, with the reason.
    Lost(String),
}

/// The result of collecting an output.
#[derive(Debug)]
pub(super) struct CollectedOutput {
    /// All of it, or its beginning and its end.
    pub(super) text: String,
    /// The size of the output in bytes.
    pub(super) total: u64,
    /// The file with the whole output, if the text is cut.
    pub(super) file: Option<PathBuf>,
    /// The error in writing that file.
    pub(super) error: Option<String>,
}

impl Whole {
    /// Creates an output whose files go into this directory.
    pub(super) fn new(directory: PathBuf) -> Self {
        Self { directory, capture: Capture::default(), file: OutputStorage::InMemory }
    }

    pub(super) fn printed(mut self) -> CollectedOutput {
        let total = self.capture.total();
        let (head, tail) = self.capture.parts();
        if matches!(self.file, OutputStorage::InMemory) && (Excerpt { head, tail, total }).is_cut() {
            self.spill();
        }
        let (file, error) = match self.file {
            OutputStorage::InMemory => (None, None),
            OutputStorage::InFile(mut file) => {
                (Some(file.path().to_owned()), file.finish().map(str::to_owned))
            }
            OutputStorage::Lost(error) => (None, Some(error)),
        };
        CollectedOutput { text: self.capture.text(), total, file, error }
    }

    /// Moves the bytes in memory, which are the whole output, to a file.
    fn spill(&mut self) {
        let (head, tail) = self.capture.parts();
        self.file = match OutputFile::create(&self.directory, &TaskId::random('o'), CAP) {
            Ok(mut file) => {
                file.push(head);
                file.push(tail);
                OutputStorage::InFile(file)
            }
            Err(error) => OutputStorage::Lost(error.to_string()),
        };
    }
}

impl Keep for Whole {
    fn keep(&mut self, _: Stream, bytes: &[u8]) {
        if matches!(self.file, OutputStorage::InMemory) && !self.capture.has_room_for(bytes.len()) {
            self.spill();
        }
        if let OutputStorage::InFile(file) = &mut self.file {
            file.push(bytes);
        }
        self.capture.push(bytes);
    }
}
