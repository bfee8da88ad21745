//! The real bash as the reference: the lines that it accepts, and the commands that it runs.
//!
//! Lines run in an empty directory with a PATH on which every program is a fake that logs its arguments, or one of a
//! few real wrappers (`env`, `timeout`, `xargs`, …) that can only start fakes. The tests prove soundness: a condition
//! that names exactly what ran must not be *no match*.

#![expect(clippy::unwrap_used, reason = "what fails in the set-up fails the test")]

use becket_testkit::proc::wait_until_every;
use std::cell::Cell;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use becket_rules::shell::{CommandPattern, Line};

use super::shell_stage::{Shell, directory, empty, end_group, put_links, real};

const FAKES: [&str; 12] =
    ["git", "rm", "ls", "push", "date", "npx", "docker", "ssh", "make", "python", "curl", "wget"];
/// The time after which a line is killed. What it would have run is not known, so its result is not checked.
const LINE_LIMIT: Duration = Duration::from_secs(2);

/// A directory to run lines in: `bin` on the PATH, `cwd` as the working directory, `log` of the commands that ran.
struct Stage {
    root: PathBuf,
    /// The number of lines that were killed.
    cut: Cell<usize>,
}

impl Stage {
    fn new(name: &str) -> Self {
        let bash = real("bash");
        let root = directory(name);
        let bin = root.join("bin");
        fs::create_dir_all(&bin).unwrap();
        let log = root.join("log");
        // One write for one command, so that commands at the same time don't mix. A fake that a shell reads as a script
        // does not count: only the kernel starts it with the shell's whole path.
        let script = format!(
            "#!{0}\nIFS= read -rd '' name < /proc/$$/cmdline\n[ \"$name\" = '{0}' ] || exit 0\n\
             printf '%s\\0' \"${{0##*/}}\" \"$@\" $'\\1' >> '{1}'\n",
            bash.display(),
            log.display()
        );
        for fake in FAKES {
            fs::write(bin.join(fake), &script).unwrap();
            fs::set_permissions(bin.join(fake), fs::Permissions::from_mode(0o755)).unwrap();
        }
        put_links(&bin);
        Self { root, cut: Cell::new(0) }
    }

    /// Returns the commands that bash ran for `line`, each as its arguments; `None` if the line was killed.
    fn run(&self, line: &str) -> Option<Vec<Vec<String>>> {
        let cwd = self.root.join("cwd");
        empty(&cwd);
        let log = self.root.join("log");
        let _ = fs::remove_file(&log);
        let mut bash = Shell::Bash.command(&self.root.join("bin"));
        let mut child = bash.args(["-c", line]).current_dir(&cwd).spawn().unwrap();
        let deadline = Instant::now() + LINE_LIMIT;
        let mut ended = false;
        wait_until_every(Duration::from_millis(1), || {
            ended = child.try_wait().unwrap().is_some();
            ended || Instant::now() >= deadline
        });
        // The rest of the group must not write to the next line's log.
        end_group(&mut child);
        if !ended {
            self.cut.set(self.cut.get() + 1);
            return None;
        }
        let logged = fs::read(&log).unwrap_or_default();
        Some(parse_log(&String::from_utf8_lossy(&logged)))
    }

