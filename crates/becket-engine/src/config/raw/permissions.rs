//! `permissions`: rules, directories and the mode a session starts in. The texts of rules are kept as they are;
//! `becket_rules` interprets them.

use super::dialect::UnknownKey;
use super::fields::{At, Fields};
use super::sheet::{ReadContext, Sheet};
use crate::config::fix::{Fix, FixChange};
use crate::config::permissions::RuleList;
use crate::config::source::report::Report;
use crate::config::source::tree::{Member, Span};
use becket_base::suggest;
use becket_model::Source;
use becket_model::event::PermissionMode;

/// The permissions of one file.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawPermissions {
    pub(crate) rules: Vec<RawRule>,
    pub(crate) directories: Vec<RawDirectory>,
    pub(crate) mode: Option<RawMode>,
    /// Set if the file forbids the mode `bypassPermissions`.
    pub(crate) bypass_disabled: bool,
}

/// A permission rule.
#[derive(Debug, Clone)]
pub(crate) struct RawRule {
    pub(crate) list: RuleList,
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// An additional directory.
pub(crate) type RawDirectory = At<String>;

/// The mode that a session starts in.
pub(crate) type RawMode = At<PermissionMode>;

/// The keys of `permissions`.
pub(crate) const KEYS: &[&str] =
    &["allow", "ask", "deny", "additionalDirectories", "defaultMode", "disableBypassPermissionsMode"];

pub(crate) fn read(members: &[Member], words: &ReadContext, sheet: &mut Sheet, report: &mut Report<'_>) {
    let Some(node) = members.iter().find(|member| member.key == "permissions").map(|member| &member.value)
    else {
        return;
    };
    let Some(map) = node.as_map() else {
        let message = format!("`permissions` must be an object, not {}", node.kind());
        report.error(node.span, "wrong-type", message).rule("C7");
        sheet.lose_rules(node.span, report);
        return sheet.lose_guard(node.span, report);
    };
    let is_managed = *report.source() == Source::Policy;
    if is_managed {
        lost_lists(map, sheet, report);
    }
    let mut fields = Fields::new(node, map, "permissions object", report);
    fields.report_unknown(&[KEYS], words, |member| match member.key.as_str() {
        // It was reported above.
        key if is_managed && meant_list(key).is_some() => UnknownKey::Harmless,
        "allowedTools" => UnknownKey::Lost("`allow` lists the calls that run without asking".to_owned()),
        "deniedTools" | "disallowedTools" => {
            UnknownKey::Lost("`deny` lists the calls that never run".to_owned())
        }
        _ => UnknownKey::Unknown,
    });
    for list in RuleList::ALL {
        rules(list, &mut fields, sheet);
    }
    sheet.permissions.directories = directories(&mut fields);
    sheet.permissions.mode = mode(&mut fields);
    sheet.permissions.bypass_disabled = bypass_disabled(&mut fields);
}

/// Reads each rule separately: one that can't be read does not affect the others.
fn rules(list: RuleList, fields: &mut Fields<'_, '_, '_>, sheet: &mut Sheet) {
    let Some(member) = fields.member(list.key()) else {
        return;
    };
    if member.value.as_list().is_none() {
        fields.wrong::<()>(member, "a list of rules");
        sheet.lose_rules(member.value.span, fields.report);
    }
    // A rule that restricts may be the guard of a file (C7b).
    let mut lose = |at: Span, report: &Report<'_>| match list {
        RuleList::Deny | RuleList::Ask => sheet.lose_guard(at, report),
        RuleList::Allow => {}
    };
    let Some(nodes) = member.value.as_list() else {
        return lose(member.value.span, fields.report);
    };
    let mut read = Vec::new();
    for node in nodes {
        let Some(text) = node.as_text() else {
            let message = format!("a rule must be a string, not {}", node.kind());
            fields
                .report
                .error(node.span, "wrong-type", message)
                .help("write it like `Bash(git status)`")
                .rule("P1");
            lose(node.span, fields.report);
            continue;
        };
        match crate::config::rules::check(list, text) {
            Ok(warnings) => {
                for warning in warnings {
                    let finding = fields.report.warning(node.span, warning.code, warning.message);
                    finding.maybe_help(warning.help).rule(warning.rule);
                }
                read.push(RawRule { list, text: text.to_owned(), span: node.span });
            }
            Err(fault) => {
                fields
                    .report
                    .error(node.span, fault.code, fault.message)
                    .maybe_help(fault.help)
                    .rule(fault.rule);
                lose(node.span, fields.report);
            }
        }
    }
    sheet.permissions.rules.extend(read);
}

