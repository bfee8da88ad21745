//! The tool barrier as types, and the messages of a request (`protocol.md` L2).
//!
//! ```text
//! Conversation ─answered─▶ Next::Done(Conversation)
//!              └────────▶ Next::Calls(OpenCalls) ─close─▶ Conversation
//!                                    └─defer─▶ Deferred ─resume─▶ OpenCalls
//!                                                   └─cancelled─▶ Conversation
//! ```
//!
//! A [`Conversation`] is complete: each call in it has its result. Only a complete one can be sent or take a new
//! message. While calls are open there is no conversation, only [`OpenCalls`], which accept results and hold everything
//! else back.
//!
//! INVARIANT: [`Conversation::messages`] is what the Messages API accepts: roles alternate and begin with the user's; a
//! message with calls is followed by one that begins with all of their results, in the order of the calls; ids are
//! unique and use the API's alphabet; no block is one that the API rejects (blank text, unsigned thoughts, thoughts at
//! the end of a message, images in an error). This is true for any output of a model or a tool, and for any readable
//! part of a stored conversation.
//!
//! # Errors of the model
//! - A call whose input is not a JSON object never arrives here: [`becket_llm::Collector`] rejects the whole answer.
//! - An id that is missing, uses another alphabet, or repeats an earlier one of any answer is replaced by a new one.
//!   The call runs under the new id, also in hooks.
//! - A call without a name is a call of the tool ``, and one with an invalid name keeps it in [`ToolCall::name`]: both
//!   are answered as calls of unknown tools.
//!
//! # When to store entries
//! Each change is an [`Entry`] that waits in `take_entries()` of the changed value. Append the waiting entries to the
//! transcript
//!
//! 1. before each request: prompts, reminders, feedback, and repairs made by loading;
//! 2. after [`Conversation::answered`], **before** the first call of the answer is started: a call that ran is then
//!    never unknown after a crash;
//! 3. after each [`OpenCalls::answer`], so that a crash loses only calls without a result;
//! 4. after [`OpenCalls::close`], [`OpenCalls::defer`] and [`DeferredCalls::cancelled`], and after
//!    [`DeferredCalls::resume`] before a call is started;
//! 5. after [`Conversation::replace_by_summary`], and when the session ends.
//!
//! Storing more often does no harm. [`Replay`] restores the same conversation from the entries, or from any prefix of
//! them.
//!
//! This module does no I/O, runs no calls, formats no hook output, and does not decide when a turn ends.
//!
//! [`ToolCall::name`]: becket_engine::ToolCall::name

mod body;
mod deferred;
mod entry;
mod ids;
mod open;
mod replay;
mod sendable;
mod size;
mod whole;

pub use deferred::{DeferError, DeferredCalls};
pub use entry::Entry;
pub use open::{AnswerError, OpenCalls};
pub use replay::{Misfit, Replay, StoredConversation};
pub use sendable::SayError;
pub use whole::{Conversation, Next};
