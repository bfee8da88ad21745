//! Names of events.

use becket_model::EventKind;

/// An unknown name of an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not an event{}", hint(near))]
pub struct UnknownEvent {
    /// The given name.
    pub name: String,
    /// The nearest names, or those with the same beginning; at most three.
    pub near: Vec<&'static str>,
}

/// Finds an event by its name.
///
/// # Errors
/// Errors if it does not exist.
pub fn kind(name: &str) -> Result<EventKind, UnknownEvent> {
    name.parse().map_err(|_| {
        let names: Vec<&'static str> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        let first = becket_base::suggest(name, &names);
        let others: Vec<&'static str> = names.iter().copied().filter(|other| Some(*other) != first).collect();
        // A name that is right but for its case has no alternative.
        let is_sure = first.is_some_and(|first| first.eq_ignore_ascii_case(name));
        let second = first.filter(|_| !is_sure).and_then(|_| becket_base::suggest(name, &others));
        let mut near: Vec<&'static str> = first.into_iter().chain(second).collect();
        if near.is_empty() {
            near = beginning_with(name, &names);
        }
        UnknownEvent { name: name.to_owned(), near }
    })
}

/// Returns the names with this beginning.
fn beginning_with(typed: &str, names: &[&'static str]) -> Vec<&'static str> {
    let typed = typed.to_lowercase();
    let begins = |name: &&&'static str| typed.len() >= 3 && name.to_lowercase().starts_with(&typed);
    names.iter().filter(begins).take(3).copied().collect()
}

fn hint(near: &[&str]) -> String {
    let quoted: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { String::new() } else { format!("; did you mean {}?", quoted.join(" or ")) }
}
