//! Findings about commands and prompts that don't do what their author expects.

use super::{DiagnosticRule, rule};

#[rustfmt::skip]
pub(super) const RULES: &[DiagnosticRule] = &[
    rule("shell-syntax", "the shell can't read a command", "The shell exits with 2, which blocks on every event that can block.", "Count the quotes and brackets of the command."),
    rule("bash-only-syntax", "a command needs bash and runs under sh", "Where `/bin/sh` is another shell, such as dash on Debian, the command fails, and the action passes.", "Write `bash -c '…'`, or put it into a script that begins with `#!/usr/bin/env bash`."),
    rule("unquoted-variable", "a path is not quoted", "A directory with a blank in its name splits the path into two words, and the hook fails.", "Put double quotes around the variable."),
    rule("unset-variable", "nothing sets a variable", "The variable is empty when the hook runs. The input of a hook is JSON on stdin.", "Read the field from stdin, for instance by `jq -r .tool_input.file_path`."),
    rule("relative-script", "a script is named relative to the session's directory", "The session's directory changes with `cd`. Then the script is not found, and the action passes unchecked.", "Begin the path with `\"$CLAUDE_PROJECT_DIR\"`, or in a plugin with `\"${CLAUDE_PLUGIN_ROOT}\"`."),
    rule("missing-script", "the script of a hook does not exist", "The hook ends with 127, and the action passes unchecked.", "Correct the path, or add the file."),
    rule("not-executable", "the script of a hook is not executable", "The hook ends with 126, and the action passes unchecked.", "Run `chmod +x` on it, or start it with its interpreter."),
    rule("missing-program", "a program is not on `PATH`", "The hook ends with 127, and the action passes unchecked.", "Install the program, or name its path."),
    rule("swallowed-failure", "a guard always succeeds", "A command that ends with `|| true` or `; exit 0` can't refuse anything.", "Let the exit code of the guard through."),
    rule("exit-code-does-not-block", "an exit code is neither 0 nor 2", "Only exit code 2 blocks. Every other code is an error, after which the action goes on.", "End with `exit 2`, with the reason on stderr."),
    rule("endless-stop", "a Stop hook can block every end of the turn", "A hook that never reads `stop_hook_active` blocks again after each continuation.", "Let the turn end where the input holds `\"stop_hook_active\": true`."),
    rule("question-not-asked", "a question without `questions: true`", "The user is not asked, and the hook receives no answer.", "Add `\"questions\": true` to the handler."),
    rule("answer-not-understood", "a literal answer is not understood", "The answer is an error, and decides nothing.", "Write it in the form of the event; `becket check-output EVENT` shows how an output is read."),
    rule("answer-without-effect", "a part of a literal answer has no effect", "A field that the event does not know is ignored.", "Use the fields that `becket events EVENT` lists."),
    rule("text-not-shown", "a text that is only logged", "On this event plain text on stdout reaches neither the model nor the user.", "Write it to stderr with exit code 2 for the model, or print `systemMessage` for the user."),
    rule("no-worktree-path", "a WorktreeCreate hook prints no path", "The hook replaces git's worktree. Without a path no worktree is created.", "Print the path of the worktree as the last line."),
    rule("replaces-worktree", "a WorktreeCreate hook replaces git's worktree", "The host creates no worktree of its own, and uses the path that the hook prints.", "Create the worktree in the hook, and print its path."),
    rule("unknown-input-field", "the event has no field of this name", "The path holds `null`, so the hook decides on nothing.", "Use a field that `becket events EVENT` lists."),
    rule("unknown-tool-field", "the tool has no field of this name", "The path holds `null`, so the hook decides on nothing.", "Use a field of the tool's input or response."),
    rule("jq-syntax", "a program of jq is cut off", "jq fails and prints nothing, so the hook decides on an empty text.", "Look for a quote of the shell that ends the program too early."),
    rule("path-is-absolute", "an absolute path is compared with a bare name", "`tool_input.file_path` is absolute, so the comparison is never true.", "Compare the last part of the path."),
    rule("unpinned-package", "a package is downloaded without a fixed version", "What is published under that name runs in every session, and each event waits for the registry.", "Name an exact version, or install the package."),
    rule("prompt-asks-for-other-reply", "a prompt asks for a reply in another shape", "Only `{\"ok\": …}` is read. Any other reply is an error, and decides nothing.", "Ask for `{\"ok\": true}` or `{\"ok\": false, \"reason\": \"…\"}`."),
    rule("timeout-in-milliseconds", "a time limit looks like milliseconds", "`timeout` counts seconds, so the hook may hang for hours.", "Divide it by 1000."),
    rule("timeout-without-effect", "a time limit that can't count", "The hooks of plugins share 1.5 s at the end of a session.", "Remove the limit."),
    rule("async-on-deciding-event", "a guard in the background", "The event goes on without the answer of a background hook.", "Remove `async` if the hook is to hold anything back."),
    rule("once-without-effect", "`once` outside of a skill", "The handler runs every time.", "Remove `once`."),
    rule("hook-is-becket", "a hook starts Becket itself", "Becket would run the hooks of the same file again, so it skips the hook.", "Use `becket --profile becket fire --stdin-event`, and move the hooks to `.becket/settings.json`."),
    rule("becket-only-key", "a key that only Becket reads", "Other programs that read the file ignore it.", "Nothing, if Becket runs these hooks."),
    rule("env-without-effect", "a variable that does not reach more trusted hooks", "A hook sees `env` only of files that are trusted at least as much as its own.", "Set the variable in the file of those hooks."),
];
