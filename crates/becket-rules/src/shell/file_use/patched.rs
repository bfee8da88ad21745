//! The files that a patch in the line changes: `patch -p0 <<< '--- a…'`, `git apply` (rule P7).

use super::super::arg::Arg;
use super::super::line::{Command, Line};
use super::FileAccess;
use super::collector::{Collector, Source};

/// The starts of lines of a patch that name a file.
const HEADERS: [&str; 9] =
    ["--- ", "+++ ", "*** ", "Index: ", "rename from ", "rename to ", "copy from ", "copy to ", GIT_HEADER];

/// The header that names a file twice, and that alone names one without lines.
const GIT_HEADER: &str = "diff --git ";

/// The maximum number of lines of a text that are examined.
const MOST_LINES: usize = 2_000;

/// Adds the files that the texts of the line name as a patch does, if a command applies patches.
pub(super) fn collect(line: &Line, uses: &mut Collector<'_>) {
    if !line.commands.iter().any(applies_patch) {
        return;
    }
    uses.begin(Source::AnyText, false);
    let args = line.commands.iter().flat_map(|command| &command.args).map(|arg| arg.text.as_str());
    let is_patch = |text: &&str| HEADERS.iter().any(|header| text.contains(header));
    for text in line.values.all().chain(args).filter(is_patch) {
        // `printf` reads `\n`.
        let lines = text.split('\n').flat_map(|line| line.split("\\n")).take(MOST_LINES);
        for name in lines.filter_map(named).flatten() {
            let name = name.trim_matches('"');
            // `-p1` drops the first directory.
            let below = name.split_once('/').map(|(_, below)| below);
            for path in [Some(name), below].into_iter().flatten() {
                uses.add(&Arg::literal(path), FileAccess::Edit);
            }
        }
    }
}

/// Returns the files that a line names, if it is a header.
fn named(line: &str) -> Option<impl Iterator<Item = &str>> {
    HEADERS.iter().find_map(|header| {
        let most = if *header == GIT_HEADER { 2 } else { 1 };
        Some(line.strip_prefix(header)?.split_whitespace().take(most))
    })
}

fn applies_patch(command: &Command) -> bool {
    let applies = |arg: &Arg| matches!(arg.text.as_str(), "apply" | "am");
    match command.args.first().and_then(Arg::command_name) {
        Some("patch" | "gpatch") => true,
        Some("git") => command.args.iter().any(applies),
        Some(_) | None => false,
    }
}
