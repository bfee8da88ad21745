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
