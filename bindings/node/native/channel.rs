//! The message channel to JavaScript: a function that is called on its thread, in order. Messages of work that runs on
//! that thread need no call: the work returns them.
//!
//! INVARIANT: the function is held weakly. A process whose engines are idle ends; JavaScript itself keeps it alive
//! while it waits for something.

use napi::Status;
use napi::bindgen_prelude::FnArgs;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use std::cell::RefCell;
use std::ptr;

/// The arguments of a message: its kind, its recipient, a number, and a text.
type MessageArgs = FnArgs<(&'static str, u32, u32, String)>;

/// The function that JavaScript passes in.
pub(crate) type Listener = ThreadsafeFunction<MessageArgs, (), MessageArgs, Status, false, true>;

/// The kind of a message to JavaScript.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MessageKind {
    /// A request to a hook of JavaScript.
    Call,
    /// A request to the user of JavaScript.
    Ask,
    /// An answer is no longer awaited.
    Withdrawn,
    /// Something happened in the engine.
    Event,
    /// The request has succeeded.
    Done,
    /// The request has failed.
    Failed,
    /// The request was cancelled, and its hooks are ended.
    Cancelled,
}

impl MessageKind {
    const fn as_str(self) -> &'static str {
        match self {
            MessageKind::Call => "call",
            MessageKind::Ask => "ask",
            MessageKind::Withdrawn => "withdrawn",
            MessageKind::Event => "told",
            MessageKind::Done => "done",
            MessageKind::Failed => "failed",
            MessageKind::Cancelled => "cancelled",
        }
    }
}

/// A message.
#[napi(object, object_from_js = false)]
pub struct Message {
    /// The kind.
    pub word: &'static str,
    /// The recipient.
    pub whom: u32,
    /// An additional number.
    pub more: u32,
    /// A text.
    pub text: String,
}

/// The messages of work that runs on a JavaScript thread, with the channel that they belong to.
type CollectedMessages = Option<(*const Channel, Vec<Message>)>;

thread_local! {
    static COLLECTED: RefCell<CollectedMessages> = const { RefCell::new(None) };
}

/// The previous messages, which are restored even if the work panics.
struct RestoreOnDrop(CollectedMessages);

impl Drop for RestoreOnDrop {
    fn drop(&mut self) {
        COLLECTED.set(self.0.take());
    }
}

/// The channel to one thread of JavaScript.
pub(crate) struct Channel(Listener);

impl Channel {
    pub(crate) fn new(listener: Listener) -> Self {
        Channel(listener)
    }

    /// Sends a message; returns whether it will be received. A thread that is ending receives nothing more.
    pub(crate) fn send(&self, word: MessageKind, whom: u32, more: u32, text: String) -> bool {
        let word = word.as_str();
        let left = COLLECTED.with_borrow_mut(|messages| match messages {
            Some((channel, messages)) if ptr::eq(*channel, self) => {
                messages.push(Message { word, whom, more, text });
                None
            }
            Some(_) | None => Some(text),
        });
        let Some(text) = left else { return true };
        self.0.call(FnArgs::from((word, whom, more, text)), ThreadsafeFunctionCallMode::NonBlocking)
            == Status::Ok
    }

    /// Runs work on JavaScript's own thread; returns its messages instead of calling JavaScript.
    pub(crate) fn collect(&self, work: impl FnOnce()) -> Vec<Message> {
        let _before = RestoreOnDrop(COLLECTED.replace(Some((self, Vec::new()))));
        work();
        COLLECTED.take().map(|(_, messages)| messages).unwrap_or_default()
    }
}
