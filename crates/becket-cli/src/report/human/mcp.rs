//! `becket mcp` for people.

mod offered;

pub(crate) use offered::{call_output, contents, prompt, prompts, resources};

use crate::env::Surroundings;
use crate::report::style::{ERROR, FAINT, GOOD, HEAD, SOURCE, WARNING, indented, one_line, plain, styled};
use crate::report::table::{Cell, Table};
use crate::wrap;
use anstyle::Style;
use becket_embed::view::mcp::{McpServer, McpServers, McpState, McpTools};
use std::path::Path;

/// Returns the output of `list`: a line for each server, and below it the reason why it is not connected.
pub(crate) fn servers(servers: &McpServers, around: &Surroundings) -> String {
    if servers.servers.is_empty() {
        return none_configured(around);
    }
    let mut table = Table::default();
    for server in &servers.servers {
        let (style, word) = state(server.state);
        let tools = server.tools.map_or(String::new(), |tools| count(tools, "tool"));
        table.row([
            Cell::new(HEAD, &server.name),
            Cell::new(style, word),
            Cell::text(server.transport.as_deref().unwrap_or("?")),
            Cell::new(SOURCE, &server.scope),
            Cell::last(FAINT, &tools),
        ]);
        table.below(&below(server, around));
    }
    let mut text = table.render(0);
    for name in &servers.names {
        text.push_str(&format!("{} {}\n", styled(WARNING, "names:"), one_line(name, 300)));
    }
    text
}

/// Returns the output of `doctor`: the steps of each server.
pub(crate) fn examined(servers: &McpServers, around: &Surroundings) -> String {
    let mut text = String::new();
    for server in &servers.servers {
        let (style, word) = state(server.state);
        let at = server.at.as_ref().map(|at| short(at, around)).unwrap_or_default();
        text.push_str(&format!(
            "{}  {}  {}\n",
            styled(HEAD, &server.name),
            styled(style, word),
            styled(FAINT, &at)
        ));
        let mut table = Table::default();
        for step in &server.steps {
            let (style, mark) = if step.ok { (GOOD, "ok") } else { (ERROR, "failed") };
            let ms = step.ms.map_or(String::new(), |ms| format!("{ms:.1} ms"));
            let detail = if step.ok { one_line(&step.said, 120) } else { String::new() };
            let cells = [
                Cell::new(style, mark),
                Cell::text(&step.what),
                Cell::new(FAINT, &ms),
                Cell::last(FAINT, &detail),
            ];
            table.row(cells);
            if !step.ok {
                table.below(&indented(&short(&step.said, around), 10));
            }
        }
        text.push_str(&table.render(2));
        if let Some(why) = &server.why {
            text.push_str(&indented(why, 4));
        }
        for warning in &server.warnings {
            text.push_str(&format!("  {} {}\n", styled(WARNING, "warning:"), plain(warning)));
        }
    }
    if text.is_empty() { none_configured(around) } else { text }
}

fn none_configured(around: &Surroundings) -> String {
    wrap::fit("no MCP servers are configured; `becket mcp add` adds one\n", around.width)
}

/// Returns the output of `tools`: each tool with its name for models and rules.
pub(crate) fn tools(tools: &McpTools) -> String {
    let mut text = String::new();
    if tools.tools.is_empty() {
        text.push_str("it has no tools\n");
    }
    for tool in &tools.tools {
        let hints = tool.hints.join(", ");
        text.push_str(&format!(
            "{}  {}  {}\n",
            styled(HEAD, &tool.full),
            styled(SOURCE, &tool.name),
            styled(FAINT, &hints)
        ));
        if let Some(description) = &tool.description {
            text.push_str(&indented(&one_line(description, 300), 4));
        }
        if let Some(problem) = &tool.problem {
            text.push_str(&format!("    {} {}\n", styled(WARNING, "schema:"), plain(problem)));
        }
        if let Some(schema) = &tool.input_schema {
            let schema = serde_json::to_string_pretty(schema).unwrap_or_default();
            text.push_str(&indented(&schema, 4));
        }
    }
    for name in &tools.names {
        text.push_str(&format!("{} {}\n", styled(WARNING, "names:"), one_line(name, 300)));
    }
    text
}

fn below(server: &McpServer, around: &Surroundings) -> String {
    let mut text = String::new();
    if let Some(why) = &server.why {
        text.push_str(&indented(&short(why, around), 6));
    }
    for warning in &server.warnings {
        text.push_str(&format!("      {} {}\n", styled(WARNING, "warning:"), one_line(warning, 300)));
    }
    if server.state == McpState::Shadowed
        && let Some(at) = &server.at
    {
        text.push_str(&format!("      {}\n", styled(FAINT, &short(at, around))));
    }
    text
}

/// Returns a text that begins with a position, with the shortest correct path.
fn short(text: &str, around: &Surroundings) -> String {
    let Some((file, rest)) = text.split_once(':') else { return text.to_owned() };
    if !file.starts_with('/') || file.contains(' ') {
        return text.to_owned();
    }
    format!("{}:{rest}", around.short(Path::new(file)))
}

fn state(state: McpState) -> (Style, &'static str) {
    match state {
        McpState::Connected => (GOOD, "connected"),
        McpState::NotConnected => (FAINT, "not connected"),
        McpState::Failed => (ERROR, "failed"),
        McpState::NeedsAuth => (WARNING, "needs a login"),
        McpState::Disabled => (WARNING, "disabled"),
        McpState::Shadowed => (FAINT, "hidden"),
    }
}

fn count(many: usize, what: &str) -> String {
    if many == 1 { format!("1 {what}") } else { format!("{many} {what}s") }
}
