//! The calls of `fire --stdin-event` that hooks and rules don't decide about: those of tools that only another agent
//! has, and those by which an agent would act for a person.

use crate::Launch;
use crate::dialect::unknown_tool::UnknownToolPolicy;
use crate::person_gate::PersonGate;
use crate::result::EventResult;
use becket_dialects::{Facts, Payload, dialect, read};
use becket_engine::{Engine, Outcome};
use becket_model::wire::input::to_value;
use becket_model::{Event, EventBody};

/// The dialect that is the protocol itself.
pub const PROTOCOL: &str = "claude";

/// The settings that decide about the call of an event.
#[derive(Debug, Default)]
pub struct EventGate {
    unknown: UnknownToolPolicy,
    person: PersonGate,
}

impl EventGate {
    /// Reads the settings about the call of an event. A tool of another agent gets the name that the user has given it
    /// (`toolAliases`).
    pub fn of(launch: &Launch, event: &mut Event) -> Self {
        if !matches!(event.body, EventBody::PreToolUse(_)) {
            return EventGate::default();
        }
        let person = PersonGate::of(launch, event.kind());
        let Some(payload) = payload(event, &[]) else { return EventGate { person, ..EventGate::default() } };
        let unknown = UnknownToolPolicy::of(launch, &payload);
        if let Some(named) =
            (!unknown.aliases.is_empty()).then(|| payload_of_alias(event, &unknown)).flatten()
        {
            *event = named;
        }
        EventGate { unknown, person }
    }

    /// Returns the reason for denying the call, if nothing else blocks it, and records that it is denied.
    pub fn denial(&self, event: &Event, engine: &Engine, outcome: &Outcome) -> Option<String> {
        if EventResult::of(outcome) == EventResult::Blocked {
            return None;
        }
        let reason = self.unknown.denial(event, engine).or_else(|| self.person.denial(event))?;
        engine.host().record_denial(event, outcome, &reason);
        Some(reason)
    }
}

/// Returns the event as a payload of the protocol itself.
fn payload(event: &Event, aliases: &[(String, String)]) -> Option<Payload> {
    let mut facts = Facts::new("");
    facts.aliases = aliases;
    read(dialect(PROTOCOL)?, to_value(event), &facts).ok()
}

fn payload_of_alias(event: &Event, unknown: &UnknownToolPolicy) -> Option<Event> {
    payload(event, &unknown.aliases)?.events.into_iter().next()
}
