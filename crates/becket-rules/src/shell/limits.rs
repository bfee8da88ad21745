//! The bounds of the analysis. What exceeds one of them is *unknown*; none of them ever yields *no match*.

/// Characters of a line that is still parsed (rule P4).
pub(crate) const MAX_CHARS: usize = 10_000;

/// Levels of nesting, over the grammar and over programs in text (`sh -c`) together. A debug build needs about 10 KiB
/// of stack for a level; a thread of 1 MiB is enough.
pub(crate) const MAX_DEPTH: u32 = 40;

/// Commands that are kept for one line, wrappers looked through included.
pub(crate) const MAX_COMMANDS: usize = 4_000;

/// Bytes of command text that is kept for one line. `sudo sudo sudo …` would otherwise cost the square of its length.
pub(crate) const MAX_TEXT: usize = 1 << 20;

/// Words that one brace expansion may yield.
pub(crate) const MAX_BRACE_WORDS: usize = 64;

/// Values of variables that are looked at for the paths of one line.
pub(crate) const MAX_VALUES: usize = 2_000;

/// Paths of one line that are compared with rules: each file from each directory that the line may be in.
pub(crate) const MAX_PATHS: usize = 1_024;
