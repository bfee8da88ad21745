//! The command line as typed. Nothing is resolved or read here: see [`crate::session`] and [`crate::event`].

mod acp;
mod audit;
mod autocompact;
mod exec;
mod explain;
mod fire;
mod guard;
mod install;
mod mcp;
mod model_settings;
mod profile;
mod replay;
mod run;
mod run_sdk;
mod self_command;
mod serve;
mod severity;
mod test;

pub(crate) use acp::AcpArgs;
pub(crate) use audit::{
    AuditArgs, AuditCheckpointArgs, AuditCommand, AuditKeyCommand, AuditShowArgs, AuditVerifyArgs, AuditedLog,
};
pub(crate) use autocompact::{Autocompact, InvalidWindow};
pub(crate) use exec::{ExecArgs, NetworkChoice};
pub(crate) use explain::ExplainArgs;
pub(crate) use fire::{AsksChoice, FireArgs, ModelArgs, ProgressChoice, ServiceArgs};
pub(crate) use guard::{AddArgs, ChangeArgs, InitArgs, InputArgs, RemoveArgs, TemplateName};
pub(crate) use install::{DoctorArgs, InstallArgs, ScopeArgs, TrustArgs, UninstallArgs};
pub(crate) use mcp::{
    McpAddArgs, McpAddJsonArgs, McpArgs, McpCallArgs, McpCommand, McpGatewayArgs, McpListArgs, McpLoginArgs,
    McpPromptsArgs, McpScope, McpToolsArgs, McpTransport,
};

pub(crate) use profile::ProfileArgs;

pub(crate) use replay::ReplayArgs;

pub(crate) use self_command::{SelfArgs, SelfCommand, SelfUpdateArgs};

pub(crate) use model_settings::{DisplayChoice, EffortChoice, ModelSettingArgs, ThinkingChoice};
pub(crate) use run_sdk::{PromptAnswerer, RunSdkArgs};

pub(crate) use serve::ServeArgs;
pub(crate) use test::{TestArgs, TestFormat};

pub(crate) use severity::{SeverityOverride, known_code};

pub(crate) use run::{InputFormat, OutputFormat, RunArgs, RunModelArgs, RunSessionArgs};

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Checks, explains and fires the hooks of AI agents.
#[derive(Debug, Parser)]
#[command(name = "becket", version, arg_required_else_help = true, propagate_version = true)]
#[command(
    after_long_help = "Start with `becket init` in your project, or with `becket check` if it has hooks.

Examples:
  becket init
  becket check
  becket explain PreToolUse --tool Bash
  becket fire PreToolUse --tool Bash --set tool_input.command='git push --force'
  becket test

Exit codes: 0 done; the other codes are those of each command."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Run as if started in DIR
    ///
    /// Paths in other global options remain relative to the actual working directory.
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// The dialect, which selects directories and variables
    #[arg(long, value_enum, default_value_t = ProfileName::Claude, global = true)]
    pub(crate) profile: ProfileName,
    /// More settings, as a file or as JSON (source `flag`)
    #[arg(long, value_name = "FILE|JSON", global = true)]
    pub(crate) settings: Option<String>,
    /// Load another plugin from DIR; may be repeated
    #[arg(long, value_name = "DIR", global = true, hide_short_help = true)]
    pub(crate) plugin_dir: Vec<PathBuf>,
    /// Read managed settings from DIR instead of the system's directory
    #[arg(long, value_name = "DIR", global = true, hide = true)]
    pub(crate) managed_dir: Option<PathBuf>,
    /// Fail if the configuration has errors
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) strict: bool,
    /// Print JSON (`becket schema report` describes it)
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print results and errors only
    ///
    /// Notes, progress and hints are left out, and `check` and `test` print nothing if all is well.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print details: the files that are read, the exit code and the time
    ///
    /// They are written to stderr. In addition, `fire` shows the input, environment and output of each hook, and `run` its progress,
    /// silent hooks included.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Send spans, metrics and audit records to the collector of `OTEL_EXPORTER_OTLP_ENDPOINT`
    #[cfg(feature = "otlp")]
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) otlp: bool,
    /// Control the use of colour
    #[arg(long, value_enum, default_value_t = ColourChoice::Auto, value_name = "WHEN", global = true, hide_short_help = true)]
    pub(crate) color: ColourChoice,
}

