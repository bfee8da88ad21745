//! Names of events.

use becket_model::EventKind;

/// There is no event of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not an event{}", hint(near))]
pub struct UnknownEvent {
    /// The name as it was given.
    pub name: String,
    /// The names that come nearest, at most two.
    pub near: Vec<&'static str>,
}

/// Finds an event by its name.
///
/// # Errors
/// There is none of that name.
pub fn kind(name: &str) -> Result<EventKind, UnknownEvent> {
    name.parse().map_err(|_| {
        let names: Vec<&'static str> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        let first = becket_rules::suggest(name, &names);
        let others: Vec<&'static str> = names.iter().copied().filter(|other| Some(*other) != first).collect();
        let second = first.and_then(|_| becket_rules::suggest(name, &others));
        UnknownEvent { name: name.to_owned(), near: first.into_iter().chain(second).collect() }
    })
}

fn hint(near: &[&str]) -> String {
    let quoted: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { String::new() } else { format!("; did you mean {}?", quoted.join(" or ")) }
}
