//! The valid combinations of arguments of `run`, and the errors for others.

use super::options::{Output, Prompts, RunOptions};
use crate::args::Command;
use crate::env::{Surroundings, Terminals};
use crate::error::CliError;
use crate::report::run::{StreamOptions, Verbosity};
use becket_fire::ProcessContext;

/// Returns the surroundings of a user at a terminal, or of a script.
fn around(terminals: bool, is_root: bool) -> Surroundings {
    Surroundings {
        process: ProcessContext {
            arguments: Vec::new(),
            vars: Vec::new(),
            home: None,
            cwd: None,
            temp: "/tmp".into(),
        },
        program: None,
        terminals: Terminals { stdin: terminals, stdout: terminals, stderr: terminals },
        is_root,
        width: None,
    }
}

fn options(arguments: &str, around: &Surroundings) -> Result<RunOptions, CliError> {
    let words = ["becket", "run"].into_iter().chain(arguments.split_whitespace());
    let cli = crate::help::parsed(&words.map(Into::into).collect::<Vec<_>>(), None).unwrap();
    let Command::Run(args) = &cli.command else { panic!("it is run") };
    RunOptions::new(args, &cli.global, around)
}

#[test]
fn arguments_that_fit_together_say_what_is_read_and_printed() {
    let nothing = StreamOptions::default();
    let hi = || Prompts::Argument("hi".to_owned());
    let piped = |argument: Option<&str>| Prompts::Piped {
        argument: argument.map(str::to_owned),
        may_be_empty: false,
    };
    for (arguments, terminals, output, prompts) in [
        ("-p hi", true, Output::Text(Verbosity::Work), hi()),
        ("hi --print", true, Output::Text(Verbosity::Work), hi()),
        ("-p hi --verbose", false, Output::Text(Verbosity::All), piped(Some("hi"))),
        ("-p hi", false, Output::Text(Verbosity::Needed), piped(Some("hi"))),
        ("", false, Output::Text(Verbosity::Needed), piped(None)),
        ("-p hi --json", true, Output::Json, hi()),
        ("-p hi --output-format json", true, Output::Json, hi()),
        ("-p hi --output-format stream-json --verbose", true, Output::Stream(nothing), hi()),
        (
            "-p --output-format stream-json --include-hook-events --include-partial-messages hi",
            true,
            Output::Stream(StreamOptions { hooks: true, pieces: true, subagents: false }),
            hi(),
        ),
        (
            "-p --input-format stream-json --output-format stream-json",
            false,
            Output::Stream(nothing),
            Prompts::Lines,
        ),
        ("", true, Output::Screen(Verbosity::Work), Prompts::Typed { first: None }),
        ("hi", true, Output::Screen(Verbosity::Work), Prompts::Typed { first: Some("hi".to_owned()) }),
        ("-c --verbose", true, Output::Screen(Verbosity::All), Prompts::Typed { first: None }),
        ("--init-only", true, Output::Text(Verbosity::Work), Prompts::None),
        ("-p --resume some-id", true, Output::Text(Verbosity::Work), Prompts::None),
        ("-p -c", true, Output::Text(Verbosity::Work), Prompts::None),
    ] {
        let options = options(arguments, &around(terminals, false)).unwrap();
        assert_eq!((options.output, options.prompts), (output, prompts), "{arguments}");
    }
}

#[test]
fn arguments_that_contradict_each_other_are_told_and_end_with_2() {
    let id = "5f1c9f0e-3c0b-4b7e-9a55-0d6f2b1c7a10";
    for (arguments, said) in [
        ("--json", "a session at a terminal prints for people"),
        ("hi --output-format stream-json", "a session at a terminal prints for people"),
        ("-p", "there is nothing to do"),
        ("-p hi --include-hook-events", "`--output-format stream-json`"),
        ("-p hi --include-partial-messages --output-format json", "`--include-partial-messages`"),
        ("-p hi --input-format stream-json", "leave the prompt out"),
        ("-p hi --fork-session", "`--resume ID`"),
        ("-p hi --session-id 7", "is not a UUID"),
        (&format!("-p hi -c --session-id {id}"), "keeps its id"),
        ("-p hi --setting-sources usr", "did you mean `user`?"),
    ] {
        let error = options(arguments, &around(true, false)).unwrap_err();
        assert!(error.to_string().contains(said), "{arguments}: {error}");
        assert_eq!(error.exit_code(), 2, "{arguments}");
    }
    assert!(options(&format!("-p hi -c --fork-session --session-id {id}"), &around(true, false)).is_ok());
}

#[test]
fn sources_of_settings_are_chosen_by_name() {
    let sources = |given: &str| {
        let sources =
            options(&format!("-p hi --setting-sources {given}"), &around(true, false)).unwrap().sources;
        (sources.user, sources.project, sources.local)
    };
    assert_eq!(sources("user"), (true, false, false));
    assert_eq!(sources("project,local"), (false, true, true));
    assert_eq!(sources(","), (false, false, false));
}

#[test]
fn root_skips_no_permissions_outside_of_a_sandbox() {
    for flag in ["--dangerously-skip-permissions", "--permission-mode bypassPermissions"] {
        let arguments = format!("-p hi {flag}");
        let error = options(&arguments, &around(true, true)).unwrap_err();
        assert!(error.to_string().contains("IS_SANDBOX=1"), "{error}");
        let mut sandbox = around(true, true);
        sandbox.process.vars.push(("IS_SANDBOX".into(), "0".into()));
        assert!(options(&arguments, &sandbox).is_err());
        sandbox.process.vars[0].1 = "1".into();
        assert!(options(&arguments, &sandbox).is_ok());
        assert!(options(&arguments, &around(true, false)).is_ok());
    }
}
