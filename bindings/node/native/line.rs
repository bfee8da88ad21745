//! The one way from other threads to JavaScript: a function of its own, called on its thread, in order.
//!
//! INVARIANT: it is weak. A process whose engines are idle ends; JavaScript itself stays up while it waits for something.

use napi::Status;
use napi::bindgen_prelude::FnArgs;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};

/// What is said: what it is, whom it is for, what more has to be known, and a text.
type Words = FnArgs<(&'static str, u32, u32, String)>;

/// The function that JavaScript hands in.
pub(crate) type Listener = ThreadsafeFunction<Words, (), Words, Status, false, true>;

/// What JavaScript is told.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Word {
    /// A hook of JavaScript is to answer.
    Call,
    /// The user of JavaScript is to answer.
    Ask,
    /// Nobody waits for an answer any more.
    Withdrawn,
    /// Something happened in the engine.
    Told,
    /// What was wanted is done.
    Done,
    /// It can't be done.
    Failed,
    /// It was cancelled, and what ran is ended.
    Cancelled,
}

impl Word {
    const fn as_str(self) -> &'static str {
        match self {
            Word::Call => "call",
            Word::Ask => "ask",
            Word::Withdrawn => "withdrawn",
            Word::Told => "told",
            Word::Done => "done",
            Word::Failed => "failed",
            Word::Cancelled => "cancelled",
        }
    }
}

/// The line to one thread of JavaScript.
pub(crate) struct Line(Listener);

impl Line {
    pub(crate) fn new(listener: Listener) -> Self {
        Line(listener)
    }

    /// Says it; whether it will be heard. A thread that ends hears nothing any more.
    pub(crate) fn say(&self, word: Word, whom: u32, more: u32, text: String) -> bool {
        let words = FnArgs::from((word.as_str(), whom, more, text));
        self.0.call(words, ThreadsafeFunctionCallMode::NonBlocking) == Status::Ok
    }
}
