//! The writing of an answer, exactly once and to a reader.
//!
//! INVARIANT: an answer on stdout that nobody can read is a refusal, with its reason on stderr.

use becket_base::text::visible;
use becket_dialects::Answer;
use std::io::{self, Write};

/// Returns stdout as the place of an answer.
pub fn stdout() -> AnswerStdout {
    #[cfg(unix)]
    becket_process::withdraw_last_answer();
    AnswerStdout(io::stdout().lock())
}

/// Stdout, as long as somebody can read it: a descriptor that was closed at the start of the process is the null device
/// by now.
#[derive(Debug)]
pub struct AnswerStdout(io::StdoutLock<'static>);

impl Write for AnswerStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !bytes.is_empty() && is_null_device(&self.0) {
            return Err(io::Error::new(io::ErrorKind::BrokenPipe, "it is closed, or the null device"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns the answer in a form that has a reader, without writing it.
pub(crate) fn readable(answer: &Answer) -> Answer {
    match !answer.stdout.is_empty() && is_null_device(&io::stdout()) {
        true => Answer { stdout: String::new(), stderr: answer.stdout.clone(), exit: 2 },
        false => answer.clone(),
    }
}

#[cfg(unix)]
fn is_null_device(stdout: &impl std::os::fd::AsFd) -> bool {
    let (Ok(own), Ok(null)) = (rustix::fs::fstat(stdout), rustix::fs::stat("/dev/null")) else {
        return false;
    };
    let is_device = rustix::fs::FileType::from_raw_mode(own.st_mode) == rustix::fs::FileType::CharacterDevice;
    is_device && own.st_rdev == null.st_rdev
}

/// Returns false: elsewhere a closed stdout is not replaced.
#[cfg(not(unix))]
fn is_null_device<T>(_: &T) -> bool {
    false
}

/// Writes an answer in the form of an agent; returns its exit code. If stdout can't be written, the reason is on
/// stderr, with exit code 2: the form that most agents understand.
pub fn deliver(answer: &Answer, mut stdout: impl Write, mut stderr: impl Write) -> u8 {
    match stdout.write_all(answer.stdout.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => {
            drop(stderr.write_all(visible(&answer.stderr).as_bytes()));
            answer.exit
        }
        Err(why) => {
            let lost = [answer.stderr.trim_end(), answer.stdout.trim_end()].join("\n");
            let text = format!(
                "becket can't write its answer to stdout, so this is refused: {why}\n{}\n",
                lost.trim()
            );
            drop(stderr.write_all(visible(&text).as_bytes()));
            2
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place that takes nothing.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::StorageFull))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    // rule: O10
    #[test]
    fn an_answer_that_cant_be_written_is_a_refusal_with_its_reason() {
        let denial = Answer {
            stdout: "{\"decision\":\"deny\",\"reason\":\"not here\"}\n".to_owned(),
            ..Answer::default()
        };
        let mut stderr = Vec::new();
        assert_eq!(deliver(&denial, Full, &mut stderr), 2);
        let said = String::from_utf8(stderr).unwrap();
        assert!(said.contains("can't write its answer") && said.contains("not here"), "{said}");
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        assert_eq!(deliver(&denial, &mut stdout, &mut stderr), 0);
        assert_eq!((stdout, stderr), (denial.stdout.into_bytes(), Vec::new()));
        let nothing = Answer::default();
        assert_eq!(deliver(&nothing, Full, Vec::new()), 0, "nothing has to arrive");
    }
}
