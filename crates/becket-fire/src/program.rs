//! From arguments to an exit code, here or in the full program.

mod answer;
mod arguments;
mod full_program;
mod stdin;

use answer::{Answer, answer};
use arguments::FireArguments;
use becket_fire::{EarlySignals, FiringError, ProcessContext, Refusal};
use becket_model::EventKind;
use full_program::{Exec, replace_process};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// Answers, or hands on.
pub(crate) fn run(process: &ProcessContext) -> ExitCode {
    match FireArguments::read(&process.arguments) {
        Some(arguments) if !stdin::is_terminal() => fire(&arguments, process),
        Some(_) | None => hand_on(&process.arguments, None),
    }
}

fn fire(arguments: &FireArguments, process: &ProcessContext) -> ExitCode {
    let early = EarlySignals::block();
    let bytes = match stdin::read() {
        Ok(bytes) => bytes,
        Err(error) => return refuse(&Refusal::of(None, &format!("stdin can't be read: {error}"))),
    };
    let answered = FiringError::unless_it_panics(|| answer(&bytes, &early, arguments, process));
    match answered {
        Ok(Answer::Given(code)) => ExitCode::from(code),
        Ok(Answer::NotHere) => hand_on(&process.arguments, Some(&bytes)),
        Err(error) => refuse(&Refusal::of(stdin::event_kind(&bytes), &error.to_string())),
    }
}

/// Becomes the full program; returns only if it can't.
fn hand_on(arguments: &[OsString], read: Option<&[u8]>) -> ExitCode {
    let why = match replace_process(arguments, read) {
        Exec::Ended(code) => return code,
        Exec::Failed(why) => why,
    };
    let has = |flag: &str| {
        arguments.iter().any(|argument| argument.as_encoded_bytes().starts_with(flag.as_bytes()))
    };
    // An answer in the form of an agent is not to be had here; most take the code.
    if has("--dialect") {
        return refuse(&Refusal::of(None, &why));
    }
    if has("--stdin-event") {
        return refuse(&Refusal::of(event_kind(read), &why));
    }
    let mut refusal = Refusal::of_nothing(&why);
    if arguments.get(1).is_some_and(|command| command == "exec") {
        refusal.exit = NOTHING_RUN;
    }
    refuse(&refusal)
}

/// The exit code of `exec` if it has run nothing: its other codes are those of the program.
const NOTHING_RUN: u8 = 125;

fn event_kind(read: Option<&[u8]>) -> Option<EventKind> {
    match read {
        Some(read) => stdin::event_kind(read),
        None if stdin::is_terminal() => None,
        None => stdin::event_kind(&stdin::read().ok()?),
    }
}

fn refuse(refusal: &Refusal) -> ExitCode {
    drop(io::stderr().lock().write_all(refusal.stderr.as_bytes()));
    ExitCode::from(refusal.exit)
}
