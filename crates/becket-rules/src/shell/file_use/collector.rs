//! The paths of a line's files, each once.

use std::collections::BTreeSet;

use super::super::arg::Arg;
use super::super::limits::MAX_VALUES;
use super::super::values::Values;
use super::{FileAccess, FileUse};

/// Gathers the paths of arguments.
pub(super) struct Collector<'l> {
    values: &'l Values,
    uses: Vec<FileUse>,
    /// The files so far, to keep each once.
    seen: BTreeSet<(String, bool, bool)>,
    /// Files that may still be added, landings aside.
    left: usize,
    /// Records that commands use files known only at run time: they read them (`false`), or edit them.
    unknown: BTreeSet<bool>,
    /// Values of variables that may still be looked at.
    steps: usize,
}

impl<'l> Collector<'l> {
    /// A collector that stops after `most` files.
    pub(super) fn new(values: &'l Values, most: usize) -> Self {
        Self {
            values,
            uses: Vec::new(),
            seen: BTreeSet::new(),
            left: most,
            unknown: BTreeSet::new(),
            steps: MAX_VALUES,
        }
    }

    /// The files, and whether there may be more since variables have too many values.
    pub(super) fn finish(self) -> (Vec<FileUse>, bool) {
        (self.uses, self.steps == 0)
    }

    /// The accesses to files that are known only at run time.
    pub(super) fn take_unknown(&mut self) -> impl Iterator<Item = FileAccess> + use<> {
        let access = |edits| if edits { FileAccess::Edit } else { FileAccess::Read };
        std::mem::take(&mut self.unknown).into_iter().map(access)
    }

    pub(super) fn all<'a>(&mut self, args: impl IntoIterator<Item = &'a Arg>, access: FileAccess) {
        args.into_iter().for_each(|arg| self.add(arg, access));
    }

    /// Records where sources end up in the directory `into`, or else in the last operand.
    pub(super) fn landings(&mut self, mut sources: Vec<Arg>, mut into: Vec<Arg>) {
        if into.is_empty() {
            into.extend(sources.pop());
        }
        let mut known = |args: &[Arg]| -> Vec<String> {
            args.iter().flat_map(|arg| paths(arg, self.values, &mut self.steps)).collect()
        };
        let (sources, into) = (known(&sources), known(&into));
        for directory in &into {
            for name in sources.iter().filter_map(|path| path.trim_end_matches('/').rsplit('/').next()) {
                let path = format!("{}/{name}", directory.trim_end_matches('/'));
                let glob = path.contains(['*', '?', '[']);
                self.push(FileUse { access: FileAccess::Edit, path, glob, landing: true });
            }
        }
    }

    pub(super) fn add(&mut self, arg: &Arg, access: FileAccess) {
        if self.left == 0 {
            return;
        }
        let paths = paths(arg, self.values, &mut self.steps);
        let has_default = arg.text.contains("${") && arg.text.contains(['-', '=', '+']);
        let filled = arg.dynamic && (paths.is_empty() || has_default || !arg.text.contains(['$', '`']));
        if filled {
            self.unknown.insert(access == FileAccess::Edit);
        }
        // Of `secrets/$(name)` the directory is known.
        let directory = arg.text.split(['$', '`']).next().and_then(|head| head.rsplit_once('/'));
        if let Some((directory, _)) = directory.filter(|_| arg.dynamic && paths.is_empty()) {
            self.push(FileUse { access, path: format!("{directory}/*"), glob: true, landing: false });
        }
        for path in paths {
            if path != "-" && !path.is_empty() {
                let glob = arg.glob || (arg.dynamic && path.contains(['*', '?', '[']));
                self.push(FileUse { access, path, glob, landing: false });
            }
        }
    }

    fn push(&mut self, file: FileUse) {
        if self.seen.insert((file.path.clone(), file.access == FileAccess::Edit, file.landing)) {
            self.left = self.left.saturating_sub(usize::from(!file.landing));
            self.uses.push(file);
        }
    }
}

/// The paths that an argument may name, as far as the text and the home directory say it.
pub(crate) fn paths(arg: &Arg, values: &Values, steps: &mut usize) -> Vec<String> {
    if arg.dynamic {
        return values.texts(&arg.text, steps);
    }
    if arg.tilde {
        let rest = arg.text.strip_prefix('~').unwrap_or_default();
        let (own, rest) = match rest.strip_prefix(['+', '-']) {
            Some(rest) => (".", rest),
            None => ("~", rest),
        };
        if !rest.is_empty() && !rest.starts_with('/') {
            return Vec::new();
        }
        let given = if own == "~" { values.of("HOME") } else { &[] };
        let homes = given.iter().flat_map(|home| values.texts(home, steps));
        return [own.to_owned()].into_iter().chain(homes).map(|home| format!("{home}{rest}")).collect();
    }
    vec![if arg.text.starts_with('~') { format!("./{}", arg.text) } else { arg.text.clone() }]
}
