//! `becket check-output`: the interpretation of a hook's output.

use crate::args::{CheckOutputArgs, Global};
use crate::env::Surroundings;
use crate::error::CommandResult;
use crate::event::{self, read};
use crate::out::Out;
use crate::report::{human, json};
use crate::session;
use becket_base::text_file;
use becket_embed::view::Report;
use becket_embed::view::answer::Answer;
use becket_model::interpret::{self, HandlerOutput, OutputOrigin};

/// Reads an output from stdin and shows its effects. Exits with 1 if it is not a usable answer, or if a part of it is
/// ignored: that part may be the one that denies.
pub(crate) fn run(
    args: &CheckOutputArgs,
    global: &Global,
    around: &Surroundings,
    out: &Out,
) -> CommandResult {
    let spec = event::kind(&args.event)?.spec();
    let stderr = match args.stderr.as_deref() {
        None => String::new(),
        Some(given) => match given.strip_prefix('@') {
            Some(path) => text_file::read(&session::launched(global, around)?.start.join(path))?,
            None => given.to_owned(),
        },
    };
    let stdout = read::stdin("the hook's stdout", around)?;
    let printed = HandlerOutput {
        exit: args.exit,
        stdout: &stdout,
        stderr: stderr.as_bytes(),
        ..HandlerOutput::nothing(OutputOrigin::Command)
    };
    let taken = interpret::printed(spec, &printed);
    let refuses_rights =
        taken.reply.fields.sandbox.as_ref().is_some_and(|sandbox| sandbox.unread().is_some());
    let answer = Answer::new(spec, args.exit, &taken);
    let is_ignored_in_part = !answer.warnings.is_empty() || !answer.unknown_fields.is_empty();
    let code = u8::from(answer.failure.is_some() || is_ignored_in_part || refuses_rights);
    if global.json {
        json::print(&Report::CheckOutput(answer), out)?;
    } else {
        out.print(&human::answer::render(&answer, around.width))?;
    }
    Ok(code)
}
