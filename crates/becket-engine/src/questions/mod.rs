//! Questions that a hook asks the user while it runs (Q1–Q3).
//!
//! [`parse`] reads one line, [`lines`] finds the lines that are questions in what a hook prints, [`taken_out`] removes
//! them from its answer, [`desk`] asks one after another, and [`interview`] does all of it for one run.
//!
//! Refuses to guess: what is not exactly a question is the hook's own output, and what is nearly one is answered with
//! `null` and named. INVARIANT: no answer of a hook is ever taken for a question, so no denial is lost as one.

mod answer;
mod desk;
mod interview;
mod lines;
mod parse;
mod question;
mod taken_out;
#[cfg(test)]
mod tests;
mod turns;

pub use answer::{Answer, Answered};
pub(crate) use desk::Desk;
pub(crate) use interview::Interview;
pub use question::{AskUser, Choice, Question};
pub(crate) use taken_out::{TakenOut, taken_out};
