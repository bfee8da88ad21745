//! Commands that are started ahead of their input: nothing that they do before it can be noticed, and they answer as if
//! they had been started for it.

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use becket_exec::{Standby, StandbyEnd, StandbyLimits, StandbyState};
use becket_process::{CancellationToken, Chunk, Command, Control, FinishedRun, Limits, Program, Runner};
use becket_testkit::proc::wait_until;
use tempfile::TempDir;

const INPUT: &str = "{\"tool_input\":{\"command\":\"git push\"}}\n";

/// Scripts of hooks in the languages that people write them in.
const SCRIPTS: [(&str, &str); 8] = [
    (
        "guard.py",
        "import sys, json, re, os\nd = json.load(sys.stdin)\nc = d['tool_input']['command']\n\
         print('no', c, file=sys.stderr)\nsys.exit(2 if re.search('push', c) else 0)\n",
    ),
    (
        "logs.py",
        "import sys, json, logging, subprocess\nprint(sys.stdin.read())\nsubprocess.run(['echo', 'ran'])\n",
    ),
    (
        "stream.js",
        "let s = ''; process.stdin.on('data', c => s += c);\n\
         process.stdin.on('end', () => { console.error(JSON.parse(s).tool_input.command); process.exit(2) });\n",
    ),
    (
        "sync.js",
        "const d = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n\
         console.log(JSON.stringify({ decision: 'block', reason: d.tool_input.command }));\n",
    ),
    ("guard.sh", "#!/bin/bash\ninput=$(cat)\necho \"$input\" | grep -o 'git push' >&2 && exit 2\nexit 0\n"),
    (
        "early.sh",
        "here=$(pwd)\nname=$(basename \"$here\")\nwhile IFS= read -r line; do echo \"$line\"; done\n[ -n \"$name\" ]\n",
    ),
    ("none.sh", "exit 2\n"),
    ("writes.sh", "echo started > made\ncat > got\ncat made got\n"),
];

/// Command lines that start them, and others without a script.
const LINES: [&str; 14] = [
    "python3 guard.py",
    "python3 logs.py",
    "exec python3 guard.py",
    "cd . && python3 ./guard.py; exit $?",
    "node stream.js",
    "node sync.js",
    "bash guard.sh",
    "sh early.sh",
    "sh none.sh",
    "sh writes.sh",
    "true",
    "cat | grep -o 'git push' | tr a-z A-Z",
    "read line; echo \"$line\" >&2; exit 2",
    "grep -q push && { echo pushed >&2; exit 2; }",
];

fn assert_eventually(what: &str, condition: impl FnMut() -> bool) {
    assert!(wait_until(condition), "{what}: not within the patience of tests");
}

struct Scene(TempDir);

impl Scene {
    /// Creates a directory with the scripts, which are old enough to be read ahead.
    fn new() -> std::io::Result<Self> {
        let directory = TempDir::new()?;
        for (name, text) in SCRIPTS {
            fs::write(directory.path().join(name), text)?;
        }
        let scene = Self(directory);
        scene.age();
        Ok(scene)
    }

    /// Waits until a change of any file would get another time stamp than the last one.
    fn age(&self) {
        let changed = || {
            let all = walkdir(self.0.path());
            all.iter().filter_map(|path| fs::symlink_metadata(path).ok()?.modified().ok()).max()
        };
        assert_eventually("the files are old", || {
            changed().is_none_or(|at| at + Duration::from_millis(60) < SystemTime::now())
        });
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, text: &str) -> Command {
        let path = "/usr/local/bin:/usr/bin:/bin";
        Command::new(Program::shell(text), self.0.path()).env("PATH", path).env("HOME", "/")
    }

    /// Starts a command and releases it, again if other tests have changed the directory above meanwhile.
    fn released_at_last(&self, text: &str) -> Result<FinishedRun, Box<dyn std::error::Error>> {
        loop {
            let standby = self.standby(text)?;
            if let StandbyState::Ended(why) = standby.state() {
                return Err(why.into());
            }
            match released(standby) {
                Err(why) if why.to_string().contains(&*std::env::temp_dir().to_string_lossy()) => (),
                run => return run,
            }
        }
    }

    /// Starts a command, and waits until it waits for its input.
    fn standby(&self, text: &str) -> std::io::Result<Standby> {
        let standby = Standby::start(self.command(text), StandbyLimits::default(), ())?;
        assert_eventually("it waits", || standby.state() != StandbyState::Starting);
        Ok(standby)
    }
}

