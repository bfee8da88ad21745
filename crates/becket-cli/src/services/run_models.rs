//! The models of a session: its own, and the others that hooks and subagents may use.
//!
//! A name `script:FILE` selects a model that answers from a file. It is allowed on the command line and in variables,
//! and elsewhere only in a session whose own model is such a script: no file of a repository can replace a real model
//! by a script.

use super::{ModelFacts, models_of as chosen};
use crate::args::{ModelArgs, RunModelArgs};
use crate::env::Surroundings;
use crate::error::CliError;
use crate::session;
use becket_embed::models::{self, BadScript, text};
use becket_engine::config::Request;
use becket_engine::{Environment, Profile};
use becket_llm::{Model, ModelError, ModelTable, Models, ScriptedModel};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The user's own table of models, in Becket's directory.
pub(crate) const TABLE: &str = "models.json";
/// The prefix of a scripted model's name.
const SCRIPT: &str = "script:";
/// The variable that names the model of a session.
const MODEL: &str = "ANTHROPIC_MODEL";
/// The variable that names the small fast model.
const SMALL: &str = "ANTHROPIC_SMALL_FAST_MODEL";
/// The default model if there is an Anthropic key.
const DEFAULT: &str = "sonnet";
/// The variables that may contain that key.
const KEYS: [&str; 2] = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];

/// The models of a session.
pub(crate) struct RunModels {
    name: String,
    /// The source of the key.
    key_source: &'static str,
    /// The default small model.
    small: Option<String>,
    providers: Arc<dyn Models>,
    start: PathBuf,
    /// The scripts that were read, by name: each continues at its current position.
    scripts: Mutex<HashMap<String, Arc<dyn Model>>>,
    /// True if the session has its own server (`--model-url`).
    has_server: bool,
}

impl RunModels {
    /// Resolves the arguments and the environment.
    ///
    /// # Errors
    /// Errors if no model is available, or its script can't be used.
    pub(crate) fn new(args: &RunModelArgs, start: &Path, around: &Surroundings) -> Result<Self, CliError> {
        let environment = session::environment(around);
        let key = KEYS.into_iter().find(|key| text(&environment, key).is_some());
        let named = args.model.clone().or_else(|| text(&environment, MODEL));
        let name = named.or_else(|| key.map(|_| DEFAULT.to_owned())).ok_or_else(|| no_model(NO_KEY))?;
        let lent = ModelArgs {
            model: args.model_url.as_ref().map(|_| name.clone()),
            model_url: args.model_url.clone(),
            ..ModelArgs::default()
        };
        let own = || Some(name.clone()).filter(|name| !name.starts_with(SCRIPT));
        let small = text(&environment, SMALL).or_else(|| if key.is_some() { None } else { own() });
        let name = if args.model_url.is_some() { models::full_name(&name, true) } else { name };
        let facts = ModelFacts { table: table(&environment, start)?, betas: args.settings.betas.clone() };
        let models = RunModels {
            name,
            key_source: key.unwrap_or("none"),
            small,
            providers: chosen(&lent, facts, start, around)?,
            start: start.to_owned(),
            scripts: Mutex::default(),
            has_server: args.model_url.is_some(),
        };
        models.get(&models.name).map_err(unusable)?;
        Ok(models)
    }

    /// Returns the name of the session's own model.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if the session's model is one of Anthropic's.
    pub(crate) fn is_anthropic(&self) -> bool {
        self.name.starts_with("anthropic::") || !self.name.contains("::") && !self.is_scripted()
    }

    /// Returns true if the session's model answers from a file.
    pub(crate) fn is_scripted(&self) -> bool {
        self.name.starts_with(SCRIPT)
    }

    /// Returns the source of the key: the name of a variable, or `none`.
    pub(crate) fn key_source(&self) -> &'static str {
        self.key_source
    }

    /// Returns another model for the session, by the name that its user gives it: as on the command line, a name
    /// without a provider means a model of the session's own server, if the session has one.
    ///
    /// # Errors
    /// Errors if there is no such model, or no key for it.
    pub(crate) fn by_name(&self, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        if name == self.name {
            return self.get(name);
        }
        self.get(&models::full_name(name, self.has_server))
    }

    /// Returns the model to use if the active one is overloaded.
    ///
    /// # Errors
    /// Errors if it is the same model, does not exist, or has no key.
    pub(crate) fn fallback(&self, name: &str) -> Result<Arc<dyn Model>, CliError> {
        let model = self.by_name(name).map_err(unusable)?;
        let own = self.get(&self.name).map_err(unusable)?;
        if model.name() == own.name() {
            return Err(CliError::usage(format!(
                "`--fallback-model {name}` is the model that works: name another one for when that is overloaded"
            )));
        }
        Ok(model)
    }

    fn get(&self, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        match name.strip_prefix(SCRIPT) {
            Some(file) if self.may_be_scripted(name) => self.script(name, file),
            Some(_) | None => self.providers.model(Some(name)),
        }
    }

    fn may_be_scripted(&self, name: &str) -> bool {
        self.name.starts_with(SCRIPT) || self.small.as_deref() == Some(name)
    }

    fn script(&self, name: &str, file: &str) -> Result<Arc<dyn Model>, ModelError> {
        let mut scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = scripts.get(name) {
            return Ok(model.clone());
        }
        let path = self.start.join(file);
        let model = ScriptedModel::from_file(&path)
            .map_err(|error| ModelError::Script { name: name.to_owned(), message: error.to_string() })?;
        let model: Arc<dyn Model> = Arc::new(model);
        scripts.insert(name.to_owned(), model.clone());
        Ok(model)
    }
}

