//! Questions that a hook asks the user while it runs (Q1–Q3).
//!
//! [`parse`] reads one line, [`lines`] finds the lines that are questions in a hook's output, and [`split_output`]
//! removes them from its answer. `handlers::questions` asks them.
//!
//! Nothing is guessed: a line that is not exactly a question is the hook's own output, and one that nearly is gets the
//! answer `null` and a warning. INVARIANT: no answer of a hook is ever mistaken for a question, so no denial is lost
//! that way.

pub(crate) mod answer;
pub(crate) mod lines;
pub(crate) mod parse;
pub(crate) mod question;
mod split_output;

pub use answer::{Answer, AnsweredQuestion};
pub use question::{AskUser, Choice, Question};
pub(crate) use split_output::{SplitOutput, split_output};
