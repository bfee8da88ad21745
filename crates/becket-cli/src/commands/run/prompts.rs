//! What is to be done: one prompt from the arguments and stdin, or one after the other, a line each.

use super::wish::Prompts as Wanted;
use crate::error::CliError;
use crate::event::read::{LIMIT, utf8};
use crate::report::run::{BadLine, read_line};
use becket_llm::Block;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use tokio::sync::mpsc;

/// How long a prompt of the arguments waits for the first byte of a stdin that nobody may ever write to.
const FIRST_BYTE: Duration = Duration::from_secs(3);
/// How many messages are read ahead.
const AHEAD: usize = 16;

/// The prompts of a run, in order.
#[derive(Debug)]
pub(super) enum Prompts {
    /// This one.
    Once(Option<Vec<Block>>),
    /// Those that come in on stdin.
    Lines(mpsc::Receiver<Line>),
}

/// A message, or why a line is none.
type Line = Result<Vec<Block>, CliError>;

impl Prompts {
    /// Reads what is to be read before the session opens; lines are read as they come. `nothing` is what to say where there
    /// is no prompt.
    ///
    /// # Errors
    /// stdin can't be read, or there is no prompt.
    pub(super) fn read(wanted: Wanted, nothing: &str) -> Result<Self, CliError> {
        match wanted {
            Wanted::None => Ok(Prompts::Once(None)),
            Wanted::Argument(text) => Ok(Prompts::Once(Some(vec![Block::Text(text)]))),
            Wanted::Piped { argument, may_be_empty } => {
                let piped = piped(argument.is_some())?;
                let parts: Vec<String> = argument.into_iter().chain([piped]).collect();
                // Apart: what is piped in below a prompt is material, which names no files outside.
                let said = |part: &String| !part.trim().is_empty();
                let blocks: Vec<Block> = parts.into_iter().filter(said).map(Block::Text).collect();
                match blocks.is_empty() {
                    true if may_be_empty => Ok(Prompts::Once(None)),
                    true => Err(CliError::usage(nothing)),
                    false => Ok(Prompts::Once(Some(blocks))),
                }
            }
            Wanted::Lines => Ok(Prompts::Lines(lines())),
        }
    }

    /// The next one; none where there are no more.
    ///
    /// # Errors
    /// A line is no message.
    pub(super) async fn next(&mut self) -> Option<Line> {
        match self {
            Prompts::Once(prompt) => prompt.take().map(Ok),
            Prompts::Lines(lines) => lines.recv().await,
        }
    }
}

/// All of stdin. Where there is a prompt already, a stdin that stays silent is none: who starts this program may have
/// left it open.
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
    let bytes = read.ok_or(CliError::Panicked)?.map_err(CliError::Stdin)?;
    if bytes.len() as u64 > LIMIT {
        return Err(CliError::TooLarge { what: "stdin".to_owned(), limit: LIMIT });
    }
    utf8(bytes, "stdin")
}

/// The messages of stdin. Whoever reads a file can't be interrupted, so a thread of its own does, and ends with the
/// process.
fn lines() -> mpsc::Receiver<Line> {
    let (to, from) = mpsc::channel(AHEAD);
    thread::spawn(move || {
        let mut stdin = BufReader::new(std::io::stdin());
        for number in 1.. {
            let line = match one(&mut stdin, number) {
                Ok(Some(Ok(None))) => continue,
                Ok(Some(Ok(Some(blocks)))) => Ok(blocks),
                Ok(Some(Err(why))) => Err(CliError::InputLine { line: number, why }),
                Ok(None) => return,
                Err(error) => Err(error),
            };
            let is_last = line.is_err();
            if to.blocking_send(line).is_err() || is_last {
                return;
            }
        }
    });
    from
}

/// A line; none at the end.
type Read1 = Option<Result<Option<Vec<Block>>, BadLine>>;

fn one(stdin: &mut impl BufRead, number: u64) -> Result<Read1, CliError> {
    let mut bytes = Vec::new();
    stdin.take(LIMIT + 1).read_until(b'\n', &mut bytes).map_err(CliError::Stdin)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 > LIMIT {
        return Err(CliError::TooLarge { what: format!("line {number} of stdin"), limit: LIMIT });
    }
    let text = utf8(bytes, &format!("line {number} of stdin"))?;
    Ok(Some(read_line(&text)))
}