impl Models for RunModels {
    fn model(&self, name: Option<&str>) -> Result<Arc<dyn Model>, ModelError> {
        match name.or(self.small.as_deref()) {
            Some(name) => self.get(name),
            None => self.providers.model(None),
        }
    }
}

/// Returns the table of models: the built-in one, overridden by the user's own. A repository can't change it: it
/// determines the meaning of cost limits.
fn table(environment: &Environment, start: &Path) -> Result<Arc<ModelTable>, CliError> {
    let built_in = ModelTable::built_in();
    let directory = Request::new(Profile::becket(), environment.clone(), start).user_directory();
    let Some(path) = directory.map(|directory| directory.join(TABLE)) else { return Ok(built_in) };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(built_in);
        }
        Err(error) => return Err(CliError::usage(format!("can't read `{}`: {error}", path.display()))),
    };
    let own = ModelTable::read(&text, &path.display().to_string()).map_err(CliError::usage)?;
    Ok(Arc::new(built_in.overridden_by(&own)))
}

const NO_KEY: &str = "no key is set. Set ANTHROPIC_API_KEY, or name another model: `--model provider::name` with that \
                      provider's key, `--model NAME --model-url URL` for a server of your own, or `--model script:FILE` \
                      to play a script offline";

const WAYS: &str = "`becket run --help` shows the ways to name one, `--model script:FILE` among them";

/// Converts the reason why the session's model is unavailable.
fn unusable(error: ModelError) -> CliError {
    if let ModelError::NoKey { provider } = &error {
        return no_model(&no_key(provider));
    }
    if let ModelError::Script { message, .. } = error {
        return BadScript { why: message }.into();
    }
    let error = error.to_string();
    // A suggestion ends with its own punctuation mark.
    let end = if error.ends_with('?') { "" } else { "." };
    no_model(&format!("{error}{end} {WAYS}"))
}

fn no_key(provider: &str) -> String {
    match models::variable_of(provider) {
        Some(variable) => format!("no key for provider `{provider}`: set {variable}. {WAYS}"),
        None => format!("no key for provider `{provider}`. {WAYS}"),
    }
}

fn no_model(why: &str) -> CliError {
    CliError::NoModel { why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::Terminals;
    use becket_fire::ProcessContext;

    fn around(vars: &[(&str, &str)]) -> Surroundings {
        Surroundings {
            process: ProcessContext {
                arguments: Vec::new(),
                vars: vars.iter().map(|(name, value)| (name.into(), value.into())).collect(),
                home: None,
                cwd: None,
                temp: "/tmp".into(),
            },
            program: None,
            terminals: Terminals { stdin: false, stdout: false, stderr: false },
            is_root: false,
            width: None,
        }
    }

    fn models(model: Option<&str>, vars: &[(&str, &str)], start: &Path) -> Result<RunModels, CliError> {
        let args = RunModelArgs { model: model.map(str::to_owned), ..RunModelArgs::default() };
        RunModels::new(&args, start, &around(vars))
    }

    #[test]
    fn a_model_is_named_or_follows_from_a_key_or_the_ways_are_told() {
        let here = Path::new("/");
        let key = ("ANTHROPIC_API_KEY", "k");
        assert_eq!(models(None, &[key], here).unwrap().name(), "sonnet");
        let of_variable = models(None, &[key, ("ANTHROPIC_MODEL", "claude-x")], here).unwrap();
        assert_eq!((of_variable.name(), of_variable.key_source()), ("claude-x", "ANTHROPIC_API_KEY"));
        let token = models(Some("opus"), &[("ANTHROPIC_AUTH_TOKEN", "t")], here).unwrap();
        assert_eq!((token.name(), token.key_source()), ("opus", "ANTHROPIC_AUTH_TOKEN"));
        let local = models(Some("ollama::llama"), &[], here).unwrap();
        assert_eq!((local.name(), local.key_source()), ("ollama::llama", "none"));
        for (model, said) in [
            (None, "--model script:FILE"),
            (Some("opus"), "ANTHROPIC_API_KEY"),
            (Some("nobody"), "claude-…"),
            (Some("anthropi::x"), "`anthropic`? `becket"),
        ] {
            let error = models(model, &[], here).err().unwrap().to_string();
            assert!(error.contains(said) && error.contains("script:FILE"), "{error}");
        }
    }

    #[test]
    fn a_script_goes_on_where_it_stands_and_files_of_a_repository_name_none() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a.json", "b.json"] {
            std::fs::write(dir.path().join(name), r#"{"turns": [{"text": "hi"}]}"#).unwrap();
        }
        let scripted = models(Some("script:a.json"), &[], dir.path()).unwrap();
        let again = |name: &str| scripted.model(Some(name)).unwrap();
        assert!(Arc::ptr_eq(&again("script:a.json"), &again("script:a.json")));
        assert!(scripted.model(Some("script:b.json")).is_ok());
        assert!(scripted.model(None).is_err(), "its turns are not for hooks");
        let key = ("ANTHROPIC_API_KEY", "k");
        let real = models(Some("haiku"), &[key, (SMALL, "script:a.json")], dir.path()).unwrap();
        assert!(real.model(None).is_ok() && real.model(Some("script:b.json")).is_err());
        let error = models(Some("script:c.json"), &[], dir.path()).err().unwrap().to_string();
        assert!(error.contains("c.json"), "{error}");
    }
}
