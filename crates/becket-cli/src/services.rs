//! The services that commands provide to hooks: models, MCP servers, a user to ask, the tools of agents.

mod answers;
mod hook_services;
pub(crate) mod mcp;
mod permission;
mod person;
pub(crate) mod question;
mod run_models;

pub(crate) use answers::Answers;
pub(crate) use hook_services::{HookServices, ServiceOptions};
pub(crate) use person::Person;
pub(crate) use run_models::{RunModels, TABLE};

use crate::args::ModelArgs;
use crate::env::Surroundings;
use crate::error::CliError;
use crate::session;
use becket_embed::models::{self, Choice};
use becket_llm::{ModelTable, Models};
use std::path::Path;
use std::sync::Arc;

/// Returns the models that the arguments and the environment name.
///
/// # Errors
/// Errors if the script is invalid.
pub(crate) fn models(
    args: &ModelArgs,
    start: &Path,
    around: &Surroundings,
) -> Result<Arc<dyn Models>, CliError> {
    let facts = ModelFacts { table: ModelTable::built_in(), betas: Vec::new() };
    models_of(args, facts, start, around)
}

/// Facts about models that a session knows but hooks alone do not.
pub(crate) struct ModelFacts {
    /// The sizes and prices of models.
    pub(crate) table: Arc<ModelTable>,
    /// The beta features.
    pub(crate) betas: Vec<String>,
}

/// Returns the models like [`models()`], with these facts.
///
/// # Errors
/// Errors if the script is invalid.
pub(crate) fn models_of(
    args: &ModelArgs,
    facts: ModelFacts,
    start: &Path,
    around: &Surroundings,
) -> Result<Arc<dyn Models>, CliError> {
    let choice = Choice {
        model: args.model.clone(),
        url: args.model_url.clone(),
        table: Some(facts.table),
        betas: facts.betas,
        script: args.model_script.as_ref().map(|script| start.join(script)),
    };
    Ok(models::models(&choice, &session::environment(around))?)
}
