//! From arguments to an exit code: parses, hands over to a command, tells what went wrong.

use crate::args::{Cli, ColourChoice, Command};
use crate::commands;
use crate::env::Surroundings;
use crate::error::CliError;
use crate::out::Out;
use crate::report::style::{ERROR, plain};
use clap::{CommandFactory, Parser};
use std::borrow::Cow;
use std::ffi::OsString;
use std::process::ExitCode;

/// What the process ends with.
pub(crate) type Done = Result<u8, CliError>;

/// Runs the command that the arguments name.
pub(crate) fn main(around: &Surroundings) -> ExitCode {
    let cli = match Cli::try_parse_from(&*spelled_out(&around.arguments)) {
        Ok(cli) => cli,
        Err(error) => return bad_arguments(&error, around),
    };
    let out = Out::of(&cli.global, around);
    match dispatch(&cli, around, &out) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            out.tell(&format!("{ERROR}becket:{ERROR:#} {}\n", plain(&error.to_string())));
            ExitCode::from(error.exit_code())
        }
    }
}

fn dispatch(cli: &Cli, around: &Surroundings, out: &Out) -> Done {
    let global = &cli.global;
    match &cli.command {
        Command::Fire(args) => commands::fire::run(args, global, around, out),
        Command::Explain(args) => commands::explain::run(args, global, around, out),
        Command::List(args) => commands::list::run(args, global, around, out),
        Command::Check(args) => commands::check::run(args, global, around, out),
        Command::CheckOutput(args) => commands::check_output::run(args, global, around, out),
        Command::Events(args) => commands::events::run(args, global, out),
        Command::Background(args) => commands::background::run(args, global, around, out),
        Command::Run(args) => commands::run::run(args, global, around, out),
        Command::Serve(args) => commands::serve::run(args, global, around, out),
        Command::Mcp(args) => commands::mcp::run(args, global, around, out),
        Command::Schema(args) => commands::schema::run(args, out),
        Command::Completions { shell } => commands::completions::run(*shell, out),
        Command::Man { directory } => commands::man::run(directory.as_deref(), out),
        Command::Reference => commands::reference::run(out),
        Command::Ask => commands::ask::run(out),
        Command::Keep { private } => commands::keep::run(private),
    }
}

/// Help and versions are no errors; wrong arguments end with 1, since 2 means that something is blocked; as the hook
/// of another agent they may be just that, and of `run` they are what 2 means.
fn bad_arguments(error: &clap::Error, around: &Surroundings) -> ExitCode {
    let out = Out::new(ColourChoice::Auto, around);
    let text = error.render().ansi().to_string();
    if error.use_stderr() {
        out.tell(&text);
        let is_hook = around.arguments.iter().any(|argument| argument == "--stdin-event");
        let slip = if is_of_run(around) { 2 } else { 1 };
        return ExitCode::from(if is_hook { commands::fire::code_of_a_slip(around) } else { slip });
    }
    match out.print(&text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(1),
    }
}

/// Agent SDKs start their program without the name of a command, and with the format of its output first, an option that
/// `run` alone has: then that is the command.
fn spelled_out(arguments: &[OsString]) -> Cow<'_, [OsString]> {
    let is_sdk = arguments.get(1).is_some_and(|first| first == "--output-format");
    match arguments.split_first() {
        Some((program, rest)) if is_sdk => {
            [program.clone(), "run".into()].into_iter().chain(rest.iter().cloned()).collect()
        }
        Some(_) | None => Cow::Borrowed(arguments),
    }
}

/// Whether it is `run` that was called, as far as the arguments can be read.
fn is_of_run(around: &Surroundings) -> bool {
    let read = Cli::command().ignore_errors(true).try_get_matches_from(&*spelled_out(&around.arguments));
    read.is_ok_and(|matches| matches.subcommand_name() == Some("run"))
}
