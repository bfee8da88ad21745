//! One model at one endpoint of the Messages API.

use super::answer::{Answer, Limits, Refused};
use super::body::{body, forced_tool};
use super::dialect::{Dialect, StructuredMode};
use super::wire::Decoder;
use crate::delta::Delta;
use crate::error::ModelError;
use crate::model::{Capabilities, Model};
use crate::request::Request;
use crate::spec::ModelSpec;
use becket_base::secret::{Redactor, Secret};
use futures_util::stream::{self, BoxStream, StreamExt};
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The default address of the API.
const BASE_URL: &str = "https://api.anthropic.com";

/// The version of the API that this module speaks.
const VERSION: &str = "2023-06-01";

/// The header that lists beta features.
const BETA: &str = "anthropic-beta";

/// The default limit on silence. A healthy stream pings every few seconds; a single-document answer is silent until it
/// is complete.
pub(crate) const IDLE: Duration = Duration::from_secs(300);

/// The default limit on the size of an answer, in bytes.
const SIZE: usize = 16 * 1024 * 1024;

/// The maximum number of tries per request, each in another dialect.
const TRIES: usize = 4;

/// The credential that a host sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// `x-api-key` (Anthropic); `Authorization: Bearer` with every other provider.
    ApiKey(Secret),
    /// `Authorization: Bearer`.
    Bearer(Secret),
    /// No credential, as for a local server.
    None,
}

impl Credential {
    /// Returns the secret, if there is one.
    pub(crate) fn secret(&self) -> Option<&Secret> {
        match self {
            Self::ApiKey(secret) | Self::Bearer(secret) => Some(secret).filter(|secret| !secret.is_empty()),
            Self::None => None,
        }
    }
}

/// The way to request JSON of a given schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructuredOutput {
    /// `output_config.format`; if that is rejected, a tool that the model has to call.
    Auto,
    /// `output_config.format` only.
    Native,
    /// A tool that the model has to call.
    ForcedTool,
    /// Neither is supported by the endpoint: the prompt has to ask for JSON.
    Unsupported,
}

/// An Anthropic model, or a model of a server that speaks the same API.
pub struct Anthropic {
    http: reqwest::Client,
    url: Url,
    headers: HeaderMap,
    limits: Limits,
    /// The beta features that the host enables (`anthropic-beta`).
    betas: Vec<String>,
    structured: StructuredOutput,
    streaming: bool,
    dialect: Mutex<Dialect>,
    spec: ModelSpec,
}

impl Anthropic {
    /// Creates the model named `model`, at Anthropic's own address.
    ///
    /// # Errors
    /// [`ModelError::Setup`] if the key is not a valid header value.
    pub fn new(http: reqwest::Client, model: &str, credential: &Credential) -> Result<Self, ModelError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
        let key = credential.secret().cloned();
        if let Some(key) = &key {
            let (name, text) = match credential {
                Credential::ApiKey(_) | Credential::None => {
                    (HeaderName::from_static("x-api-key"), key.expose().to_owned())
                }
                Credential::Bearer(_) => (AUTHORIZATION, format!("Bearer {}", key.expose())),
            };
            let mut value = HeaderValue::from_str(&text)
                .map_err(|_| setup("the key has characters no header can carry"))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let redactor = Redactor::new(key.iter().map(Secret::expose));
        let limits =
            Limits { from: String::new(), model: model.to_owned(), redactor, idle: IDLE, size: SIZE };
        let url = Url::parse(BASE_URL).map_err(|error| setup(&error.to_string()))?;
        let anthropic = Self {
            http,
            url,
            headers,
            limits,
            betas: Vec::new(),
            structured: StructuredOutput::Auto,
            streaming: true,
            dialect: Mutex::new(Dialect::of(model)),
            spec: ModelSpec::default(),
        };
        anthropic.with_base_url(BASE_URL)
    }

    /// Sets another base URL, with or without a trailing slash, `/v1` or `/v1/messages`.
    ///
    /// # Errors
    /// [`ModelError::Setup`] if it is not an `http` or `https` URL.
    pub fn with_base_url(mut self, base: &str) -> Result<Self, ModelError> {
        let (url, from) = base_url(base)?;
        self.url = url;
        let path = self.url.path().trim_end_matches('/').to_owned();
        let path = match path.rsplit('/').next() {
            Some("messages") => path,
            Some("v1") => format!("{path}/messages"),
            Some(_) | None => format!("{path}/v1/messages"),
        };
        self.url.set_path(&path);
        self.limits.from = from;
        self.url.password().into_iter().for_each(|password| self.limits.redactor.add(password));
        Ok(self)
    }

