//! Chores of this workspace: `cargo xtask <chore>`. One file per chore.

mod agents;
mod agents_page;
mod api;
mod archive;
mod bench;
mod bench_programs;
mod bench_report;
mod bindings;
mod cases;
mod conformance;
mod conformance_suite;
mod deny;
mod dist;
mod events_page;
mod r#gen;
mod guards_page;
mod installed;
mod mcp_fixture;
mod model_fixture;
mod packages;
mod page;
mod pictures;
mod prices;
mod program;
mod readme;
mod replay;
mod sdk_fixture;
mod sdk_options;
mod site;
mod suites;
mod targets;
mod test;
mod workflows;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <chore>

  test [ARGS…]          install what the tests need, run all of them, then the suites whose inputs have changed;
                        with ARGS, which go to the test runner, only the tests
  suites [--all] [SUITE…]
                        run the long suites (agents, bindings, conformance, deny, packages, page, replay, site, workflows) whose
                        inputs have changed since they passed
  conformance [PART…]   run the published suites of MCP against becket-mcp; only scenarios with a PART in their name
  bench [--quick] [CRATE…]
                        run every crate's benches, write docs/benchmarks.md; those of named crates are only shown
  agents [NAME…]        run real agents with Becket as their one hook, against a scripted model
  bindings              build, install and test the bindings for other languages
  deny                  check licences, sources and versions of all dependencies
  archive TARGET        pack what `dist` has built, for a release
  dist                  build the programs of a package: target/dist-out (--libc musl, --libc glibc, --static)
  gen                   write schemas/, the tables of the bindings, docs/cli.md, docs/events.md, docs/schemas.md, docs/guide/agents.md and spec/cases/ from the code
  pictures              make the pictures of the documentation from real runs: docs/images
  site                  make the documentation as a site in target/site/book, and check it in a browser
  packages [--dist]     make the packages of a release for this machine, and install, run and remove each: target/packages/out
  release-files DIR     write the formula of Homebrew and SHA256SUMS for the archives in DIR
  targets [TARGET…]     compile the programs for other targets, and run those that this machine can run
  prices FILE VERSION   write the table of models of becket-llm from the price list of litellm";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (chore, rest) = arguments.split_first().map_or(("", &[][..]), |(chore, rest)| (chore.as_str(), rest));
    if chore == "suite" {
        return suites::run_one(rest);
    }
    let done = match chore {
        "agent-run" => agents::run_inside(rest),
        "agents" => agents::run(rest),
        "archive" => archive::write(rest),
        "bench" => bench::run(rest),
        "bindings" => bindings::run(rest),
        "conformance" => conformance::run(rest),
        "deny" => deny::run(rest),
        "dist" => dist::run(rest),
        "gen" => r#gen::run(rest),
        "packages" => packages::run(rest),
        "pictures" => pictures::run(rest),
        "prices" => prices::run(rest),
        "release-files" => packages::release_files(rest),
        "site" => suites::run(&["site".to_owned()], None),
        "suites" => suites::run(rest, None),
        "targets" => targets::run(rest),
        "test" => test::run(rest),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&message);
            ExitCode::FAILURE
        }
    }
}

/// Prints a message for the person at the terminal.
#[expect(clippy::print_stderr, reason = "a chore talks to who started it")]
pub(crate) fn say(message: &str) {
    eprintln!("{message}");
}

/// Returns the root of the workspace.
pub(crate) fn root() -> &'static std::path::Path {
    let manifest = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest)
}
