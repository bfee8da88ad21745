//! One open session: an engine, the facts that its events share, and the hooks that the client has registered.

use super::answers::{EnvFiles, Opened, Planned, Said, Taken, Woken, said};
use super::calls::Calls;
use super::fault::Fault;
use super::hook;
use super::params::{OfEvent, Register};
use super::told::Teller;
use crate::event;
use crate::view::Report;
use crate::view::background;
use crate::view::finding::Checked;
use crate::view::fired::Fired;
use crate::view::planned;
use becket_engine::config::Config;
use becket_engine::{CancellationToken, Engine, RegistrationId, Wake};
use becket_model::wire::input;
use becket_model::{Event, EventKind, SessionId};
use futures_util::FutureExt;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::RwLock;

/// How many hooks a client may register for a session.
const MOST_HOOKS: usize = 1_024;

/// A session. It lives until it is closed, or its connection ends.
pub(super) struct Session {
    pub(super) id: Arc<str>,
    pub(super) engine: Engine,
    pub(super) facts: Facts,
    pub(super) teller: Arc<Teller>,
    pub(super) calls: Calls,
    /// Ends whatever the session runs.
    pub(super) cancel: CancellationToken,
    pub(super) hooks: Mutex<HashMap<String, RegistrationId>>,
    /// Read by each firing; whoever writes knows that none is under way.
    pub(super) under_way: RwLock<()>,
}

/// What events say of their session unless they say it themselves.
pub(super) struct Facts {
    pub(super) start: PathBuf,
    pub(super) transcript: PathBuf,
    pub(super) mode: Option<&'static str>,
}

impl Session {
    /// Makes an event of a client's fields.
    ///
    /// # Errors
    /// What does not fit, in words.
    pub(super) fn event(&self, wants: OfEvent) -> Result<Event, String> {
        let kind = event::kind(&wants.event).map_err(|error| error.to_string())?;
        let mut fields = wants.input;
        self.own(&mut fields, "hook_event_name", kind.name())?;
        self.own(&mut fields, "session_id", &self.id)?;
        let facts = &self.facts;
        let mut unless_given = |name: &str, value: &str| {
            fields.entry(name).or_insert_with(|| value.into());
        };
        unless_given("cwd", &facts.start.to_string_lossy());
        unless_given("transcript_path", &facts.transcript.to_string_lossy());
        if let Some(mode) = facts.mode.filter(|_| kind.spec().carries.permission_mode) {
            unless_given("permission_mode", mode);
        }
        input::from_value(Value::Object(fields)).map_err(|error| format!("`input`: {error}"))
    }

    /// A field that can say one thing only.
    fn own(&self, fields: &mut Map<String, Value>, name: &str, value: &str) -> Result<(), String> {
        match fields.get(name) {
            Some(given) if given.as_str() != Some(value) => {
                Err(format!("`input.{name}` is {given}, but must be `{value}`: leave it out"))
            }
            Some(_) => Ok(()),
            None => {
                fields.insert(name.to_owned(), value.into());
                Ok(())
            }
        }
    }

    /// Runs the hooks of an event until `cancel`. A change of a settings file that they let pass is taken up (C8).
    pub(super) async fn fire(&self, event: &Event, cancel: &CancellationToken) -> Said {
        let _under_way = self.under_way.read().await;
        let outcome = self.engine.fire_until(event, cancel).await;
        if cancel.is_cancelled() {
            return Err(Fault::Cancelled);
        }
        if event.kind() == EventKind::ConfigChange {
            // Where the file can't be read, all stays as it was; a reload says why.
            drop(self.engine.config_heard(event, outcome.clone()));
        }
        said(&Report::Fire(Box::new(Fired::new(&outcome, event.body.subject(), Vec::new()))))
    }

    /// Which hooks an event would run.
    pub(super) fn plan(&self, event: &Event) -> Said {
        let plan = self.engine.plan(event);
        said(&Planned { event: plan.event().name(), runs: plan.runs().iter().map(Into::into).collect() })
    }

    /// The same with all that would not, and why.
    pub(super) fn explain(&self, event: &Event) -> Said {
        let plan = self.engine.plan(event);
        said(&Report::Explain(planned::Planned::new(&plan, event.body.subject(), Vec::new())))
    }

    /// Adds a hook of the client.
    ///
    /// # Errors
    /// Its id is taken, or it can't be read.
    pub(super) fn register(&self, wants: &Register) -> Result<(), String> {
        let kind = event::kind(&wants.event).map_err(|error| error.to_string())?;
        let callback = hook::callback(wants, kind, self.id.clone(), self.calls.clone())?;
        let mut hooks = self.hooks.lock().unwrap_or_else(PoisonError::into_inner);
        if hooks.len() >= MOST_HOOKS {
            return Err(format!("the session has {MOST_HOOKS} hooks of the client already"));
        }
        match hooks.entry(wants.id.clone()) {
            Entry::Occupied(_) => Err(format!("there is a hook `{}` already: unregister it first", wants.id)),
            Entry::Vacant(place) => {
                let id = self.engine.on(callback).map_err(|error| error.to_string())?;
                place.insert(id);
                Ok(())
            }
        }
    }

    /// Removes one.
    ///
    /// # Errors
    /// There is none of that id.
    pub(super) fn unregister(&self, id: &str) -> Result<(), String> {
        let known = self.hooks.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        let known = known.ok_or_else(|| format!("there is no hook `{id}` of the client"))?;
        self.engine.unregister(known);
        Ok(())
    }

    /// Whether the client is told of what happens.
    pub(super) fn tell(&self, is_wanted: bool) {
        self.teller.is_wanted.store(is_wanted, Ordering::Release);
    }

    /// What background hooks have come to. The wakes are taken first: each goes out once, also where its result comes in
    /// a moment later.
    pub(super) fn background(&self) -> Said {
        let mut wakes = Vec::new();
        let waiting = self.engine.wakes();
        while let Some(Some(wake)) = waiting.next().now_or_never() {
            wakes.push(woken(wake));
        }
        let delivered = self.engine.collect_background(&SessionId::from(self.id.clone()));
        said(&Taken { background: background::left(delivered, Vec::new()), wakes })
    }

    /// The environment files that hooks have filled (H12).
    pub(super) fn env_files(&self) -> Said {
        said(&EnvFiles { files: self.engine.env_files(&SessionId::from(self.id.clone())) })
    }

    /// Reads the configuration again.
    ///
    /// # Errors
    /// It can't be read any more, and stays as it was.
    pub(super) fn reload(&self) -> Result<Opened, String> {
        let config = self.engine.reload().map_err(|error| error.to_string())?;
        Ok(self.opened(&config))
    }

    /// What the client is told of the configuration.
    pub(super) fn opened(&self, config: &Config) -> Opened {
        let concerns = |event: &EventKind| self.engine.has_any(*event) || !config.permissions.is_empty();
        Opened {
            session: self.id.to_string(),
            events: EventKind::ALL.iter().filter(|event| concerns(event)).map(|event| event.name()).collect(),
            findings: Checked::new(&config.diagnostics, 0).findings,
        }
    }

    /// Ends all that it runs, and waits until nothing of it is left.
    pub(super) async fn close(&self) {
        self.cancel.cancel();
        self.tell(false);
        // What a firing still runs is ended by that firing.
        drop(self.under_way.write().await);
        self.engine.close().await;
        self.engine.forget_session(&SessionId::from(self.id.clone()));
    }
}

fn woken(wake: Wake) -> Woken {
    Woken { source: wake.source.to_string(), label: wake.label.to_string(), reminder: wake.reminder }
}
