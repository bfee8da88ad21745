//! `becket self`: a copy reports how it was installed, and replaces itself with a release, or refuses to.

mod releases;

use crate::{env, workspace};
use becket_testkit::env::ProgramOutput;
use becket_testkit::proc::eventually;
use releases::{Installed, Server, Stall, says, target};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

/// Checks that an update was refused for a reason, and that the old programs work.
fn refused(installed: &Installed, ended: &ProgramOutput, why: &str) {
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("nothing was changed") && ended.stderr.contains(why), "{why}: {ended:?}");
    installed.check_unchanged(why);
}

#[test]
fn this_copy_says_what_it_is() {
    let installed = Installed::new();
    let ended = installed.becket(&["--json", "self", "version"]).run();
    let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let expected = json!({
        "report": "self-version",
        "version": env!("CARGO_PKG_VERSION"),
        "commit": null,
        "target": target(),
        "installed_by": "install.sh",
        "full": installed.path("bin/becket-full"),
        "small": installed.path("bin/becket"),
        "update": "becket self update",
        "interrupted_update": false,
    });
    assert_eq!(report, expected);
    let text = installed.becket(&["self", "version"]).run().stdout;
    assert!(
        text.contains("installed by   install.sh\n") && text.contains("commit         unknown\n"),
        "{text}"
    );

    let built = env().bare(["--json", "self", "version"]).run().stdout;
    let built: Value = serde_json::from_str(&built).expect("JSON");
    assert_eq!((&built["installed_by"], &built["small"]), (&json!("build"), &Value::Null));
    let update = built["update"].as_str().expect("a command");
    assert_eq!(update, format!("git -C {} pull && cargo build", workspace().display()));
}

#[test]
fn both_programs_are_replaced_from_a_directory_or_a_server() {
    for is_served in [false, true] {
        let installed = Installed::new();
        let mode = fs::Permissions::from_mode(0o755);
        let server = is_served.then(|| Server::start(installed.path("releases"), None));
        let mut arguments = vec!["self", "update"];
        if let Some(server) = &server {
            arguments.extend(["--releases", &server.url]);
        }
        let ended = installed.becket(&arguments).run();
        assert_eq!((ended.code, &*ended.stderr), (Some(0), ""), "{ended:?}");
        assert!(ended.stdout.contains("to 9.9.9 in "), "{ended:?}");
        assert_eq!(installed.version(), "becket 9.9.9");
        assert_eq!(installed.files(), [".becket-install.json", "becket", "becket-full"]);
        let full = fs::metadata(installed.path("bin/becket-full")).expect("it is there");
        assert_eq!(full.permissions().mode() & 0o777, mode.mode());
    }
}

#[test]
fn a_look_changes_nothing_and_its_code_is_the_answer() {
    let installed = Installed::new();
    let look =
        |arguments: &[&str]| installed.becket(&[arguments, &["self", "update", "--check"]].concat()).run();
    let newer = look(&[]);
    assert_eq!(newer.code, Some(1), "{newer:?}");
    assert!(newer.stdout.contains("becket 9.9.9 is there") && newer.stdout.contains("`becket self update`"));
    let report: Value = serde_json::from_str(&look(&["--json"]).stdout).expect("JSON");
    assert_eq!(
        report,
        json!({"report": "self-update", "version": env!("CARGO_PKG_VERSION"), "release": "9.9.9", "is_newer": true, "updated": false})
    );
    for version in [env!("CARGO_PKG_VERSION"), "0.0.1"] {
        fs::write(installed.latest().join("VERSION"), version).expect("it can be written");
        assert_eq!(look(&[]).code, Some(0), "{version}");
        // An update has nothing to do either.
        assert_eq!(installed.update().code, Some(0), "{version}");
    }
    fs::write(installed.latest().join("VERSION"), "the newest").expect("it can be written");
    assert_eq!(look(&[]).code, Some(2));
    // A copy from a package manager may check for updates as well.
    fs::write(installed.latest().join("VERSION"), "9.9.9").expect("it can be written");
    let url = format!("file://{}", installed.path("releases").display());
    let other = env().bare(["self", "update", "--check", "--releases", &url]).run();
    assert!(other.code == Some(1) && other.stdout.contains("git -C"), "{other:?}");
    installed.check_unchanged("a look");
}

