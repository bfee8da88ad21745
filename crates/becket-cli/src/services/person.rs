//! The user at the terminal, who is asked by a separate process.
//!
//! A blocking read of keys can't be interrupted, but a process can be ended. It restores the terminal as soon as its
//! stdin ends: when the question is withdrawn, and when a signal ends `fire`. If `fire` is killed, it ends too, and
//! restores only the settings, since the shell then owns the terminal again.

use super::question::{QuestionAnswer, ToAsk, WITHDRAWN};
use crate::out::Out;
use crate::progress::Progress;
use crate::report::style::plain;
use becket_engine::{AskUser, CancellationToken, Question};
use std::future::Future;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::pin::Pin;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// The user at the terminal.
#[derive(Clone)]
pub(crate) struct Person {
    /// The path of this program.
    pub(crate) program: PathBuf,
    /// True if stderr shows colour.
    pub(crate) colour: bool,
    /// The progress display, which is paused during a question.
    pub(crate) progress: Progress,
    /// Cancelled when the user interrupts.
    pub(crate) interrupt: CancellationToken,
    /// The output for the error if the user can't be asked.
    pub(crate) out: Out,
    /// Locked until the terminal is restored.
    pub(crate) terminal: Arc<Mutex<()>>,
}

impl AskUser for Person {
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        _: &'a CancellationToken,
    ) -> Pin<Box<dyn Future<Output = Option<String>> + Send + 'a>> {
        Box::pin(async move {
            let terminal = self.terminal.clone().lock_owned().await;
            let _paused = self.progress.pause();
            match self.read_answer(&ToAsk::new(question, self.colour), terminal).await {
                QuestionAnswer::Chose(at) => question.options.get(at).map(|option| option.key.clone()),
                QuestionAnswer::None => None,
                QuestionAnswer::Interrupted => {
                    self.interrupt.cancel();
                    std::future::pending().await
                }
                QuestionAnswer::Unasked(why) => {
                    self.out.eprint(&format!("the question of a hook could not be asked: {}\n", plain(&why)));
                    None
                }
            }
        })
    }
}

impl Person {
    /// Starts the process and waits for its output. Dropping the future closes its stdin, which ends the process.
    async fn read_answer(&self, to_ask: &ToAsk, terminal: OwnedMutexGuard<()>) -> QuestionAnswer {
        let unasked = |error: &dyn std::fmt::Display| QuestionAnswer::Unasked(error.to_string());
        let (child, mut pending) = match self.start() {
            Ok(started) => started,
            Err(error) => return unasked(&error),
        };
        let mut line = match serde_json::to_vec(to_ask) {
            Ok(line) => line,
            Err(error) => return unasked(&error),
        };
        line.push(b'\n');
        // A process that has ended before reading is detected by its output.
        drop(pending.0.write_all(&line));
        let waiting = tokio::task::spawn_blocking(move || last_words(child, terminal));
        match waiting.await {
            Ok(Ok(words)) => serde_json::from_str(&words).unwrap_or_else(|error| unasked(&error)),
            Ok(Err(error)) => unasked(&error),
            Err(error) => unasked(&error),
        }
    }

    fn start(&self) -> std::io::Result<(Child, PendingQuestion)> {
        let mut command = Command::new(&self.program);
        command.arg("ask").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn()?;
        let stdin = child.stdin.take().ok_or_else(|| std::io::Error::other("it has no stdin"))?;
        Ok((child, PendingQuestion(stdin)))
    }
}

/// A question that waits for an answer.
struct PendingQuestion(ChildStdin);

impl Drop for PendingQuestion {
    /// Withdraws the question: a stdin that ends without this message means that `fire` was killed.
    fn drop(&mut self) {
        drop(self.0.write_all(WITHDRAWN));
    }
}

/// Returns the output of a process at its end; then the terminal is free.
fn last_words(mut child: Child, terminal: OwnedMutexGuard<()>) -> std::io::Result<String> {
    let mut words = String::new();
    if let Some(stdout) = &mut child.stdout {
        stdout.read_to_string(&mut words)?;
    }
    child.wait()?;
    drop(terminal);
    Ok(words)
}
