//! `fire --dialect`: Becket as the only hook of an agent that has its own dialect.
//!
//! INVARIANT: exactly one answer is written, in the agent's form. Every failure on an event that can be blocked is a
//! refusal, including a name that is not a dialect.

mod payload_run;

use crate::args::{AsksChoice, FireArgs, Global};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::event::read;
use crate::out::Out;
use becket_dialects::{Answer, Asks};
use becket_fire::dialect::{DialectInput, check_version, name_in, refusal_of_agent};
use becket_fire::event_gate::PROTOCOL;
use becket_fire::{EarlySignals, FiringError, deliver, stdout, waiting_input};
use std::io;

/// Answers in the form of the agent.
pub(super) fn run(
    name: &str,
    args: &FireArgs,
    global: &Global,
    around: &Surroundings,
    out: &Out,
) -> CommandResult {
    let mut input = DialectInput::unread(name);
    let early = EarlySignals::answer_with(&input.answer_to_signal(args.installed.is_some()));
    let code = FiringError::unless_it_panics(|| {
        read_into(&mut input, around)?;
        let dialect = input.recognise(name, &around.process)?;
        check_version(args.installed.as_deref())?;
        payload_run::answer_payload(input.payload(), dialect, &early, args, global, around, out)
    });
    Ok(code.unwrap_or_else(|error: CliError| write(&input.refusal(&error.to_string()))))
}

/// Refuses if the arguments can't be read but name a dialect, or if they are those of `fire` and the input is that of
/// an agent: a typo in the command of a guard must not look like a guard that has no objection. Returns the exit code.
pub(crate) fn refuse_slip(around: &Surroundings, is_fire: bool) -> Option<u8> {
    const WHY: &str = "its arguments are wrong";
    let Some(name) = name_in(&around.process.arguments) else {
        let input = if is_fire { waiting_input(around.terminals.stdin) } else { None };
        return refusal_of_agent(&input?, &around.process, WHY).map(|answer| write(&answer));
    };
    let mut input = DialectInput::unread(&name);
    let known = read_into(&mut input, around)
        .and_then(|()| Ok(input.recognise(&name, &around.process).map(|_| ())?));
    let why = known.err().map_or_else(|| WHY.to_owned(), |error| error.to_string());
    let answer = input.refusal(&why);
    Some(write(&answer))
}

/// Refuses if the arguments of a hook ask for help or for the version, and an agent waits for an answer. Returns the
/// exit code.
pub(crate) fn refuse_help(around: &Surroundings) -> Option<u8> {
    let arguments = &around.process.arguments;
    let name = name_in(arguments);
    if name.is_none() && !arguments.iter().any(|argument| argument == "--stdin-event") {
        return None;
    }
    let bytes = waiting_input(around.terminals.stdin)?;
    let mut input = DialectInput::unread(name.as_deref().unwrap_or(PROTOCOL));
    input.read(&bytes).ok().filter(|()| input.payload().is_object())?;
    if let Some(name) = name {
        // The form of the refusal is known even if the name is not.
        let _unknown = input.recognise(&name, &around.process);
    }
    Some(write(&input.refusal("its arguments ask for help or for the version")))
}

fn read_into(input: &mut DialectInput, around: &Surroundings) -> Result<(), CliError> {
    let bytes = read::stdin("the hook input as JSON", around)?;
    Ok(input.read(&bytes)?)
}

fn write(answer: &Answer) -> u8 {
    deliver(answer, stdout(), io::stderr().lock())
}

/// Returns the treatment of asks that the arguments request.
fn asks(choice: Option<AsksChoice>) -> Asks {
    match choice {
        None => Asks::Auto,
        Some(AsksChoice::Deny) => Asks::Deny,
        Some(AsksChoice::Pass) => Asks::Pass,
    }
}
