//! `becket hooks`: an interactive browser of the configured hooks, which can also try them.
//!
//! A hook is tried with its event, by `becket fire` in a process of its own, whose command line is shown first.

mod choice;
mod last_runs;

use super::fire;
use crate::args::Global;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::human;
use crate::report::style::plain;
use crate::session;
use becket_embed::view::listed::HookListing;
use becket_rules::shell::quoted_word;
use choice::{Choice, HookAction};
use inquire::ui::RenderConfig;
use inquire::{InquireError, Select, Text};
use std::fmt::Display;
use std::path::Path;
use std::process::Command;

/// Lets the user choose hooks until they leave.
pub(crate) fn run(global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    if !(around.terminals.stdin && around.terminals.stdout) || around.is_dumb() {
        return Err(CliError::usage("`becket hooks` is for a terminal; `becket list` prints the same hooks"));
    }
    let session = session::in_project(global, around, out)?;
    let engine = fire::started(session.builder(true).build(), around, out)?;
    let listing = HookListing::new(&engine.host().hooks(), &engine.host().gates(), None);
    let choices = Choice::all(&listing, around);
    if choices.is_empty() {
        out.print("no hooks are configured; docs/guide/first-hook.md shows how to write one\n")?;
        return Ok(0);
    }
    let project = session.project.as_deref().unwrap_or(&session.start);
    let browser = Browser { project, global, around, out };
    while let Some(choice) = browser.select("Hook", choices.clone())? {
        browser.show(&choice)?;
    }
    Ok(0)
}

struct Browser<'b> {
    project: &'b Path,
    global: &'b Global,
    around: &'b Surroundings,
    out: &'b Out,
}

impl Browser<'_> {
    /// Shows a hook and its actions, until the user goes back.
    fn show(&self, choice: &Choice<'_>) -> Result<(), CliError> {
        let recorded = last_runs::recorded(self.project, self.around);
        let details = human::listed::details(choice.event, choice.hook, self.around);
        self.out.print(&(details + &plain(&last_runs::of(choice, recorded.as_ref()))))?;
        while let Some(action) = self.select(choice.event, HookAction::all(choice.event))? {
            match action {
                HookAction::Try => self.fire(choice, &["fire", "--verbose"])?,
                HookAction::Explain => self.fire(choice, &["explain"])?,
                HookAction::Event(_) => self.command(&["events", choice.event].map(str::to_owned))?,
                HookAction::Back => return Ok(()),
            }
        }
        Ok(())
    }

    /// Asks for the fields of the event, then runs a command with them.
    fn fire(&self, choice: &Choice<'_>, command: &[&str]) -> Result<(), CliError> {
        let mut arguments: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        arguments.push(choice.event.to_owned());
        for field in choice.fields() {
            let Some(value) = self.field(field.question, &field.sample)? else { return Ok(()) };
            if !value.trim().is_empty() {
                arguments.push(format!("--{}", field.option));
                arguments.push(format!("{}{value}", field.prefix));
            }
        }
        self.command(&arguments)
    }

    /// Runs a becket command in a separate process, as if it had been typed. The browser continues, whatever its
    /// result.
    fn command(&self, arguments: &[String]) -> Result<(), CliError> {
        let words: Vec<String> = arguments.iter().map(|word| quoted_word(word)).collect();
        self.out.print(&format!("\n$ becket {}\n", words.join(" ")))?;
        let program = self.around.program.as_deref().unwrap_or_else(|| Path::new("becket"));
        let status = Command::new(program).args(self.global.arguments()).args(arguments).status();
        if let Err(error) = status {
            self.out.print(&format!("`{}` can't be started: {error}\n", program.display()))?;
        }
        Ok(self.out.print("\n")?)
    }

    fn select<T: Display>(&self, title: &str, choices: Vec<T>) -> Result<Option<T>, CliError> {
        let help = "↑↓ moves, typing filters, Enter chooses, Esc goes back";
        let select = Select::new(title, choices).with_help_message(help).with_page_size(15);
        answered(select.with_render_config(self.look()).prompt_skippable())
    }

    fn field(&self, question: &str, sample: &str) -> Result<Option<String>, CliError> {
        let text = Text::new(question).with_default(sample).with_render_config(self.look());
        answered(text.prompt_skippable())
    }

    fn look(&self) -> RenderConfig<'static> {
        if self.out.colours_stderr() { RenderConfig::default_colored() } else { RenderConfig::empty() }
    }
}

/// Returns the answer; `None` if the user goes back or leaves.
fn answered<T>(answer: Result<Option<T>, InquireError>) -> Result<Option<T>, CliError> {
    match answer {
        Ok(answer) => Ok(answer),
        Err(InquireError::OperationInterrupted | InquireError::OperationCanceled) => Ok(None),
        Err(error) => Err(CliError::usage(format!("the terminal can't be used: {error}"))),
    }
}