impl Global {
    /// Returns the arguments that another process of becket is given to have the same options.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let mut arguments = Vec::new();
        let mut option = |name: &str, value: OsString| arguments.extend([OsString::from(name), value]);
        let word = |value: Option<clap::builder::PossibleValue>| {
            OsString::from(value.map(|value| value.get_name().to_owned()).unwrap_or_default())
        };
        if let Some(directory) = &self.directory {
            option("-C", directory.into());
        }
        option("--profile", word(self.profile.to_possible_value()));
        option("--color", word(self.color.to_possible_value()));
        if let Some(settings) = &self.settings {
            option("--settings", settings.into());
        }
        self.plugin_dir.iter().for_each(|directory| option("--plugin-dir", directory.into()));
        if let Some(directory) = &self.managed_dir {
            option("--managed-dir", directory.into());
        }
        let flags = [("--strict", self.strict), ("--json", self.json)];
        arguments.extend(flags.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name.into()));
        arguments
    }

    /// Returns the amount of output.
    pub(crate) const fn volume(&self) -> Volume {
        match (self.quiet, self.verbose) {
            (true, _) => Volume::Quiet,
            (false, true) => Volume::Verbose,
            (false, false) => Volume::Normal,
        }
    }
}

/// The amount of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Volume {
    /// Results and errors.
    Quiet,
    /// Notes, progress and hints, as well.
    Normal,
    /// Details, as well.
    Verbose,
}

/// A profile by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileName {
    Claude,
    Agent,
    Becket,
}

/// The use of colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourChoice {
    Auto,
    Always,
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write the first guards of a repository, with their tests
    Init(InitArgs),
    /// Add guards: ready-made rules and hooks, with their tests
    Add(AddArgs),
    /// Remove guards that `add` or `init` has added
    Remove(RemoveArgs),
    /// Run the hooks of an event and show what they decide
    Fire(FireArgs),
    /// Show which hooks an event would run, and why the others would not
    Explain(ExplainArgs),
    /// List the effective hooks with their sources
    List(ListArgs),
    /// Look through the hooks at a terminal, and try one
    #[command(after_long_help = "Examples:
  becket hooks

It is for a terminal; `becket list` prints the same hooks.

Exit codes: 0 done, 1 an error, 2 no terminal, or wrong usage.")]
    Hooks,
    /// Find problems in a configuration
    Check(CheckArgs),
    /// List the rules of `check`, or explain one
    Rule(RuleArgs),
    /// Serve findings, fixes and completion to an editor (LSP)
    ///
    /// The editor also shows the documentation of events and fields.
    #[command(after_long_help = "Examples:
  becket lsp

An editor starts it, and communicates over stdin and stdout.

