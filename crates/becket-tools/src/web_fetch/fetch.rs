//! One page, fetched: redirects to the same host are followed, those to another are reported.
//!
//! INVARIANT: every URL that a request goes to has passed [`Reach::judge`], and every address that is connected to has
//! passed the resolver's check. At most [`MOST_BYTES`] are read; nothing is sent but the request itself.

use super::place::{self, CheckedResolver, PlaceError, Reach};
use becket_base::http::body;
use becket_engine::Resolve;
use becket_llm::{HttpClientError, HttpOptions, http_client_builder};
use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, StatusCode, Url, retry};
use std::error::Error;
use std::sync::Arc;

/// The maximum number of bytes of a page that are read.
pub(crate) const MOST_BYTES: usize = 5 << 20;
/// The maximum number of redirects that are followed.
const MOST_HOPS: usize = 10;

/// The result of a fetch.
#[derive(Debug)]
pub(super) enum FetchResult {
    Page {
        /// The final URL.
        url: Url,
        status: StatusCode,
        content_type: Option<String>,
        content: Vec<u8>,
        /// True if the content was cut.
        is_cut: bool,
    },
    /// The page is on another host.
    Elsewhere { to: Url, status: StatusCode },
}

/// The reason why there is no content, for the model.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error(transparent)]
    Place(#[from] PlaceError),
    #[error(transparent)]
    Client(#[from] HttpClientError),
    #[error("nothing came from `{host}`: {why}")]
    Failed { host: String, why: String },
    #[error("the server answered {0}")]
    Status(StatusCode),
    #[error("the server redirects more than {MOST_HOPS} times")]
    Hops,
    #[error("the server redirects to what is not a URL to fetch: {0}")]
    BadRedirect(String),
    #[error("the answer is compressed (`{0}`), which was not asked for")]
    Compressed(String),
}

/// The client for fetches.
pub(super) struct Fetcher {
    client: Client,
    reach: Reach,
}

impl Fetcher {
    pub(super) fn new(
        options: &HttpOptions,
        resolver: Arc<dyn Resolve>,
        reach: Reach,
    ) -> Result<Self, FetchError> {
        let client = http_client_builder(options)?
            .dns_resolver(CheckedResolver { resolver, reach: reach.clone() })
            .retry(retry::never())
            // A connection belongs to a runtime, and the host may use another one the next time.
            .pool_max_idle_per_host(0)
            .user_agent(concat!("becket/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| HttpClientError::Build(error.without_url().to_string()))?;
        Ok(Self { client, reach })
    }

    /// Fetches a page.
    pub(super) async fn get(&self, mut url: Url) -> Result<FetchResult, FetchError> {
        for _ in 0..=MOST_HOPS {
            self.reach.judge(&url)?;
            let request = self.client.get(url.clone());
            let request = request.header(ACCEPT, "text/markdown, text/html, text/*;q=0.9, */*;q=0.5");
            let response = request.send().await.map_err(|error| failed(&url, error))?;
            let status = response.status();
            if !is_redirect(status) {
                return page(url, response).await;
            }
            let to = target(&url, &response)?;
            if !is_same_place(&url, &to) {
                return Ok(FetchResult::Elsewhere { to, status });
            }
            url = to;
        }
        Err(FetchError::Hops)
    }
}

async fn page(url: Url, mut response: Response) -> Result<FetchResult, FetchError> {
    let status = response.status();
    if !status.is_success() {
        return Err(FetchError::Status(status));
    }
    let header = |name| {
        response.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let content_type = header(CONTENT_TYPE);
    match header(CONTENT_ENCODING) {
        None => {}
        Some(coding) if coding.trim().eq_ignore_ascii_case("identity") => {}
        Some(coding) => return Err(FetchError::Compressed(crate::schema::brief(&coding))),
    }
    let mut content = Vec::new();
    let reading = body::read_up_to(&mut response, MOST_BYTES, &mut content);
    let is_whole = reading.await.map_err(|error| failed(&url, error))?;
    Ok(FetchResult::Page { url, status, content_type, content, is_cut: !is_whole })
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Returns the target of a redirect; `http` becomes `https` here, too.
fn target(from: &Url, response: &Response) -> Result<Url, FetchError> {
    let location =
        response.headers().get(LOCATION).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let location = location.ok_or_else(|| FetchError::BadRedirect("it says no `location`".to_owned()))?;
    let to = from.join(&location).map_err(|error| FetchError::BadRedirect(error.to_string()))?;
    place::read(to.as_str()).map_err(|error| FetchError::BadRedirect(error.to_string()))
}

fn is_same_place(one: &Url, other: &Url) -> bool {
    one.scheme() == other.scheme()
        && one.host() == other.host()
        && one.port_or_known_default() == other.port_or_known_default()
}

/// Describes a network error without the URL, which the model knows, or may not see.
fn failed(url: &Url, error: reqwest::Error) -> FetchError {
    let error = error.without_url();
    let (mut why, mut cause) = (error.to_string(), error.source());
    while let Some(next) = cause {
        if let Some(place) = next.downcast_ref::<PlaceError>() {
            return FetchError::Place(place.clone());
        }
        let text = next.to_string();
        if !why.contains(&text) {
            why = format!("{why}: {text}");
        }
        cause = next.source();
    }
    FetchError::Failed { host: url.host_str().unwrap_or_default().to_owned(), why }
}
