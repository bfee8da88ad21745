//! `becket ask`: asks the user at the terminal one question for `fire`, in a process that can be ended while it waits
//! for a key.
//!
//! stdin contains the question on its first line; when it ends, the terminal is restored and the question is withdrawn.
//! INVARIANT: keys typed before the question was shown never answer it.

use crate::error::CommandResult;
use crate::out::Out;
use crate::report::style::{one_line, plain};
use crate::services::question::{QuestionAnswer, ToAsk, WITHDRAWN};
use crossterm::terminal::{Clear, ClearType};
use crossterm::{cursor, event, execute, terminal};
use inquire::ui::RenderConfig;
use inquire::{InquireError, Select};
use std::io::{self, BufRead, Read, Write};
use std::time::Duration;

/// The maximum width of an option, in characters.
const WIDTH: usize = 100;
/// The number of lines of a message and its options that fit on a small screen.
const MOST_LINES: usize = 15;

/// Asks the question on stdin.
pub(crate) fn run(out: &Out) -> CommandResult {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let answer = match serde_json::from_str::<ToAsk>(&line) {
        Ok(to_ask) => ask_user(&to_ask),
        Err(error) => QuestionAnswer::Unasked(error.to_string()),
    };
    out.print_raw(&serde_json::to_vec(&answer).map_err(io::Error::other)?)?;
    Ok(0)
}

fn ask_user(to_ask: &ToAsk) -> QuestionAnswer {
    let shown = |option: &crate::services::question::QuestionOption| match &option.description {
        Some(more) => format!("{}  ({})", one_line(&option.label, WIDTH), one_line(more, WIDTH)),
        None => one_line(&option.label, WIDTH),
    };
    let options = to_ask.options.iter().map(shown).collect();
    let message = plain(to_ask.message.trim_end());
    let help = format!("{} asks; ↑↓ moves, Enter chooses, Esc chooses none", one_line(&to_ask.asked_by, 40));
    if let Err(error) = forget_keys().and_then(|()| make_room(message.lines().count() + to_ask.options.len()))
    {
        return QuestionAnswer::Unasked(error.to_string());
    }
    std::thread::spawn(withdrawn_at_end_of_stdin);
    let look = if to_ask.colour { RenderConfig::default_colored() } else { RenderConfig::empty() };
    let select = Select::new(&message, options).with_help_message(&help).with_render_config(look);
    match select.without_filtering().raw_prompt_skippable() {
        Ok(Some(chosen)) => QuestionAnswer::Chose(chosen.index),
        Ok(None) => QuestionAnswer::None,
        Err(InquireError::OperationInterrupted) => QuestionAnswer::Interrupted,
        Err(error) => QuestionAnswer::Unasked(error.to_string()),
    }
}

/// Discards the keys typed so far.
pub(super) fn forget_keys() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    while event::poll(Duration::ZERO)? {
        event::read()?;
    }
    terminal::disable_raw_mode()
}

/// Scrolls to make room for the question, and saves the position of its first line, from which the screen is cleared.
fn make_room(lines: usize) -> io::Result<()> {
    let lines = lines.min(MOST_LINES) + 3;
    let mut stderr = io::stderr().lock();
    stderr.write_all("\n".repeat(lines).as_bytes())?;
    execute!(stderr, cursor::MoveUp(u16::try_from(lines).unwrap_or(u16::MAX)), cursor::SavePosition)
}

/// Waits for the end of stdin, then restores the terminal and exits.
#[expect(clippy::exit, reason = "the other thread waits for a key, and nothing else can end it")]
fn withdrawn_at_end_of_stdin() {
    let mut last = Vec::new();
    // A failing stdin counts as its end.
    drop(io::stdin().lock().read_to_end(&mut last));
    // Locked until the end, so that the other thread writes nothing more.
    let mut stderr = io::stderr().lock();
    if last == WITHDRAWN {
        drop(execute!(stderr, cursor::RestorePosition, Clear(ClearType::FromCursorDown)));
    }
    // Without the final message, `fire` was killed, and a shell may have written since: only the settings are restored.
    drop(execute!(stderr, event::DisableBracketedPaste, cursor::Show));
    drop(terminal::disable_raw_mode());
    std::process::exit(0);
}
