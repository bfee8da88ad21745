//! The tool barrier as types, and the messages of a request (`protocol.md` L2).
//!
//! ```text
//! Conversation ─answered─▶ Next::Done(Conversation)
//!              └────────▶ Next::Calls(OpenCalls) ─close─▶ Conversation
//!                                    └─defer─▶ Deferred ─resume─▶ OpenCalls
//!                                                   └─cancelled─▶ Conversation
//! ```
//!
//! A [`Conversation`] is whole: each call in it has its result. It alone can be sent and said something to. While calls
//! are open there is no conversation, only [`OpenCalls`], which take results and keep everything else waiting.
//!
//! INVARIANT: [`Conversation::messages`] is what the Messages API accepts: roles alternate and begin with the user's; a
//! message with calls is followed by one that begins with all of their results, in the order of the calls; ids are
//! unique and of the API's alphabet; no block is one that the API refuses (blank text, unsigned thoughts, thoughts at
//! the end of a message, images beside an error). It holds for whatever a model or a tool gives, and for whatever part
//! of what was stored can still be read.
//!
//! # What the model gets wrong
//! - A call whose input is not a JSON object never arrives here: [`becket_llm::Collector`] refuses the whole answer.
//! - An id that repeats an earlier one, of any answer, or that is missing or of another alphabet, is replaced by a new
//!   one. The call runs under that one, in hooks, too.
//! - A call without a name is a call of the tool ``, and one with an invalid name keeps it in [`ToolCall::name`]: both
//!   are answered as calls of unknown tools.
//!
//! # What has to be stored, and when
//! Each change is an [`Entry`] that waits in `take_entries()` of the value that was changed. Append what waits to the
//! transcript
//!
//! 1. before each request: prompts, reminders, feedback, and repairs that loading made;
//! 2. after [`Conversation::answered`], **before** the first call of the answer is started: a call that ran is then
//!    never unknown after a crash;
//! 3. after each [`OpenCalls::answer`], so that a crash loses only what has no result yet;
//! 4. after [`OpenCalls::close`], [`OpenCalls::defer`] and [`DeferredCalls::cancelled`], and after [`DeferredCalls::resume`]
//!    before a call is started;
//! 5. after [`Conversation::replace_by_summary`], and when the session ends.
//!
//! More often does no harm. [`Replay`] makes the same conversation again from the entries, or from any beginning of
//! them.
//!
//! It does no I/O, runs no calls, words no hook output, and does not decide when a turn ends.
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
