//! Files that contain other settings too: settings files, and an agent's file about its user.

use std::path::Path;

use super::choices::Choices;
use super::error::ConfigError;
use super::layer::{KEY, Layer, entries, object, once};
use super::pairs::Pairs;
use super::place::Text;
use super::policy::{McpPolicy, Source};
use super::scope::Scope;

/// The MCP settings of one or more files. The default is empty.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The servers of each file that names any.
    pub layers: Vec<Layer>,
    /// The policy.
    pub policy: McpPolicy,
    /// The user's choices about a project's servers.
    pub choices: Choices,
    /// Parts that can't be read. Each error describes the effect until it is corrected.
    pub problems: Vec<ConfigError>,
}

impl Settings {
    /// Adds the content of other files. Of layers of one scope, later ones are stronger.
    pub fn join(&mut self, other: Settings) {
        let Settings { layers, policy, choices, problems } = other;
        self.layers.extend(layers);
        self.policy.join(policy);
        self.choices.join(choices);
        self.problems.extend(problems);
    }
}

/// Reads the MCP settings of a settings file: `mcpServers`, `allowedMcpServers`, `deniedMcpServers`,
/// `allowManagedMcpServersOnly`, `enabledMcpjsonServers`, `disabledMcpjsonServers`, `enableAllProjectMcpServers`. Each
/// may be missing; other keys are ignored.
///
/// `file` is for the messages; nothing is opened.
///
/// # Errors
/// Errors if the text is not a JSON object. A managed file with this error may have denied anything: the caller must
/// not continue.
pub fn read_settings(text: &str, file: &Path, scope: Scope) -> Result<Settings, ConfigError> {
    let text = Text::new(text, file);
    let root = object(&text, text.text, "the file")?;
    Ok(of_object(&text, &root, &scope))
}

/// Reads a file like `~/.claude.json`: `mcpServers` are the user's ([`Scope::User`]), those under the project's path in
/// `projects` are the user's for that project ([`Scope::Local`]), as are the choices there.
///
/// `project` is compared literally with the keys of `projects`.
///
/// # Errors
/// Errors if the text is not a JSON object.
pub fn read_user_file(text: &str, file: &Path, project: &str) -> Result<Settings, ConfigError> {
    let text = Text::new(text, file);
    let root = object(&text, text.text, "the file")?;
    let mut settings = of_object(&text, &root, &Scope::User);
    match of_project(&text, &root, project) {
        Ok(ours) => settings.join(ours),
        Err(problem) => settings.problems.push(problem),
    }
    Ok(settings)
}

fn of_project(text: &Text<'_>, root: &Pairs<'_>, project: &str) -> Result<Settings, ConfigError> {
    let Some(projects) = once(text, root, "projects")? else { return Ok(Settings::default()) };
    let projects = object(text, projects.get(), "`projects`")?;
    let Some(ours) = once(text, &projects, project)? else { return Ok(Settings::default()) };
    let ours = object(text, ours.get(), "the project's part of `projects`")?;
    Ok(of_object(text, &ours, &Scope::Local))
}

fn of_object(text: &Text<'_>, root: &Pairs<'_>, scope: &Scope) -> Settings {
    let mut source = Source { text, root, scope, problems: Vec::new() };
    let (policy, choices) = (McpPolicy::read(&mut source), Choices::read(&mut source));
    let mut problems = source.problems;
    let servers = once(text, root, KEY)
        .and_then(|servers| servers.map(|servers| entries(text, servers, scope)).transpose());
    let layers = match servers {
        Ok(entries) => entries
            .map(|entries| Layer { scope: scope.clone(), directory: None, entries })
            .into_iter()
            .collect(),
        Err(problem) => {
            problems.push(problem);
            Vec::new()
        }
    };
    Settings { layers, policy, choices, problems }
}
