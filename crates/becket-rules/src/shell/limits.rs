//! The bounds of the analysis. Anything beyond one of them is *unknown*; none of them ever yields *no match*.

/// The maximum number of characters of a line (rule P4).
pub(crate) const MAX_CHARS: usize = 10_000;

/// The maximum nesting, over the grammar and over programs in text (`sh -c`) together. A debug build needs about 10 KiB
/// of stack for a level; a thread of 1 MiB is enough.
pub(crate) const MAX_DEPTH: u32 = 40;

/// The maximum number of commands of one line, including those found in wrappers.
pub(crate) const MAX_COMMANDS: usize = 4_000;

/// The maximum number of bytes of command text kept for one line. `sudo sudo sudo …` would otherwise take quadratic
/// space.
pub(crate) const MAX_TEXT: usize = 1 << 20;

/// The maximum number of words of one brace expansion.
pub(crate) const MAX_BRACE_WORDS: usize = 64;

/// The maximum number of values of variables that are examined for the paths of one line.
pub(crate) const MAX_VALUES: usize = 2_000;

/// The maximum number of paths of one line that are compared with rules: each file from each possible directory.
pub(crate) const MAX_PATHS: usize = 1_024;
