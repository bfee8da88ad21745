//! The events for which an engine's own process runs.

use super::mark::EventMark;
use crate::config::handler::Location;
use crate::host::environment::Environment;
use becket_model::EventKind;

/// The largest number of events that may enclose one another.
const DEPTH: usize = 8;

/// The variable that carries marks to a command: marks joined by commas, a semicolon, and the place of the hook.
pub(crate) const VARIABLE: &str = "BECKET_FIRING";

/// The header that carries them with a request.
pub(crate) const HEADER: &str = "becket-firing";

/// The marks of the enclosing events, outermost first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EnclosingEvents {
    /// Hexadecimal digits, of which the first [`BEGINNING`] are enough; a text that is not a mark counts for the depth.
    marks: Vec<String>,
    /// The place of the hook that started this process, if it is known.
    started_by: Option<String>,
}

/// The number of digits that distinguish a mark from others.
const BEGINNING: usize = 8;

/// A placeholder for something that is not a mark.
const UNREADABLE: &str = "?";

fn is_mark(text: &str) -> bool {
    text.len() >= BEGINNING && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The reason why an event's handlers are not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The event is being fired already.
    SameEvent,
    /// Too many events enclose it.
    TooDeep,
}

impl EnclosingEvents {
    /// Reads the marks in the host's environment, and those that the host has found otherwise.
    pub(crate) fn of(environment: &Environment) -> Self {
        let written = environment.var(VARIABLE).map(|value| value.to_string_lossy());
        let mut enclosing = written.map(|written| EnclosingEvents::read(&written)).unwrap_or_default();
        for mark in &environment.enclosing() {
            if !enclosing.marks.iter().any(|known| known.starts_with(mark.as_str())) {
                enclosing.marks.push(mark.clone());
            }
        }
        enclosing
    }

    fn read(written: &str) -> Self {
        let (marks, place) = written.split_once(';').unwrap_or((written, ""));
        EnclosingEvents {
            marks: marks
                .split(',')
                .filter(|mark| !mark.is_empty())
                .take(DEPTH)
                .map(|mark| if is_mark(mark) { mark.to_owned() } else { UNREADABLE.to_owned() })
                .collect(),
            started_by: (!place.is_empty()).then(|| place.to_owned()),
        }
    }

    /// Returns whether nothing encloses this process.
    pub(crate) fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Returns the reason why the event must not run its handlers here, or `None` if it may.
    pub(crate) fn refusal(&self, mark: EventMark) -> Option<Refusal> {
        let mark = mark.to_string();
        if self.marks.iter().any(|outer| is_mark(outer) && mark.starts_with(outer.as_str())) {
            return Some(Refusal::SameEvent);
        }
        (self.marks.len() >= DEPTH).then_some(Refusal::TooDeep)
    }

    /// Explains a refusal; `near` is the place of a hook that may be at fault if the actual one is unknown.
    pub(crate) fn explain(&self, refusal: Refusal, event: EventKind, near: Option<&Location>) -> String {
        let hook = match (&self.started_by, near) {
            (Some(place), _) => format!("the hook at {place}"),
            (None, Some(place)) => format!("a hook (perhaps that at {place})"),
            (None, None) => "a hook".to_owned(),
        };
        match refusal {
            Refusal::SameEvent => format!(
                "{hook} runs Becket, which would run the hooks of this `{event}` again, without end. Remove that hook, or \
                 give Becket hooks of its own: `becket --profile becket fire --stdin-event` reads `.becket/settings.json`"
            ),
            Refusal::TooDeep => format!(
                "{DEPTH} events enclose this `{event}`, each fired by a hook of the one before, and no more are allowed; \
                 the last was fired by {hook}"
            ),
        }
    }

    /// Returns the value of [`VARIABLE`] for a command of an event inside these.
    pub(crate) fn variable(&self, mark: EventMark, hook: &Location) -> String {
        // Neither line ends nor NUL: other programs read the environment too.
        let place: String = hook.to_string().chars().filter(|c| !c.is_control()).collect();
        format!("{};{place}", self.header(mark))
    }

    /// Returns the value of [`HEADER`] for a request of an event inside these.
    pub(crate) fn header(&self, mark: EventMark) -> String {
        let all: Vec<String> = self.marks.iter().cloned().chain([mark.to_string()]).collect();
        all.join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn marks(n: u8) -> Vec<EventMark> {
        (0..n).map(|n| format!("{n:08x}{n:024x}").parse().expect("a mark")).collect()
    }

    fn place() -> Location {
        Location { file: Path::new("/p/a,b;c.json").into(), line: 3, column: 7 }
    }

    // rule: H14
    #[test]
    fn the_same_event_and_a_ninth_are_refused() {
        let mut enclosing = EnclosingEvents::default();
        let all = marks(9);
        for (n, mark) in all.iter().enumerate() {
            let expected = (n >= DEPTH).then_some(Refusal::TooDeep);
            assert_eq!(enclosing.refusal(*mark), expected, "{n}");
            for outer in &all[..n.min(DEPTH)] {
                assert_eq!(enclosing.refusal(*outer), Some(Refusal::SameEvent), "{n}");
            }
            let written = enclosing.variable(*mark, &place());
            enclosing = EnclosingEvents::of(&Environment::empty().with_var(VARIABLE, written));
        }
        let why = enclosing.explain(Refusal::SameEvent, EventKind::PreToolUse, None);
        assert!(why.contains("/p/a,b;c.json:3:7"), "{why}");
    }

    // rule: H14
    #[test]
    fn what_cannot_be_read_counts_for_the_depth() {
        let mark = marks(1)[0];
        let of = |value: &str| EnclosingEvents::of(&Environment::empty().with_var(VARIABLE, value));
        assert!(of("").is_empty() && of(";/x:1:1").is_empty());
        assert_eq!(of("a,b,c,d,e,f,g").refusal(mark), None);
        assert_eq!(of("a,b,c,d,e,f,g,h").refusal(mark), Some(Refusal::TooDeep));
        assert_eq!(of(&"x,".repeat(100_000)).refusal(mark), Some(Refusal::TooDeep));
        let beginning = mark.to_string()[..8].to_owned();
        let found = Environment::empty().with_enclosing([beginning.clone(), beginning.clone()]);
        assert_eq!(EnclosingEvents::of(&found).refusal(mark), Some(Refusal::SameEvent));
        assert_eq!(EnclosingEvents::of(&found).header(mark), format!("{beginning},{mark}"));
        let known = Environment::empty().with_var(VARIABLE, mark.to_string()).with_enclosing([beginning]);
        assert_eq!(EnclosingEvents::of(&known).header(mark), format!("{mark},{mark}"));
    }
}
