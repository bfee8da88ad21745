//! Words that the shell runs itself.

/// The builtins and reserved words of bash.
#[rustfmt::skip]
const SHELL_WORDS: &[&str] = &[
    "!", ".", ":", "[", "[[", "]]", "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd",
    "command", "compgen", "complete", "compopt", "continue", "coproc", "declare", "dirs", "disown", "do",
    "done", "echo", "elif", "else", "enable", "esac", "eval", "exec", "exit", "export", "false", "fc", "fg",
    "fi", "for", "function", "getopts", "hash", "help", "history", "if", "in", "jobs", "kill", "let", "local",
    "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly", "return",
    "select", "set", "shift", "shopt", "source", "suspend", "test", "then", "time", "times", "trap", "true",
    "type", "typeset", "ulimit", "umask", "unalias", "unset", "until", "wait", "while", "{", "}",
];

/// Returns true for a builtin or a reserved word of bash: as the name of a command it starts no program, and may change
/// the state of the shell.
#[must_use]
pub fn is_shell_word(name: &str) -> bool {
    SHELL_WORDS.contains(&name)
}
