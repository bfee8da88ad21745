//! `becket mcp`: the MCP servers of a configuration.

mod approve;
mod call;
mod doctor;
mod edit;
mod gateway;
mod list;
mod login;
mod prompts;
mod resources;
mod scope_file;
mod tools;

use crate::args::{Global, McpArgs, McpCommand};
use crate::enclosing;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::style::{WARNING, one_line, styled};
use crate::session::{self, Session};
use becket_base::suggest;
use becket_dialects::ALL;
use becket_engine::config::trust;
use becket_mcp::{Host, Pool};
use becket_tools::discovery::{PoolOptions, ServerSet};
use std::sync::Arc;

/// Runs the selected command.
pub(crate) fn run(args: &McpArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let session = launched(args, global, around, out)?;
    let folder_trusted = trust::is_recorded(&session.request());
    let session = Session { folder_trusted, ..session };
    match &args.command {
        McpCommand::Add(args) => return edit::add(args, &session, around, out),
        McpCommand::AddJson(args) => return edit::add_json(args, &session, around, out),
        McpCommand::Remove { name, scope } => return edit::remove(name, *scope, &session, around, out),
        McpCommand::List(_)
        | McpCommand::Doctor { .. }
        | McpCommand::Tools(_)
        | McpCommand::Call(_)
        | McpCommand::Gateway(_)
        | McpCommand::Resources { .. }
        | McpCommand::Prompts(_)
        | McpCommand::Login(_)
        | McpCommand::Logout { .. }
        | McpCommand::Approve { .. } => {}
    }
    // Running a command in a workspace implies trust in it, but not in each of its servers.
    let is_trusted = args.servers.trust_project || folder_trusted;
    let request = session.clone().trusting(is_trusted).request();
    let gathered = ServerSet::find(&request, &args.servers.named_servers())?;
    for problem in &gathered.problems {
        out.eprint(&format!("{} {}\n", styled(WARNING, "MCP:"), one_line(&problem.to_string(), 500)));
    }
    let trusts_project = args.servers.trust_project;
    let at = McpContext { session: &session, gathered: &gathered, trusts_project, global, around, out };
    match &args.command {
        McpCommand::List(args) => list::run(args, at),
        McpCommand::Doctor { server } => doctor::run(server.as_deref(), at),
        McpCommand::Tools(args) => tools::run(args, at),
        McpCommand::Call(args) => call::run(args, at),
        McpCommand::Gateway(args) => gateway::run(args, at),
        McpCommand::Resources { server, uri } => resources::run(server, uri.as_deref(), at),
        McpCommand::Prompts(args) => prompts::run(args, at),
        McpCommand::Login(args) => login::login(args, at),
        McpCommand::Logout { server } => login::logout(server, at),
        McpCommand::Approve { server, agent: Some(agent), revoke } => {
            let described = approve::described_by(agent, &request)?;
            approve::run(server, *revoke, McpContext { gathered: &described, ..at })
        }
        McpCommand::Approve { server, agent: None, revoke } => approve::run(server, *revoke, at),
        McpCommand::Add(_) | McpCommand::AddJson(_) | McpCommand::Remove { .. } => Ok(0),
    }
}

/// Returns the session of the arguments. An agent starts a gateway anywhere in its project, or names the project.
fn launched(args: &McpArgs, global: &Global, around: &Surroundings, out: &Out) -> Result<Session, CliError> {
    let McpCommand::Gateway(_) = &args.command else { return session::launched(global, around) };
    let own = session::profile(global.profile).var("PROJECT_DIR");
    let of_agents = ALL.iter().flat_map(|dialect| dialect.project_variables.iter().copied());
    let variables: Vec<&str> = std::iter::once(own.as_str()).chain(of_agents).collect();
    let cwd = around.process.cwd.as_deref().ok_or(CliError::NoWorkingDirectory)?;
    let mut session = session::as_hook(cwd, &variables, global, around, out)?;
    session.environment = session.environment.with_enclosing(enclosing::marks());
    Ok(session)
}

/// The context of the commands.
#[derive(Clone, Copy)]
struct McpContext<'a> {
    session: &'a Session,
    gathered: &'a ServerSet,
    /// True if the arguments trust the folder.
    trusts_project: bool,
    global: &'a Global,
    around: &'a Surroundings,
    out: &'a Out,
}

impl McpContext<'_> {
    /// Returns a pool of the servers, without connecting them.
    fn pool(&self, host: Arc<dyn Host>) -> Result<Pool, CliError> {
        self.pool_of(self.gathered, PoolOptions::new(host))
    }

    /// Returns a pool of some servers.
    fn pool_of(&self, servers: &ServerSet, options: PoolOptions) -> Result<Pool, CliError> {
        Ok(servers.pool(self.session.environment(), &self.session.start, options)?)
    }

    /// Returns the effective server with that name.
    fn server(&self, name: &str) -> Result<&becket_mcp::config::ConfiguredServer, CliError> {
        let servers = &self.gathered.resolved.servers;
        let found = servers.iter().find(|server| server.name.to_string() == name);
        found.ok_or_else(|| no_server(self.gathered, name))
    }
}

/// Returns the error for a name that no server has.
fn no_server(gathered: &ServerSet, name: &str) -> CliError {
    let names: Vec<String> = gathered.resolved.servers.iter().map(|server| server.name.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    CliError::NoMcpServer { name: name.to_owned(), near: suggest(name, &names).map(str::to_owned) }
}
