//! A profile as a trace for Perfetto and `chrome://tracing`: a process for each session, a row for its events and
//! rows for their hooks. Events at the same time have separate rows, since slices of one row may not overlap.

use super::report::{ProfileReport, TimelineEvent};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Returns the trace of the last events.
pub fn trace(report: &ProfileReport) -> Value {
    let mut processes: BTreeMap<&str, Rows> = BTreeMap::new();
    let mut slices = Vec::new();
    for event in &report.timeline {
        let number = processes.len() + 1;
        let process = processes.entry(&event.session).or_insert_with(|| Rows::of(number));
        if event.runs.iter().any(|run| !run.background) {
            let row = process.row("events", event.at, event.at + event.elapsed);
            slices.push(slice(event, &event.event, process.number, row, 0.0, event.elapsed, "event"));
        }
        for run in &event.runs {
            let start = event.at + run.from;
            let row = process.row("hooks", start, start + run.elapsed);
            slices.push(slice(event, &run.hook, process.number, row, run.from, run.elapsed, &run.status));
        }
    }
    for (session, rows) in &processes {
        slices.push(name("process_name", rows.number, 0, format!("session {session}")));
        slices.extend(
            rows.ends
                .iter()
                .enumerate()
                .map(|(row, (kind, _))| name("thread_name", rows.number, row + 1, (*kind).to_owned())),
        );
    }
    json!({"traceEvents": slices, "displayTimeUnit": "ms"})
}

/// The rows of a process, each with its kind and the end of its last slice.
struct Rows {
    number: usize,
    ends: Vec<(&'static str, f64)>,
}

impl Rows {
    fn of(number: usize) -> Self {
        Rows { number, ends: Vec::new() }
    }

    /// Returns the first row of a kind that is free from `start` on.
    fn row(&mut self, kind: &'static str, start: f64, end: f64) -> usize {
        let is_free = |(of, last): &(&str, f64)| *of == kind && *last <= start;
        let row = self.ends.iter().position(is_free).unwrap_or(self.ends.len());
        if row == self.ends.len() {
            self.ends.push((kind, end));
        } else {
            self.ends[row].1 = end;
        }
        row + 1
    }
}

fn slice(
    event: &TimelineEvent,
    name: &str,
    process: usize,
    row: usize,
    from: f64,
    elapsed: f64,
    status: &str,
) -> Value {
    json!({"name": name, "cat": event.event, "ph": "X", "pid": process, "tid": row, "ts": (event.at + from) * 1_000.0,
        "dur": elapsed * 1_000.0, "args": {"status": status, "subject": event.subject}})
}

fn name(what: &str, process: usize, row: usize, name: String) -> Value {
    json!({"name": what, "ph": "M", "pid": process, "tid": row, "args": {"name": name}})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use becket_engine::config::HookBudget;
    use becket_fire::times::{RunTime, TimeRecord, VERSION};

    #[test]
    fn slices_of_a_row_do_not_overlap() {
        let mut profile = Profile::default();
        let run = |us| RunTime {
            hook: "x".into(),
            place: String::new(),
            status: "success".into(),
            from: 10,
            us,
            background: false,
        };
        for (at, session) in [(0, "s"), (500, "s"), (500, "t"), (5_000, "s")] {
            profile.add(TimeRecord {
                version: VERSION,
                host: "run".into(),
                at,
                session: session.into(),
                event: "Stop".into(),
                subject: None,
                us: 1_000,
                runs: vec![run(900), run(300)],
            });
        }
        let trace = trace(&profile.report(&HookBudget::default()));
        let all = trace["traceEvents"].as_array().unwrap();
        let slices: Vec<&Value> = all.iter().filter(|one| one["ph"] == "X").collect();
        assert_eq!(slices.len(), 12);
        let number = |one: &Value, field: &str| one[field].as_f64().unwrap();
        for (at, one) in slices.iter().enumerate() {
            for other in &slices[at + 1..] {
                let is_one_row = one["pid"] == other["pid"] && one["tid"] == other["tid"];
                let overlaps = number(one, "ts") < number(other, "ts") + number(other, "dur")
                    && number(other, "ts") < number(one, "ts") + number(one, "dur");
                assert!(!(is_one_row && overlaps), "{one} {other}");
            }
        }
        let names = |what: &str| all.iter().filter(|one| one["name"] == what).count();
        // Session `s` has two rows of events and three of hooks, `t` one and two.
        assert_eq!((names("process_name"), names("thread_name")), (2, 8));
    }
}
