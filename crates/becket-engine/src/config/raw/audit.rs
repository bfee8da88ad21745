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
    let member = fields.written("audit")?;
    let span = member.value.span;
    let mut setting = AuditSetting::default();
    if member.is_repeated {
        wrong(member.key_span, "`audit` occurs twice".to_owned(), fields);
        setting.mode = AuditMode::Required;
        return Some(At { value: setting, span });
    }
    let member = fields.member("audit")?;
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
    let mut is_clear = true;
    for member in members {
        is_clear &= option(member, setting, fields);
        if member.is_repeated {
            wrong(member.key_span, format!("`{}` occurs twice", member.key), fields);
            is_clear = false;
        }
    }
    // Whatever `mode` is, and wherever it stands.
    if !is_clear {
        setting.mode = AuditMode::Required;
    }
}

/// Reads an option. Returns false if it can't be read.
fn option(member: &Member, setting: &mut AuditSetting, fields: &mut Fields<'_, '_, '_>) -> bool {
    match member.key.as_str() {
        "mode" => setting.mode = mode(&member.value, fields),
        "directory" => return set(&mut setting.directory, path(member, fields)),
        "key" => return set(&mut setting.key, path(member, fields)),
        "checkpoints" => return set(&mut setting.checkpoints, path(member, fields)),
        "checkpointEvery" => return set(&mut setting.checkpoint_every, number(member, 1, fields)),
        "maxBytes" => return set(&mut setting.max_bytes, number(member, SMALLEST, fields)),
        "maxFiles" => {
            let files = number(member, 1, fields).map(|files| u32::try_from(files).unwrap_or(u32::MAX));
            return set(&mut setting.max_files, files);
        }
        other => {
            let near = suggest(other, &KEYS).map(|near| format!("did you mean `{near}`?"));
            let message = format!("`audit` has no option `{other}`; it counts as `required`");
            fields.report.error(member.key_span, "invalid-audit", message).maybe_help(near).rule("C7b");
            return false;
        }
    }
    true
}

/// Sets an option to what was read. Returns false if nothing was.
fn set<T, R: Into<T>>(option: &mut T, read: Option<R>) -> bool {
    match read {
        Some(value) => {
            *option = value.into();
            true
        }
        None => false,
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

fn path(member: &Member, fields: &mut Fields<'_, '_, '_>) -> Option<PathBuf> {
    let path = member.value.as_text().map(PathBuf::from).filter(|path| path.is_absolute());
    if path.is_none() {
        wrong(member.value.span, format!("`{}` must be an absolute path", member.key), fields);
    }
    path
}

fn number(member: &Member, least: u64, fields: &mut Fields<'_, '_, '_>) -> Option<u64> {
    let number = match &member.value.data {
        Data::Number(number) => number.as_u64().filter(|number| *number >= least),
        Data::Null | Data::Bool(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => None,
    };
    if number.is_none() {
        wrong(member.value.span, format!("`{}` must be a whole number from {least} on", member.key), fields);
    }
    number
}

fn wrong(at: Span, message: String, fields: &mut Fields<'_, '_, '_>) {
    fields.report.error(at, "invalid-audit", format!("{message}; it counts as `required`")).rule("C7b");
}
