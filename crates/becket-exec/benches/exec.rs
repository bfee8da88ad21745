//! The cost of a supervisor: the time that programs take with it, minus the time without it.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the search path of whoever measures")]

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use becket_exec::{DomainRights, ExitStatus, NetworkRights, PathRights, Program, Rights, Supervisor};
use becket_rules::{RuleList, RuleOrigin, RuleSet};
use becket_testkit::bench::{Bench, BenchTarget};

const EXECS: u32 = 200;
const MICROSECOND: f64 = 1e3;
const MILLISECOND: f64 = 1e6;

fn main() {
    let mut bench = Bench::new("becket-exec");
    let scene = Scene::new(&Rights::default());
    bench.note("less the same without a supervisor");
    bench.sampled("`sh -c true`", BenchTarget::Nanos(MILLISECOND), || scene.added("true", 1), None);
    let line = format!("i=0; while [ $i -lt {EXECS} ]; do /bin/true; i=$((i+1)); done");
    bench.sampled("each exec", BenchTarget::Nanos(250.0 * MICROSECOND), || scene.added(&line, EXECS), None);
    let host = DomainRights {
        allowed: BTreeSet::from([BTreeSet::from(["example.com".to_owned()])]),
        ..DomainRights::default()
    };
    let hosts = Scene::new(&Rights { network: NetworkRights::Domains(host), ..Rights::default() });
    bench.sampled(
        "`sh -c true`, with one allowed host",
        BenchTarget::Nothing,
        || hosts.added("true", 1),
        None,
    );
    let below = PathRights::below([std::env::temp_dir().canonicalize().unwrap()]);
    let files = Scene::new(&Rights { write: below, ..Rights::default() });
    let writes = format!("i=0; while [ $i -lt {EXECS} ]; do : > file; i=$((i+1)); done");
    bench.sampled(
        "each file opened to be written, with rights to write",
        BenchTarget::Nothing,
        || files.added(&writes, EXECS),
        None,
    );
    bench.note("floor: the same without a supervisor");
    let threads = "python3 -c 'import threading as t
for _ in range(2000): x = t.Thread(target=int); x.start(); x.join()'";
    if scene.bare("python3 -c ''") {
        bench.versus(
            "2,000 threads of Python",
            BenchTarget::Ratio(1.3),
            || scene.run(threads),
            || scene.bare(threads),
        );
    }
    if scene.bare("make --version && cc --version") {
        let build = scene.build(if bench.is_quick() { 4 } else { 16 });
        bench.versus(
            "a build of C files, `make -j2`",
            BenchTarget::Ratio(1.05),
            || scene.run(&build),
            || scene.bare(&build),
        );
    }
}

/// A supervisor, and a directory for builds.
struct Scene {
    supervisor: Supervisor,
    directory: tempfile::TempDir,
}

impl Scene {
    fn new(rights: &Rights) -> Self {
        let mut rules = RuleSet::default();
        for rule in ["Bash(git push *)", "Bash(rm -rf *)", "Bash(npm publish *)"] {
            let origin = RuleOrigin { label: "bench".to_owned(), anchor: "/".into() };
            rules.add(RuleList::Deny, rule, origin).unwrap();
        }
        let path = std::env::var_os("PATH").unwrap();
        let supervisor = Supervisor::new(rules, std::env::split_paths(&path).collect()).with_rights(rights);
        Self { supervisor, directory: tempfile::tempdir().unwrap() }
    }

    /// Runs a line under the supervisor.
    fn run(&self, line: &str) {
        let program = Program {
            name: "sh".into(),
            arguments: vec!["-c".into(), line.into()],
            variables: std::env::vars_os().collect(),
            directory: self.directory.path().to_owned(),
        };
        assert_eq!(self.supervisor.run(&program, &mut ()).unwrap(), ExitStatus::Exited(0));
    }

    /// Runs a line without a supervisor, and returns whether it succeeds.
    fn bare(&self, line: &str) -> bool {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.directory.path()).stdout(Stdio::null());
        command.status().unwrap().success()
    }

    /// Returns the nanoseconds that the supervisor adds to each of `count` parts of a line.
    fn added(&self, line: &str, count: u32) -> f64 {
        let start = Instant::now();
        self.bare(line);
        let bare = start.elapsed();
        let start = Instant::now();
        self.run(line);
        (start.elapsed().as_secs_f64() - bare.as_secs_f64()) * 1e9 / f64::from(count)
    }

    /// Writes a project in C, and returns the line that builds it.
    fn build(&self, files: u32) -> String {
        let rule = "all: $(patsubst %.c,%.o,$(wildcard *.c))\n%.o: %.c\n\tcc -O2 -c $< -o $@\n";
        fs::write(self.directory.path().join("Makefile"), rule).unwrap();
        for file in 0..files {
            let functions =
                (0..20).map(|f| format!("int f{file}_{f}(int x) {{ return x * {f} + printf(\"\"); }}\n"));
            let text = format!("#include <stdio.h>\n#include <stdlib.h>\n{}", functions.collect::<String>());
            fs::write(self.directory.path().join(format!("file{file}.c")), text).unwrap();
        }
        "rm -f *.o && make -s -j2".to_owned()
    }
}