Exit codes: 0 the editor has ended it, 1 an error, 2 wrong usage.")]
    Lsp {
        /// Accepted since editors pass it: stdin and stdout are always used
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Show how the output of a hook on stdin is interpreted
    CheckOutput(CheckOutputArgs),
    /// Print a field of the hook input on stdin, for shell scripts
    Input(InputArgs),
    /// Test the hooks with cases, and the cases with mutants
    Test(TestArgs),
    /// Show what the hooks would have decided about past sessions
    Replay(ReplayArgs),
    /// Show the time that hooks take
    Profile(ProfileArgs),
    /// Show and verify the log of verdicts
    Audit(AuditArgs),
    /// List the events, or show the details of one
    Events(EventsArgs),
    /// Register becket as a hook of other agents
    ///
    /// The entries are written to their own configurations.
    Install(InstallArgs),
    /// Remove becket from the configurations of other agents
    Uninstall(UninstallArgs),
    /// Show where becket is registered, and whether it would be run
    Doctor(DoctorArgs),
    /// Write the hooks in the native form of another agent
    ///
    /// It reports what is lost.
    Translate(TranslateArgs),
    /// Allow one call that an agent could not ask about, once
    ///
    /// It requires a person at a terminal.
    AllowOnce(AllowOnceArgs),
    /// Trust a folder, so that its hooks run; list such folders
    ///
    /// If becket is registered for the user, only the hooks of trusted folders run. Trust can be withdrawn.
    Trust(TrustArgs),
    /// Show the hooks that run in the background of other processes
    Background(BackgroundArgs),
    /// Let an agent work on a prompt, under your hooks and rules
    Run(Box<RunArgs>),
    /// Run a program, and all that it starts, under the rules for Bash
    Exec(ExecArgs),
    /// Serve the engine to a program in any language (JSON-RPC)
    ///
    /// Transports are stdio, a Unix socket and HTTP.
    Serve(ServeArgs),
    /// List, examine and call MCP servers
    Mcp(McpArgs),
    /// Run an ACP agent behind your hooks and rules, for an editor
    ///
    /// The hooks and rules are those of the projects that it works on. ACP is the Agent Client Protocol.
    Acp(AcpArgs),
    /// Print a JSON Schema
    Schema(SchemaArgs),
    /// Show how this copy of becket was installed, or update it
    #[command(name = "self")]
    Self_(SelfArgs),
    /// Print a completion script for a shell
    #[command(after_long_help = "Examples:
  becket completions bash > ~/.local/share/bash-completion/completions/becket
  becket completions zsh > ~/.zfunc/_becket           # ~/.zfunc is in $fpath
  becket completions fish > ~/.config/fish/completions/becket.fish
  becket completions powershell >> $PROFILE

Exit codes: 0 printed, 1 an error, 2 wrong usage.")]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all pages into DIR
    #[command(after_long_help = "Examples:
  becket man | man -l -
  becket man ~/.local/share/man/man1

Exit codes: 0 printed or written, 1 an error, 2 wrong usage.")]
    Man {
        /// Directory to write the pages to
        #[arg(value_name = "DIR")]
        pages: Option<PathBuf>,
    },
    /// Print the reference of all commands in Markdown
    #[command(hide = true)]
    Reference,
    /// Ask the user at the terminal the question on stdin; `fire` starts this
    #[command(hide = true)]
    Ask,
    /// End the processes of a killed run; `run` starts this
    #[command(hide = true)]
    Keep {
        /// Private directory of that run, removed with it
        private: PathBuf,
    },
    /// Run an agent against a scripted model; `doctor --prove` starts this
    #[command(hide = true)]
    Trial,
    /// Supervise the programs of one command line; `run` starts this
    #[command(hide = true)]
    Supervise {
        /// The program and its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
}

impl Command {
    /// Returns true if the command tries hooks out: none of their processes outlives it.
    pub(crate) const fn ends_processes_of_hooks(&self) -> bool {
        matches!(self, Command::Test(_) | Command::Replay(_))
    }

    /// Returns true if the command only examines a configuration or an output: then exit code 1 means that it found
    /// something, and 2 that it could not examine it.
    pub(crate) const fn examines(&self) -> bool {
        matches!(
            self,
            Command::Check(_)
                | Command::Rule(_)
                | Command::List(_)
                | Command::Explain(_)
                | Command::Events(_)
                | Command::CheckOutput(_)
                | Command::Test(_)
                | Command::Doctor(_)
                | Command::Replay(_)
                | Command::Profile(_)
                | Command::Audit(_)
                | Command::Schema(_)
        )
    }
}

/// The fields of an event.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct EventFields {
    /// The tool, for events about a tool call
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// The tool's input (on other events: the event's fields) as JSON, from a file, or from stdin
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub(crate) input: Option<String>,
    /// Set a field of the input; VALUE is JSON or text, KEY may be a path: `tool_input.command`
    #[arg(long, value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub(crate) set: Vec<String>,
    /// The permission mode
    #[arg(long, value_parser = ["default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"])]
    pub(crate) mode: Option<String>,
    /// The session's id
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

/// `becket list`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket list
  becket list PreToolUse
  becket list --json

Exit codes: 0 everything is loaded, 1 something is not, 2 wrong usage.")]
pub(crate) struct ListArgs {
    /// Only this event
    pub(crate) event: Option<String>,
}

/// `becket check`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket check
  becket check plugins/mine .claude/agents/reviewer.md
  becket check --format github --deny warnings
  becket check --diff --unsafe-fixes
  becket check --for gemini

Exit codes: 0 no errors, 1 errors (with --deny warnings: or warnings), 2 nothing to check, or it can't be read.")]
pub(crate) struct CheckArgs {
    /// Settings files, hooks.json, plugin or project directories, skills and agents (.md), directories with any of them below,
    /// `-` for stdin; default: everything in force
    pub(crate) paths: Vec<PathBuf>,
    /// Format of the findings
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    pub(crate) format: CheckFormat,
    /// Show what AGENT keeps, weakens and loses of each hook that `fire --dialect` runs there; a loss is a warning
    #[arg(long = "for", value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Report findings of the rule CODE as `error`, `warning` or `note`, or not at all (`off`); may be repeated
    #[arg(long, value_name = "CODE=LEVEL", value_parser = severity::parse)]
    pub(crate) severity: Vec<SeverityOverride>,
    /// Leave out the findings that FILE lists
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the present findings to FILE, for `--baseline`, and exit with 0
    #[arg(long, value_name = "FILE", conflicts_with = "baseline", hide_short_help = true)]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Make safe fixes in the files of the project or below the given paths; they do not change which hooks run
    #[arg(long, conflicts_with_all = ["agent", "write_baseline"])]
    pub(crate) fix: bool,
    /// Show what `--fix` would change, and exit with 1 if anything
    #[arg(long, conflicts_with_all = ["fix", "agent", "write_baseline", "json", "format"])]
    pub(crate) diff: bool,
    /// With `--fix` or `--diff`: also make fixes that may change what runs
    #[arg(long, hide_short_help = true)]
    pub(crate) unsafe_fixes: bool,
    /// Exit with 1 on warnings as well
    #[arg(long, value_parser = ["warnings"], value_name = "warnings")]
    pub(crate) deny: Option<String>,
}

/// The output format of `check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// With the lines of the file
    Human,
    /// JSON, as in `becket schema report`
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// `becket check-output`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  echo '{\"decision\": \"block\", \"reason\": \"run the tests\"}' | becket check-output Stop
  becket check-output PreToolUse --exit 2 --stderr 'not on a Friday' < /dev/null

Exit codes: 0 a usable answer, 1 not a usable answer, or a part of it is ignored, 2 wrong usage.")]
pub(crate) struct CheckOutputArgs {
    /// The event that the hook answered
    pub(crate) event: String,
    /// The hook's exit code
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) exit: i32,
    /// The hook's stderr, as text or from a file
    #[arg(long, value_name = "TEXT|@FILE", allow_hyphen_values = true)]
    pub(crate) stderr: Option<String>,
}

