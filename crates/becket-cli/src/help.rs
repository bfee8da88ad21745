//! The description of the arguments as help, completions and manual pages show it: the declarations of [`Cli`], with
//! links to the page of each command and to the table of exit codes.
//!
//! `-h` is short: it leaves out rare options, examples and exit codes. `--help` shows everything.

#[cfg(test)]
mod tests;

use crate::args::Cli;
use crate::links;
use crate::wrap;
use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory, Error, FromArgMatches, Parser};
use std::ffi::OsString;

/// The page of each command below `docs/`. A command without an entry has the page of its parent command.
const PAGES: &[(&str, &str)] = &[
    ("becket", "README.md"),
    ("becket init", "guide/first-five-minutes.md"),
    ("becket add", "guide/guards.md"),
    ("becket remove", "guide/guards.md"),
    ("becket fire", "guide/first-hook.md"),
    ("becket explain", "guide/first-hook.md"),
    ("becket list", "guide/first-hook.md"),
    ("becket hooks", "guide/first-hook.md"),
    ("becket check", "guide/check.md"),
    ("becket rule", "rules.md"),
    ("becket lsp", "guide/check.md#in-an-editor"),
    ("becket check-output", "guide/first-hook.md"),
    ("becket input", "guide/guards.md"),
    ("becket test", "guide/test.md"),
    ("becket replay", "guide/replay.md"),
    ("becket profile", "guide/profile.md"),
    ("becket audit", "admin/audit.md"),
    ("becket events", "events.md"),
    ("becket install", "guide/install.md"),
    ("becket uninstall", "guide/install.md"),
    ("becket doctor", "guide/install.md"),
    ("becket translate", "guide/install.md#without-becket"),
    ("becket allow-once", "guide/install.md#a-persons-yes"),
    ("becket trust", "guide/install.md#user-or-project"),
    ("becket background", "guide/background.md"),
    ("becket run", "guide/run.md"),
    ("becket exec", "guide/exec.md"),
    ("becket serve", "guide/serve.md"),
    ("becket mcp", "guide/mcp.md"),
    ("becket mcp call", "guide/mcp-tool.md"),
    ("becket mcp gateway", "guide/gateway.md"),
    ("becket acp", "guide/acp.md"),
    ("becket schema", "schemas.md"),
    ("becket self", "guide/packages.md"),
    ("becket completions", "guide/install.md#completions-and-manual-pages"),
    ("becket man", "guide/install.md#completions-and-manual-pages"),
];

/// The page with the table of exit codes.
const EXIT_CODES: &str = "guide/exit-codes.md";

/// The commands by purpose: common ones, and others, of which the short help shows only the names.
const GROUPS: &[(&str, &[&str], &[&str])] = &[
    ("Start", &["init", "add", "remove"], &[]),
    ("Look", &["check", "list", "explain", "events"], &["hooks", "rule", "schema"]),
    ("Try", &["fire", "test", "replay", "profile"], &["check-output", "input"]),
    ("Use other agents", &["install", "doctor"], &["uninstall", "translate", "trust", "allow-once"]),
    ("Run and serve", &["run", "exec", "mcp", "serve", "audit"], &["acp", "lsp", "background"]),
    ("Set up", &[], &["self", "completions", "man"]),
];

/// The number of columns from which the description of an option is beside it.
const WIDE: usize = 70;

/// The column in which the descriptions of the commands begin.
const ABOUT: usize = 16;

/// The extent of the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// `-h`
    Short,
    /// `--help`
    Long,
}

/// Returns the description of the arguments.
pub(crate) fn command() -> Command {
    linked(Cli::command(), "becket", "README.md")
}

/// Parses the arguments, which start with the name of the program. Groups and links are only created if they are shown,
/// in lines of `width` columns.
///
/// # Errors
/// Errors if the arguments are invalid, or ask for help or the version.
pub(crate) fn parsed(arguments: &[OsString], width: Option<usize>) -> Result<Cli, Error> {
    Cli::try_parse_from(arguments).or_else(|_| parsed_with_help(arguments, width))
}

