//! The prompts: one from the arguments and stdin, or several, one a line.
//!
//! Lines are read by [`super::control`].

use super::control::Lines;
use super::options::Prompts as ElicitationRequest;
use super::terminal::Terminal;
use crate::error::CliError;
use crate::event::read::{LIMIT, utf8};
use becket_fire::FiringError;
use becket_llm::Block;
use std::io::{BufRead, Read};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The time limit for the first byte of stdin if the arguments contain a prompt.
const FIRST_BYTE: Duration = Duration::from_secs(3);

/// The prompts of a run, in order.
pub(super) enum Prompts {
    /// A single prompt.
    Once(Option<Vec<Block>>),
    /// The prompt that a SessionStart hook may provide; without it the run ends with this message.
    OfHooks(String),
    /// The prompts that arrive on stdin.
    Lines(Lines),
    /// Prompts that the user types, after one that was given with the command.
    Typed { terminal: Terminal, first: Option<String> },
}

impl Prompts {
    /// Returns the single prompt, read before the session opens; `None` if lines are read as they arrive. `nothing` is
    /// the error if there is no prompt.
    ///
    /// # Errors
    /// Errors if stdin can't be read.
    pub(super) fn once(wanted: &ElicitationRequest, nothing: &str) -> Result<Option<Self>, CliError> {
        let prompt = match wanted {
            ElicitationRequest::Lines | ElicitationRequest::Typed { .. } => return Ok(None),
            ElicitationRequest::None => None,
            ElicitationRequest::Argument(text) => Some(vec![Block::Text(text.clone())]),
            ElicitationRequest::Piped { argument, may_be_empty } => {
                let piped = piped(argument.is_some())?;
                let parts: Vec<String> = argument.iter().cloned().chain([piped]).collect();
                // A separate block, since piped input below a prompt is only material: it must not name files outside.
                let is_not_blank = |part: &String| !part.trim().is_empty();
                let blocks: Vec<Block> = parts.into_iter().filter(is_not_blank).map(Block::Text).collect();
                match blocks.is_empty() {
                    true if *may_be_empty => None,
                    true => return Ok(Some(Prompts::OfHooks(nothing.to_owned()))),
                    false => Some(blocks),
                }
            }
        };
        Ok(Some(Prompts::Once(prompt)))
    }
}

/// Reads all of stdin. If there is a prompt, an idle stdin counts as empty: the caller may have left it open.
fn piped(may_be_silent: bool) -> Result<String, CliError> {
    let (to, from) = channel();
    thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let first = stdin.fill_buf().map(<[u8]>::is_empty);
        drop(to.send(None));
        let mut bytes = Vec::new();
        let read = first.and_then(|_| stdin.take(LIMIT + 1).read_to_end(&mut bytes));
        drop(to.send(Some(read.map(|_| bytes))));
    });
    if may_be_silent && matches!(from.recv_timeout(FIRST_BYTE), Err(RecvTimeoutError::Timeout)) {
        return Ok(String::new());
    }
    let read = from.into_iter().flatten().next();
    let bytes = read.ok_or(FiringError::Panicked)?.map_err(CliError::Stdin)?;
    if bytes.len() as u64 > LIMIT {
        return Err(CliError::TooLarge { what: "stdin".to_owned(), limit: LIMIT });
    }
    utf8(bytes, "stdin")
}
