//! Resolves model names to models, using the host's configuration.
//!
//! | name | model |
//! |---|---|
//! | `sonnet`, `opus`, `haiku` | the current model of that family; a host may choose another |
//! | `claude-…` | the Anthropic model of that name |
//! | `anthropic::name` | the model of that name at Anthropic's base URL |
//! | `provider::name` | any other provider, such as `openai::…`, `gemini::…`, `ollama::…` |
//!
//! Nothing is looked up in the environment. The HTTP client is created together with the first model, so a host without
//! prompt hooks pays nothing for it.

use crate::anthropic::{ALIASES, Anthropic, IDLE};
use crate::endpoint::Endpoint;
use crate::error::ModelError;
use crate::genai_model::Genai;
use crate::http::{HttpOptions, http_client};
use crate::model::{Model, Models};
use crate::price::Price;
use crate::spec::ModelSpec;
use crate::table::ModelTable;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// The provider whose models need no prefix.
const ANTHROPIC: &str = "anthropic";

/// The provider that runs locally and needs no key.
const LOCAL: &str = "ollama";

/// Providers whose models the table lists under another provider: they use another protocol for the same models.
const LISTED_AS: [(&str, &str); 2] = [("gemini_ix", "gemini"), ("openai_resp", "openai")];

/// The prefix of the beta feature for a context window of a million tokens.
const LONG_CONTEXT: &str = "context-1m-";
const MILLION: u64 = 1_000_000;

/// The models that a host can use.
pub struct Providers {
    options: HttpOptions,
    http: OnceLock<reqwest::Client>,
    endpoints: BTreeMap<String, Endpoint>,
    aliases: BTreeMap<String, String>,
    models: BTreeMap<String, Arc<dyn Model>>,
    prices: BTreeMap<String, Price>,
    table: Arc<ModelTable>,
    betas: Vec<String>,
    default: Option<String>,
    idle: Duration,
    /// Cached models by requested name, so that what a model learned about its provider is kept.
    made: Mutex<BTreeMap<String, Arc<dyn Model>>>,
}

/// The maximum number of cached models; names come from settings, so there are few.
const KEPT: usize = 64;

impl Providers {
    /// Creates an empty set of providers.
    #[must_use]
    pub fn new(options: HttpOptions) -> Self {
        let aliases = ALIASES.map(|(alias, model)| (alias.to_owned(), model.to_owned()));
        Self {
            options,
            http: OnceLock::new(),
            endpoints: BTreeMap::new(),
            aliases: BTreeMap::from(aliases),
            models: BTreeMap::new(),
            prices: BTreeMap::new(),
            table: ModelTable::built_in(),
            betas: Vec::new(),
            default: None,
            idle: IDLE,
            made: Mutex::default(),
        }
    }

    /// Adds a provider, such as `anthropic`, `openai` or `gemini`.
    #[must_use]
    pub fn with_endpoint(mut self, provider: impl Into<String>, endpoint: Endpoint) -> Self {
        self.endpoints.insert(provider.into(), endpoint);
        self.made = Mutex::default();
        self
    }

    /// Adds an alias; it may replace a built-in one such as `haiku`, and may refer to another alias.
    #[must_use]
    pub fn with_alias(mut self, alias: impl Into<String>, model: impl Into<String>) -> Self {
        self.aliases.insert(alias.into(), model.into());
        self
    }

    /// Adds a model of the host's own, such as a scripted one, under exactly this name.
    #[must_use]
    pub fn with_model(mut self, name: impl Into<String>, model: Arc<dyn Model>) -> Self {
        self.models.insert(name.into(), model);
        self
    }

    /// Sets the small fast model, for requests that name none. rule: H7
    #[must_use]
    pub fn with_default(mut self, name: impl Into<String>) -> Self {
        self.default = Some(name.into());
        self
    }

    /// Sets the table of sizes and prices. Default: the built-in one.
    #[must_use]
    pub fn with_table(mut self, table: Arc<ModelTable>) -> Self {
        self.table = table;
        self.made = Mutex::default();
        self
    }

    /// Sets the price of a model, by the name it resolves to; it takes precedence over the table.
    #[must_use]
    pub fn with_price(mut self, model: impl Into<String>, price: impl Into<Price>) -> Self {
        self.prices.insert(model.into(), price.into());
        self.made = Mutex::default();
        self
    }

    /// Sets the beta features of Anthropic's models, by their names in the header `anthropic-beta`.
    #[must_use]
    pub fn with_betas(mut self, betas: Vec<String>) -> Self {
        self.betas = betas;
        self.made = Mutex::default();
        self
    }

