//! The setting `exec` of one file: `"text-only"`, or an object with `mode` and `onDeny`.
//!
//! INVARIANT (C7b): a value that can't be read counts as the strict one.

use super::fields::{At, Fields};
use super::switches::strict_instead;
use crate::config::source::tree::{Data, Member, Node};

/// The setting of one file; each field is `None` if the file does not set it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExecSwitch {
    /// True for the text alone, false for a supervisor.
    pub(crate) text_only: Option<At<bool>>,
    /// True if a denial ends the line.
    pub(crate) end_line: Option<At<bool>>,
}

/// Reads the setting.
pub(crate) fn read(fields: &mut Fields<'_, '_, '_>) -> ExecSwitch {
    let Some(member) = fields.member("exec") else { return ExecSwitch::default() };
    match &member.value.data {
        Data::Map(members) => {
            let find = |key: &str| members.iter().find(|member| member.key == key);
            ExecSwitch {
                text_only: find("mode").map(|member| text_only(member, fields)),
                end_line: find("onDeny").map(|member| end_line(member, fields)),
            }
        }
        Data::Text(_) | Data::Null | Data::Bool(_) | Data::Number(_) | Data::List(_) => {
            ExecSwitch { text_only: Some(text_only(member, fields)), end_line: None }
        }
    }
}

fn text_only(member: &Member, fields: &mut Fields<'_, '_, '_>) -> At<bool> {
    let value = match Node::as_text(&member.value) {
        Some("text-only") => true,
        Some("supervised") => false,
        Some(_) | None => {
            strict_instead(member, "`\"supervised\"` or `\"text-only\"`", "`\"supervised\"`", fields);
            false
        }
    };
    At { value, span: member.value.span }
}

fn end_line(member: &Member, fields: &mut Fields<'_, '_, '_>) -> At<bool> {
    let value = match Node::as_text(&member.value) {
        Some("endLine") => true,
        Some("goOn") => false,
        Some(_) | None => {
            strict_instead(member, "`\"goOn\"` or `\"endLine\"`", "`\"endLine\"`", fields);
            true
        }
    };
    At { value, span: member.value.span }
}