/// Reports the keys of a managed file that misspell `deny` or `ask`, or are another agent's names of them: their rules are
/// lost (C7b).
fn lost_lists(map: &[Member], sheet: &mut Sheet, report: &mut Report<'_>) {
    for member in map {
        let Some(meant) = meant_list(&member.key) else { continue };
        let message = format!("no permissions object has a field `{}`, and its rules are lost", member.key);
        report
            .error(member.key_span, "unknown-field", message)
            .help(format!("did you mean `{meant}`?"))
            .rule("C7b");
        sheet.lose_guard(member.key_span, report);
    }
}

/// Returns the list of rules that restrict which an unknown key probably means.
fn meant_list(key: &str) -> Option<&'static str> {
    match key {
        _ if KEYS.contains(&key) => None,
        "deniedTools" | "disallowedTools" => Some("deny"),
        _ => suggest(key, KEYS).filter(|near| matches!(*near, "ask" | "deny")),
    }
}

fn directories(fields: &mut Fields<'_, '_, '_>) -> Vec<RawDirectory> {
    let Some(member) = fields.member("additionalDirectories") else {
        return Vec::new();
    };
    let Some(nodes) = member.value.as_list() else {
        return fields.wrong(member, "a list of directories").unwrap_or_default();
    };
    let mut directories = Vec::new();
    for node in nodes {
        match node.as_text() {
            Some(text) => directories.push(At { value: text.to_owned(), span: node.span }),
            None => {
                let message = format!("a directory must be a string, not {}", node.kind());
                fields.report.error(node.span, "wrong-type", message).rule("C7");
            }
        }
    }
    directories
}

fn mode(fields: &mut Fields<'_, '_, '_>) -> Option<RawMode> {
    let text = fields.text("defaultMode")?;
    let mode = PermissionMode::from_name(&text.value);
    if let PermissionMode::Other(name) = &mode {
        let near = match &**name {
            "allowEdits" | "autoEdit" => Some("acceptEdits"),
            "bypass" | "yolo" => Some("bypassPermissions"),
            name => suggest(name, &PermissionMode::NAMES),
        };
        let help = near.map_or_else(
            || format!("it is one of {}", PermissionMode::NAMES.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        let message = format!("there is no permission mode `{name}`; the session starts in `default`");
        // No fix suggests the mode that allows everything.
        let near = near.filter(|near| *near != PermissionMode::BypassPermissions.as_str());
        let fix = near.map(|near| {
            Fix::not_safe(text.span, format!("write `{near}`"), FixChange::SetValue(near.into()))
        });
        fields.report.error(text.span, "unknown-mode", message).help(help).rule("P14").fix(fix);
        return None;
    }
    Some(At { value: mode, span: text.span })
}

/// Reads `disableBypassPermissionsMode: "disable"`; any other value counts as that, too.
fn bypass_disabled(fields: &mut Fields<'_, '_, '_>) -> bool {
    let Some(member) = fields.member("disableBypassPermissionsMode") else {
        return false;
    };
    if member.value.as_text() != Some("disable") {
        let message = "`disableBypassPermissionsMode` must be \"disable\"; it is read as if it were";
        fields.report.error(member.value.span, "wrong-type", message).rule("C7b");
    }
    true
}
