//! The HTTP client of the exporter: becket's own, on a separate thread.
//!
//! The exporter's thread has no runtime, and that of a command may be busy or gone.

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::runtime::Runtime;

/// The HTTP client and its runtime, which all signals share.
#[derive(Debug, Clone)]
pub(super) struct Transport {
    client: reqwest::Client,
    /// Never dropped before the process ends: a hanging collector must not delay the end.
    runtime: &'static Runtime,
}

impl Transport {
    pub(super) fn start(options: &becket_llm::HttpOptions) -> Result<Self, String> {
        let client = becket_llm::http_client(options).map_err(|error| error.to_string())?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("becket-otlp")
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Transport { client, runtime: Box::leak(Box::new(runtime)) })
    }

    /// Returns a sender that notes its first failure there.
    pub(super) fn sender(&self, failed: FirstFailure) -> Sender {
        Sender { transport: self.clone(), failed }
    }
}

/// Sends batches, and keeps the first failure.
#[derive(Debug)]
pub(super) struct Sender {
    transport: Transport,
    failed: FirstFailure,
}

/// The first reason why a batch did not arrive.
#[derive(Debug, Clone, Default)]
pub(super) struct FirstFailure(Arc<Mutex<Option<String>>>);

impl FirstFailure {
    pub(super) fn note(&self, why: impl FnOnce() -> String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(why);
    }

    pub(super) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl HttpClient for Sender {
    fn send_bytes<'life0, 'async_trait>(
        &'life0 self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        let (client, failed) = (self.transport.client.clone(), self.failed.clone());
        let sent = self.transport.runtime.spawn(sent(client, request));
        Box::pin(async move {
            let answer = sent.await.map_err(HttpError::from).and_then(|answer| answer);
            match &answer {
                Ok(answer) if !answer.status().is_success() => {
                    failed.note(|| format!("the collector answered {}", answer.status()));
                }
                Ok(_) => {}
                Err(error) => failed.note(|| innermost(error.as_ref())),
            }
            answer
        })
    }
}

async fn sent(client: reqwest::Client, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let answer = client.execute(request.try_into()?).await?;
    let status = answer.status();
    let mut response = Response::new(answer.bytes().await?);
    *response.status_mut() = status;
    Ok(response)
}

/// Returns the root cause of an error; no address and no header is repeated.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut last: &dyn Error = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
