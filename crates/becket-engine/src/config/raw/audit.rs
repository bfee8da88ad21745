//! The setting `audit` of one file: a word, or an object. A value that can't be read counts as `required` (C7b).

use super::fields::{At, Fields};
use crate::config::audit::{AuditMode, AuditSetting};
use crate::config::source::tree::{Data, Member, Node, Span};
use becket_base::suggest;
use std::path::PathBuf;

const MODES: [AuditMode; 3] = [AuditMode::Off, AuditMode::On, AuditMode::Required];
const KEYS: [&str; 7] =
    ["mode", "directory", "key", "checkpoints", "checkpointEvery", "maxBytes", "maxFiles"];
/// The smallest file of a log, in bytes.
const SMALLEST: u64 = 64 << 10;

/// Reads the setting.
pub(crate) fn read(fields: &mut Fields<'_, '_, '_>) -> Option<At<AuditSetting>> {
    let member = fields.member("audit")?;
    let span = member.value.span;
    let mut setting = AuditSetting::default();
    match &member.value.data {
        Data::Map(members) => options(members, &mut setting, fields),
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) => {
            setting.mode = mode(&member.value, fields);
        }
    }
    Some(At { value: setting, span })
}

fn options(members: &[Member], setting: &mut AuditSetting, fields: &mut Fields<'_, '_, '_>) {
    // An object with options is meant to be on.
    setting.mode = AuditMode::On;
    for member in members {
        let value = &member.value;
        match member.key.as_str() {
            "mode" => setting.mode = mode(value, fields),
            "directory" => setting.directory = path(member, setting, fields),
            "key" => setting.key = path(member, setting, fields),
            "checkpoints" => setting.checkpoints = path(member, setting, fields),
            "checkpointEvery" => {
                if let Some(number) = number(member, 1, setting, fields) {
                    setting.checkpoint_every = number;
                }
            }
            "maxBytes" => {
                if let Some(number) = number(member, SMALLEST, setting, fields) {
                    setting.max_bytes = number;
                }
            }
            "maxFiles" => {
                if let Some(number) = number(member, 1, setting, fields) {
                    setting.max_files = u32::try_from(number).unwrap_or(u32::MAX);
                }
            }
            other => {
                let near = suggest(other, &KEYS).map(|near| format!("did you mean `{near}`?"));
                fields
                    .report
                    .error(member.key_span, "invalid-audit", format!("`audit` has no option `{other}`"))
                    .maybe_help(near)
                    .rule("C7b");
            }
        }
    }
}

fn mode(node: &Node, fields: &mut Fields<'_, '_, '_>) -> AuditMode {
    let text = node.as_text();
    if let Some(mode) = MODES.into_iter().find(|mode| text == Some(mode.as_str())) {
        return mode;
    }
    let written = text.map_or_else(|| node.kind().to_owned(), |word| format!("`{word}`"));
    wrong(node.span, format!("`audit` is `off`, `on`, `required` or an object, not {written}"), fields);
    AuditMode::Required
}

fn path(member: &Member, setting: &mut AuditSetting, fields: &mut Fields<'_, '_, '_>) -> Option<PathBuf> {
    let path = member.value.as_text().map(PathBuf::from).filter(|path| path.is_absolute());
    if path.is_none() {
        setting.mode = AuditMode::Required;
        wrong(member.value.span, format!("`{}` must be an absolute path", member.key), fields);
    }
    path
}

fn number(
    member: &Member,
    least: u64,
    setting: &mut AuditSetting,
    fields: &mut Fields<'_, '_, '_>,
) -> Option<u64> {
    let number = match &member.value.data {
        Data::Number(number) => number.as_u64().filter(|number| *number >= least),
        Data::Null | Data::Bool(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => None,
    };
    if number.is_none() {
        setting.mode = AuditMode::Required;
        wrong(member.value.span, format!("`{}` must be a whole number from {least} on", member.key), fields);
    }
    number
}

fn wrong(at: Span, message: String, fields: &mut Fields<'_, '_, '_>) {
    fields.report.error(at, "invalid-audit", format!("{message}; it counts as `required`")).rule("C7b");
}
