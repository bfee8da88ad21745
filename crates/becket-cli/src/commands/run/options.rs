//! The options of `run`, resolved from its arguments before anything is opened: contradictions are reported here.

use crate::args::{Global, InputFormat, OutputFormat, RunArgs, Volume};
use crate::env::Surroundings;
use crate::error::CliError;
use crate::report::run::{StreamOptions, Verbosity};
use becket_agent::StructuredOutput;
use becket_agent::worktree::WorktreeName;
use becket_base::suggest;
use becket_engine::config::Sources;
use serde_json::Value;

/// The variable that declares a sandbox, in which no harm is possible.
const SANDBOX: &str = "IS_SANDBOX";
/// The error if there is no prompt at all.
const NOTHING: &str =
    "there is nothing to do: give a prompt, as in `becket run -p 'tidy up'`, or pipe one in";
/// The names of the sources.
const SOURCES: [&str; 3] = ["user", "project", "local"];

/// The resolved options of a run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RunOptions {
    pub(super) output: Output,
    pub(super) prompts: Prompts,
    pub(super) sources: Sources,
    /// The error if stdin contains no prompt either.
    pub(super) without_prompt: String,
}

/// The output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    Text(Verbosity),
    Json,
    Stream(StreamOptions),
    /// On the screen of an interactive session.
    Screen(Verbosity),
}

/// The source of prompts.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Prompts {
    /// No prompt: only hooks of the start run.
    None,
    /// A prompt from the arguments alone.
    Argument(String),
    /// A prompt from stdin, appended to that of the arguments; a resumed session may need none.
    Piped { argument: Option<String>, may_be_empty: bool },
    /// Messages from stdin, one per line.
    Lines,
    /// Prompts that the user types.
    Typed { first: Option<String> },
}

impl RunOptions {
    /// Resolves the arguments.
    ///
    /// # Errors
    /// Errors if two arguments contradict each other, one has no meaning, or there is no prompt.
    pub(super) fn new(args: &RunArgs, global: &Global, around: &Surroundings) -> Result<Self, CliError> {
        harmless(args, around)?;
        session(args)?;
        worktree_name(args)?;
        structured_output(args)?;
        driven(args, global)?;
        let prompts = prompts(args, around)?;
        Ok(RunOptions {
            output: output(args, global, around, &prompts)?,
            prompts,
            sources: sources(args.sources.setting_sources.as_deref())?,
            without_prompt: without_prompt(args),
        })
    }
}

/// Rejects a run as root that allows everything outside of a sandbox.
fn harmless(args: &RunArgs, around: &Surroundings) -> Result<(), CliError> {
    let skips = args.permissions.dangerously_skip_permissions
        || args.sdk.allow_dangerously_skip_permissions
        || args.permissions.permission_mode.as_deref() == Some("bypassPermissions");
    let is_sandbox = around.var(SANDBOX).is_some_and(|value| value == "1");
    if skips && around.is_root && !is_sandbox {
        return Err(CliError::usage(format!(
            "with permissions skipped the model may do anything that root may: run as another user, or set `{SANDBOX}=1` inside of a sandbox"
        )));
    }
    Ok(())
}

/// Returns the worktree that the arguments request: none, one with that name, or one with a generated name.
///
/// # Errors
/// Errors if the name is invalid.
pub(super) fn worktree_name(args: &RunArgs) -> Result<Option<WorktreeName>, CliError> {
    match args.session.worktree.as_deref() {
        None => Ok(None),
        Some("") => Ok(Some(WorktreeName::random())),
        Some(given) => match WorktreeName::new(given) {
            Ok(name) => Ok(Some(name)),
            Err(error) => Err(CliError::usage(format!(
                "`--worktree`: {error} (what follows `--worktree` counts as its name: a prompt goes before it, or after `--`)"
            ))),
        },
    }
}

