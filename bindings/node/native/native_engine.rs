//! The object that JavaScript holds: JSON in, JSON out. Requests that take time have a number, under which the result
//! arrives.

use crate::channel::{Channel, Listener, Message};
use crate::ending;
use crate::hook::FunctionHook;
use crate::inner::Inner;
use crate::questions::NoAnswer;
use crate::runtime;
use becket_embed::view::Report;
use becket_embed::{Registration, Session};
use becket_model::Event;
use napi::{Env, Error, Result, Status};
use napi_derive::napi;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::sync::Arc;

/// An engine.
#[napi]
pub struct NativeEngine {
    inner: Arc<Inner>,
}

#[napi]
impl NativeEngine {
    /// Creates an engine that is not open yet. `listener` receives questions and messages.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env, listener: Listener) -> Result<Self> {
        let threads = runtime::handle().map_err(refused)?;
        let inner = Arc::new(Inner::new(Channel::new(listener), threads));
        ending::with_thread(&env, &inner)?;
        Ok(NativeEngine { inner })
    }

    /// Opens it; throws the reason of a failure as JSON.
    #[napi(catch_unwind)]
    pub fn open(&self, wants: String) -> Result<String> {
        self.inner.open(&wants).map_err(|error| refused(error.to_json()))
    }

    /// Does the same without blocking.
    #[napi(catch_unwind)]
    pub fn open_later(&self, id: u32, wants: String) {
        self.inner.open_later(id, wants);
    }

    /// Fires an event. Returns the immediate messages; the others arrive over the channel, the result last.
    #[napi(catch_unwind)]
    pub fn fire(&self, id: u32, name: String, fields: String) -> Result<Option<Vec<Message>>> {
        self.inner.fire(id, &name, &fields).map(some).map_err(refused)
    }

    /// Runs a program; its report arrives over the channel.
    #[napi(catch_unwind)]
    pub fn exec(&self, id: u32, request: String) -> Result<()> {
        self.inner.exec(id, &request).map_err(refused)
    }

    /// Cancels an event or a program.
    #[napi(catch_unwind)]
    pub fn cancel(&self, id: u32) {
        self.inner.cancel(id);
    }

    /// Delivers the answer of a function or of the user: JSON, or the reason why there is none; both, if the JSON is a
    /// part of an answer. Returns the immediate messages.
    #[napi(catch_unwind)]
    pub fn answer(&self, call: u32, answer: Option<String>, failure: Option<String>) -> Option<Vec<Message>> {
        let answer = match (answer, failure) {
            (Some(answer), None) => Ok(answer),
            (part, Some(why)) => Err(NoAnswer { why, part }),
            (None, None) => Err("it gave no answer".into()),
        };
        some(self.inner.answered(call, answer))
    }

    /// Registers a function as a hook of an event.
    #[napi(catch_unwind)]
    pub fn register(&self, number: u32, wants: String) -> Result<()> {
        let wants: Registration = read(&wants)?;
        let hook = FunctionHook { questions: self.inner.with.questions.clone(), number };
        self.session()?.register(&wants, Arc::new(hook)).map_err(refused)
    }

    /// Removes a registered function.
    #[napi(catch_unwind)]
    pub fn unregister(&self, id: String) -> Result<()> {
        self.session()?.unregister(&id).map_err(refused)
    }

    /// Returns the hooks that an event would run.
    #[napi(catch_unwind)]
    pub fn plan(&self, name: String, fields: String) -> Result<String> {
        written(&self.session()?.plan(&self.event(&name, &fields)?))
    }

    /// Returns the hooks that an event would run, and the reasons why others would not.
    #[napi(catch_unwind)]
    pub fn explain(&self, name: String, fields: String) -> Result<String> {
        let planned = self.session()?.explain(&self.event(&name, &fields)?);
        written(&Report::Explain(planned))
    }

    /// Returns the problems of the configuration.
    #[napi(catch_unwind)]
    pub fn check(&self) -> Result<String> {
        written(&Report::Check(self.session()?.check()))
    }

    /// Returns the events that have hooks or rules.
    #[napi(catch_unwind)]
    pub fn events(&self) -> Result<String> {
        written(&self.session()?.events())
    }

    /// Returns the results of background hooks.
    #[napi(catch_unwind)]
    pub fn background(&self) -> Result<String> {
        written(&self.session()?.background())
    }

    /// Returns the environment files that hooks have filled.
    #[napi(catch_unwind)]
    pub fn env_files(&self) -> Result<String> {
        written(&self.session()?.env_files())
    }

    /// Reads the configuration again.
    #[napi(catch_unwind)]
    pub fn reload(&self) -> Result<String> {
        written(&Report::Check(self.session()?.reload().map_err(refused)?))
    }

    /// Ends everything that it runs; a message on the channel reports the end.
    #[napi(catch_unwind)]
    pub fn close_later(&self, id: u32) {
        self.inner.close_later(id);
    }
}

impl NativeEngine {
    fn session(&self) -> Result<&Session> {
        self.inner.session().map(|open| &open.session).map_err(refused)
    }

    fn event(&self, name: &str, fields: &str) -> Result<Event> {
        self.session()?.event(name, read::<Map<String, Value>>(fields)?).map_err(refused)
    }
}

/// Returns `None` for an empty list, to spare JavaScript its conversion.
fn some(messages: Vec<Message>) -> Option<Vec<Message>> {
    (!messages.is_empty()).then_some(messages)
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| refused(error.to_string()))
}

fn written(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| refused(error.to_string()))
}

fn refused(why: String) -> Error {
    Error::new(Status::GenericFailure, why)
}
