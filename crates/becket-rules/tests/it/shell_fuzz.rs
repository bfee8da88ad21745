//! Lines from a grammar, run by the real bash and the real dash: a command that ran is never judged *no match* by a
//! guard, and never covered by allow rules that do not cover it.
//!
//! A shell is started for many lines and runs each in a subshell, since a process for each would take minutes. If that
//! reports a failure, the line is run again alone: a late process may have been counted for the wrong line.

#![expect(clippy::unwrap_used, reason = "what fails in the set-up fails the test")]

use becket_testkit::proc::wait_until_every;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use becket_rules::shell::{CommandPattern, Coverage, Line};

use super::shell_grammar::Grammar;
use super::shell_stage::{Shell, directory, empty, end_group, lend, put_fake, put_links, real};

/// The seed of the lines, the same on every machine; tens of thousands were run with other seeds.
const SEED: u64 = 7;
const BASH_LINES: usize = 12_000;
const DASH_LINES: usize = 8_000;
/// The number of lines that one process runs.
const BATCH: usize = 250;
/// The time after which a line is killed: it waits for something, or loops.
const LINE_LIMIT: Duration = Duration::from_secs(5);

/// Rules that cover everything the grammar uses as data, and not the command that the tests look for.
const ALLOWED: [&str; 14] = [
    "echo *",
    "cat *",
    "printf *",
    ":",
    ": *",
    "true",
    "test *",
    "[ *",
    "read *",
    "declare *",
    "export *",
    "unset *",
    "mapfile *",
    "let *",
];

/// The commands that each line of a batch ran, by its number; a line that was killed is missing.
type CommandsByLine = BTreeMap<usize, Vec<String>>;

/// A directory with the programs on the PATH, a working directory, and the log.
struct Place {
    root: PathBuf,
    shell: Shell,
}

impl Place {
    fn new(shell: Shell, name: &str) -> Self {
        let root = directory(&format!("fuzz-{name}"));
        let bin = root.join("bin");
        fs::create_dir_all(&bin).unwrap();
        put_links(&bin);
        put_fake(&bin, "git", &root.join("log"));
        Self { root, shell }
    }

    /// Runs lines, and returns the commands that each of them ran.
    fn run(&self, lines: &[String]) -> CommandsByLine {
        let mut ran = CommandsByLine::new();
        let mut from = 0;
        while from < lines.len() {
            let (found, next) = self.run_from(lines, from);
            ran.extend(found);
            from = next;
        }
        ran
    }

    /// Runs lines from `from` on, up to the end or to one that is killed; returns the number of the next line.
    fn run_from(&self, lines: &[String], from: usize) -> (CommandsByLine, usize) {
        let (cwd, log) = (self.root.join("cwd"), self.root.join("log"));
        empty(&cwd);
        fs::write(&log, "").unwrap();
        lend(&log);
        // Not a file: a line that runs `$0` would start all of them again.
        let driver = driver(&lines[from..], from, &log);
        let mut shell = self.shell.command(&self.root.join("bin"));
        let mut child = shell.args(["-c", &driver]).current_dir(&cwd).spawn().unwrap();
        let finished = watch(&mut child, &log, from);
        end_group(&mut child);
        let text = fs::read(&log).unwrap();
        let (ran, next) = read_log(&String::from_utf8_lossy(&text), from);
        (ran, if finished { lines.len() } else { next + 1 })
    }

