//! A whole settings file, or the hooks file of a plugin (C1, C9).

use super::dialect::{self, Dialect};
use super::group;
use super::modules;
use super::permissions;
use super::policy_helper;
use super::sheet::{ReadContext, Sheet};
use super::switches;
use crate::config::diagnostic::Severity;
use crate::config::fix::{Fix, FixChange};
use crate::config::source::json::{self, Document};
use crate::config::source::report::Report;
use crate::config::source::tree::{Data, Duplicate, Member, Node, Span};
use becket_base::suggest;
use becket_model::event::PermissionMode;
use becket_model::{EventKind, Source};

/// Keys that this engine reads in a settings file; others belong to the host.
pub(crate) const KEYS: &[&str] = &[
    "hooks",
    "permissions",
    "env",
    "disableAllHooks",
    "allowManagedHooksOnly",
    "strictPluginOnlyCustomization",
    "strictConfig",
    "failClosed",
    "enabledPlugins",
    "extraKnownMarketplaces",
    "pluginConfigs",
    "allowedHttpHookUrls",
    "httpHookAllowedEnvVars",
    "httpHookAllowedNetworks",
    "httpHookLoopback",
    "httpHookProxy",
    "keepProcesses",
    "exec",
    "sandbox",
    "pluginHooks",
    "hookBudget",
    "outputStyle",
    "audit",
    "policyHelper",
];

/// Returns whether this engine reads a setting of this name.
pub(crate) fn is_setting(key: &str) -> bool {
    KEYS.contains(&key)
}

/// Reads a settings file. Errors if it is not JSON; then nothing of it counts (C7).
pub(crate) fn settings(text: &str, words: &ReadContext, report: &mut Report<'_>) -> Result<Sheet, NotRead> {
    let document = document(text, report)?;
    let members = root(&document, report)?;
    let mut sheet = Sheet::default();
    lost_hooks(&document, &mut sheet, report);
    misplaced_keys(members, &mut sheet, report);
    keys_of_other_files(members, words, &mut sheet, report);
    if let Some(hooks) = member(members, "hooks") {
        layout(&hooks.value, words, &mut sheet, report);
    }
    permissions::read(members, words, &mut sheet, report);
    switches::read(members, &mut sheet, report);
    policy_helper::read(members, &mut sheet, report);
    Ok(sheet)
}

/// Reads the hooks file of a plugin (C9).
pub(crate) fn hooks_file(text: &str, words: &ReadContext, report: &mut Report<'_>) -> Result<Sheet, NotRead> {
    let document = document(text, report)?;
    let members = root(&document, report)?;
    let mut sheet = Sheet::default();
    lost_hooks(&document, &mut sheet, report);
    modules::read(members, &mut sheet, report);
    if let Some(hooks) = member(members, "hooks") {
        layout(&hooks.value, words, &mut sheet, report);
    }
    if member(members, "hooks").is_some() || member(members, "modules").is_some() {
        misplaced_keys(members, &mut sheet, report);
        return Ok(sheet);
    }
    let events = members.iter().find(|member| member.key.parse::<EventKind>().is_ok());
    let at = events.map_or(document.root.span, |member| member.key_span);
    let is_whole = events.is_some() && members.iter().all(|member| member.key.parse::<EventKind>().is_ok());
    let message = "this file has no `hooks` around its events, so nothing of it is loaded";
    report
        .error(at, "missing-hooks-wrapper", message)
        .help("write `{\"hooks\": { … }}` around what the file holds now")
        .rule("C9")
        .fix(is_whole.then(|| Fix::not_safe(at, "put `hooks` around it", FixChange::WrapEvents)));
    for member in members.iter().filter(|member| member.key.parse::<EventKind>().is_ok()) {
        sheet.reject(member.key.parse().ok(), &member.key, member.key_span, report);
    }
    Ok(sheet)
}

/// Reads hooks inside another document: a plugin's manifest or a frontmatter.
pub(crate) fn hooks_value(node: &Node, words: &ReadContext, report: &mut Report<'_>) -> Sheet {
    let mut sheet = Sheet::default();
    layout(node, words, &mut sheet, report);
    sheet
}

/// The error for a file that could not be read at all; the reason has been reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotRead;

