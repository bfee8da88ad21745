//! `fire --dialect`: Becket as the one hook of an agent that has a dialect of its own.
//!
//! INVARIANT: exactly one answer is written, in the agent's form. Every failure on an event that can be held back is a
//! refusal, a name that is not a dialect included.

mod carried;
mod payload_run;
mod unknown_tool;

use crate::args::{AsksChoice, FireArgs, Global};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::event::read;
use crate::out::Out;
use crate::report::style::plain;
use becket_dialects::{ALL, Answer, Asks, Dialect, detect, dialect, refuse};
use becket_fire::{EarlySignals, FiringError};
use serde_json::Value;

/// The word for a dialect that is recognised by the input.
const AUTO: &str = "auto";

/// Answers in the form of the agent.
pub(super) fn run(
    name: &str,
    args: &FireArgs,
    global: &Global,
    around: &Surroundings,
    out: &Out,
) -> CommandResult {
    let mut input = Input::named(name);
    let early = EarlySignals::block();
    let answer = FiringError::unless_it_panics(|| {
        input.read(around)?;
        let dialect = input.recognise(name, around)?;
        check_version(args.installed.as_deref())?;
        payload_run::answer_payload(&input.payload, dialect, &early, args, global, around, out)
    });
    let answer = answer.unwrap_or_else(|error| input.refusal(&error.to_string()));
    write(&answer, out)
}

/// Refuses for arguments that can't be read, if they name a dialect: a slip in the command of a guard must not look like
/// one that has nothing to say. Returns the exit code.
pub(crate) fn refuse_slip(around: &Surroundings, out: &Out) -> Option<u8> {
    let arguments: Vec<String> =
        around.process.arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let at = arguments.iter().position(|argument| argument.split('=').next() == Some("--dialect"))?;
    let joined = arguments.get(at)?.split_once('=').map(|(_, name)| name.to_owned());
    let name = joined.or_else(|| arguments.get(at + 1).cloned()).unwrap_or_default();
    let mut input = Input::named(&name);
    let known = input.read(around).and_then(|()| input.recognise(&name, around));
    let why = known.err().map_or_else(|| "its arguments are wrong".to_owned(), |error| error.to_string());
    let answer = input.refusal(&why);
    Some(write(&answer, out).unwrap_or(2))
}

/// The payload, and the dialect as soon as it is known.
struct Input {
    payload: Value,
    dialect: Option<&'static Dialect>,
}

impl Input {
    /// No payload yet: even then a refusal is in the form of the agent.
    fn named(name: &str) -> Self {
        Input { payload: Value::Null, dialect: dialect(name) }
    }

    fn read(&mut self, around: &Surroundings) -> Result<(), CliError> {
        let bytes = read::stdin("the hook input as JSON", around)?;
        // A byte-order mark is not part of the JSON.
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        self.payload =
            serde_json::from_slice(text).map_err(|error| CliError::StdinEvent { why: error.to_string() })?;
        Ok(())
    }

    fn recognise(&mut self, name: &str, around: &Surroundings) -> Result<&'static Dialect, CliError> {
        let detected = || detect(&self.payload, |variable| around.var(variable).is_some());
        if name == AUTO {
            let found = detected().map_err(|error| CliError::StdinEvent { why: error.to_string() })?;
            self.dialect = Some(found);
            return Ok(found);
        }
        // A name that is none is refused in the form of the agent that the input comes from.
        self.dialect = dialect(name).or_else(|| detected().ok());
        named_dialect(name)
    }

    fn refusal(&self, why: &str) -> Answer {
        let reason = format!("becket can't run the hooks, so this is refused: {}", plain(why));
        match self.dialect {
            Some(dialect) => refuse(dialect, &self.payload, &reason),
            // The form that most agents understand.
            None => Answer { exit: 2, stderr: format!("{reason}\n"), ..Answer::default() },
        }
    }
}

/// Checks the major version for which `install` wrote the entry.
fn check_version(installed: Option<&str>) -> Result<(), CliError> {
    match installed.filter(|major| *major != env!("CARGO_PKG_VERSION_MAJOR")) {
        Some(major) => Err(CliError::OtherVersion { installed: major.to_owned() }),
        None => Ok(()),
    }
}

/// Returns the dialect of a name.
///
/// # Errors
/// Errors if there is none.
pub(crate) fn named_dialect(name: &str) -> Result<&'static Dialect, CliError> {
    dialect(name).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> CliError {
    let names: Vec<&str> = ALL.iter().map(|dialect| dialect.name).chain([AUTO]).collect();
    CliError::UnknownDialect {
        name: name.to_owned(),
        near: becket_base::suggest(name, &names).map(str::to_owned),
        all: names.join(", "),
    }
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
