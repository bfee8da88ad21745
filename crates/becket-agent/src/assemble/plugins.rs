//! The plugins of a running session, which can be read again.

use super::assembly::Assembly;
use super::definitions::Definitions;
use super::tools::SessionTools;
use crate::agents::{AgentTool, Agents, LoadedAgents};
use crate::definitions::Homes;
use crate::output_style::OutputStyles;
use crate::skills::SessionSkills;
use becket_engine::ReloadError;
use becket_engine::config::{Config, Diagnostic, Request};

/// The plugins of a session. Cheap to clone; all clones are the same.
#[derive(Debug, Clone)]
pub struct SessionPlugins {
    request: Request,
    /// The host's own agents, as JSON.
    host_agents: Option<String>,
    is_bare: bool,
    has_skills: bool,
    agents: AgentTool,
    skills: SessionSkills,
    tools: SessionTools,
}

impl SessionPlugins {
    pub(super) fn new(assembly: &Assembly, definitions: &Definitions, tools: SessionTools) -> Self {
        Self {
            request: assembly.request.clone(),
            host_agents: assembly.agents.clone(),
            is_bare: assembly.bare,
            has_skills: assembly.has_skills,
            agents: definitions.agents.clone(),
            skills: definitions.skills.clone(),
            tools,
        }
    }

    /// Reads the plugins again, under the rules of a start: their hooks and settings, then all agents, skills and
    /// commands. Settings files stay as they were read (C8). Returns the problems of definitions.
    ///
    /// An agent whose file can't be read any more stays, since its definition may restrict it.
    ///
    /// # Errors
    /// Errors if a plugin that is on is gone, or a file of one can't be read any more; then nothing has changed.
    pub fn reload(&self) -> Result<Vec<Diagnostic>, ReloadError> {
        let config = self.tools.reload_plugins()?;
        let homes = self.homes(&config);
        let LoadedAgents { agents, mut diagnostics } = Agents::load(&homes, self.host_agents.as_deref());
        if !lacks_broken(&agents, &self.agents.agents(), &diagnostics) {
            self.agents.replace(agents);
        }
        diagnostics.extend(self.skills.load_from(if self.has_skills { homes } else { Homes::default() }));
        Ok(diagnostics)
    }

    /// Reads the output styles again, and returns their names; the style of the session stays.
    #[must_use]
    pub fn style_names(&self, config: &Config) -> Vec<String> {
        OutputStyles::load(&self.homes(config), None).styles.names().to_vec()
    }

    fn homes(&self, config: &Config) -> Homes {
        match self.is_bare {
            true => Homes::default(),
            false => Homes::of(&self.request, &config.plugins),
        }
    }
}

/// Returns whether an agent of `old` is missing because its file, or the directory of it, can't be read any more.
fn lacks_broken(new: &Agents, old: &Agents, diagnostics: &[Diagnostic]) -> bool {
    old.all().iter().any(|agent| {
        let mut errors = diagnostics.iter().filter(|one| one.is_error());
        let is_broken = errors.any(|error| agent.file.starts_with(&error.file));
        is_broken && !new.all().iter().any(|one| one.file == agent.file)
    })
}