/// Reads JSON, and warns about duplicate keys.
pub(crate) fn document(text: &str, report: &mut Report<'_>) -> Result<Document, NotRead> {
    match json::parse(text) {
        Ok(document) => {
            twice(&document, report);
            Ok(document)
        }
        Err(error) => {
            let message = format!("this file is not JSON, so nothing of it is loaded: {}", error.why);
            report.error(error.at, "not-json", message).rule("C7");
            Err(NotRead)
        }
    }
}

/// Warns about duplicate keys that drop neither hooks nor rules.
pub(crate) fn twice(document: &Document, report: &mut Report<'_>) {
    for duplicate in document.duplicates.iter().filter(|duplicate| lost_event(duplicate).is_none()) {
        let (line, column) = {
            let first = report.location(duplicate.first);
            (first.line, first.column)
        };
        let message = format!("`{}` occurs here a second time, and only this one counts", duplicate.key);
        report
            .warning(duplicate.last, "duplicate-key", message)
            .help(format!("the first one, at {line}:{column}, is dropped: join the two"))
            .rule("C7");
    }
}

/// Returns the event whose hooks or rules a duplicate key drops; for `hooks` itself, and for plugins, it may be any, so
/// the strictest is taken.
fn lost_event(duplicate: &Duplicate) -> Option<EventKind> {
    match &*duplicate.key {
        "hooks" | "permissions" | "deny" | "ask" | "enabledPlugins" | "policyHelper" => {
            Some(EventKind::PreToolUse)
        }
        key => key.parse().ok(),
    }
}

/// Reports hooks and rules that are lost: JSON keeps the last of two equal keys. If a guard is lost, so are its file's
/// privileges (C7, C7b).
pub(crate) fn lost_hooks(document: &Document, sheet: &mut Sheet, report: &mut Report<'_>) {
    for duplicate in &document.duplicates {
        let Some(event) = lost_event(duplicate) else { continue };
        let last = report.location(duplicate.last);
        let message = format!(
            "`{}` occurs again at {}:{}, and only that one is loaded",
            duplicate.key, last.line, last.column
        );
        report.error(duplicate.first, "duplicate-key", message).help("join the two").rule("C7");
        sheet.lose(Some(event), &duplicate.key, duplicate.first, report);
    }
}

fn root<'d>(document: &'d Document, report: &mut Report<'_>) -> Result<&'d [Member], NotRead> {
    document.root.as_map().ok_or_else(|| {
        let message = format!("a settings file must be an object, not {}", document.root.kind());
        report.error(document.root.span, "wrong-type", message).rule("C1");
        NotRead
    })
}

fn member<'m>(members: &'m [Member], key: &str) -> Option<&'m Member> {
    members.iter().find(|member| member.key == key)
}

/// Reads `hooks` in either layout. Hooks for another agent are one finding, whatever they contain. In a file of this
/// agent neither a directory above it nor a key or a variable of another agent makes them that agent's.
fn layout(node: &Node, words: &ReadContext, sheet: &mut Sheet, report: &mut Report<'_>) {
    let events = node.as_map().unwrap_or_default();
    let is_own = words.is_own(report);
    let of_handlers = || if is_own { None } else { group::dialect_of_handlers(events) };
    let of_file = words.agent_of(report);
    let is_misspelt = is_own && events.iter().any(|event| is_ours_alone_in_other_case(&event.key));
    let of_events = || if is_misspelt { None } else { group::dialect_of(events) };
    let agent = of_file.or_else(of_events).or_else(of_handlers);
    sheet.agent = agent;
    if let Some(agent) = agent.filter(|agent| agent.is_alike()) {
        let message = format!("these are hooks of {}, checked as if they were Claude Code's", agent.name());
        report
            .about_file(Severity::Note, "other-dialect", message)
            .help("`becket check --for AGENT` shows what an agent makes of hooks");
    }
    // There no event is ours, whatever its name.
    let is_of_other = of_file.is_some_and(Dialect::has_other_groups);
    if let Some(agent) = agent.filter(|_| is_of_other && node.as_list().is_some()) {
        let message = format!("these are hooks of {}, and none of them is loaded", agent.name());
        report
            .error(node.span, "other-dialect", message)
            .help("write `\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}]`")
            .rule("C7");
        return sheet.lose(Some(EventKind::PreToolUse), "hooks", node.span, report);
    }
    let is_foreign = |member: &Member| {
        is_of_other || is_foreign(member, agent.is_some()) && !(is_misspelt && is_in_other_case(&member.key))
    };
    let foreign: Vec<&Member> = events.iter().filter(|member| is_foreign(member)).collect();
    foreign_events(agent.unwrap_or(Dialect::Copilot), &foreign, events.len(), sheet, report);
    let flat = ReadContext { flat: node.as_list().is_some(), ..words.clone() };
    group::hooks(node, |member| !is_foreign(member), &flat, sheet, report);
}

