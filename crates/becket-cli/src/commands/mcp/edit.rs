//! `becket mcp add`, `add-json` and `remove`: entries of files, whose other content is unchanged.

use super::scope_file::{ScopeFile, scope_file};
use crate::args::{McpAddArgs, McpAddJsonArgs, McpScope, McpTransport};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::event::read;
use crate::out::Out;
use crate::report::style::{GOOD, HEAD, plain, styled};
use crate::session::Session;
use becket_base::config_file::{Access, ConfigFile, UpdateError};
use becket_mcp::config::edit::{self, IfThere};
use serde_json::{Map, Value, json};

/// Adds the server that the arguments describe.
pub(super) fn add(args: &McpAddArgs, session: &Session, around: &Surroundings, out: &Out) -> CommandResult {
    let entry = entry(args)?;
    let written = NewEntry { name: &args.name, scope: args.scope, replace: args.replace };
    written.to_file(&entry, session, around, out)
}

/// Adds a server from a given entry.
pub(super) fn add_json(
    args: &McpAddJsonArgs,
    session: &Session,
    around: &Surroundings,
    out: &Out,
) -> CommandResult {
    let entry = read::json_object("the entry of the server", &args.entry, &session.start, around)?;
    let written = NewEntry { name: &args.name, scope: args.scope, replace: args.replace };
    written.to_file(&entry, session, around, out)
}

/// Removes a server from the file of a scope, or from the one file that has it.
pub(super) fn remove(
    name: &str,
    scope: Option<McpScope>,
    session: &Session,
    around: &Surroundings,
    out: &Out,
) -> CommandResult {
    let scopes = match scope {
        Some(scope) => vec![scope],
        None => vec![McpScope::Local, McpScope::Project, McpScope::User],
    };
    let mut missing = None;
    let mut found = Vec::new();
    for scope in scopes {
        let home = scope_file(scope, session)?;
        let Some(text) = home.text()? else { continue };
        match edit::remove(&text, home.part(), name) {
            Ok(_) => found.push(home),
            // A file with a similar name is probably the one that was meant.
            Err(error @ edit::EditError::NotThere { meant: Some(_), .. }) => missing = Some((home, error)),
            Err(error @ edit::EditError::NotThere { .. }) => missing = missing.or(Some((home, error))),
            Err(error) => return Err(failed(&home, &error)),
        }
    }
    match (found.as_slice(), missing) {
        ([home], _) => {
            home.update(|text| edit::remove(text, home.part(), name))?;
            report("removed", name, home, around, out)
        }
        ([], Some((home, error))) => Err(failed(&home, &error)),
        ([], None) => Err(CliError::NoMcpServer { name: name.to_owned(), near: None }),
        (several, _) => {
            let files: Vec<String> = several.iter().map(|home| around.short(&home.file)).collect();
            let why =
                format!("the server `{name}` is in {}: choose one with `--scope`", files.join(" and in "));
            Err(CliError::McpEdit { why })
        }
    }
}

/// An entry to be written to a file.
struct NewEntry<'a> {
    name: &'a str,
    scope: McpScope,
    replace: bool,
}

impl NewEntry<'_> {
    fn to_file(
        &self,
        entry: &Map<String, Value>,
        session: &Session,
        around: &Surroundings,
        out: &Out,
    ) -> CommandResult {
        let home = scope_file(self.scope, session)?;
        let if_there = if self.replace { IfThere::Replace } else { IfThere::Refuse };
        home.update(|text| edit::add(text, home.part(), self.name, entry, if_there))?;
        report("added", self.name, &home, around, out)
    }
}

fn report(what: &str, name: &str, home: &ScopeFile, around: &Surroundings, out: &Out) -> CommandResult {
    let file = plain(&around.short(&home.file));
    out.print(&format!("{} {} in {file}\n", styled(GOOD, what), styled(HEAD, name)))?;
    Ok(0)
}

fn failed(home: &ScopeFile, error: &edit::EditError) -> CliError {
    CliError::McpFile { path: home.file.clone(), why: error.to_string() }
}

impl ScopeFile {
    fn update(&self, edit: impl FnMut(&str) -> Result<String, edit::EditError>) -> Result<(), CliError> {
        let access = if self.is_private() { Access::Private } else { Access::AsUsual };
        ConfigFile::update(&self.file, access, edit).map_err(|error| match error {
            UpdateError::File(why) => CliError::McpFile { path: self.file.clone(), why: why.to_string() },
            UpdateError::Edit(error) => failed(self, &error),
        })
    }
}

fn entry(args: &McpAddArgs) -> Result<Map<String, Value>, CliError> {
    let (target, rest) =
        args.target.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    let transport = args.transport.unwrap_or_else(|| implied(target));
    let mut entry = Map::new();
    entry.insert("type".into(), json!(word(transport)));
    if transport == McpTransport::Stdio {
        entry.insert("command".into(), json!(target));
        entry.insert("args".into(), json!(rest));
    } else if let [one_more, ..] = rest {
        return Err(CliError::McpEdit {
            why: format!("`{one_more}` follows the URL: options go before it, and nothing goes after it"),
        });
    } else {
        entry.insert("url".into(), json!(target));
    }
    let pairs = |given: &[String], option, separator, wanted| -> Result<Map<String, Value>, CliError> {
        let pair = |text: &String| match text.split_once(separator) {
            Some((name, value)) if !name.trim().is_empty() => {
                Ok((name.trim().to_owned(), json!(value.trim_start())))
            }
            Some(_) | None => Err(CliError::McpOption { option, given: named(text, separator), wanted }),
        };
        given.iter().map(pair).collect()
    };
    if !args.env.is_empty() {
        entry.insert("env".into(), Value::Object(pairs(&args.env, "env", '=', "NAME=VALUE")?));
    }
    if !args.header.is_empty() {
        entry.insert("headers".into(), Value::Object(pairs(&args.header, "header", ':', "NAME: VALUE")?));
    }
    Ok(entry)
}

/// Returns the start of a malformed pair, since the rest may be a secret.
fn named(text: &str, separator: char) -> String {
    let shown: String = text.chars().take_while(|c| *c != separator).take(20).collect();
    if shown.len() < text.len() { format!("{shown}…") } else { shown }
}

fn implied(target: &str) -> McpTransport {
    let starts =
        |scheme: &str| target.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    match target {
        _ if starts("http://") || starts("https://") => McpTransport::Http,
        _ if starts("ws://") || starts("wss://") => McpTransport::Ws,
        _ => McpTransport::Stdio,
    }
}

fn word(transport: McpTransport) -> &'static str {
    match transport {
        McpTransport::Stdio => "stdio",
        McpTransport::Http => "http",
        McpTransport::Sse => "sse",
        McpTransport::Ws => "ws",
    }
}