    /// Fails if so many of `lines` were killed that the rest proves little.
    fn expect_few_cut(&self, lines: usize) {
        let cut = self.cut.get();
        assert!(
            cut < lines / 20,
            "{cut} of {lines} lines took over {LINE_LIMIT:?}: the machine is too busy to tell"
        );
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Parses the log. Commands end with a word that is a control character; one without was cut off.
fn parse_log(log: &str) -> Vec<Vec<String>> {
    let (mut commands, mut words) = (Vec::new(), Vec::new());
    for word in log.split_terminator('\0') {
        if word == "\u{1}" {
            commands.push(std::mem::take(&mut words));
        } else {
            words.push(word.to_owned());
        }
    }
    commands
}

/// Returns the commands that ran and that the analysis did not find.
fn missed(stage: &Stage, text: &str) -> Vec<String> {
    let line = Line::parse(text);
    let unseen = |command: &Vec<String>| {
        let words = command.join(" ");
        // A star in the text would make the pattern match more than what ran.
        let exact = CommandPattern::new(&words.replace('*', "?"));
        let prefix = CommandPattern::new(&format!("{} *", command[0]));
        let visible = words.contains('*') || line.condition(&exact).runs();
        !(visible && line.condition(&prefix).runs())
    };
    stage
        .run(text)
        .into_iter()
        .flatten()
        .filter(unseen)
        .map(|command| format!("{text:?} ran {command:?}"))
        .collect()
}

fn is_valid(line: &str) -> bool {
    let mut child = Command::new(real("bash"))
        .args(["--norc", "--noprofile", "-n"])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
    child.wait().unwrap().success()
}

// rules: P4, P6
#[test]
fn bash_agrees_which_cases_are_valid() {
    let cases = crate::shell_support::read(include_str!("../cases/shell-lines.txt"));
    let wrong: Vec<_> = cases
        .iter()
        .filter(|case| is_valid(&case.line) != case.valid)
        .map(|case| (case.at, &case.line))
        .collect();
    assert!(wrong.is_empty(), "bash disagrees about {wrong:#?}");
}

// rules: P4, P6
#[test]
fn nothing_that_the_cases_run_is_missed() {
    let stage = Stage::new("cases");
    let cases = crate::shell_support::read(include_str!("../cases/shell-lines.txt"));
    let missed: Vec<String> = cases.iter().flat_map(|case| missed(&stage, &case.line)).collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    stage.expect_few_cut(cases.len());
    let ran =
        cases.iter().filter(|case| stage.run(&case.line).is_none_or(|commands| !commands.is_empty())).count();
    assert!(ran > 300, "only {ran} cases ran anything: the stage is broken");
}

/// Pieces of random lines: everything that has ever confused a shell parser.
const PIECES: &[&str] = &[
    "git",
    "git push",
    " push",
    "push",
    "rm",
    "ls",
    "g",
    "it",
    " ",
    " ",
    " ",
    "\t",
    "\n",
    "\n",
    ";",
    "; ",
    "&&",
    "||",
    "|",
    "|&",
    "&",
    "'",
    "'",
    "\"",
    "\"",
    "\\",
    "\\\n",
    "\\'",
    "\\\"",
    "\\\\",
    "$",
    "$'",
    "$\"",
    "$(",
    "`",
    "\\`",
    "(",
    ")",
    " )",
    "((",
    "))",
    "$((",
    "{",
    "}",
    "{ ",
    "; }",
    "${x:-",
    "${x#",
    "${",
    "$x",
    "#",
    " #",
    "!",
    "! ",
    "<",
    ">",
    " <<E\n",
    "<<'E'\n",
    "<<-E\n",
    "\nE\n",
    "\tE\n",
    "E",
    "<<<",
    "<(",
    ">(",
    ">/dev/null",
    "2>&1",
    "[[ ",
    " ]]",
    "[",
    "]",
    "a[",
    "]=",
    "x=",
    "x=(",
    "=",
    "1",
    "+",
    ",",
    "{a,",
    "case x in ",
    "x)",
    ";;",
    " esac",
    "if ",
    "; then ",
    "; fi",
    "else ",
    "for x in a",
    "; do ",
    "; done",
    "f()",
    "f",
    "function f ",
    "time ",
    "coproc ",
    "eval ",
    "env ",
    "sh -c ",
    "timeout 1 ",
    "exec ",
    "echo ",
    "true",
    "cat ",
    "*",
    "?",
    "~",
    "\r",
    "é",
    "<<",
    "$[",
    "&>",
    "<&",
    "-",
    "--",
    "@(",
    "+(",
    "declare ",
    "export ",
    "trap ",
    "select x in a",
];

/// Returns whether a line may write to a system file if root runs it: a `>` before `/bin/sh -c` empties the shell.
fn could_write_to_system(line: &str) -> bool {
    let in_path = |c: char| c.is_alphanumeric() || "_./*?~-".contains(c);
    let own = |path: &str| path.starts_with("/dev/") || path.starts_with("/proc/");
    let mut paths = line.split(|c| !in_path(c)).filter(|word| word.starts_with(['/', '~']));
    (line.contains('>') || line.contains("tee")) && paths.any(|path| path.len() > 1 && !own(path))
}

/// The seed and the number of the random lines; tens of thousands were run with other seeds.
const SEED: u64 = 1;
const RANDOM_LINES: usize = 800;

/// A small generator, which yields the same lines on every machine.
struct Lines(u64);

impl Lines {
    fn number(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    /// Returns random pieces, or a case of the file with a random piece inserted.
    fn next(&mut self, cases: &[crate::shell_support::Case]) -> String {
        let mut line = String::new();
        if self.number(2) == 0 {
            line.push_str(&cases[self.number(cases.len())].line);
            for _ in 0..=self.number(3) {
                let mut at = self.number(line.len() + 1);
                while !line.is_char_boundary(at) {
                    at -= 1;
                }
                line.insert_str(at, PIECES[self.number(PIECES.len())]);
            }
        } else {
            for _ in 0..2 + self.number(12) {
                line.push_str(PIECES[self.number(PIECES.len())]);
            }
            line.push_str(
                ["", "\ngit push", "; git push", " git push", "\" ; git push", "' ; git push #'"]
                    [self.number(6)],
            );
        }
        line
    }
}

// rules: P4, P6
#[test]
fn nothing_that_random_lines_run_is_missed() {
    let stage = Stage::new("random");
    let cases = crate::shell_support::read(include_str!("../cases/shell-lines.txt"));
    let mut lines = Lines(SEED);
    let mut missed_lines = Vec::new();
    for _ in 0..RANDOM_LINES {
        let line = lines.next(&cases);
        if could_write_to_system(&line) {
            continue;
        }
        missed_lines.extend(missed(&stage, &line));
    }
    stage.expect_few_cut(RANDOM_LINES);
    assert!(missed_lines.is_empty(), "{} missed:\n{}", missed_lines.len(), missed_lines.join("\n"));
}