    /// Returns what a line runs on its own, with time for processes that it leaves running.
    fn run_alone(&self, line: &str) -> Vec<String> {
        let lines = [line, "sleep 0.2", ":"].map(str::to_owned);
        self.run(&lines).into_values().flatten().collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Returns a program that runs each line in a subshell and marks its end in the log.
fn driver(lines: &[String], from: usize, log: &Path) -> String {
    let log = log.display();
    let run = |(at, line): (usize, &String)| {
        let line = quoted(line);
        format!(
            "( ulimit -t 2; eval {line} ) </dev/null >/dev/null 2>&1\nprintf '@%s\\0' {} >>'{log}'\n",
            from + at
        )
    };
    lines.iter().enumerate().map(run).collect()
}

/// Quotes a text as one word for any shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Waits for the end; returns `false` if a line takes too long.
fn watch(child: &mut Child, log: &Path, from: usize) -> bool {
    let (mut next, mut since) = (from, Instant::now());
    let mut has_ended = false;
    while !has_ended && since.elapsed() <= LINE_LIMIT {
        wait_until_every(Duration::from_millis(10), || {
            has_ended = child.try_wait().unwrap().is_some();
            let reached =
                fs::read(log).map_or(from, |text| read_log(&String::from_utf8_lossy(&text), from).1);
            if reached > next {
                (next, since) = (reached, Instant::now());
            }
            has_ended || since.elapsed() > LINE_LIMIT
        });
    }
    has_ended
}

/// Returns what each line ran, and the number of the line that has no end.
fn read_log(text: &str, from: usize) -> (CommandsByLine, usize) {
    let (mut ran, mut current, mut next) = (CommandsByLine::new(), Vec::new(), from);
    for record in text.split_terminator('\0') {
        match record.strip_prefix('@').and_then(|number| number.parse::<usize>().ok()) {
            Some(number) => {
                ran.insert(number, std::mem::take(&mut current));
                next = number + 1;
            }
            None => current.push(record.to_owned()),
        }
    }
    (ran, next)
}

/// Returns the error in the analysis of a line that ran the commands.
fn wrong(shell: Shell, line: &str, commands: &[String]) -> Option<String> {
    if commands.is_empty() {
        return None;
    }
    let text = match shell {
        Shell::Bash => line.to_owned(),
        Shell::Dash => format!("dash -c {}", quoted(line)),
    };
    let judged = Line::parse(&text);
    if !judged.condition(&CommandPattern::new("git *")).runs() {
        return Some(format!("{text:?} ran {commands:?}, and the guard says no"));
    }
    // A star in the text would make the pattern match more than what ran, and a `~` is not expanded.
    let is_fixed = |command: &str| !command.contains(['*', '~']) && !command.contains("$HOME");
    let exact =
        |command: &&String| is_fixed(command) && !judged.condition(&CommandPattern::new(command)).runs();
    if let Some(command) = commands.iter().find(exact) {
        return Some(format!("{text:?} ran {command:?}, and the guard for just that says no"));
    }
    let rules = ALLOWED.map(CommandPattern::new);
    let covered = judged.uncovered(&rules.iter().collect::<Vec<_>>()) == Coverage::Covered;
    covered.then(|| format!("{text:?} ran {commands:?}, and is covered by {ALLOWED:?}"))
}

/// The results of many lines.
#[derive(Debug, Default)]
struct Report {
    wrong: Vec<String>,
    /// Lines that ended in time.
    ended: usize,
    /// Lines that ran the command.
    hits: usize,
}

/// Runs lines in a shell and compares the results.
fn ask(shell: Shell, count: usize) -> Report {
    let mut grammar = Grammar::new(SEED, shell);
    let batches: Vec<Vec<String>> =
        (0..count.div_ceil(BATCH)).map(|_| (0..BATCH).map(|_| grammar.line()).collect()).collect();
    let left = Mutex::new(batches.into_iter());
    let report = Mutex::new(Report::default());
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (left, report) = (&left, &report);
            scope.spawn(move || {
                let place = Place::new(shell, &format!("{shell:?}-{worker}"));
                loop {
                    let batch = left.lock().unwrap().next();
                    let Some(lines) = batch else { return };
                    let ran = place.run(&lines);
                    report.lock().unwrap().ended += ran.len();
                    for (at, commands) in ran.iter().filter(|(_, commands)| !commands.is_empty()) {
                        report.lock().unwrap().hits += 1;
                        if wrong(shell, &lines[*at], commands).is_some() {
                            let alone = place.run_alone(&lines[*at]);
                            report.lock().unwrap().wrong.extend(wrong(shell, &lines[*at], &alone));
                        }
                    }
                }
            });
        }
    });
    report.into_inner().unwrap()
}

fn check(shell: Shell, count: usize) {
    let _ = real(shell.name());
    let before = files();
    let report = ask(shell, count);
    let added: Vec<_> = files().difference(&before).cloned().collect();
    assert!(added.is_empty(), "lines have written outside of their directory: {added:?}");
    assert!(report.wrong.is_empty(), "{} of {count} lines:\n{}", report.wrong.len(), report.wrong.join("\n"));
    assert!(
        report.hits > count / 5,
        "only {} of {count} lines ran anything: the stage is broken",
        report.hits
    );
    assert!(report.ended > count * 49 / 50, "only {} of {count} lines ended in time", report.ended);
}

/// Returns the regular files in the root directory and in `/dev`, where lines of the grammar write if they can.
fn files() -> BTreeSet<PathBuf> {
    let entries = ["/", "/dev"].into_iter().flat_map(fs::read_dir).flatten().flatten();
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    entries.filter(is_file).map(|entry| entry.path()).collect()
}

// rules: P4, P6
#[test]
fn nothing_that_bash_runs_of_a_grammar_is_missed_or_covered() {
    check(Shell::Bash, BASH_LINES);
}

// rules: P4, P6
#[test]
fn nothing_that_dash_runs_of_a_grammar_is_missed() {
    check(Shell::Dash, DASH_LINES);
}