#[test]
fn a_release_by_its_version_may_be_older() {
    let installed = Installed::new();
    installed.release("0.0.1", &[("becket", &says("0.0.1")), ("becket-full", &says("0.0.1"))]);
    fs::create_dir_all(installed.path("releases/download")).expect("a directory can be made");
    fs::rename(installed.latest(), installed.path("releases/download/v0.0.1")).expect("it can be moved");
    refused(&installed, &installed.update(), "there is no `");
    let missing = installed.becket(&["self", "update", "0.0.2"]).run();
    refused(&installed, &missing, "download/v0.0.2/");
    let ended = installed.becket(&["self", "update", "0.0.1"]).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(installed.version(), "becket 0.0.1");
    assert_eq!(env().bare(["self", "update", "newest"]).run().code, Some(2));
}

#[test]
fn a_copy_of_a_package_manager_is_left_to_it() {
    let ended = env().bare(["self", "update"]).run();
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("a build of a clone: update it with `git -C "), "{ended:?}");

    let installed = Installed::new();
    fs::remove_file(installed.path("bin/.becket-install.json")).expect("it is there");
    let unknown = installed.update();
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.stderr.contains("it is unknown how this copy was installed"), "{unknown:?}");
    installed.env.write("var/lib/dpkg/info/becket.list", "/.\n/bin/becket-full\n/bin/becket\n");
    let debian = installed.update();
    assert!(debian.stderr.contains("`apt install --only-upgrade becket`"), "{debian:?}");
    assert_eq!(installed.version(), concat!("becket ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_wrong_release_changes_nothing() {
    let installed = Installed::new();
    let whole = fs::read(installed.archive()).expect("it is there");
    let release = |programs: &[(&str, &str)]| installed.release("9.9.9", programs);

    fs::write(installed.archive(), [&whole[..], b"x"].concat()).expect("it can be written");
    refused(&installed, &installed.update(), "SHA-256 sum");
    fs::write(installed.archive(), &whole[..whole.len() / 2]).expect("it can be written");
    refused(&installed, &installed.update(), "SHA-256 sum");
    installed.sum();
    refused(&installed, &installed.update(), "can't be unpacked");
    fs::write(installed.archive().with_extension("gz.sha256"), "").expect("it can be written");
    refused(&installed, &installed.update(), "instead of ``");
    fs::remove_file(installed.archive().with_extension("gz.sha256")).expect("it is there");
    refused(&installed, &installed.update(), ".sha256");
    fs::remove_file(installed.latest().join("VERSION")).expect("it is there");
    refused(&installed, &installed.update(), "the release does not exist");

    // The programs are for another platform: the system can't run them.
    release(&[("becket", "\x7fELF of another machine"), ("becket-full", "\x7fELF of another machine")]);
    refused(&installed, &installed.update(), "does not run on this machine");
    release(&[("becket", "#!/bin/sh\nexit 1\n"), ("becket-full", "")]);
    refused(&installed, &installed.update(), "does not run on this machine");
    release(&[("becket", &says("9.9.8")), ("becket-full", "")]);
    refused(&installed, &installed.update(), "reports `becket 9.9.8`");
    release(&[("becket", &says("9.9.9"))]);
    refused(&installed, &installed.update(), "does not contain `becket-full`");
    release(&[("becket-full", &says("9.9.9"))]);
    refused(&installed, &installed.update(), "does not contain `becket`");
    release(&[("becket", &says("9.9.9")), ("becket-full", &says("9.9.9"))]);
    assert_eq!(installed.update().code, Some(0));
}

#[test]
fn a_place_without_encryption_is_refused_unless_it_is_this_machine() {
    let installed = Installed::new();
    for (url, why) in [
        ("http://releases.example", "plain HTTP"),
        ("ftp://releases.example", "`ftp` is not supported"),
        ("releases", "can't be used as the place of releases"),
        ("file://releases.example/x", "can't be used as the place of releases"),
        ("http://127.0.0.1:1", "can't be downloaded"),
    ] {
        refused(&installed, &installed.becket(&["self", "update", "--releases", url]).run(), why);
    }
}

#[test]
fn an_update_that_is_killed_leaves_the_old_programs() {
    let archive = ".tar.gz";
    for (path, stall) in [
        ("VERSION", Stall::Nothing),
        ("VERSION", Stall::Half),
        (".sha256", Stall::Nothing),
        (archive, Stall::Nothing),
        (archive, Stall::Half),
    ] {
        for signal in ["KILL", "TERM"] {
            let installed = Installed::new();
            let server = Server::start(installed.path("releases"), Some((path, stall)));
            let run = installed.becket(&["self", "update", "--releases", &server.url]);
            let mut child = run.into_command().stderr(Stdio::null()).spawn().expect("it starts");
            server.wait_until_stalled();
            let killed = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
            assert!(killed.expect("kill runs").success());
            assert!(!child.wait().expect("it ends").success());
            assert_eq!(
                installed.version(),
                concat!("becket ", env!("CARGO_PKG_VERSION")),
                "{path} {stall:?}"
            );
            if signal == "TERM" {
                installed.check_unchanged(path);
            }
            let ended = installed.update();
            assert_eq!(ended.code, Some(0), "{path} {stall:?} {ended:?}");
            assert_eq!(installed.version(), "becket 9.9.9");
            assert_eq!(installed.files(), [".becket-install.json", "becket", "becket-full"]);
        }
    }
}

#[test]
fn an_update_that_is_killed_while_the_new_program_is_tried_leaves_the_old_ones() {
    let installed = Installed::new();
    let (started, released) = (installed.path("started"), installed.path("released"));
    assert!(Command::new("mkfifo").arg(&released).status().expect("it runs").success());
    let waits = format!("#!/bin/sh\n: >'{}'\nread line <'{}'\n", started.display(), released.display());
    installed.release("9.9.9", &[("becket", &waits), ("becket-full", "")]);
    let mut child = installed.becket(&["self", "update"]).into_command().spawn().expect("it starts");
    eventually("the new program is tried", || started.exists().then_some(()));
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    // Lets the trial run end.
    fs::write(&released, "go\n").expect("it is read");
    assert_eq!(installed.version(), concat!("becket ", env!("CARGO_PKG_VERSION")));
    installed.release("9.9.9", &[("becket", &says("9.9.9")), ("becket-full", &says("9.9.9"))]);
    assert_eq!(installed.update().code, Some(0));
    assert_eq!(installed.files(), [".becket-install.json", "becket", "becket-full"]);
}

#[test]
fn an_update_that_was_killed_between_the_programs_is_finished() {
    let installed = Installed::new();
    // The full program is already new; the small one is waiting.
    let ready = installed.env.write("bin/.becket-update/ready/becket", says("of the new release"));
    fs::set_permissions(ready, fs::Permissions::from_mode(0o755)).expect("a mode");
    let report = installed.becket(&["--json", "self", "version"]).run().stdout;
    assert!(report.contains("\"interrupted_update\": true"), "{report}");
    fs::write(installed.latest().join("VERSION"), env!("CARGO_PKG_VERSION")).expect("it can be written");
    let ended = installed.update();
    assert_eq!((ended.code, &*ended.stderr), (Some(0), "finished an update that was interrupted\n"));
    assert_eq!(installed.version(), "becket of the new release");
    assert_eq!(installed.files(), [".becket-install.json", "becket", "becket-full"]);
}

#[test]
fn a_full_disk_and_a_directory_of_another_user_change_nothing() {
    let installed = Installed::new();
    let under = |line: &str| {
        let run = installed.becket(&["self", "update"]).into_command();
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).env_clear().current_dir(installed.path("project"));
        shell.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let ended = shell.env("BECKET", installed.path("bin/becket-full")).output().expect("a shell");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        ProgramOutput { code: ended.status.code(), stdout: text(ended.stdout), stderr: text(ended.stderr) }
    };
    // To a program, a limit on file sizes is like a full disk.
    installed.release("9.9.9", &[("becket", &says("9.9.9")), ("becket-full", &"x".repeat(1 << 20))]);
    let full = under("trap '' XFSZ; ulimit -f 64; exec \"$BECKET\" self update");
    refused(&installed, &full, "can't be written");

    fs::set_permissions(installed.env.root(), fs::Permissions::from_mode(0o755)).expect("a mode");
    fs::set_permissions(installed.path("bin"), fs::Permissions::from_mode(0o555)).expect("a mode");
    let other = under(
        "if [ \"$(id -u)\" = 0 ]; then set -- setpriv --reuid=65534 --regid=65534 --clear-groups; fi; exec \"$@\" \"$BECKET\" self update",
    );
    refused(&installed, &other, "update as the user who owns it");
    fs::set_permissions(installed.path("bin"), fs::Permissions::from_mode(0o755)).expect("a mode");
}