/// Returns the tool for answers that match the schema in the arguments, if there is one.
///
/// # Errors
/// Errors if the schema is not JSON, or not a valid schema of an object.
pub(super) fn structured_output(args: &RunArgs) -> Result<Option<StructuredOutput>, CliError> {
    let Some(given) = &args.sdk.json_schema else { return Ok(None) };
    let wrong = |why: String| CliError::usage(format!("`--json-schema` is not a usable JSON Schema: {why}"));
    let schema: Value = serde_json::from_str(given).map_err(|error| wrong(error.to_string()))?;
    StructuredOutput::new(schema).map(Some).map_err(|error| wrong(error.to_string()))
}

fn session(args: &RunArgs) -> Result<(), CliError> {
    let of = &args.session;
    let goes_on = of.resume.is_some() || of.continue_last;
    if of.fork_session && !goes_on {
        return Err(CliError::usage(
            "`--fork-session` copies a session: name it with `--resume ID`, or take the latest with `--continue`",
        ));
    }
    let Some(id) = &of.session_id else { return Ok(()) };
    if uuid::Uuid::try_parse(id).is_err() {
        return Err(CliError::usage(format!(
            "`--session-id {id}` is not a UUID: write one as in `5f1c9f0e-3c0b-4b7e-9a55-0d6f2b1c7a10`"
        )));
    }
    if goes_on && !of.fork_session {
        return Err(CliError::usage(
            "a resumed session keeps its id: leave `--session-id` out, or add `--fork-session`",
        ));
    }
    Ok(())
}