/// `becket rule`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket rule
  becket rule unknown-event

Exit codes: 0 shown, 2 wrong usage.")]
pub(crate) struct RuleArgs {
    /// Explain this rule, such as `unknown-event`
    pub(crate) code: Option<String>,
    /// Print the page of all rules
    #[arg(long, hide = true)]
    pub(crate) page: bool,
}

/// `becket events`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket events
  becket events PreToolUse

Exit codes: 0 shown, 2 wrong usage.")]
pub(crate) struct EventsArgs {
    /// Show the details of this event
    pub(crate) event: Option<String>,
}

/// `becket translate`
#[derive(Debug, Args)]
#[command(
    after_long_help = "Stderr shows what is lost, as `becket check --for` does. `becket install` loses less: the hooks stay as they are.

Examples:
  becket translate --to gemini
  becket translate --to codex --output codex-hooks.json

Exit codes: 0 every hook is written, 1 one is left out, 2 wrong usage."
)]
pub(crate) struct TranslateArgs {
    /// The agent
    #[arg(long, value_name = "AGENT")]
    pub(crate) to: String,
    /// Write a new file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// `becket allow-once`
#[derive(Debug, Args)]
#[command(
    after_long_help = "If an agent can't ask, an ask of a hook is a denial whose reason names this command. It shows the call and allows
it if you type yes: exactly this input, once, for ten minutes. It works only at a terminal that no agent has started.

Examples:
  becket allow-once 3f9c1a

Exit codes: 0 allowed, 1 not allowed, 2 wrong usage."
)]
pub(crate) struct AllowOnceArgs {
    /// The name of the call, from the reason of the denial
    pub(crate) id: String,
}

/// `becket background`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket background
  becket background --session-dir .sessions

Exit codes: 0 shown, 1 an error, 2 wrong usage.")]
pub(crate) struct BackgroundArgs {
    /// The directory in which a host keeps its session's files; default: `becket` in the user's directory
    #[arg(long, value_name = "DIR")]
    pub(crate) session_dir: Option<PathBuf>,
}

/// `becket schema`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket schema settings > settings.schema.json
  becket schema input PreToolUse
  becket schema report

Exit codes: 0 printed, 2 wrong usage.")]
pub(crate) struct SchemaArgs {
    #[command(subcommand)]
    pub(crate) what: SchemaOf,
}

/// The type whose schema is printed.
#[derive(Debug, Subcommand)]
pub(crate) enum SchemaOf {
    /// A settings file
    #[command(after_long_help = "Examples:
  becket schema settings > settings.schema.json")]
    Settings,
    /// The input of a hook of EVENT on stdin
    #[command(after_long_help = "Examples:
  becket schema input PreToolUse")]
    Input {
        /// The event
        event: String,
    },
    /// The output that a hook of EVENT may print
    #[command(after_long_help = "Examples:
  becket schema output Stop")]
    Output {
        /// The event
        event: String,
    },
    /// The output of becket with --json
    #[command(after_long_help = "Examples:
  becket schema report")]
    Report,
    /// The output of `becket test --json`
    #[command(after_long_help = "Examples:
  becket schema test-report")]
    TestReport,
    /// The output of `becket replay --json`
    #[command(after_long_help = "Examples:
  becket schema replay-report")]
    ReplayReport,
    /// The output of `becket profile --json`
    #[command(after_long_help = "Examples:
  becket schema profile-report")]
    ProfileReport,
    /// The messages of `becket serve`
    #[command(after_long_help = "Examples:
  becket schema rpc")]
    Rpc,
}
