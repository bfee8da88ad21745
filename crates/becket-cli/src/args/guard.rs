//! The arguments of `becket init`, `add`, `remove` and `input`.

use clap::{Args, ValueEnum};

/// `becket init`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket init
  becket init --yes
  becket init --template strict --set branches=main --set 'branches=release/*' --yes
  becket init --dry-run

It looks at the repository and asks for what it can't see: the guards, the protected branches, the command that runs the tests.
Settings that are there stay as they are, and guards are added to them. `becket add` adds more, `becket remove` removes one.

Exit codes: 0 done, or there was nothing to do, 1 nothing was changed, 2 wrong usage.")]
pub(crate) struct InitArgs {
    /// The guards to start with
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) template: Option<TemplateName>,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

/// The guards to start with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TemplateName {
    /// protected-branches, destructive-commands, secrets
    Minimal,
    /// and protected-paths, prompt-secrets, session-context; tests-before-stop if the tests are known
    Standard,
    /// and ask-before-deploy, ask-before-install, commit-messages, no-network
    Strict,
}

/// The options of a command that changes the settings of a project.
#[derive(Debug, Clone, Args)]
pub(crate) struct ChangeArgs {
    /// Answer a question of a guard; repeat it for several values
    #[arg(long, value_name = "ID=VALUE", allow_hyphen_values = true)]
    pub(crate) set: Vec<String>,
    /// Show the changes without making them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Make the changes without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// `becket add`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket add --list
  becket add protected-branches --set branches=main --set 'branches=release/*'
  becket add ./guards/our-guard
  becket add github:example/guards/no-friday-deploys@4b825dc642cb6eb9a060e54bf8d69288fbee4904

A guard is a folder: guard.toml, cases.toml, and the files of its hooks. Its rules and hooks go into `.claude/settings.json`, its
files into `.claude/hooks/NAME/`, its cases into `.claude/tests/`; `.claude/guards.json` records that for `becket remove`.
A guard of GitHub is named by a full commit, and shown before it is added. If its files, or those of a folder, differ from those
that were added before, `--yes` is not enough: look at them at a terminal, or name their hash with `--hash`.

Exit codes: 0 done, or there was nothing to do, 1 nothing was changed, 2 wrong usage.")]
pub(crate) struct AddArgs {
    /// Guards of becket by name, folders (`./DIR`), or `github:OWNER/REPO[/DIR]@COMMIT`
    #[arg(value_name = "NAME|./DIR|github:OWNER/REPO@COMMIT", required_unless_present = "list")]
    pub(crate) guards: Vec<String>,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
    /// Add only a guard with this hash
    #[arg(long, value_name = "sha256:DIGITS")]
    pub(crate) hash: Option<String>,
    /// List the guards of becket, and those that were added
    #[arg(long, conflicts_with_all = ["guards", "set", "dry_run", "yes", "hash"])]
    pub(crate) list: bool,
}

/// `becket remove`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket remove no-network
  becket remove secrets --dry-run

What was added is removed, and nothing else: files of the guard that were edited stay, and are named.

Exit codes: 0 done, 1 nothing was changed, 2 wrong usage.")]
pub(crate) struct RemoveArgs {
    /// The guards
    #[arg(value_name = "NAME", required = true)]
    pub(crate) guards: Vec<String>,
    /// Show the changes without making them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Make the changes without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// `becket input`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples, in a hook:
  command=$(becket input --get tool_input.command) || exit 2
  becket input --get tool_input.file_path --default ''

A text is printed as it is, anything else as JSON.

Exit codes: 0 the field is printed, 1 there is no such field, 2 stdin is not the input of a hook.")]
pub(crate) struct InputArgs {
    /// The field: a name, or a path such as `tool_input.command`
    #[arg(long, value_name = "PATH")]
    pub(crate) get: String,
    /// Print this if there is no such field
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) default: Option<String>,
}
