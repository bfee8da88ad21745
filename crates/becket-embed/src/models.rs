//! The models that hooks may call: those of the providers whose keys are in the environment, one server by its URL, or a
//! script instead of all of them.

use becket_engine::Environment;
use becket_llm::{
    Credential, Endpoint, HttpOptions, ModelTable, Models, Providers, ScriptedModel, Secret, SingleModel,
};
use std::path::PathBuf;
use std::sync::Arc;

/// The providers with the variables that usually contain their keys.
const KEYS: &[(&str, &str)] = &[
    ("anthropic", "ANTHROPIC_API_KEY"),
    ("openai", "OPENAI_API_KEY"),
    ("gemini", "GEMINI_API_KEY"),
    ("groq", "GROQ_API_KEY"),
    ("deepseek", "DEEPSEEK_API_KEY"),
    ("xai", "XAI_API_KEY"),
    ("cohere", "COHERE_API_KEY"),
    ("together", "TOGETHER_API_KEY"),
    ("fireworks", "FIREWORKS_API_KEY"),
];

/// The variables that name another server.
const SERVERS: &[(&str, &str)] = &[("anthropic", "ANTHROPIC_BASE_URL"), ("openai", "OPENAI_BASE_URL")];

/// The provider on this machine, with a well-known address and without a key.
const LOCAL: &str = "ollama";

/// The default small fast model.
const DEFAULT: &str = "haiku";

/// The choice of models, in addition to the environment.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The model of handlers that name none.
    pub model: Option<String>,
    /// Its server.
    pub url: Option<String>,
    /// The sizes and prices of models; the built-in ones otherwise.
    pub table: Option<Arc<ModelTable>>,
    /// Beta features of Anthropic's API.
    pub betas: Vec<String>,
    /// A script that answers instead of every model.
    pub script: Option<PathBuf>,
}

/// An unusable script of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the script of the model can't be used: {why}")]
pub struct BadScript {
    /// The reason.
    pub why: String,
}

/// Returns the models of a choice and the environment.
///
/// # Errors
/// Errors if the script is invalid.
pub fn models(choice: &Choice, environment: &Environment) -> Result<Arc<dyn Models>, BadScript> {
    if let Some(script) = &choice.script {
        let model = ScriptedModel::from_file(script).map_err(|error| BadScript { why: error.to_string() })?;
        return Ok(Arc::new(SingleModel(Arc::new(model))));
    }
    Ok(Arc::new(providers(choice, environment)))
}

fn providers(choice: &Choice, around: &Environment) -> Providers {
    let mut options = http(around);
    options.user_agent =
        client_app(around).map(|app| format!("becket/{} (client-app/{app})", env!("CARGO_PKG_VERSION")));
    // A server named on the command line is often this machine.
    options.proxy = options.proxy.filter(|_| choice.url.is_none());
    let mut providers = Providers::new(options);
    let named = choice.model.as_deref().map(|name| full_name(name, choice.url.is_some()));
    let of_url = named.as_deref().map(provider);
    for (provider, key) in KEYS {
        let own = choice.url.as_deref().filter(|_| of_url == Some(*provider));
        let server = SERVERS.iter().find(|(of, _)| of == provider).and_then(|(_, name)| text(around, name));
        let endpoint = endpoint(credential(provider, key, around), own.map(str::to_owned).or(server));
        providers = endpoint.into_iter().fold(providers, |all, one| all.with_endpoint(*provider, one));
    }
    providers = providers.with_endpoint(LOCAL, Endpoint::with_key(Credential::None));
    if let (Some(url), Some(of)) = (&choice.url, of_url)
        && !KEYS.iter().any(|(provider, _)| *provider == of)
    {
        providers = providers.with_endpoint(of, Endpoint::at(url));
    }
    let default = named
        .or_else(|| text(around, "ANTHROPIC_SMALL_FAST_MODEL"))
        .or_else(|| credential("anthropic", KEYS[0].1, around).map(|_| DEFAULT.to_owned()));
    if !choice.betas.is_empty() {
        providers = providers.with_betas(choice.betas.clone());
    }
    if let Some(table) = &choice.table {
        providers = providers.with_table(Arc::clone(table));
    }
    match default {
        Some(name) => providers.with_default(name),
        None => providers,
    }
}

/// Returns the full name of a model. A bare name with a separate server means OpenAI's protocol, which local servers
/// implement.
pub fn full_name(name: &str, has_server: bool) -> String {
    let is_bare = !name.contains("::") && !is_anthropic(name);
    if has_server && is_bare { format!("openai::{name}") } else { name.to_owned() }
}

/// Returns the variable that usually contains the key of a provider.
pub fn variable_of(provider: &str) -> Option<&'static str> {
    KEYS.iter().find(|(of, _)| *of == provider).map(|(_, variable)| *variable)
}

fn provider(name: &str) -> &str {
    name.split_once("::").map_or("anthropic", |(provider, _)| provider)
}

fn is_anthropic(name: &str) -> bool {
    name.starts_with("claude-") || ["haiku", "sonnet", "opus"].contains(&name)
}

fn endpoint(credential: Option<Credential>, server: Option<String>) -> Option<Endpoint> {
    match (credential, server) {
        (None, None) => None,
        (Some(credential), None) => Some(Endpoint::with_key(credential)),
        (credential, Some(server)) => {
            Some(Endpoint::at(server).credential(credential.unwrap_or(Credential::None)))
        }
    }
}

fn credential(provider: &str, key: &str, around: &Environment) -> Option<Credential> {
    let bearer = || text(around, "ANTHROPIC_AUTH_TOKEN").filter(|_| provider == "anthropic");
    let key = text(around, key).map(|key| Credential::ApiKey(Secret::trimmed(key)));
    key.or_else(|| bearer().map(|token| Credential::Bearer(Secret::trimmed(token))))
}

/// The variable with the name of the application, as SDKs set it.
const CLIENT_APP: &str = "CLAUDE_AGENT_SDK_CLIENT_APP";
/// The maximum length of that name, in characters.
const CLIENT_APP_LENGTH: usize = 128;

/// Returns the name of the application, unless it can't be part of a header.
fn client_app(around: &Environment) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '(' | ')');
    text(around, CLIENT_APP).filter(|app| app.len() <= CLIENT_APP_LENGTH && app.chars().all(is_plain))
}

/// Returns the network options: the proxy of the environment, if it names one.
pub fn http(around: &Environment) -> HttpOptions {
    let first = |names: &[&str]| names.iter().find_map(|name| text(around, name));
    let mut options = HttpOptions::default();
    options.proxy = first(&["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]);
    options.no_proxy = first(&["NO_PROXY", "no_proxy"]);
    options
}

/// Returns the text of a variable that is set.
pub fn text(around: &Environment, name: &str) -> Option<String> {
    let value = around.var(name)?.to_str()?;
    Some(value).filter(|value| !value.is_empty()).map(str::to_owned)
}
