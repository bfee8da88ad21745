//! Processes that outlive the one that starts them.

use becket_process::{Command, Program, SpawnError, start_detached};
use becket_testkit::proc::wait_until;
use std::fs::{self, File};

#[test]
fn a_detached_process_has_its_input_a_session_of_its_own_and_no_output() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("input");
    fs::write(&input, "hello").unwrap();
    let script = "cat >read; echo said; echo said >&2; o=$(readlink /proc/$$/fd/1 /proc/$$/fd/2); echo \"$o\" >outputs; cut -d ' ' -f 6 /proc/$$/stat >session; echo $$ >id";
    let command = Command::new(Program::shell(script), directory.path()).env("PATH", "/usr/bin:/bin");
    start_detached(&command, File::open(&input).unwrap().into()).unwrap();
    let text = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap_or_default();
    assert!(wait_until(|| text("id").ends_with('\n')));
    assert_eq!((text("read").as_str(), text("outputs").as_str()), ("hello", "/dev/null\n/dev/null\n"));
    assert_eq!(text("session"), text("id"));
}

#[test]
fn a_program_that_is_missing_is_an_error() {
    let command = Command::new(Program::exec("/no/such/program", [""; 0]), "/");
    let error = start_detached(&command, File::open("/dev/null").unwrap().into()).unwrap_err();
    assert!(matches!(error, SpawnError::ProgramMissing { .. }), "{error:?}");
}
