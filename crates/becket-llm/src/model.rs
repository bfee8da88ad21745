//! The trait of all models, and the trait that resolves model names.

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
    /// Returns the name of this model for messages.
    fn name(&self) -> &str;

    /// Sends a request, and streams the answer. Nothing follows an error or [`Delta::Stop`].
    fn stream<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<Delta, ModelError>>;

    /// Sends a request, and returns the complete answer.
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

    /// Returns the native capabilities of the model.
    fn capabilities(&self) -> Capabilities;

    /// Returns the names of the request's settings that are not sent to the model because its provider does not support
    /// them.
    fn ignored(&self, _request: &Request) -> Vec<&'static str> {
        Vec::new()
    }

    /// Returns the size and the price of the model, as far as they are known.
    fn spec(&self) -> ModelSpec {
        ModelSpec::default()
    }

    /// Returns the price of the model, if it is known.
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
    /// True if the model can call tools.
    pub tools: bool,
    /// True if the model can answer in JSON of a given schema.
    pub json_schema: bool,
}

/// Resolves model names; a host passes an implementation to the engine.
pub trait Models: Send + Sync {
    /// Returns the model with this name; `None` is the host's small fast model. rule: H7
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

/// A single model for every name, and also the small fast one.
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