fn walkdir(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let below = entries.flat_map(|path| if path.is_dir() { walkdir(&path) } else { vec![path] });
    below.chain([directory.to_owned()]).collect()
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn cold(command: &Command) -> Result<FinishedRun, Box<dyn std::error::Error>> {
    let command = command.clone().stdin(INPUT);
    let (limits, cancel) = (Limits::default(), CancellationToken::new());
    Ok(runtime()?.block_on(Runner::new().run(&command, &limits, &cancel, &mut |_| ()))?)
}

fn released(standby: Standby) -> Result<FinishedRun, Box<dyn std::error::Error>> {
    let process = standby.release(INPUT.into())?;
    let (limits, cancel) = (Limits::default(), CancellationToken::new());
    let (runner, mut sink) = (Runner::new(), |_: Chunk<'_>| ());
    let run = runner.run_standby(process, &limits, &cancel, Control::new(), &mut sink);
    Ok(runtime()?.block_on(run)?)
}

/// Returns the processes that this process has started, with all below them.
fn descendants() -> Vec<u32> {
    fn below(process: u32, found: &mut Vec<u32>) {
        for thread in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            for child in children.split_whitespace().filter_map(|id| id.parse().ok()) {
                found.push(child);
                below(child, found);
            }
        }
    }
    let mut found = Vec::new();
    below(std::process::id(), &mut found);
    found
}

// rule: H3
#[test]
fn what_is_started_ahead_answers_as_what_is_started_for_its_input() {
    let scene = Scene::new().unwrap();
    for line in LINES {
        let expected = cold(&scene.command(line)).unwrap();
        for name in ["made", "got"] {
            drop(fs::remove_file(scene.path(name)));
        }
        scene.age();
        let run = scene.released_at_last(line).unwrap_or_else(|why| panic!("{line}: {why}"));
        assert_eq!(run.end, expected.end, "{line}");
        assert_eq!(run.stdout.bytes, expected.stdout.bytes, "{line}");
        assert_eq!(run.stderr.bytes, expected.stderr.bytes, "{line}");
    }
    assert_eventually("nothing is left", || descendants().is_empty());
}

#[test]
fn an_input_that_is_larger_than_a_pipe_is_read_whole() {
    let scene = Scene::new().unwrap();
    let standby = scene.standby("wc -c").unwrap();
    let process = standby.release(vec![b'x'; 3 << 20].into()).unwrap();
    let (limits, cancel) = (Limits::default(), CancellationToken::new());
    let (runner, mut sink) = (Runner::new(), |_: Chunk<'_>| ());
    let run = runner.run_standby(process, &limits, &cancel, Control::new(), &mut sink);
    assert_eq!(runtime().unwrap().block_on(run).unwrap().stdout.bytes, "3145728\n");
}

// rule: H3
#[test]
fn nothing_happens_before_the_input() {
    let scene = Scene::new().unwrap();
    fs::write(scene.path("victim"), "alive").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let connects =
        format!("python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'; cat");
    scene.age();
    let all = [
        "echo x > made; cat",
        "touch made; cat",
        "mkdir made; cat",
        "ln -s victim made; cat",
        "rm victim; cat",
        "mv victim made; cat",
        ": > victim; cat",
        "chmod 0 victim; cat",
        "python3 -c 'open(\"made\", \"w\")'; cat",
        "python3 -c 'import os; os.mkfifo(\"made\")'; cat",
        "node -e 'require(\"fs\").writeFileSync(\"made\", \"\")'; cat",
        "(setsid sh -c 'touch made' &); cat",
        &connects,
    ];
    for line in all {
        let standby = scene.standby(line).unwrap();
        assert!(matches!(standby.state(), StandbyState::Waiting { .. }), "{line}: {:?}", standby.state());
        assert!(!scene.path("made").exists(), "{line}");
        assert_eq!(fs::read_to_string(scene.path("victim")).unwrap(), "alive", "{line}");
        assert!(listener.accept().is_err(), "{line}");
        standby.end();
        assert!(!scene.path("made").exists() && scene.path("victim").exists(), "{line}");
    }
    // A release lets it happen.
    released(scene.standby("touch made; cat").unwrap()).unwrap();
    assert!(scene.path("made").exists());
}

// rule: H3
#[test]
fn a_file_that_has_changed_ends_it() {
    type Change = fn(&Scene) -> std::io::Result<()>;
    let changes: [(&str, &str, Change); 9] = [
        ("an edited script", "python3 guard.py", |scene| fs::write(scene.path("guard.py"), "import sys\n")),
        ("the same length", "sh none.sh", |scene| fs::write(scene.path("none.sh"), "exit 1\n")),
        ("a module", "python3 uses.py", |scene| fs::write(scene.path("module.py"), "answer = 3\n")),
        ("a file that was missing", "[ -f off ] && exit 0; cat", |scene| fs::write(scene.path("off"), "")),
        ("a module that comes first", "python3 guard.py", |scene| fs::write(scene.path("json.py"), "")),
        ("a listing", "for file in rules/*; do last=$file; done; cat", |scene| {
            fs::write(scene.path("rules/new"), "")
        }),
        ("a link", "cat link > /dev/null; cat", |scene| {
            fs::remove_file(scene.path("link"))?;
            std::os::unix::fs::symlink("none.sh", scene.path("link"))
        }),
        ("a directory on the way", "read x < rules/one; cat", |scene| {
            fs::rename(scene.path("rules"), scene.path("before"))?;
            fs::create_dir(scene.path("rules"))?;
            fs::write(scene.path("rules/one"), "another\n")
        }),
        ("a mode", "[ -x tool ] && exit 2; cat", |scene| {
            fs::set_permissions(scene.path("tool"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        }),
    ];
    for (what, line, change) in changes {
        let scene = Scene::new().unwrap();
        fs::write(scene.path("module.py"), "answer = 2\n").unwrap();
        fs::write(scene.path("uses.py"), "import sys, module\nsys.stdin.read()\nsys.exit(module.answer)\n")
            .unwrap();
        fs::create_dir(scene.path("rules")).unwrap();
        fs::write(scene.path("rules/one"), "one\n").unwrap();
        fs::write(scene.path("tool"), "").unwrap();
        std::os::unix::fs::symlink("guard.sh", scene.path("link")).unwrap();
        scene.age();
        let standby = scene.standby(line).unwrap();
        assert!(matches!(standby.state(), StandbyState::Waiting { .. }), "{what}: {:?}", standby.state());
        change(&scene).unwrap();
        let end = standby.release(INPUT.into()).err();
        assert!(matches!(end, Some(StandbyEnd::Changed(_))), "{what}: {end:?}");
    }
}

// rule: H3
#[test]
fn a_program_or_directory_that_was_replaced_ends_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let write = |path: &Path, text: &str| {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    for what in ["the program", "one that comes first on the PATH", "the interpreter", "the directory"] {
        let scene = Scene::new().unwrap();
        let work = scene.path("work");
        for directory in ["work", "first", "second"] {
            fs::create_dir(scene.path(directory)).unwrap();
        }
        write(&scene.path("second/guard"), "#!/bin/sh\ncat > /dev/null\nexit 2\n");
        write(&scene.path("read-script"), "#!/bin/sh\ncat > /dev/null\nexit 2\n");
        write(&scene.path("script"), &format!("#!{}\n", scene.path("read-script").display()));
        scene.age();
        let program = if what == "the interpreter" { "../script" } else { "guard" };
        let path =
            format!("{}:{}:/usr/bin:/bin", scene.path("first").display(), scene.path("second").display());
        let command = Command::new(Program::exec(program, Vec::<String>::new()), &work).env("PATH", path);
        let standby = Standby::start(command, StandbyLimits::default(), ()).unwrap();
        assert_eventually("it waits", || standby.state() != StandbyState::Starting);
        assert!(matches!(standby.state(), StandbyState::Waiting { .. }), "{what}: {:?}", standby.state());
        match what {
            "the program" => write(&scene.path("second/guard"), "#!/bin/sh\nexit 0\n"),
            "one that comes first on the PATH" => write(&scene.path("first/guard"), "#!/bin/sh\nexit 0\n"),
            "the interpreter" => write(&scene.path("read-script"), "#!/bin/sh\nexit 0\n"),
            _ => {
                fs::rename(&work, scene.path("before")).unwrap();
                fs::create_dir(&work).unwrap();
            }
        }
        let end = standby.release(INPUT.into()).err();
        assert!(matches!(end, Some(StandbyEnd::Changed(_))), "{what}: {end:?}");
    }
}

// rule: H3
#[test]
fn other_processes_are_neither_changed_nor_asked_about() {
    let scene = Scene::new().unwrap();
    let own = fs::read_to_string("/proc/self/limits").unwrap();
    let line = format!("prlimit --pid {} --core=4321:4321; cat", std::process::id());
    let standby = scene.standby(&line).unwrap();
    assert_eq!(fs::read_to_string("/proc/self/limits").unwrap(), own);
    standby.end();
    assert_eq!(fs::read_to_string("/proc/self/limits").unwrap(), own);
    let mut other = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let asks = format!(
        "python3 -c 'import os; print(os.getpgid({}))' 2>/dev/null || echo gone; cat > /dev/null",
        other.id()
    );
    let standby = scene.standby(&asks).unwrap();
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(released(standby).unwrap().stdout.bytes, "gone\n");
}

// rule: H3
#[test]
fn modules_that_measure_time_measure_it_from_the_event_on() {
    let scene = Scene::new().unwrap();
    fs::write(
        scene.path("watch.py"),
        "import sys, time\nat = time.monotonic()\nsys.stdin.read()\nprint(time.monotonic() - at < 1)\n",
    )
    .unwrap();
    fs::write(
        scene.path("lib.sh"),
        "begun=$SECONDS\nread line\n[ $((SECONDS - begun)) -lt 1 ] && echo True\n",
    )
    .unwrap();
    fs::write(scene.path("limit.py"), "import subprocess, sys\np = subprocess.Popen(['sh', '-c', ': > made'])\n\
        try:\n    p.wait(timeout=1)\nexcept subprocess.TimeoutExpired:\n    sys.exit(0)\nsys.stdin.read()\nprint(True)\n")
        .unwrap();
    fs::write(scene.path("main.py"), "import watch\n").unwrap();
    scene.age();
    // Python writes the compiled module once, and is held before it does.
    cold(&scene.command("python3 -m watch && python3 -c 'import watch'")).unwrap();
    scene.age();
    for line in [
        "python3 main.py",
        "python3 -m watch",
        "python3 -c 'import watch'",
        "bash -c '. ./lib.sh'",
        "python3 limit.py",
    ] {
        let standby = scene.standby(line).unwrap();
        match standby.state() {
            StandbyState::Ended(StandbyEnd::TimeLimit(_)) => continue,
            StandbyState::Waiting { .. } => (),
            other @ (StandbyState::Starting | StandbyState::Ended(_)) => panic!("{line}: {other:?}"),
        }
        // Longer than the limits above.
        let begun = Instant::now();
        assert_eventually("the limits are over", || begun.elapsed() > Duration::from_millis(1_300));
        assert_eq!(released(standby).unwrap().stdout.bytes, "True\n", "{line}");
    }
}

// rule: H3
#[test]
fn a_release_at_the_end_of_its_life_always_ends() {
    let scene = Scene::new().unwrap();
    for offset in 0..60 {
        let limits = StandbyLimits { age: Duration::from_millis(60), ..StandbyLimits::default() };
        let begun = Instant::now();
        let standby = Standby::start(scene.command("cat > /dev/null"), limits, ()).unwrap();
        while begun.elapsed() < Duration::from_millis(58) + Duration::from_micros(100 * offset) {
            std::hint::spin_loop();
        }
        if let Ok(process) = standby.release(INPUT.into()) {
            drop(process);
        }
    }
    assert_eventually("nothing is left", || descendants().is_empty());
}

// rule: H3
#[test]
fn the_clock_of_a_script_is_that_of_its_event() {
    let scene = Scene::new().unwrap();
    fs::write(scene.path("clock.py"), "import time, sys\nat = time.time()\nsys.stdin.read()\nprint(at)\n")
        .unwrap();
    fs::write(
        scene.path("clock.js"),
        "const at = Date.now(); require('fs').readFileSync(0); console.log(at / 1000);\n",
    )
    .unwrap();
    scene.age();
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    for line in [
        "python3 clock.py",
        "node clock.js",
        "date +%s.%N; cat > /dev/null",
        "python3 -c 'import time; at = time.time(); input(); print(at)'",
    ] {
        let standby = scene.standby(line).unwrap();
        let before = now();
        let run = released(standby).unwrap();
        let at: f64 = String::from_utf8_lossy(&run.stdout.bytes).trim().parse().unwrap();
        // Node counts in milliseconds.
        assert!(at >= before - 0.001 && at <= now(), "{line}: {at} is not after {before}");
    }
}

// rule: H3
#[test]
fn a_program_that_waits_for_a_limited_time_is_not_used() {
    let scene = Scene::new().unwrap();
    fs::write(
        scene.path("gives_up.js"),
        "setTimeout(() => process.exit(0), 300);\nprocess.stdin.on('data', () => process.exit(2));\n",
    )
    .unwrap();
    fs::write(
        scene.path("gives_up.py"),
        "import select, sys\nready, _, _ = select.select([sys.stdin], [], [], 0.3)\nsys.exit(2 if ready else 0)\n",
    )
    .unwrap();
    scene.age();
    for line in [
        "node gives_up.js",
        "python3 gives_up.py",
        "bash -c 'read -t 0.3 x && exit 2; exit 0'",
        "timeout 0.3 cat > /dev/null && exit 2",
    ] {
        let standby = scene.standby(line).unwrap();
        match standby.state() {
            StandbyState::Ended(StandbyEnd::TimeLimit(_)) => (),
            // It is held before it has begun to count, and stays so for longer than its limit.
            StandbyState::Waiting { .. } => {
                let begun = Instant::now();
                assert_eventually("the limit is over", || begun.elapsed() > Duration::from_millis(600));
                assert_eq!(released(standby).unwrap().end, becket_process::End::Exited(2), "{line}");
            }
            other @ (StandbyState::Starting | StandbyState::Ended(_)) => panic!("{line}: {other:?}"),
        }
    }
}

// rule: H4
#[test]
fn nothing_is_left_of_one_that_is_not_needed() {
    let scene = Scene::new().unwrap();
    for line in ["cat | cat | cat", "node stream.js", "(cat; cat) & wait", "python3 guard.py"] {
        let standby = scene.standby(line).unwrap();
        assert!(!descendants().is_empty(), "{line}");
        standby.end();
        assert_eq!(descendants(), [0_u32; 0], "{line}");
    }
    let early = Standby::start(scene.command("python3 guard.py"), StandbyLimits::default(), ()).unwrap();
    early.end();
    assert_eq!(descendants(), [0_u32; 0]);
}

#[test]
fn one_that_has_waited_for_too_long_ends_itself() {
    let scene = Scene::new().unwrap();
    let limits = StandbyLimits { age: Duration::from_millis(300), ..StandbyLimits::default() };
    let standby = Standby::start(scene.command("cat"), limits, ()).unwrap();
    assert_eventually("it ends", || standby.state() == StandbyState::Ended(StandbyEnd::Aged));
    assert_eventually("nothing is left", || descendants().is_empty());
    assert_eq!(standby.release(INPUT.into()).err(), Some(StandbyEnd::Aged));
}

#[test]
fn one_that_was_killed_by_somebody_else_is_not_used() {
    let scene = Scene::new().unwrap();
    let standby = scene.standby("cat; exit 0").unwrap();
    for process in descendants() {
        let process = rustix::process::Pid::from_raw(process.cast_signed()).unwrap();
        rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
    }
    assert_eq!(standby.release(INPUT.into()).err(), Some(StandbyEnd::Exited));
}

#[test]
fn a_command_that_can_not_be_started_says_why() {
    let scene = Scene::new().unwrap();
    let command = Command::new(Program::exec("no-such-program", Vec::<String>::new()), scene.0.path());
    let standby = Standby::start(command, StandbyLimits::default(), ()).unwrap();
    assert_eventually("it ends", || standby.state() != StandbyState::Starting);
    let StandbyState::Ended(end) = standby.state() else { panic!("{:?}", standby.state()) };
    assert!(end.is_lasting() && end.to_string().contains("no-such-program"), "{end}");
}

// rule: H4
#[test]
fn the_end_of_the_host_ends_it() {
    let scene = Scene::new().unwrap();
    let example = super::common::example("standby");
    let mut host = std::process::Command::new(example)
        .arg("cat | cat")
        .current_dir(scene.0.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = [0_u8; 6];
    host.stdout.take().unwrap().read_exact(&mut ready).unwrap();
    let all = descendants();
    assert!(all.len() >= 3, "{all:?}");
    host.kill().unwrap();
    host.wait().unwrap();
    assert_eventually("nothing is left", || all.iter().all(|id| !Path::new(&format!("/proc/{id}")).exists()));
}
