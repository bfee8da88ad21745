//! The critical path of an event: the runs that its verdict waited for, one after the other.
//!
//! Hooks of an event run at the same time, so most paths have one run. A hook that checks an input again, after another
//! one has rewritten it, starts later (D9).

use becket_fire::times::RunTime;

/// Returns the runs of the critical path as positions in `runs`, in order: the run that ended last is preceded by the
/// one that ended last before it began, and so on.
pub(super) fn critical_path(runs: &[RunTime]) -> Vec<usize> {
    let mut path = Vec::new();
    let mut before = u64::MAX;
    while let Some(next) = last_ended(runs, before, &path) {
        path.push(next);
        before = runs[next].from;
        if before == 0 {
            break;
        }
    }
    path.reverse();
    path
}

/// Returns the run that ended last, of those that ended before a moment and are not on the path yet.
fn last_ended(runs: &[RunTime], before: u64, path: &[usize]) -> Option<usize> {
    let end = |run: &RunTime| run.from.saturating_add(run.us);
    let waited_for = runs.iter().enumerate();
    let waited_for =
        waited_for.filter(|(at, run)| !run.background && end(run) <= before && !path.contains(at));
    waited_for.max_by_key(|(_, run)| end(run)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(from: u64, us: u64) -> RunTime {
        RunTime {
            hook: String::new(),
            place: String::new(),
            status: String::new(),
            from,
            us,
            background: false,
        }
    }

    #[test]
    fn a_path_has_the_runs_that_were_waited_for_in_turn() {
        for (runs, path) in [
            (vec![], vec![]),
            (vec![run(1, 5), run(1, 9), run(1, 7)], vec![1]),
            // The first two at the same time, then a second look at the input that the slower one has rewritten.
            (vec![run(1, 5), run(1, 9), run(12, 3)], vec![1, 2]),
            (vec![run(0, 0), run(0, 0)], vec![1]),
            (vec![run(0, 9), RunTime { background: true, ..run(0, 50) }], vec![0]),
            (vec![run(u64::MAX, u64::MAX), run(3, 1)], vec![1, 0]),
        ] {
            assert_eq!(critical_path(&runs), path, "{runs:?}");
        }
    }
}