/// Reports the events of another agent. None of them is loaded.
fn foreign_events(
    agent: Dialect,
    foreign: &[&Member],
    events: usize,
    sheet: &mut Sheet,
    report: &mut Report<'_>,
) {
    let Some(first) = foreign.first() else { return };
    let near = dialect::foreign_event(&first.key).and_then(|(_, near)| near);
    let name = agent.name();
    let message = match foreign.len() - 1 {
        others if others + 1 == events => format!("these are hooks of {name}, and none of them is loaded"),
        0 => format!("`{}` holds hooks of {name}, which are not loaded", first.key),
        others => format!("`{}` and {others} more hold hooks of {name}, which are not loaded", first.key),
    };
    let example = near.map(|near| format!(": `{near}` is the nearest event to `{}`", first.key));
    report
        .error(first.key_span, "other-dialect", message)
        .help(format!(
            "write `\"PreToolUse\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"…\"}}]}}]`{}",
            example.unwrap_or_default()
        ))
        .rule("C7");
    for member in foreign {
        let near = member.key.parse().ok().or_else(|| dialect::foreign_event(&member.key)?.1);
        sheet.lose(near, &member.key, member.key_span, report);
    }
}

/// Returns whether a key is the name of an event of ours in other letters, upper or lower: `preToolUse`.
fn is_in_other_case(key: &str) -> bool {
    key.parse::<EventKind>().is_err()
        && EventKind::ALL.iter().any(|event| event.name().eq_ignore_ascii_case(key))
}

/// Returns whether a key is such a name and no event of another agent: all names beside it are misspelt as well.
fn is_ours_alone_in_other_case(key: &str) -> bool {
    is_in_other_case(key) && dialect::foreign_event(key).is_none()
}

/// Returns whether an event is another agent's, by its name, or because all of its groups are handlers without `type`,
/// as Copilot writes them under the names of our events. In other files a command alone is a handler without its group.
fn is_foreign(member: &Member, is_of_agent: bool) -> bool {
    let is_handler = |node: &Node| {
        let has = |key: &&str| node.get(key).is_some();
        let is_copilots = ["bash", "powershell"].iter().any(has) || is_of_agent && has(&"command");
        is_copilots && !["hooks", "type"].iter().any(has)
    };
    let groups = member.value.as_list().unwrap_or_default();
    dialect::foreign_event(&member.key).is_some() || !groups.is_empty() && groups.iter().all(is_handler)
}

/// Reports events next to `hooks` instead of in it, and misspellings of the keys that are read.
fn misplaced_keys(members: &[Member], sheet: &mut Sheet, report: &mut Report<'_>) {
    for member in members.iter().filter(|member| !KEYS.contains(&member.key.as_str())) {
        if let Ok(event) = member.key.parse::<EventKind>() {
            report
                .error(member.key_span, "event-outside-hooks", format!("`{event}` is outside of `hooks`"))
                .help("move it into `hooks`; here nothing reads it")
                .rule("C1");
            sheet.lose(Some(event), event.name(), member.key_span, report);
            continue;
        }
        if !report.may_compare() {
            continue;
        }
        let near = suggest(&member.key, KEYS).filter(|near| is_close(&member.key, near));
        if let Some(near) = near {
            near_miss(member.key_span, &member.key, near, report);
            if lost_setting(near, report) {
                sheet.lose_guard(member.key_span, report);
            }
        }
    }
}

/// Keys that people write into settings and that nothing reads there, with the place where they belong.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (&["mcpServers", "mcp"], "servers are read from `.mcp.json` at the root of the project"),
    (&["commands"], "a command is a file in `commands/`, beside the settings"),
    (&["agents"], "an agent is a file in `agents/`, beside the settings"),
    (&["skills"], "a skill is a file `skills/NAME/SKILL.md`, beside the settings"),
    (&["allowedTools", "allow"], "write the rules into `permissions.allow`"),
    (&["disallowedTools", "deniedTools", "deny"], "write the rules into `permissions.deny`"),
    (&["ask"], "write the rules into `permissions.ask`"),
    (&["defaultMode", "permissionMode", "permission_mode"], "write `permissions.defaultMode`"),
    (&["plugins"], "write `enabledPlugins`, and where they come from into `extraKnownMarketplaces`"),
    (&["vim", "vimMode"], "write `\"editorMode\": \"vim\"`"),
    (&["apiKey"], "name a program that prints it: `apiKeyHelper`"),
    (&["baseURL", "baseUrl"], "set `ANTHROPIC_BASE_URL` in `env`"),
];

