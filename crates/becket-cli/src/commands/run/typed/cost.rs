//! `/cost`: the usage since the program was started, subagents included.

use super::answer::CommandContext;
use crate::report::table::{Cell, Table};
use becket_agent::SessionUsage;

/// Returns the tokens, the price and the time.
pub(super) fn spent(answering: CommandContext<'_>) -> String {
    let SessionUsage { usage, cost_usd, with_model, .. } = answering.session.agent.spent();
    let price = match cost_usd {
        Some(cost) => format!("{cost:.4} US dollars"),
        None => "not known for this model".to_owned(),
    };
    let (run, model) = (answering.session.since.elapsed().as_secs_f64(), with_model.as_secs_f64());
    let mut table = Table::default();
    for (what, how_much) in [
        ("tokens in", usage.input_tokens.to_string()),
        ("  written to the cache", usage.cache_write.to_string()),
        ("  read from the cache", usage.cache_read.to_string()),
        ("tokens out", usage.output_tokens.to_string()),
        ("price", price),
        ("time", format!("{run:.1} s, {model:.1} s of it with the model")),
    ] {
        table.row([Cell::text(what), Cell::text(&how_much)]);
    }
    table.fitted(0, answering.at.around.width)
}
