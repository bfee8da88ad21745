//! Directories in which a command removes, moves, replaces or changes everything: `rm -r`, `mv`, `chmod -R`,
//! `rsync --delete` (rules P7, P14).

use super::super::arg::Arg;
use super::super::file_table::Usage;
use super::collector::Collector;
use super::operands::Arguments;
use super::special;

impl Usage {
    /// Marks the files among those of a command whose content, if they are directories, changes as a whole.
    pub(super) fn of_contents(&self, args: &[Arg], arguments: &Arguments<'_>, uses: &mut Collector<'_>) {
        let Arguments { options, operands } = arguments;
        let is_recursive = self.is_recursive(options);
        let into: Vec<&Arg> = options.values(&["t", "target-directory"]).collect();
        let (sources, last) = match (operands.split_last(), into.is_empty()) {
            (Some((last, sources)), true) => (sources, vec![*last]),
            (Some(_) | None, _) => (operands.as_slice(), into),
        };
        let is_exact = options.has(&["T", "no-target-directory", "exchange"]) || !options.certain;
        let merges = || sources.iter().any(|source| source.text.ends_with(['/', '.']));
        let mut mark = |args: &[&Arg]| args.iter().for_each(|arg| uses.change_contents(arg));
        match self.names.first().copied().unwrap_or_default() {
            "rm" | "chmod" if is_recursive => mark(operands),
            "chmod" if may_close(operands, arguments) => mark(operands),
            "mv" => {
                mark(sources);
                if is_exact {
                    mark(&last);
                }
            }
            "cp" if is_recursive && (is_exact || merges()) => mark(&last),
            "rsync" if merges() || args.iter().any(|arg| arg.text.starts_with("--del")) => mark(&last),
            "tar" if options.has(&["remove-files"]) => mark(operands),
            "zip" if options.has(&["m", "move"]) => mark(operands),
            "find" => mark(&special::cleared(args).iter().collect::<Vec<_>>()),
            _ => {}
        }
    }
}

/// Returns whether the mode of a `chmod` may keep the owner from entering a directory, so that nothing in it can be read.
fn may_close(operands: &[&Arg], arguments: &Arguments<'_>) -> bool {
    let mode = operands.first().and_then(|mode| mode.value());
    arguments.options.has(&["reference"]) || mode.is_none_or(|mode| mode.split(',').any(closes))
}

/// The operators of a change of a mode.
const OPERATORS: [char; 3] = ['+', '-', '='];

/// Returns whether a change of a mode (`000`, `u-x`, `a=r`) takes the right to enter from the owner.
fn closes(change: &str) -> bool {
    if let Ok(bits) = u32::from_str_radix(change, 8) {
        return bits & 0o100 == 0;
    }
    let Some(at) = change.find(OPERATORS) else { return true };
    let (who, rights) = change.split_at(at);
    let takes = |(at, operator): (usize, &str)| {
        let named = rights.get(at + 1..).and_then(|rest| rest.split(OPERATORS).next()).unwrap_or_default();
        match operator {
            "-" => named.contains(['x', 'X', 'u', 'g', 'o']),
            "=" => !named.contains(['x', 'X']),
            _ => false,
        }
    };
    (who.is_empty() || who.contains(['u', 'a'])) && rights.match_indices(OPERATORS).any(takes)
}
