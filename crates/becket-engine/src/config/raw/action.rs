//! The action of a handler: the keys of each kind (H2, H5–H8).

use super::dialect::UnknownKey;
use super::fields::{At, Fields};
use super::sheet::ReadContext;
use crate::config::fix::{Fix, FixChange};
use crate::config::handler::{Action, Command, Http, McpTool, Prompt, Shell};
use crate::config::source::tree::{Span, members_to_json};
use crate::config::url;
use becket_base::suggest;
use becket_model::table::HandlerKind;
use std::sync::Arc;

/// Returns the keys of a kind in addition to the common ones.
pub(crate) const fn keys(kind: HandlerKind) -> &'static [&'static str] {
    match kind {
        HandlerKind::Command => {
            &["command", "args", "shell", "async", "asyncRewake", "questions", "worker", "warm"]
        }
        HandlerKind::Http => &["url", "headers", "allowedEnvVars"],
        HandlerKind::McpTool => &["server", "tool", "input"],
        HandlerKind::Prompt => &["prompt", "model", "continueOnBlock"],
        HandlerKind::Agent => &["prompt", "model"],
    }
}

/// Returns the meaning of a key that belongs to another kind.
pub(crate) fn misplaced(key: &str, kind: HandlerKind) -> Option<UnknownKey> {
    let other = HandlerKind::ALL.into_iter().find(|other| keys(*other).contains(&key))?;
    Some(UnknownKey::Lost(format!("`{key}` belongs to handlers of type `{other}`, and this one is `{kind}`")))
}

/// Returns a placeholder until the action is read.
pub(crate) fn nothing() -> Action {
    Action::Command(Command::Shell { script: Arc::from(""), shell: Shell::Default })
}

/// Reads the action and its place; `None` after a reported error.
pub(crate) fn read(
    kind: HandlerKind,
    fields: &mut Fields<'_, '_, '_>,
    words: &ReadContext,
) -> Option<(Action, Span)> {
    match kind {
        HandlerKind::Command => command(fields, words),
        HandlerKind::Http => http(fields),
        HandlerKind::McpTool => mcp_tool(fields),
        HandlerKind::Prompt => {
            let go_on = fields.flag("continueOnBlock").is_some_and(|flag| flag.value);
            prompt(fields, go_on).map(|(prompt, at)| (Action::Prompt(prompt), at))
        }
        // An agent's refusal is always feedback (H8).
        HandlerKind::Agent => prompt(fields, true).map(|(prompt, at)| (Action::Agent(prompt), at)),
    }
}

fn command(fields: &mut Fields<'_, '_, '_>, words: &ReadContext) -> Option<(Action, Span)> {
    let command =
        fields.required_text("command", "write what is to run, such as `\"command\": \"./check.sh\"`");
    let args = fields.texts("args");
    // With `args` no shell is started, so `shell` is ignored, whatever it is.
    let shell = if args.is_some() { Shell::Default } else { shell(fields) };
    let command = command?;
    if let Some(args) = args {
        exec_warnings(&command, fields);
        let action = Command::Exec { program: command.value.as_str().into(), args: args.value.into() };
        return Some((Action::Command(action), command.span));
    }
    if let Some(key) = user_config(&command.value) {
        let variable = option_variable(words, key);
        let message = format!("`${{user_config.{key}}}` is only filled in beside `args`");
        fields
            .report
            .error(command.span, "user-config-in-shell", message)
            .help(format!("use `\"${variable}\"`, which every handler of the plugin gets"))
            .rule("H2");
        fields.spoil();
    }
    let action = Command::Shell { script: command.value.into(), shell };
    Some((Action::Command(action), command.span))
}

/// Returns the variable that contains a plugin's option (H2).
fn option_variable(words: &ReadContext, key: &str) -> String {
    let tail: String =
        key.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    words.profile.var(&format!("PLUGIN_OPTION_{tail}"))
}

fn user_config(text: &str) -> Option<&str> {
    let rest = text.split_once("${user_config.")?.1;
    rest.split_once('}').map(|(key, _)| key)
}

fn exec_warnings(command: &At<String>, fields: &mut Fields<'_, '_, '_>) {
    let bare = !command.value.contains(['/', '\\', '$']);
    if bare && command.value.trim().contains(char::is_whitespace) {
        let message =
            "beside `args`, `command` is the name of one program: the blank in it is part of the name";
        let help = "put the words after the program's name into `args`";
        fields.report.warning(command.span, "blank-in-program", message).help(help).rule("H2");
    }
    if fields.has("shell") {
        let at = fields.place("shell");
        let message = "`shell` has no effect beside `args`: the program is started without a shell";
        fields
            .report
            .warning(at, "shell-beside-args", message)
            .help("remove `shell`")
            .rule("H2")
            .fix(Fix::safe(at, "remove `shell`", FixChange::RemoveMember("shell")));
    }
}

fn shell(fields: &mut Fields<'_, '_, '_>) -> Shell {
    let Some(text) = fields.text("shell") else {
        return Shell::Default;
    };
    match text.value.as_str() {
        "bash" => Shell::Default,
        "powershell" => Shell::PowerShell,
        other => {
            let near = suggest(other, &["bash", "powershell"]);
            let help = near.map_or_else(
                || format!("write the shell into the command, as in `{other} -c '…'`"),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("`shell` is `bash` or `powershell`, not `{other}`");
            fields.report.error(text.span, "invalid-shell", message).help(help).rule("H2");
            fields.spoil();
            Shell::Default
        }
    }
}

fn http(fields: &mut Fields<'_, '_, '_>) -> Option<(Action, Span)> {
    let url = fields.required_text("url", "write `\"url\": \"https://…\"`");
    let headers = fields.pairs("headers").map(|headers| headers.value).unwrap_or_default();
    let allowed_env_vars = fields.texts("allowedEnvVars").map(|names| names.value).unwrap_or_default();
    let url = url?;
    if let Err(why) = url::host(&url.value) {
        let shown = url::shown(&url.value);
        fields
            .report
            .error(url.span, "invalid-url", format!("`{shown}` is not a URL to post to: {why}"))
            .help("write `http://…` or `https://…`; nothing is expanded in it")
            .rule("H5");
        fields.spoil();
    }
    Some((Action::Http(Http { url: url.value, headers, allowed_env_vars }), url.span))
}

fn mcp_tool(fields: &mut Fields<'_, '_, '_>) -> Option<(Action, Span)> {
    let server = fields.required_text("server", "write the name of a connected MCP server");
    let tool = fields.required_text("tool", "write the tool's name as its server has it");
    let input = fields.map("input").map(|map| members_to_json(map.value)).unwrap_or_default();
    let tool = tool?;
    Some((Action::McpTool(McpTool { server: server?.value, tool: tool.value, input }), tool.span))
}

fn prompt(fields: &mut Fields<'_, '_, '_>, continue_on_block: bool) -> Option<(Prompt, Span)> {
    let prompt =
        fields.required_text("prompt", "write what the model is to judge; `$ARGUMENTS` is the input");
    let model = fields.text("model").map(|model| model.value);
    let prompt = prompt?;
    Some((Prompt { prompt: prompt.value, model, continue_on_block }, prompt.span))
}
