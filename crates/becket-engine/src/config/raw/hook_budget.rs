//! The setting `hookBudget` of one file: milliseconds, or an object with milliseconds for events.

use super::fields::Fields;
use crate::config::hook_budget::HookBudget;
use crate::config::source::tree::{Data, Member, Node};
use becket_base::suggest;
use becket_model::EventKind;
use std::time::Duration;

/// Reads the setting. A budget that can't be read counts as missing.
pub(crate) fn read(fields: &mut Fields<'_, '_, '_>) -> HookBudget {
    let mut budget = HookBudget::default();
    let Some(member) = fields.member("hookBudget") else { return budget };
    if let Data::Map(members) = &member.value.data {
        for member in members {
            if let Some(event) = event(member, fields)
                && let Some(time) = time(member, fields)
            {
                budget.events.insert(event, time);
            }
        }
    } else {
        budget.all = time(member, fields);
    }
    budget
}

fn event(member: &Member, fields: &mut Fields<'_, '_, '_>) -> Option<EventKind> {
    let event = member.key.parse().ok();
    if event.is_none() {
        let names = EventKind::ALL.map(EventKind::name);
        let near = suggest(&member.key, &names).map(|near| format!("did you mean `{near}`?"));
        let message = format!("there is no event `{}`; its budget does not count", member.key);
        let help = near.unwrap_or_else(|| "`becket events` lists them all".to_owned());
        fields.report.error(member.key_span, "unknown-event", message).help(help).rule("C7");
    }
    event
}

fn time(member: &Member, fields: &mut Fields<'_, '_, '_>) -> Option<Duration> {
    let time = milliseconds(&member.value);
    if time.is_none() {
        let message = format!(
            "`{}` must be a positive number of milliseconds, not {}",
            member.key,
            member.value.kind()
        );
        fields.report.error(member.value.span, "wrong-type", message).rule("C7");
    }
    time
}

fn milliseconds(node: &Node) -> Option<Duration> {
    let Data::Number(number) = &node.data else { return None };
    let time = Duration::try_from_secs_f64(number.as_f64()? / 1_000.0).ok()?;
    (!time.is_zero()).then_some(time)
}
