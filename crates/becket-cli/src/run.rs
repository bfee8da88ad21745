//! Runs the program, from arguments to an exit code: parses them, runs a command, and reports errors.

use crate::args::{Cli, ColourChoice, Command, SelfCommand, Volume};
use crate::commands;
use crate::details::Details;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::help;
use crate::out::Out;
use crate::recording;
use crate::report::style::{ERROR, plain};
use crate::telemetry;
use becket_fire::NO_ANSWER;
use clap::error::{ContextKind, ContextValue};
use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

/// Runs the command that the arguments name.
pub(crate) fn main(around: &Surroundings) -> ExitCode {
    let cli = match help::parsed(&spelled_out(&around.process.arguments), around.width) {
        Ok(cli) => cli,
        Err(error) => return bad_arguments(error, around),
    };
    let out = Out::of(&cli.global, around);
    if let Err(why) = leave_nothing_running(&cli.command) {
        out.eprint(&format!("{ERROR}becket:{ERROR:#} nothing was run: {}\n", plain(&why.to_string())));
        return ExitCode::from(2);
    }
    let details = Details::begin(&cli, around, &out);
    telemetry::begin(&cli, around);
    recording::begin(&cli, around);
    let done = dispatch(&cli, around, &out);
    telemetry::end(&out);
    recording::end(&out);
    let code = match done {
        Ok(code) => code,
        Err(error) => {
            out.eprint(&format!("{ERROR}becket:{ERROR:#} {}\n", plain(&error.to_string())));
            code_of(&error, &cli.command)
        }
    };
    details.end(code, &out);
    ExitCode::from(code)
}

/// Continues in a child process if the processes that hooks leave running have to end with the command.
fn leave_nothing_running(command: &Command) -> io::Result<()> {
    if !command.ends_processes_of_hooks() {
        return Ok(());
    }
    #[cfg(target_os = "linux")]
    becket_process::continue_in_child()?;
    Ok(())
}

/// Returns the exit code of an error, which depends on the meaning of 2 for the command.
fn code_of(error: &CliError, command: &Command) -> u8 {
    if command.examines() {
        return error.exit_code_of_an_examination();
    }
    if matches!(command, Command::Exec(_)) {
        return NO_ANSWER;
    }
    // For `fire`, 2 means that something is blocked.
    if matches!(command, Command::Fire(_)) { 1 } else { error.exit_code() }
}

fn dispatch(cli: &Cli, around: &Surroundings, out: &Out) -> CommandResult {
    let global = &cli.global;
    match &cli.command {
        Command::Init(args) => commands::init::run(args, global, around, out),
        Command::Add(args) => commands::add::run(args, global, around, out),
        Command::Remove(args) => commands::remove::run(args, global, around, out),
        Command::Input(args) => commands::input::run(args, around, out),
        Command::Fire(args) => commands::fire::run(args, global, around, out),
        Command::Explain(args) => commands::explain::run(args, global, around, out),
        Command::List(args) => commands::list::run(args, global, around, out),
        Command::Check(args) => commands::check::run(args, global, around, out),
        Command::Hooks => commands::hooks::run(global, around, out),
        Command::Lsp { .. } => commands::lsp::run(global, around),
        Command::Rule(args) => commands::rule::run(args, global, around, out),
        Command::CheckOutput(args) => commands::check_output::run(args, global, around, out),
        Command::Test(args) => commands::test::run(args, global, around, out),
        Command::Replay(args) => commands::replay::run(args, global, around, out),
        Command::Profile(args) => commands::profile::run(args, global, around, out),
        Command::Audit(args) => commands::audit::run(args, global, around, out),
        Command::Events(args) => commands::events::run(args, global, around, out),
        Command::Install(args) => commands::install::run(args, global, around, out),
        Command::Uninstall(args) => commands::uninstall::run(args, global, around, out),
        Command::Doctor(args) => commands::doctor::run(args, global, around, out),
        Command::Translate(args) => commands::translate::run(args, global, around, out),
        Command::AllowOnce(args) => commands::allow_once::run(args, global, around, out),
        Command::Trust(args) => commands::trust::run(args, global, around, out),
        Command::Background(args) => commands::background::run(args, global, around, out),
        Command::Run(args) => commands::run::run(args, global, around, out),
        Command::Exec(args) => commands::exec::run(args, global, around, out),
        Command::Serve(args) => commands::serve::run(args, global, around, out),
        Command::Acp(args) => commands::acp::run(args, global, around, out),
        Command::Mcp(args) => commands::mcp::run(args, global, around, out),
        Command::Schema(args) => commands::schema::run(args, out),
        Command::Self_(args) => match &args.command {
            SelfCommand::Version => commands::self_version::run(global, around, out),
            SelfCommand::Update(args) => commands::self_update::run(args, global, around, out),
        },
        Command::Completions { shell } => commands::completions::run(*shell, out),
        Command::Man { pages } => commands::man::run(pages.as_deref(), out),
        Command::Reference => commands::reference::run(out),
        Command::Ask => commands::ask::run(out),
        Command::Keep { private } => commands::keep::run(private),
        Command::Trial => commands::trial::run(around, out),
        Command::Supervise { command } => commands::supervise::run(command, around),
    }
}

/// Reports errors in the arguments. Help and versions are not errors; wrong arguments exit with 1 if 2 means that
/// something is blocked, otherwise with 2. In a hook of another agent they may have to block.
fn bad_arguments(error: clap::Error, around: &Surroundings) -> ExitCode {
    let out = Out::new(ColourChoice::Auto, Volume::Normal, around);
    let error = without_escape_tip(error);
    let text = error.render().ansi().to_string();
    if error.use_stderr() {
        out.eprint(&text);
        let is_hook = around.process.arguments.iter().any(|argument| argument == "--stdin-event");
        let command = command_of(around);
        let slip = match command.as_deref() {
            Some("exec") => NO_ANSWER,
            // For these commands, 2 means that something is blocked.
            Some("fire" | "mcp") => 1,
            Some(_) | None => 2,
        };
        let is_fire = command.as_deref() == Some("fire") && !is_hook;
        if let Some(refused) = commands::fire::refuse_slip(around, is_fire) {
            return ExitCode::from(refused);
        }
        return ExitCode::from(if is_hook { commands::fire::code_of_a_slip(around) } else { slip });
    }
    if let Some(refused) = commands::fire::refuse_help(around) {
        return ExitCode::from(refused);
    }
    match out.print(&help::fit(&text, around.width)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(1),
    }
}

/// Removes the tip to write `-- --flag`: a misspelt flag is hardly ever meant as a value.
fn without_escape_tip(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        tips.retain(|tip| !tip.to_string().contains("'-- "));
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    error
}

/// Adds `run` to arguments without a command. Agent SDKs start their program that way, with `--output-format` first, an
/// option that only `run` has.
fn spelled_out(arguments: &[OsString]) -> Cow<'_, [OsString]> {
    let is_sdk = arguments.get(1).is_some_and(|first| first == "--output-format");
    match arguments.split_first() {
        Some((program, rest)) if is_sdk => {
            [program.clone(), "run".into()].into_iter().chain(rest.iter().cloned()).collect()
        }
        Some(_) | None => Cow::Borrowed(arguments),
    }
}

/// Returns the name of the command, if the arguments can be parsed that far.
fn command_of(around: &Surroundings) -> Option<String> {
    let read =
        help::command().ignore_errors(true).try_get_matches_from(&*spelled_out(&around.process.arguments));
    read.ok()?.subcommand_name().map(str::to_owned)
}
