//! A model of a `genai` provider.

use super::failure::FailureContext;
use super::request::{chat, ignored, options};
use super::stream::StreamReader;
use crate::anthropic::{IDLE, base_url};
use crate::delta::Delta;
use crate::endpoint::Endpoint;
use crate::error::ModelError;
use crate::model::{Capabilities, Model};
use crate::request::Request;
use crate::spec::ModelSpec;
use becket_base::secret::{Redactor, Secret};
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, ProviderConfig};
use genai::{Client, ModelIden};
use std::fmt;
use std::time::Duration;

/// Providers whose address `genai` would look up in the environment: the host has to set it.
const NEED_A_BASE_URL: [AdapterKind; 3] = [AdapterKind::Vertex, AdapterKind::Omlx, AdapterKind::BedrockApi];

/// The placeholder key for a server without a key.
const NO_KEY: &str = "none";

/// A model of a provider that `genai` supports: `openai`, `gemini`, `ollama` and many more. `openai` with another base
/// URL reaches every server that implements chat completions, such as llama.cpp's.
pub struct Genai {
    client: Client,
    kind: AdapterKind,
    name: String,
    model: String,
    failing: FailureContext,
    idle: Duration,
    spec: ModelSpec,
}

impl Genai {
    /// Creates the model `model` of `provider`.
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`] if `genai` does not support the provider, [`ModelError::Setup`] if the base URL is
    /// invalid or missing.
    pub fn new(
        http: reqwest::Client,
        provider: &str,
        model: &str,
        endpoint: &Endpoint,
    ) -> Result<Self, ModelError> {
        let name = format!("{provider}::{model}");
        let Some(kind) = kinds().find(|kind| kind.as_lower_str() == provider) else {
            let message = format!("there is no provider `{provider}`");
            return Err(ModelError::UnknownModel { name, message });
        };
        let (config, from) = configured(kind, endpoint)?;
        let redactor = redactor(endpoint);
        let client = Client::builder().with_reqwest(http).append_provider_config(kind, config).build();
        let failing = FailureContext { from, model: name.clone(), redactor, idle: IDLE };
        let client = client.map_err(|error| failing.error(error))?;
        Ok(Self {
            client,
            kind,
            name,
            model: model.to_owned(),
            failing,
            idle: IDLE,
            spec: ModelSpec::default(),
        })
    }

    /// Returns the names of all supported providers.
    pub fn providers() -> impl Iterator<Item = &'static str> {
        kinds().map(|kind| kind.as_lower_str())
    }

    /// Sets the limit on silence, before and during an answer.
    #[must_use]
    pub fn with_idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self.failing.idle = idle;
        self
    }

    /// Sets the size and the price of the model.
    #[must_use]
    pub fn with_spec(mut self, spec: ModelSpec) -> Self {
        self.spec = spec;
        self
    }
}

/// Returns the `genai` configuration of an endpoint, and the name of its host for errors.
fn configured(kind: AdapterKind, endpoint: &Endpoint) -> Result<(ProviderConfig, String), ModelError> {
    let key = endpoint.credential.secret().map_or(NO_KEY, Secret::expose);
    let config = ProviderConfig::from_auth(AuthData::from_single(key));
    let provider = kind.as_lower_str();
    let Some(base) = &endpoint.base_url else {
        if NEED_A_BASE_URL.contains(&kind) {
            let message = format!("provider `{provider}` needs its base URL");
            return Err(ModelError::Setup { message });
        }
        return Ok((config, provider.to_owned()));
    };
    let (mut url, host) = base_url(base)?;
    // Paths are joined to it: without a trailing slash its last part would be replaced.
    let path = format!("{}/", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok((config.with_endpoint(genai::resolver::Endpoint::from_owned(String::from(url))), host))
}

/// Returns a redactor for the secrets of an endpoint. rule: S3
fn redactor(endpoint: &Endpoint) -> Redactor {
    let mut redactor = Redactor::new(endpoint.credential.secret().map(Secret::expose));
    let url = endpoint.base_url.as_deref().and_then(|base| base_url(base).ok());
    url.iter().filter_map(|(url, _)| url.password()).for_each(|password| redactor.add(password));
    redactor
}

/// Returns all adapters but Anthropic's, which has a native client.
fn kinds() -> impl Iterator<Item = AdapterKind> {
    AdapterKind::all().iter().copied().filter(|kind| *kind != AdapterKind::Anthropic)
}

impl Model for Genai {
    fn name(&self) -> &str {
        &self.name
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<Delta, ModelError>> {
        let opening = async move {
            let model = ModelIden::new(self.kind, self.model.as_str());
            let options = options(request, self.kind, &self.model, self.idle);
            let opened = self.client.exec_chat_stream(model, chat(request), Some(&options)).await;
            let opened = opened.map_err(|error| self.failing.error(error))?;
            Ok(StreamReader::new(opened.stream, self.failing.clone(), &self.model).deltas())
        };
        stream::once(opening).try_flatten().boxed()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { tools: true, json_schema: true }
    }

    fn ignored(&self, request: &Request) -> Vec<&'static str> {
        ignored(request, self.kind)
    }

    fn spec(&self) -> ModelSpec {
        self.spec
    }
}

impl fmt::Debug for Genai {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Genai")
            .field("model", &self.name)
            .field("host", &self.failing.from)
            .finish_non_exhaustive()
    }
}