    /// Sets the limit on silence (default: five minutes).
    #[must_use]
    pub fn with_idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self.made = Mutex::default();
        self
    }

    /// Returns the model with this name. No request is sent.
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`] if the name can't be resolved, [`ModelError::NoKey`], [`ModelError::Setup`].
    pub fn model(&self, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        let name = self.resolved(name.trim())?;
        if let Some(model) = self.models.get(name) {
            return Ok(model.clone());
        }
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = made.get(name) {
            return Ok(model.clone());
        }
        let model = self.make(name)?;
        if made.len() < KEPT {
            made.insert(name.to_owned(), model.clone());
        }
        Ok(model)
    }

    fn make(&self, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        match name.split_once("::") {
            Some((ANTHROPIC, model)) if !model.is_empty() => self.anthropic(model),
            Some(("scripted", _)) => Err(unknown(name, "a scripted model has to be handed in by the host")),
            Some((provider, model)) if !model.is_empty() => self.other(provider, model),
            Some(_) => Err(unknown(name, "write it as `provider::model`")),
            None if name.starts_with("claude-") => self.anthropic(name),
            None => Err(unknown(name, &self.hint(name))),
        }
    }

    /// Follows aliases, but detects cycles.
    fn resolved<'a>(&'a self, name: &'a str) -> Result<&'a str, ModelError> {
        let mut resolved = name;
        for _ in 0..=self.aliases.len() {
            match self.aliases.get(resolved) {
                Some(next) if !self.models.contains_key(resolved) => resolved = next,
                Some(_) | None => return Ok(resolved),
            }
        }
        Err(unknown(name, "its aliases lead in a circle"))
    }

    fn hint(&self, name: &str) -> String {
        let known = self.aliases.keys().chain(self.models.keys()).map(String::as_str);
        match closest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write `claude-…`, {}, or `provider::{name}`", self.alias_list()),
        }
    }

    fn alias_list(&self) -> String {
        self.aliases.keys().map(|alias| format!("`{alias}`")).collect::<Vec<_>>().join(", ")
    }

    fn http(&self) -> Result<reqwest::Client, ModelError> {
        if let Some(http) = self.http.get() {
            return Ok(http.clone());
        }
        let http =
            http_client(&self.options).map_err(|error| ModelError::Setup { message: error.to_string() })?;
        Ok(self.http.get_or_init(|| http).clone())
    }

    fn anthropic(&self, model: &str) -> Result<Arc<dyn Model>, ModelError> {
        let endpoint = self.endpoint(ANTHROPIC)?;
        let mut anthropic = Anthropic::new(self.http()?, model, &endpoint.credential)?
            .with_structured_output(endpoint.structured_output)
            .with_idle(self.idle)
            .with_spec(self.with_long_context(self.spec(model, &format!("{ANTHROPIC}::{model}"))))
            .with_betas(&self.betas)?;
        if let Some(base_url) = &endpoint.base_url {
            anthropic = anthropic.with_base_url(base_url)?;
        }
        Ok(Arc::new(anthropic))
    }

    fn other(&self, provider: &str, model: &str) -> Result<Arc<dyn Model>, ModelError> {
        if !Genai::providers().any(|known| known == provider) {
            let message = match closest(provider, Genai::providers().chain([ANTHROPIC])) {
                Some(near) => format!("there is no provider `{provider}`: did you mean `{near}`?"),
                None => format!("there is no provider `{provider}`"),
            };
            return Err(unknown(&format!("{provider}::{model}"), &message));
        }
        let name = format!("{provider}::{model}");
        let genai = Genai::new(self.http()?, provider, model, self.endpoint(provider)?)?.with_idle(self.idle);
        let listed =
            LISTED_AS.iter().find(|(protocol, _)| *protocol == provider).map_or(provider, |(_, of)| of);
        Ok(Arc::new(genai.with_spec(self.spec(&name, &format!("{listed}::{model}")))))
    }

    /// Enlarges the context window if the beta feature for it is enabled.
    fn with_long_context(&self, spec: ModelSpec) -> ModelSpec {
        let is_long = self.betas.iter().any(|beta| beta.starts_with(LONG_CONTEXT));
        let window = spec.context_window.map(|window| if is_long { window.max(MILLION) } else { window });
        ModelSpec { context_window: window, ..spec }
    }

    /// Returns the facts about the model `name`, which the table lists as `listed`.
    fn spec(&self, name: &str, listed: &str) -> ModelSpec {
        let spec = self.table.spec(listed);
        ModelSpec { price: self.prices.get(name).copied().or(spec.price), ..spec }
    }

    /// Returns the endpoint that the host set, if it has a key or needs none: it has its own address, or is local.
    fn endpoint(&self, provider: &str) -> Result<&Endpoint, ModelError> {
        let usable = |endpoint: &&Endpoint| {
            endpoint.base_url.is_some() || endpoint.credential.secret().is_some() || provider == LOCAL
        };
        self.endpoints
            .get(provider)
            .filter(usable)
            .ok_or_else(|| ModelError::NoKey { provider: provider.to_owned() })
    }
}

impl Models for Providers {
    fn model(&self, name: Option<&str>) -> Result<Arc<dyn Model>, ModelError> {
        let name = name.or(self.default.as_deref()).ok_or(ModelError::NoModel)?;
        Providers::model(self, name)
    }
}

impl fmt::Debug for Providers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Providers")
            .field("endpoints", &self.endpoints)
            .field("aliases", &self.aliases)
            .field("models", &self.models.keys())
            .field("default", &self.default)
            .finish_non_exhaustive()
    }
}

fn unknown(name: &str, message: &str) -> ModelError {
    ModelError::UnknownModel { name: name.to_owned(), message: message.to_owned() }
}

fn closest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.collect();
    becket_base::suggest(name, &known)
}
