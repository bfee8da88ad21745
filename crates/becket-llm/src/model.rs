//! The trait every model has, and the one that finds a model by name.

use crate::delta::{Collector, Delta};
use crate::error::ModelError;
use crate::price::Price;
use crate::request::Request;
use crate::response::Response;
use crate::spec::ModelSpec;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, StreamExt};
use std::fmt;
use std::sync::Arc;

/// A language model.
///
/// Dropping the stream or the future closes the connection. There is no deadline here: the caller applies one.
pub trait Model: Send + Sync {
    /// The name of this model in messages.
    fn name(&self) -> &str;

    /// Asks, and gives the answer piece by piece. Nothing comes after an error or after [`Delta::Stop`].
    fn stream<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<Delta, ModelError>>;

    /// Sends a request, and returns the whole answer.
    ///
    /// # Errors
    /// The first error of the stream, or [`ModelError::Truncated`] if it ends early.
    fn respond<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, ModelError>> {
        Box::pin(async move {
            let mut deltas = self.stream(request);
            let mut collector = Collector::new(self.name());
            while let Some(delta) = deltas.next().await {
                collector.push(delta?)?;
            }
            collector.finish()
        })
    }

    /// The native capabilities of the model.
    fn capabilities(&self) -> Capabilities;

    /// Returns the settings of the request that the model does not get, by name: its provider does not support them.
    fn ignored(&self, _request: &Request) -> Vec<&'static str> {
        Vec::new()
    }

    /// The size and the price of the model, as far as they are known.
    fn spec(&self) -> ModelSpec {
        ModelSpec::default()
    }

    /// The price of the model, if it is known.
    fn price(&self) -> Option<Price> {
        self.spec().price
    }
}

impl fmt::Debug for dyn Model + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model({})", self.name())
    }
}

/// The native capabilities of a model, which need no instructions in the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// It can ask for tools.
    pub tools: bool,
    /// It answers in JSON of a given schema.
    pub json_schema: bool,
}

/// Resolves model names: what a host passes to the engine.
pub trait Models: Send + Sync {
    /// The model of that name; `None` is the host's small fast one. rule: H7
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`], [`ModelError::NoKey`], [`ModelError::NoModel`].
    fn model(&self, name: Option<&str>) -> Result<Arc<dyn Model>, ModelError>;
}

impl<M: Models + ?Sized> Models for Arc<M> {
    fn model(&self, name: Option<&str>) -> Result<Arc<dyn Model>, ModelError> {
        (**self).model(name)
    }
}

/// One model for every name, also for the small fast one.
#[derive(Debug, Clone)]
pub struct SingleModel(pub Arc<dyn Model>);

impl Models for SingleModel {
    fn model(&self, _: Option<&str>) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::clone(&self.0))
    }
}

impl fmt::Debug for dyn Models + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Models")
    }
}
