//! The output of a task, in a private file with a cap.
//!
//! The file contains the output up to the cap. Past the cap the last bytes are kept in memory. Once the task has ended
//! they are appended, after a line that says how many bytes are missing: a server that has run for days still shows
//! its last output.
//!
//! INVARIANT: the file grows by no more than the cap, the tail and that line; memory by no more than the tail. A file
//! that can't be written to any longer (a full disk) never ends a task: the rest is counted, and the error reported.

use super::id::TaskId;
use crate::capture::Excerpt;
use becket_base::private_file;
use becket_process::ByteCap;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of bytes of the end that are kept past the cap.
const TAIL: usize = 64 << 10;
/// The number of bytes of the beginning and of the end that are read back: enough for the part shown to the model.
const PART: u64 = 128 << 10;

/// A handle to a task's output. Cheap to clone; all clones refer to the same output.
#[derive(Debug, Clone)]
pub struct Output(Arc<Mutex<OutputFile>>);

impl Output {
    pub(super) fn new(file: OutputFile) -> Self {
        Self(Arc::new(Mutex::new(file)))
    }

    /// Appends bytes.
    pub fn push(&self, bytes: &[u8]) {
        self.lock().push(bytes);
    }

    pub(super) fn finish(&self) {
        self.lock().finish();
    }

    pub(super) fn byte_count(&self) -> u64 {
        self.lock().total
    }

    /// Returns the output so far: all of it, or its beginning and its end. Reads the file.
    pub(super) fn shown(&self) -> String {
        self.lock().shown()
    }

    fn lock(&self) -> MutexGuard<'_, OutputFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file behind an output.
#[derive(Debug)]
pub(crate) struct OutputFile {
    path: PathBuf,
    file: Option<File>,
    cap: u64,
    /// The number of bytes in the file.
    written: u64,
    /// The number of bytes of output.
    total: u64,
    /// The last bytes past the cap.
    tail: VecDeque<u8>,
    /// The error after which nothing more is written.
    error: Option<String>,
}

impl OutputFile {
    /// Creates a new file with this name in a private directory, which is created if it is missing.
    ///
    /// # Errors
    /// Errors if the file can't be created; of kind `AlreadyExists` if there already is one.
    pub(crate) fn create(directory: &Path, name: &TaskId, cap: ByteCap) -> io::Result<Self> {
        private_file::create_dir(directory)?;
        let path = directory.join(format!("{name}.output"));
        let file = private_file::create_new(&path)?;
        let cap = cap.get() as u64;
        Ok(Self { path, file: Some(file), cap, written: 0, total: 0, tail: VecDeque::new(), error: None })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends bytes: to the file as long as there is room, otherwise to the tail.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = usize::try_from(self.cap.saturating_sub(self.written)).unwrap_or(usize::MAX);
        let (now, later) = bytes.split_at(room.min(bytes.len()));
        self.write(now);
        let last = later.len().saturating_sub(TAIL);
        self.tail.extend(later.get(last..).unwrap_or_default());
        let over = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..over);
    }

    /// Writes the end after the beginning, and closes the file. Returns the reason if the file is incomplete.
    pub(crate) fn finish(&mut self) -> Option<&str> {
        let missing = self.missing();
        let tail = Vec::from(std::mem::take(&mut self.tail));
        if missing > 0 && self.error.is_none() {
            self.write(left_out(missing).as_bytes());
        }
        self.write(&tail);
        self.file = None;
        self.error.as_deref()
    }

    fn write(&mut self, bytes: &[u8]) {
        let (Some(file), None) = (&mut self.file, &self.error) else { return };
        match file.write_all(bytes) {
            Ok(()) => self.written += bytes.len() as u64,
            Err(error) => self.error = Some(error.to_string()),
        }
    }

    /// Returns the number of bytes that are neither in the file nor in the tail.
    fn missing(&self) -> u64 {
        self.total.saturating_sub(self.written + self.tail.len() as u64)
    }