/// Splits `mcp__SERVER__TOOL`; returns `None` for other names.
pub(super) fn server_tool(given: &str) -> Option<(&str, &str)> {
    let (server, tool) = given.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

/// Rejects unsupported options of the program that drives the session.
fn driven(args: &RunArgs, global: &Global) -> Result<(), CliError> {
    let (of, sdk) = (&args.format, &args.sdk);
    if let Some((name, why)) = sdk.refused.first_present() {
        return Err(CliError::usage(format!("`{name}` is not supported: {why}")));
    }
    let both = of.input_format == Some(InputFormat::StreamJson)
        && of.output_format == Some(OutputFormat::StreamJson);
    match sdk.permission_prompt_tool.as_deref() {
        None => {}
        Some("stdio") if both => {}
        Some("stdio") => {
            return Err(CliError::usage(
                "`--permission-prompt-tool stdio` asks whoever reads stdout and answers on stdin: it needs \
                 `--input-format stream-json --output-format stream-json`",
            ));
        }
        Some(other) if server_tool(other).is_some() => {}
        Some(other) => {
            return Err(CliError::usage(format!(
                "`--permission-prompt-tool {other}`: write `stdio`, or `mcp__SERVER__TOOL` for the tool of an MCP server"
            )));
        }
    }
    if !cfg!(target_os = "linux") && wants_sandbox(global) {
        return Err(CliError::usage(
            "`sandbox` in `--settings` is supported on Linux only: what runs would run without one",
        ));
    }
    Ok(())
}

/// Returns true if the settings of the command line require a sandbox. In a user's files, that requirement has no
/// effect: they are written for several programs.
fn wants_sandbox(global: &Global) -> bool {
    let given = global.settings.as_deref().filter(|given| given.trim_start().starts_with('{'));
    let settings: Option<Value> = given.and_then(|given| serde_json::from_str(given).ok());
    settings.is_some_and(|settings| settings["sandbox"]["enabled"] == Value::Bool(true))
}

fn output(
    args: &RunArgs,
    global: &Global,
    around: &Surroundings,
    prompts: &Prompts,
) -> Result<Output, CliError> {
    let of = &args.format;
    let format =
        of.output_format.unwrap_or(if global.json { OutputFormat::Json } else { OutputFormat::Text });
    let extra = [
        ("--include-hook-events", of.include_hook_events),
        ("--include-partial-messages", of.include_partial_messages),
        ("--forward-subagent-text", of.forward_subagent_text),
        ("--replay-user-messages", of.replay_user_messages),
        ("--session-mirror", args.sdk.session_mirror),
    ];
    let found = extra.iter().find(|(_, is_set)| *is_set && format != OutputFormat::StreamJson);
    if let Some((name, _)) = found {
        return Err(CliError::usage(format!("`{name}` adds lines: it needs `--output-format stream-json`")));
    }
    let is_typed = matches!(prompts, Prompts::Typed { .. });
    Ok(match format {
        OutputFormat::Text if is_typed => Output::Screen(verbosity(global, true)),
        OutputFormat::Json | OutputFormat::StreamJson if is_typed => {
            return Err(CliError::usage(
                "a session at a terminal prints for people: add `-p` for another format",
            ));
        }
        OutputFormat::Text => Output::Text(verbosity(global, around.terminals.stderr)),
        OutputFormat::Json => Output::Json,
        OutputFormat::StreamJson => Output::Stream(StreamOptions {
            hooks: of.include_hook_events,
            pieces: of.include_partial_messages,
            subagents: of.forward_subagent_text,
        }),
    })
}

/// Returns the amount of detail; `is_watched` is true if the output is read as it is written.
fn verbosity(global: &Global, is_watched: bool) -> Verbosity {
    match global.volume() {
        Volume::Quiet => Verbosity::Needed,
        Volume::Normal if is_watched => Verbosity::Work,
        Volume::Normal => Verbosity::Needed,
        Volume::Verbose => Verbosity::All,
    }
}

fn prompts(args: &RunArgs, around: &Surroundings) -> Result<Prompts, CliError> {
    let argument = args.prompt.clone().filter(|prompt| !prompt.trim().is_empty());
    let lines = args.format.input_format == Some(InputFormat::StreamJson);
    if args.session.init_only {
        return match argument {
            Some(_) => {
                Err(CliError::usage("`--init-only` takes no prompt: leave the prompt out, or write `--init`"))
            }
            None => Ok(Prompts::None),
        };
    }
    if !args.print && !lines && around.terminals.stdin && around.terminals.stdout {
        return match around.terminals.stderr {
            true => Ok(Prompts::Typed { first: argument }),
            false => Err(CliError::usage(
                "a session at a terminal draws on stderr, too: leave stderr to the terminal, or add `-p`",
            )),
        };
    }
    let goes_on = args.session.resume.is_some() || args.session.continue_last;
    match (lines, argument, around.terminals.stdin) {
        (true, Some(_), _) => Err(CliError::usage(
            "with `--input-format stream-json` prompts come from stdin, a line each: leave the prompt out of the arguments",
        )),
        (true, None, _) => Ok(Prompts::Lines),
        (false, Some(text), true) => Ok(Prompts::Argument(text)),
        // Deferred calls are resumed without a prompt (D10).
        (false, None, true) if goes_on => Ok(Prompts::None),
        (false, None, true) => Err(CliError::usage(without_prompt(args))),
        (false, argument, false) => Ok(Prompts::Piped { argument, may_be_empty: goes_on }),
    }
}

fn sources(given: Option<&str>) -> Result<Sources, CliError> {
    let Some(given) = given else { return Ok(Sources::default()) };
    let mut sources = Sources::none();
    for name in given.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match name {
            "user" => sources.user = true,
            "project" => sources.project = true,
            "local" => sources.local = true,
            other => {
                let near = suggest(other, &SOURCES).map(|near| format!("; did you mean `{near}`?"));
                return Err(CliError::usage(format!(
                    "`--setting-sources`: there is no source `{other}`: write `user`, `project` or `local`, separated by commas{}",
                    near.unwrap_or_default()
                )));
            }
        }
    }
    Ok(sources)
}

/// Returns the error if there is no prompt; an option that takes several values may have consumed it.
fn without_prompt(args: &RunArgs) -> String {
    let greedy = [
        ("--allowedTools", args.permissions.allowed_tools.is_empty()),
        ("--disallowedTools", args.permissions.disallowed_tools.is_empty()),
        ("--add-dir", args.permissions.add_dir.is_empty()),
        ("--mcp-config", args.sources.mcp_config.is_empty()),
    ];
    match greedy.iter().find(|(_, is_empty)| !is_empty) {
        Some((name, _)) => format!(
            "{NOTHING} (what follows `{name}` counts as its value: a prompt goes before it, or after `--`)"
        ),
        None => NOTHING.to_owned(),
    }
}
