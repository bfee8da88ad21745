//! `/permissions`: the rules that allow, ask and deny, and their origins.

use super::answer::CommandContext;
use crate::report::human::short_position;
use crate::report::style::{ERROR, FAINT, GOOD, HEAD, NONE, SOURCE, WARNING, one_line, styled};
use crate::report::table::{Cell, Table};
use anstyle::Style;
use becket_embed::view::hook::SourcePosition as Place;
use becket_engine::config::{Config, RuleList};

/// The prefix of the codes of findings about grants without effect (G3, C7b).
pub(in crate::commands::run) const WITHHELD: &str = "withheld-";

/// Returns the mode, the rules in the order of their evaluation (P11), the directories, and the grants without effect
/// (G3, C7b).
pub(super) fn shown(answering: CommandContext<'_>) -> String {
    let agent = &answering.session.agent;
    let (info, config) = (agent.info(), agent.engine().config());
    let mut text = format!("{} {}\n", styled(HEAD, "mode"), info.mode);
    text.push_str(&rules(answering, &config));
    let directories = answering.session.tools.permissions().directories(agent.facts());
    text.push_str(&format!("{}\n", styled(HEAD, "working directories")));
    for directory in directories {
        text.push_str(&format!("  {}\n", one_line(&directory.display().to_string(), 300)));
    }
    let withheld = config.diagnostics.iter().filter(|finding| finding.code.starts_with(WITHHELD));
    for finding in withheld {
        text.push_str(&format!(
            "{} {}\n",
            styled(WARNING, "held back:"),
            one_line(&finding.to_string(), 300)
        ));
    }
    text
}

fn rules(answering: CommandContext<'_>, config: &Config) -> String {
    let mut table = Table::default();
    for list in [RuleList::Deny, RuleList::Ask, RuleList::Allow] {
        let (style, word) = named(list);
        for rule in config.permissions.iter().filter(|rule| rule.list == list) {
            table.row([
                Cell::new(style, word),
                Cell::new(NONE, &rule.text),
                Cell::new(SOURCE, &rule.source.to_string()),
                Cell::last(FAINT, &short_position(&Place::from(&rule.location), answering.at.around)),
            ]);
        }
    }
    match table.fitted(2, answering.at.around.width) {
        rows if rows.is_empty() => format!("{} none\n", styled(HEAD, "rules")),
        rows => format!("{}\n{rows}", styled(HEAD, "rules")),
    }
}

const fn named(list: RuleList) -> (Style, &'static str) {
    match list {
        RuleList::Deny => (ERROR, "deny"),
        RuleList::Ask => (WARNING, "ask"),
        RuleList::Allow => (GOOD, "allow"),
    }
}
