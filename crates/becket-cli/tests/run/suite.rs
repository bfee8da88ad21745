//! Runs the cases, a few at a time.

use crate::case::Case;
use crate::judge::complaints;
use crate::place::Place;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, PoisonError};

/// The limit on concurrent cases, of all families together.
const TOGETHER: usize = 3;

/// The number of running cases.
static RUNNING: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// Returns the cases of a family.
pub(crate) fn cases(family: &str) -> Vec<Case> {
    let file = directory().join(format!("{family}.json"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Returns the names of all families.
pub(crate) fn families() -> Vec<String> {
    let entries = std::fs::read_dir(directory()).expect("there are cases");
    let name =
        |entry: std::fs::DirEntry| entry.path().file_stem().map(|name| name.to_string_lossy().into_owned());
    let mut families: Vec<String> = entries.flatten().filter_map(name).collect();
    families.sort();
    families
}

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/run/cases")
}

/// Runs all cases of a family, and fails with a list of all errors.
pub(crate) fn family(family: &str) {
    let wanted = wanted();
    let cases: Vec<Case> = cases(family).into_iter().filter(|case| case.name.contains(&wanted)).collect();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = cases.iter().map(|case| scope.spawn(|| tried(case))).collect();
        running.into_iter().filter_map(|one| one.join().expect("panics are caught inside")).collect()
    });
    assert!(wrong.is_empty(), "{} of {} cases failed\n\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
}

#[expect(clippy::disallowed_methods, reason = "who works on a case names it")]
fn wanted() -> String {
    std::env::var("BECKET_CASE").unwrap_or_default()
}

fn tried(case: &Case) -> Option<String> {
    let _permit = Permit::take();
    let wrong = catch_unwind(AssertUnwindSafe(|| run(case))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        vec![format!("it panics: {}", text.unwrap_or_default())]
    });
    (!wrong.is_empty()).then(|| format!("== {}\n{}", case.name, wrong.join("\n")))
}

/// Runs a case; runs after a failed one are not checked.
fn run(case: &Case) -> Vec<String> {
    let place = Place::new(case);
    let seen = place.run(&case.run);
    let mut wrong = complaints(&case.run, &case.want, &seen, place.root());
    for (nth, then) in case.then.iter().enumerate() {
        if !wrong.is_empty() {
            break;
        }
        let seen = place.then(then);
        let of_run = complaints(&then.run, &then.want, &seen, place.root());
        wrong.extend(of_run.into_iter().map(|why| format!("run {}: {why}", nth + 2)));
    }
    wrong
}

struct Permit;

impl Permit {
    fn take() -> Self {
        let (running, ended) = &RUNNING;
        let guard = running.lock().unwrap_or_else(PoisonError::into_inner);
        let mut guard =
            ended.wait_while(guard, |running| *running >= TOGETHER).unwrap_or_else(PoisonError::into_inner);
        *guard += 1;
        Self
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let (running, ended) = &RUNNING;
        *running.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ended.notify_one();
    }
}

macro_rules! families {
    ($($family:ident)*) => {
        $(
            #[test]
            fn $family() {
                family(stringify!($family));
            }
        )*

        /// Asserts that no file is forgotten.
        #[test]
        fn each_family_is_run() {
            assert_eq!(families(), [$(stringify!($family)),*]);
        }
    };
}

families! { commands compact effects errors fallback kinds notes permission prompt session stop subagent teams tool turn_end worktree }
