//! Names by which cases refer to handlers.
//!
//! A name is a handler's label, a file name or another word of its command, or the place where it is written
//! (`settings.json:7`).

use becket_engine::handler::{Action, Command, Handler};
use becket_fire::times::hook_name::{self, base};
use std::sync::Arc;

/// The reason why a name does not identify exactly one handler.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnresolvedName {
    /// No handler of the event has the name.
    #[error("no hook of {event} is called `{name}`{}", hint(.near, .known))]
    Unknown {
        /// The name.
        name: String,
        /// The event.
        event: &'static str,
        /// The nearest name.
        near: Option<String>,
        /// The known names.
        known: Vec<String>,
    },
    /// Several handlers have it.
    #[error("`{name}` means {} hooks of {event}, {}: name the one by its place", .places.len(), .places.join(" and "))]
    Ambiguous {
        /// The name.
        name: String,
        /// The event.
        event: &'static str,
        /// The places where they are written.
        places: Vec<String>,
    },
}

fn hint(near: &Option<String>, known: &[String]) -> String {
    match near {
        Some(near) => format!("; did you mean `{near}`?"),
        None if known.is_empty() => "; the event has no hooks".to_owned(),
        None => format!("; its hooks are {}", known.join(", ")),
    }
}

/// Returns the short name of a handler: the file that its command runs, otherwise its label.
pub fn short(handler: &Handler) -> String {
    let words = words(handler);
    let label = || becket_base::text::one_line(&handler.place.label, 40);
    hook_name::file(&words).map_or_else(label, str::to_owned)
}

/// Returns the place of a handler as cases write it: the name of the file and the line.
pub fn place(handler: &Handler) -> String {
    hook_name::place(handler)
}

/// Returns the words of a handler's command, without quotes; its label for the other kinds.
pub fn words(handler: &Handler) -> Vec<String> {
    let text = match &handler.action {
        Action::Command(Command::Shell { script, .. }) => script.to_string(),
        Action::Command(Command::Exec { program, args }) => {
            return std::iter::once(program.to_string()).chain(args.iter().cloned()).collect();
        }
        Action::Http(_) | Action::McpTool(_) | Action::Prompt(_) | Action::Agent(_) | Action::Callback(_) => {
            handler.place.label.to_string()
        }
    };
    hook_name::words(&text)
}

/// Returns whether the name refers to the handler.
pub fn refers_to(name: &str, handler: &Handler) -> bool {
    let at_column = || format!("{}:{}", place(handler), handler.location.column);
    *handler.place.label == *name
        || name == place(handler)
        || name == at_column()
        || name == short(handler)
        || words(handler).iter().any(|word| word == name || base(word) == name)
}

/// Finds the one handler that a name refers to.
///
/// # Errors
/// Errors if there is none, or more than one.
pub fn resolve<'h>(
    name: &str,
    event: &'static str,
    handlers: &'h [Arc<Handler>],
) -> Result<&'h Arc<Handler>, UnresolvedName> {
    let found: Vec<&Arc<Handler>> = handlers.iter().filter(|handler| refers_to(name, handler)).collect();
    match *found {
        [only] => Ok(only),
        [] => {
            let known: Vec<String> = handlers.iter().map(|handler| short(handler)).collect();
            let candidates: Vec<&str> = known.iter().map(String::as_str).collect();
            let near = becket_base::suggest(name, &candidates).map(str::to_owned);
            Err(UnresolvedName::Unknown { name: name.to_owned(), event, near, known })
        }
        _ => {
            let places = found.iter().map(|handler| format!("`{}`", place(handler))).collect();
            Err(UnresolvedName::Ambiguous { name: name.to_owned(), event, places })
        }
    }
}
