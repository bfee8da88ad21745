//! The positions of options, their values and operands in the arguments of a command with known options.

use super::arg::Arg;
use super::file_table;

/// The arguments of a command by their meaning, each as an index.
#[derive(Debug)]
pub(crate) struct Positions {
    /// Options, by their names.
    pub(crate) options: Vec<(String, usize)>,
    /// Values of options, apart from those that are attached.
    pub(crate) values: Vec<usize>,
    pub(crate) operands: Vec<usize>,
    /// True if every option was known.
    pub(crate) certain: bool,
}

impl Positions {
    /// Returns the positions in the arguments of a command, of which the first is its name; `None` if its options are
    /// not known. An argument that is one word, but known only at run time, counts as an operand.
    pub(crate) fn of(name: &str, args: &[Arg]) -> Option<Self> {
        let connects = is_ssh(name);
        let syntax = file_table::find(name)?.syntax;
        let known = |arg: &Arg| if arg.dynamic && !arg.splits { Arg::literal("x") } else { arg.clone() };
        let plain: Vec<Arg> = args.iter().map(known).collect();
        let mut positions =
            Self { options: Vec::new(), values: Vec::new(), operands: Vec::new(), certain: true };
        // `tar cf archive -C directory`: the values of the first word follow it, in its order.
        let bundle = args.get(1).and_then(Arg::value).filter(|text| {
            file_table::find(name).is_some_and(|usage| usage.names.contains(&"tar")) && !text.starts_with('-')
        });
        let letters = bundle.unwrap_or_default().chars();
        let taken = letters.filter(|letter| syntax.takes_value(*letter)).count();
        positions.values.extend((2..2 + taken).filter(|at| *at < args.len()));
        let mut from = if bundle.is_some() { 2 + taken } else { 1 };
        while from < args.len() {
            let read = syntax.read(&plain, from);
            positions.certain &= read.certain;
            for given in read.given {
                if given.value.is_some() && given.value_at > given.at {
                    positions.values.push(given.value_at);
                }
                positions.options.push((given.name, given.at));
            }
            if read.ended || (connects && positions.operands.len() == 1) {
                positions.operands.extend(read.operand..args.len());
                break;
            }
            positions.operands.extend(Some(read.operand).filter(|at| *at < args.len()));
            from = read.operand + 1;
        }
        Some(positions)
    }
}

/// Returns whether a command takes options up to its second operand, which starts a command line for another host.
pub(crate) fn is_ssh(name: &str) -> bool {
    matches!(name, "ssh" | "slogin" | "autossh")
}
