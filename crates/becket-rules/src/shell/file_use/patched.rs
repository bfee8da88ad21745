//! The files that a patch in the line changes: `patch -p0 <<< '--- a…'`, `git apply` (rule P7).

use super::super::arg::Arg;
use super::super::line::{Command, Line};
use super::FileAccess;
use super::collector::{Collector, Source};

/// The starts of lines of a patch that name a file.
const HEADERS: [&str; 7] = ["--- ", "+++ ", "*** ", "Index: ", "rename from ", "rename to ", "copy to "];

/// The maximum number of lines of a text that are examined.
const MOST_LINES: usize = 2_000;

/// Adds the files that the texts of the line name as a patch does, if a command applies patches.
pub(super) fn collect(line: &Line, uses: &mut Collector<'_>) {
    if !line.commands.iter().any(applies_patch) {
        return;
    }
    uses.begin(Source::AnyText, false);
    let args = line.commands.iter().flat_map(|command| &command.args).map(|arg| arg.text.as_str());
    for text in
        line.values.all().chain(args).filter(|text| text.contains(HEADERS[1]) || text.contains(HEADERS[2]))
    {
        // `printf` reads `\n`.
        let lines = text.split('\n').flat_map(|line| line.split("\\n")).take(MOST_LINES);
        let named = lines.filter_map(|line| HEADERS.iter().find_map(|header| line.strip_prefix(header)));
        for name in named.filter_map(|names| names.split_whitespace().next()) {
            let name = name.trim_matches('"');
            // `-p1` drops the first directory.
            let below = name.split_once('/').map(|(_, below)| below);
            for path in [Some(name), below].into_iter().flatten() {
                uses.add(&Arg::literal(path), FileAccess::Edit);
            }
        }
    }
}

fn applies_patch(command: &Command) -> bool {
    let applies = |arg: &Arg| matches!(arg.text.as_str(), "apply" | "am");
    match command.args.first().and_then(Arg::command_name) {
        Some("patch" | "gpatch") => true,
        Some("git") => command.args.iter().any(applies),
        Some(_) | None => false,
    }
}
