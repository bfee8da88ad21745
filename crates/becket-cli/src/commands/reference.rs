//! `becket reference`: docs/cli.md, generated from the description of the arguments. A test keeps the file up to date.

use crate::error::CommandResult;
use crate::help::{self, Extent};
use crate::out::Out;
use clap::Command;

const INTRODUCTION: &str = "\
# The commands of becket

Made by `becket reference > docs/cli.md`; a test compares. Every command takes the options of `becket` itself, shown
once at the top.

";

/// Prints the reference.
pub(crate) fn run(out: &Out) -> CommandResult {
    out.print_raw(text().as_bytes())?;
    Ok(0)
}

/// Returns the reference in Markdown.
fn text() -> String {
    let mut command = help::command().term_width(100);
    command.build();
    let mut text = INTRODUCTION.to_owned();
    section(&mut text, &mut help::grouped(command.clone(), Extent::Long, None));
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        section(&mut text, &mut without_global(sub));
        for deeper in sub.get_subcommands().filter(|deeper| deeper.get_name() != "help") {
            section(&mut text, &mut without_global(deeper));
        }
    }
    text
}

fn without_global(command: &Command) -> Command {
    let globals: Vec<String> = command
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .map(|argument| argument.get_id().to_string())
        .collect();
    globals.iter().fold(command.clone(), |command, id| command.mut_arg(id, |argument| argument.hide(true)))
}

fn section(text: &mut String, command: &mut Command) {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    let help = command.render_long_help().to_string();
    text.push_str(&format!("## `{name}`\n\n```text\n{}\n```\n\n", trimmed(&help)));
}

fn trimmed(help: &str) -> String {
    let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    lines.join("\n")
}