/// Parses the arguments with everything that help and errors show.
fn parsed_with_help(arguments: &[OsString], width: Option<usize>) -> Result<Cli, Error> {
    let is_short = arguments.iter().any(|argument| argument == "-h");
    let extent = if is_short { Extent::Short } else { Extent::Long };
    let whole = match width {
        Some(width) => grouped(command().term_width(width).next_line_help(width < WIDE), extent, Some(width)),
        None => grouped(command(), extent, None),
    };
    let mut matches = whole.try_get_matches_from(arguments).map_err(with_near_command)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command()))
}

/// Wraps the lines of a help that clap does not wrap, such as those with the usage. Words that are longer than a line
/// are kept: links and paths.
pub(crate) fn fit(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let is_too_long = |word: &str| wrap::columns(word) > width;
    let lines = text.split_inclusive('\n').map(|line| match line.split_whitespace().any(is_too_long) {
        true => line.to_owned(),
        false => wrap::fit(line, Some(width)),
    });
    lines.collect()
}

/// Lists the commands in groups: clap supports only a single list, which the groups replace.
pub(crate) fn grouped(command: Command, extent: Extent, width: Option<usize>) -> Command {
    let (header, literal) = (*command.get_styles().get_header(), *command.get_styles().get_literal());
    let mut text = String::new();
    let mut others: Vec<&str> = Vec::new();
    for (title, usual, rare) in GROUPS {
        let listed = match extent {
            Extent::Short => usual.to_vec(),
            Extent::Long => [*usual, *rare].concat(),
        };
        others.extend(rare.iter().filter(|name| !listed.contains(name)));
        if listed.is_empty() {
            continue;
        }
        text.push_str(&format!("{header}{title}:{header:#}\n"));
        for sub in listed.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            let about = width.map_or_else(|| about.clone(), |width| wrap::hanging(&about, ABOUT, width));
            text.push_str(&format!("  {literal}{:12}{literal:#}  {about}\n", sub.get_name()));
        }
        text.push('\n');
    }
    if !others.is_empty() {
        let (first, second) = others.split_at(others.len().div_ceil(2));
        text.push_str(&format!(
            "{header}Others:{header:#}\n  {},\n  {}\n\n",
            first.join(", "),
            second.join(", ")
        ));
    }
    command.mut_subcommands(|sub| sub.hide(true)).override_usage("becket [OPTIONS] <COMMAND>").help_template(
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}{{all-args}}{{after-help}}"),
    )
}

/// Returns the names of the commands that are listed.
fn names() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(|(_, usual, rare)| usual.iter().chain(*rare).copied())
}

/// Suggests the command that was probably meant, which clap leaves out after `help`.
fn with_near_command(mut error: Error) -> Error {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    if error.get(ContextKind::SuggestedSubcommand).is_none()
        && let Some(near) = becket_base::suggest(given, &names().collect::<Vec<_>>())
    {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![near.to_owned()]));
    }
    error
}

/// Adds links to the help of a command and of its subcommands. `inherited` is the page of the parent command.
fn linked(command: Command, path: &str, inherited: &str) -> Command {
    if command.is_hide_set() {
        return command;
    }
    let own = PAGES.iter().find(|(of, _)| *of == path).map(|(_, page)| *page);
    let page = own.unwrap_or(inherited).to_owned();
    let text = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let links = format!("Guide: {}\nAll exit codes: {}", links::page(&page), links::page(EXIT_CODES));
    command
        .after_help(format!("`{path} --help` shows every option, examples and exit codes."))
        .after_long_help(format!("{text}\n\n{links}"))
        .mut_subcommands(|sub| {
            let path = format!("{path} {}", sub.get_name());
            linked(sub, &path, &page)
        })
}
