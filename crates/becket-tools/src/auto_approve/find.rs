//! `find` without actions: its directories, and tests that neither write, run nor follow links.

/// Primaries without a value.
const ALONE: [&str; 25] = [
    "(",
    ")",
    "!",
    ",",
    "-not",
    "-o",
    "-or",
    "-a",
    "-and",
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-true",
    "-false",
    "-empty",
    "-depth",
    "-mount",
    "-xdev",
    "-daystart",
    "-noleaf",
    "-readable",
    "-writable",
    "-executable",
];
/// Primaries with one value, which is not a file.
const VALUED: [&str; 27] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-regextype",
    "-lname",
    "-ilname",
    "-type",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-maxdepth",
    "-mindepth",
    "-perm",
    "-user",
    "-group",
    "-links",
    "-inum",
    "-printf",
];

/// Returns the directories that are searched; `None` if the expression does more than test and print.
pub(super) fn paths<'a>(args: &[&'a str]) -> Option<Vec<&'a str>> {
    let starts = |arg: &&str| arg.starts_with('-') || matches!(*arg, "(" | ")" | "!" | ",");
    // `-P` is the default; the other options of its kind need a question.
    let args = args.strip_prefix(&["-P"]).unwrap_or(args);
    let end = args.iter().position(starts).unwrap_or(args.len());
    let (paths, expression) = args.split_at(end);
    let mut rest = expression.iter();
    while let Some(primary) = rest.next() {
        if VALUED.contains(primary) {
            rest.next()?;
        } else if !ALONE.contains(primary) {
            return None;
        }
    }
    Some(paths.to_vec())
}