/// Those of them whose rules restrict: a managed file that has one has lost them (C7b).
const RULES: [&str; 4] = ["disallowedTools", "deniedTools", "deny", "ask"];

/// Names under which people group settings that no version of an agent has had.
const INVENTED: [&str; 15] = [
    "autoApprove",
    "behavior",
    "context",
    "output",
    "preferences",
    "project",
    "quality",
    "rules",
    "security",
    "session",
    "tools",
    "workflow",
    "workflows",
    "workspace",
    "instructions",
];

/// Reports keys that belong in other files or other settings. Those of another agent may be its own.
fn keys_of_other_files(members: &[Member], words: &ReadContext, sheet: &mut Sheet, report: &mut Report<'_>) {
    if words.agent_of(report).is_some() {
        return;
    }
    for member in members.iter().filter(|member| !is_empty(&member.value)) {
        let elsewhere = ELSEWHERE.iter().find(|(keys, _)| keys.contains(&member.key.as_str()));
        let Some(instead) = elsewhere.map(|(_, instead)| *instead).or_else(|| invented(member)) else {
            continue;
        };
        let is_lost = *report.source() == Source::Policy && RULES.contains(&member.key.as_str());
        let message = format!("`{}` is not a setting", member.key);
        report.never_works(is_lost, member.key_span, "unknown-setting", message).help(instead).rule("C7");
        if is_lost {
            sheet.lose_guard(member.key_span, report);
        }
    }
}

/// Returns what to do about a key that no setting can have: names of settings are in camel case.
fn invented(member: &Member) -> Option<&'static str> {
    let key = member.key.as_str();
    let is_mode = || member.value.as_text().is_some_and(|text| PermissionMode::NAMES.contains(&text));
    let is_words = |is_letter: fn(&char) -> bool| {
        key.starts_with(|c: char| is_letter(&c))
            && key.chars().all(|c| is_letter(&c) || c.is_ascii_digit() || matches!(c, '_' | '-'))
            && key.contains(['_', '-'])
    };
    let groups = matches!(member.value.data, Data::List(_) | Data::Map(_));
    if key == "mode" && is_mode() {
        Some("write `permissions.defaultMode`")
    } else if is_words(char::is_ascii_uppercase) {
        Some("write the variable into `env`")
    } else if is_words(char::is_ascii_lowercase) || groups && INVENTED.contains(&key) {
        Some("nothing reads it; remove it, or write it where it is read")
    } else {
        None
    }
}

fn is_empty(node: &Node) -> bool {
    match &node.data {
        Data::Null => true,
        Data::List(entries) => entries.is_empty(),
        Data::Map(members) => members.is_empty(),
        Data::Bool(_) | Data::Number(_) | Data::Text(_) => false,
    }
}

/// Returns whether two names differ by a letter or two: settings of the host may have names that are not far from
/// these.
fn is_close(key: &str, near: &str) -> bool {
    strsim::damerau_levenshtein(&key.to_lowercase(), &near.to_lowercase()) <= 2
        && (near.len() > 5 || key.to_lowercase().starts_with(&near.to_lowercase()[..2]))
}

/// Settings that restrict: a managed file in which one of them is misspelt has lost a guard (C7b).
const RESTRICTING: [&str; 10] = [
    "hooks",
    "permissions",
    "allowManagedHooksOnly",
    "strictPluginOnlyCustomization",
    "strictConfig",
    "failClosed",
    "enabledPlugins",
    "allowedHttpHookUrls",
    "audit",
    "policyHelper",
];

/// Returns whether a misspelt setting breaks its file.
fn lost_setting(near: &str, report: &Report<'_>) -> bool {
    *report.source() == Source::Policy && RESTRICTING.contains(&near)
}

fn near_miss(at: Span, key: &str, near: &str, report: &mut Report<'_>) {
    let is_lost = lost_setting(near, report);
    report
        .never_works(is_lost, at, "unknown-setting", format!("no setting is called `{key}`"))
        .help(format!("did you mean `{near}`?"))
        .rule("C7");
}
