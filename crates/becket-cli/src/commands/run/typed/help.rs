//! `/help`: the commands.

use super::answer::CommandContext;
use super::table::{COMMANDS, names};
use crate::report::style::{FAINT, HEAD, NONE};
use crate::report::table::{Cell, Table};

/// Returns all commands: the program's own first, then those of files and servers.
pub(super) fn all(answering: CommandContext<'_>) -> String {
    let mut own = Table::default();
    for command in COMMANDS {
        let typed = format!("/{} {}", command.name, command.hint);
        own.row([Cell::new(HEAD, typed.trim_end()), Cell::last(NONE, command.about)]);
    }
    let mut text = own.fitted(0, answering.at.around.width);
    let mut others = Table::default();
    let (commands, skills) = (answering.session.agent.info().commands, answering.session.skills.skills());
    for name in commands.iter().filter(|name| !names().any(|own| own == name.as_str())) {
        let about = skills.find(name).map(|skill| skill.description.as_str()).unwrap_or_default();
        others.row([Cell::new(HEAD, &format!("/{name}")), Cell::last(FAINT, about)]);
    }
    let others = others.fitted(0, answering.at.around.width);
    if !others.is_empty() {
        text.push_str("\nof skills, commands and servers:\n");
        text.push_str(&others);
    }
    text
}
