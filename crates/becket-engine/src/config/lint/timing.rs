//! Time limits that look like milliseconds, and answers that come too late to count.

use super::guards::is_guard;
use super::{Around, Entry};
use crate::config::fix::{Fix, FixChange};
use crate::config::handler::Background;
use crate::config::raw::Dialect;
use crate::config::source::report::Report;
use becket_model::table::OnFailureEffect;

/// Converts milliseconds to seconds, as a whole number if possible.
fn in_seconds(milliseconds: f64) -> serde_json::Value {
    let seconds = milliseconds / 1000.0;
    let whole = serde_json::from_str(&format!("{seconds}"));
    whole.unwrap_or_else(|_| seconds.into())
}

/// The number from which seconds look like milliseconds.
const LONG: f64 = 1000.0;

/// Returns whether a number of seconds looks like milliseconds. Whole minutes, such as 1800, are meant as seconds, unless
/// they are whole thousands as well.
fn is_in_milliseconds(seconds: f64) -> bool {
    seconds >= LONG && (seconds % 60.0 != 0.0 || seconds % 1000.0 == 0.0)
}

pub(super) fn lint(entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    let is_in_seconds = !around.agent.is_some_and(Dialect::counts_milliseconds);
    if let Some(timeout) = entry.handler.timeout.as_ref().filter(|_| is_in_seconds) {
        let seconds = timeout.value.as_secs_f64();
        if is_in_milliseconds(seconds) {
            let message = format!("`timeout` counts seconds: {seconds} are {}", readable(seconds));
            let help = format!("if milliseconds were meant, write {}", seconds / 1000.0);
            let fix = Fix::not_safe(
                timeout.span,
                format!("write {}", seconds / 1000.0),
                FixChange::SetValue(in_seconds(seconds)),
            );
            report.warning(timeout.span, "timeout-in-milliseconds", message).help(help).rule("H11").fix(fix);
        }
    }
    let gates = entry.event.spec().on_failure != OnFailureEffect::Nothing
        || entry.event.spec().exit_2.effect.blocks();
    if gates && entry.handler.background == Background::Async && is_guard(entry) {
        let message =
            format!("this hook runs in the background: `{}` goes on without its answer", entry.event);
        report
            .warning(entry.handler.background_span, "async-on-deciding-event", message)
            .help("remove `async` if the hook is to hold anything back")
            .rule("A1");
    }
}

fn readable(seconds: f64) -> String {
    let (number, unit) = match seconds {
        s if s >= 86_400.0 => (s / 86_400.0, "days"),
        s if s >= 3600.0 => (s / 3600.0, "hours"),
        s => (s / 60.0, "minutes"),
    };
    format!("about {number:.1} {unit}")
}
