//! Answers to questions: they arrive from other threads while the tracer waits for processes.

#![expect(unsafe_code, reason = "a descriptor for signals has no safe interface")]

use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use super::host_process;

/// The maximum wait, after which the children are checked: another thread of the process may receive SIGCHLD.
const LONGEST_WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// The id of a question.
pub(super) type QuestionId = u64;

/// An answer to a question.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) question: QuestionId,
    /// The reason for a refusal; `None` approves.
    pub(super) refusal: Option<String>,
}

/// The receiving end of answers.
pub(super) struct Answers {
    sender: Sender<Answer>,
    receiver: Receiver<Answer>,
    wake: Arc<OwnedFd>,
    children: OwnedFd,
}

impl Answers {
    pub(super) fn new() -> io::Result<Self> {
        let (sender, receiver) = channel();
        let wake = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let set = host_process::only(libc::SIGCHLD);
        // SAFETY: the set is valid, and a descriptor that is returned belongs to nothing else.
        let children = unsafe {
            match libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
                -1 => return Err(io::Error::last_os_error()),
                descriptor => OwnedFd::from_raw_fd(descriptor),
            }
        };
        Ok(Self { sender, receiver, wake, children })
    }

    /// Returns a function that sends the answer to a question, from any thread.
    pub(super) fn sender(&self, question: QuestionId) -> Box<dyn FnOnce(Option<String>) + Send> {
        let (sender, wake) = (self.sender.clone(), Arc::clone(&self.wake));
        Box::new(move |refusal| {
            // After the end of the tracer no receiver is left.
            let _ = sender.send(Answer { question, refusal });
            let _ = rustix::io::write(&*wake, &1_u64.to_ne_bytes());
        })
    }

    /// Returns the next answer that has arrived.
    pub(super) fn next(&self) -> Option<Answer> {
        self.receiver.try_recv().ok()
    }

    /// Waits for an answer or for a report about a child.
    pub(super) fn wait(&self) {
        let mut sources = [
            PollFd::from_borrowed_fd(self.wake.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.children.as_fd(), PollFlags::IN),
        ];
        // An error, or a signal, only makes the tracer look again.
        let _ = poll(&mut sources, Some(&LONGEST_WAIT));
        let mut read = [0; 128];
        let _ = rustix::io::read(&*self.wake, &mut read[..8]);
        while rustix::io::read(&self.children, &mut read).is_ok() {}
    }
}
