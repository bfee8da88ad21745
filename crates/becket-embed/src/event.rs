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
        UnknownEvent { near: near(name, &names), name: name.to_owned() }
    })
}

/// Returns the names that were probably meant, at most three.
fn near(typed: &str, names: &[&'static str]) -> Vec<&'static str> {
    if let Some(same) = names.iter().find(|name| name.eq_ignore_ascii_case(typed)) {
        return vec![same];
    }
    let with_beginning = beginning_with(typed, names);
    if with_beginning.len() > 1 {
        return with_beginning;
    }
    let first = becket_base::suggest(typed, names);
    let others: Vec<&'static str> = names.iter().copied().filter(|other| Some(*other) != first).collect();
    let second = first.and_then(|_| becket_base::suggest(typed, &others));
    let near: Vec<&'static str> = first.into_iter().chain(second).collect();
    if near.is_empty() { with_beginning } else { near }
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
