//! The small program, from arguments to an exit code, here or in the full program.

mod answer;
mod arguments;
mod full_program;
mod stdin;

use answer::{AnswerContext, write_answer};
use arguments::{AgentArguments, FireArguments};
use becket_fire::dialect::{DialectInput, name_in, refusal_of_agent};
use becket_fire::{ENDED, EarlySignals, FiringError, NO_ANSWER, ProcessContext, Refusal, waiting_input};
use full_program::{Exec, replace_process};
use std::borrow::Cow;
use std::io::{self, Write};
use std::process::ExitCode;

/// Answers, or hands over to the full program.
pub(crate) fn run(process: &ProcessContext) -> ExitCode {
    match FireArguments::read(&process.arguments) {
        Some(arguments) if !stdin::is_terminal() => fire(&arguments, process),
        Some(_) | None => hand_on(process, None),
    }
}

fn fire(arguments: &FireArguments, process: &ProcessContext) -> ExitCode {
    let early = EarlySignals::answer_with(&match &arguments.agent {
        Some(agent) => DialectInput::unread(&agent.dialect).answer_to_signal(agent.installed.is_some()),
        None => Refusal::of(None, ENDED).into(),
    });
    let context = AnswerContext { early: &early, arguments, process };
    let bytes = match stdin::read() {
        Ok(bytes) => bytes,
        Err(error) => {
            let why = format!("stdin can't be read: {error}");
            return match &arguments.agent {
                Some(agent) => write_answer(&DialectInput::unread(&agent.dialect).refusal(&why)).into(),
                None => refuse(&Refusal::of(None, &why)),
            };
        }
    };
    let given = match &arguments.agent {
        Some(agent) => answer_payload(context, &bytes, agent),
        None => {
            let answered = FiringError::unless_it_panics(|| context.answer_event(&bytes));
            match answered {
                Ok(given) => given,
                Err(error) => return refuse(&Refusal::of(stdin::event_kind(&bytes), &error.to_string())),
            }
        }
    };
    given.map_or_else(|| hand_on(process, Some(&bytes)), ExitCode::from)
}

/// Answers in the form of an agent, with a refusal if there is no answer.
fn answer_payload(context: AnswerContext<'_>, bytes: &[u8], agent: &AgentArguments) -> Option<u8> {
    let mut input = DialectInput::unread(&agent.dialect);
    let answered = FiringError::unless_it_panics(|| context.answer_payload(&mut input, bytes, agent));
    answered.unwrap_or_else(|error| Some(write_answer(&input.refusal(&error.to_string()))))
}

/// Becomes the full program; returns only if that fails. `read` is the part of stdin that was read.
fn hand_on(process: &ProcessContext, read: Option<&[u8]>) -> ExitCode {
    let why = match replace_process(&process.arguments, read) {
        Exec::Ended(code) => return code,
        Exec::Failed(why) => why,
    };
    let has = |flag: &str| {
        process.arguments.iter().any(|argument| argument.as_encoded_bytes().starts_with(flag.as_bytes()))
    };
    if let Some(name) = name_in(&process.arguments) {
        if has("--installed") {
            // The entry of `becket install` refuses in the form of its agent.
            return refuse(&Refusal { exit: NO_ANSWER, ..Refusal::of(None, &why) });
        }
        let mut input = DialectInput::unread(&name);
        if let Some(bytes) = all_of_stdin(read) {
            // A payload that can't be read is refused as well, in the form of the named agent.
            let _unknown = input.read(&bytes).and_then(|()| input.recognise(&name, process));
        }
        return write_answer(&input.refusal(&why)).into();
    }
    if has("--stdin-event") {
        let event = all_of_stdin(read).and_then(|bytes| stdin::event_kind(&bytes));
        return refuse(&Refusal::of(event, &why));
    }
    // A slip in the arguments of a guard must not look like a guard that has no objection.
    let fires = process.arguments.iter().any(|argument| argument == "fire");
    let waiting = || fires.then(|| waiting_input(stdin::is_terminal())).flatten();
    let input = read.map(Cow::Borrowed).or_else(|| waiting().map(Cow::Owned));
    if let Some(answer) = input.and_then(|bytes| refusal_of_agent(&bytes, process, &why)) {
        return write_answer(&answer).into();
    }
    let mut refusal = Refusal::of_nothing(&why);
    if process.arguments.get(1).is_some_and(|command| command == "exec") {
        refusal.exit = NO_ANSWER;
    }
    refuse(&refusal)
}

/// Returns the part of stdin that was read, or reads it; `None` if it is a terminal, or can't be read.
fn all_of_stdin(read: Option<&[u8]>) -> Option<Cow<'_, [u8]>> {
    match read {
        Some(read) => Some(Cow::Borrowed(read)),
        None if stdin::is_terminal() => None,
        None => stdin::read().ok().map(Cow::Owned),
    }
}

fn refuse(refusal: &Refusal) -> ExitCode {
    drop(io::stderr().lock().write_all(refusal.stderr.as_bytes()));
    ExitCode::from(refusal.exit)
}
