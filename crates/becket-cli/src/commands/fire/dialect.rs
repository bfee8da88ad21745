//! `fire --dialect`: Becket as the one hook of an agent that has a dialect of its own.
//!
//! INVARIANT: exactly one answer is written, in the agent's form. Every failure on an event that can be held back is a
//! refusal, a name that is not a dialect included.

mod payload_run;

use crate::args::{AsksChoice, FireArgs, Global};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::event::read;
use crate::out::Out;
use crate::report::style::plain;
use becket_dialects::{Answer, Asks};
use becket_fire::dialect::{DialectInput, check_version, name_in};
use becket_fire::{EarlySignals, FiringError, NO_ANSWER};

/// Answers in the form of the agent.
pub(super) fn run(
    name: &str,
    args: &FireArgs,
    global: &Global,
    around: &Surroundings,
    out: &Out,
) -> CommandResult {
    let mut input = DialectInput::named(name);
    // An entry of `becket install` refuses for a code that is not one of an answer; several agents ignore a silent 2.
    let early = EarlySignals::exit_with(if args.installed.is_some() { NO_ANSWER } else { 2 });
    let answer = FiringError::unless_it_panics(|| {
        read_into(&mut input, around)?;
        let dialect = input.recognise(name, &around.process)?;
        check_version(args.installed.as_deref())?;
        payload_run::answer_payload(input.payload(), dialect, &early, args, global, around, out)
    });
    let answer = answer.unwrap_or_else(|error: CliError| input.refusal(&error.to_string()));
    write(&answer, out)
}

/// Refuses for arguments that can't be read, if they name a dialect: a slip in the command of a guard must not look like
/// one that has nothing to say. Returns the exit code.
pub(crate) fn refuse_slip(around: &Surroundings, out: &Out) -> Option<u8> {
    let name = name_in(&around.process.arguments)?;
    let mut input = DialectInput::named(&name);
    let known = read_into(&mut input, around)
        .and_then(|()| Ok(input.recognise(&name, &around.process).map(|_| ())?));
    let why = known.err().map_or_else(|| "its arguments are wrong".to_owned(), |error| error.to_string());
    let answer = input.refusal(&why);
    Some(write(&answer, out).unwrap_or(2))
}

fn read_into(input: &mut DialectInput, around: &Surroundings) -> Result<(), CliError> {
    let bytes = read::stdin("the hook input as JSON", around)?;
    Ok(input.read(&bytes)?)
}

fn write(answer: &Answer, out: &Out) -> CommandResult {
    if out.answer(&answer.stdout).is_err() {
        // Nobody reads the answer: most agents take this code for a refusal.
        return Ok(2);
    }
    out.tell(&plain(&answer.stderr));
    Ok(answer.exit)
}

/// The handling of asks as the arguments want it.
fn asks(choice: Option<AsksChoice>) -> Asks {
    match choice {
        None => Asks::Auto,
        Some(AsksChoice::Deny) => Asks::Deny,
        Some(AsksChoice::Pass) => Asks::Pass,
    }
}