    /// Adds a header, such as `anthropic-beta`, or replaces the value of a default one, such as `anthropic-version`.
    /// The value of any header not named `anthropic-…` is redacted from errors, like a key.
    ///
    /// # Errors
    /// [`ModelError::Setup`] if it is not a valid header.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, ModelError> {
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| setup(&format!("`{name}` is not a header's name")))?;
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| setup(&format!("the value of header `{name}` can't be sent")))?;
        value.set_sensitive(true);
        if !name.as_str().starts_with("anthropic-") {
            self.limits.redactor.add(value.as_bytes());
        }
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Adds beta features, by their names in the header `anthropic-beta`.
    ///
    /// # Errors
    /// [`ModelError::Setup`] if a name is not a valid header value.
    pub fn with_betas(mut self, betas: &[String]) -> Result<Self, ModelError> {
        if let Some(wrong) = betas.iter().find(|beta| !is_beta(beta)) {
            return Err(setup(&format!(
                "`{wrong}` is not a name of a beta: write it as in `context-1m-2025-08-07`"
            )));
        }
        self.betas.extend(betas.iter().cloned());
        Ok(self)
    }

    /// Sets the limit on silence, before and during an answer.
    #[must_use]
    pub fn with_idle(mut self, idle: Duration) -> Self {
        self.limits.idle = idle;
        self
    }

    /// Sets the limit on the size of an answer, in bytes (default: 16 MiB).
    #[must_use]
    pub fn with_answer_limit(mut self, bytes: usize) -> Self {
        self.limits.size = bytes;
        self
    }

    /// Sets the way to request JSON of a given schema.
    #[must_use]
    pub fn with_structured_output(mut self, structured: StructuredOutput) -> Self {
        self.structured = structured;
        let way = match structured {
            StructuredOutput::Auto | StructuredOutput::Native => StructuredMode::Native,
            StructuredOutput::ForcedTool => StructuredMode::ForcedTool,
            StructuredOutput::Unsupported => StructuredMode::Unsaid,
        };
        self.dialect.get_mut().unwrap_or_else(PoisonError::into_inner).structured = way;
        self
    }

    /// Disables streaming, for gateways that do not support it.
    #[must_use]
    pub fn without_streaming(mut self) -> Self {
        self.streaming = false;
        self
    }

    /// Sets the size and the price of the model.
    #[must_use]
    pub fn with_spec(mut self, spec: ModelSpec) -> Self {
        self.spec = spec;
        self
    }

    fn dialect(&self) -> Dialect {
        *self.dialect.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the request, and retries it in another dialect if a setting is rejected.
    async fn open(&self, request: &Request) -> Result<(Answer, Decoder), Refused> {
        let mut dialect = self.dialect();
        let mut tries = 1;
        loop {
            let refused = match self.send(request, dialect).await {
                Ok(answer) => {
                    return Ok((answer, Decoder::new(&self.limits, forced_tool(request, dialect))));
                }
                Err(refused) => refused,
            };
            let ModelError::BadRequest { message, .. } = &refused.error else { return Err(refused) };
            let auto = self.structured == StructuredOutput::Auto;
            let Some(next) = dialect.after(message, request, auto).filter(|_| tries < TRIES) else {
                return Err(refused);
            };
            dialect = next;
            *self.dialect.lock().unwrap_or_else(PoisonError::into_inner) = next;
            tries += 1;
        }
    }

    async fn send(&self, request: &Request, dialect: Dialect) -> Result<Answer, Refused> {
        let body = body(&self.limits.model, request, dialect, self.streaming).to_string();
        let headers = self.headers_for(request, dialect);
        let sending = self.http.post(self.url.clone()).headers(headers).body(body).send();
        let response = self.limits.within(sending).await?;
        Answer::accept(response, self.limits.clone()).await
    }
}

/// The beta feature that [`Request::task_budget`] needs.
const TASK_BUDGETS: &str = "task-budgets-2026-03-13";

impl Anthropic {
    fn headers_for(&self, request: &Request, dialect: Dialect) -> HeaderMap {
        let mut headers = self.headers.clone();
        let set = headers.get(BETA).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let task_budgets =
            request.task_budget.filter(|_| dialect.task_budget).map(|_| TASK_BUDGETS.to_owned());
        let betas: Vec<String> =
            set.into_iter().chain(self.betas.iter().cloned()).chain(task_budgets).collect();
        if let Ok(value) = HeaderValue::from_str(&betas.join(","))
            && !betas.is_empty()
        {
            headers.insert(BETA, value);
        }
        headers
    }
}

/// Returns whether a text is a valid beta name.
fn is_beta(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !text.is_empty() && text.bytes().all(fits)
}

impl Model for Anthropic {
    fn name(&self) -> &str {
        &self.limits.model
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<Delta, ModelError>> {
        let opening = async move {
            match self.open(request).await {
                Ok((answer, decoder)) => answer.deltas(decoder),
                Err(Refused { error, limit }) => {
                    let limit = limit.map(|limit| Ok(Delta::RateLimit(limit)));
                    stream::iter(limit.into_iter().chain([Err(error)])).boxed()
                }
            }
        };
        stream::once(opening).flatten().boxed()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { tools: true, json_schema: self.dialect().structured != StructuredMode::Unsaid }
    }

    fn ignored(&self, request: &Request) -> Vec<&'static str> {
        self.dialect().ignored(request)
    }

    fn spec(&self) -> ModelSpec {
        self.spec
    }
}

impl fmt::Debug for Anthropic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Anthropic")
            .field("model", &self.limits.model)
            .field("host", &self.limits.from)
            .finish_non_exhaustive()
    }
}

/// Parses a base URL; also returns its host for error messages, without path, query, user or password.
pub(crate) fn base_url(base: &str) -> Result<(Url, String), ModelError> {
    let hint = "write it as `https://host` or `http://host:port/path`";
    let url = Url::parse(base.trim())
        .map_err(|error| setup(&format!("the base URL can't be read ({error}): {hint}")))?;
    let host = match (url.scheme(), url.host_str()) {
        ("http" | "https", Some(host)) => host.to_owned(),
        _ => return Err(setup(&format!("the base URL is not an HTTP address: {hint}"))),
    };
    let from = url.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}"));
    Ok((url, from))
}

fn setup(message: &str) -> ModelError {
    ModelError::Setup { message: message.to_owned() }
}