    /// Returns the output as shown to the model: all of it, or its beginning and its end.
    fn shown(&self) -> String {
        let (head, mut tail) = match self.read() {
            Ok(parts) => parts,
            Err(error) => return format!("[the output can't be read: {error}]"),
        };
        tail.extend(&self.tail);
        let text = Excerpt { head: &head, tail: &tail, total: self.total }.text();
        match &self.error {
            Some(error) => format!("{text}\n[the rest could not be written: {error}]"),
            None => text,
        }
    }

    /// Reads the beginning of the file, and its end if there is more.
    fn read(&self) -> io::Result<(Vec<u8>, Vec<u8>)> {
        let mut file = File::open(&self.path)?;
        let (mut head, mut rest) = (Vec::new(), Vec::new());
        let begin = PART.min(self.cap);
        (&file).take(begin).read_to_end(&mut head)?;
        let length = file.metadata()?.len();
        if length > begin {
            file.seek(SeekFrom::Start(length.saturating_sub(PART).max(begin)))?;
            file.take(PART).read_to_end(&mut rest)?;
        }
        Ok((head, rest))
    }
}

fn left_out(bytes: u64) -> String {
    format!("\n\n[… {bytes} bytes left out …]\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(directory: &Path, cap: usize) -> OutputFile {
        OutputFile::create(&directory.join("a/b"), &TaskId::random('b'), ByteCap::bytes(cap)).unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_the_user_s_alone_and_never_somebody_else_s() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let name = TaskId::random('b');
        let mut output = OutputFile::create(&root.path().join("a/b"), &name, ByteCap::MIB).unwrap();
        output.push(b"x");
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&root.path().join("a/b")), mode(output.path())), (0o700, 0o600));
        let again = OutputFile::create(&root.path().join("a/b"), &name, ByteCap::MIB);
        assert_eq!(again.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let mut output = file(root.path(), 1_000);
        output.push(b"first ");
        output.file = Some(File::options().write(true).open("/dev/full").unwrap());
        output.push(b"second");
        output.push(b"third");
        assert!(output.shown().contains("\n[the rest could not be written: No space left"));
        assert!(output.finish().is_some_and(|why| why.contains("No space left")));
        assert_eq!(output.total, 17);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn what_is_kept_is_bounded_and_is_the_beginning_and_the_end(
            chunks in prop::collection::vec(0_usize..90_000, 0..8),
            cap in 0_usize..200_000,
        ) {
            let root = tempfile::tempdir().unwrap();
            let mut output = file(root.path(), cap);
            let mut all = Vec::new();
            for (number, length) in chunks.iter().enumerate() {
                let chunk: Vec<u8> = (0..*length).map(|at| b'a' + ((at / 7 + number) % 26) as u8).collect();
                output.push(&chunk);
                all.extend(chunk);
                prop_assert!(output.written <= cap as u64 && output.tail.len() <= TAIL);
            }
            let live = output.shown();
            prop_assert_eq!(output.finish(), None);
            let kept = std::fs::read(output.path()).unwrap();
            let (first, last) = (&all[..all.len().min(cap)], &all[all.len() - all.len().min(TAIL)..]);
            prop_assert!(kept.starts_with(first) && kept.ends_with(last));
            prop_assert!(kept.len() <= cap + TAIL + 60);
            if all.len() <= cap + TAIL {
                prop_assert_eq!(&kept, &all);
            }
            let text = String::from_utf8(all).unwrap();
            for shown in [live, output.shown()] {
                prop_assert!(shown.len() <= 30_100);
                prop_assert!(shown.ends_with(&text[text.len().saturating_sub(1_000)..]));
                prop_assert!(shown.starts_with(&text[..text.len().min(cap).min(1_000)]));
                if text.len() <= cap.min(30_000) {
                    prop_assert_eq!(&shown, &text);
                }
            }
        }
    }
}
