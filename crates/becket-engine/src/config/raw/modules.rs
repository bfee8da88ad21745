//! Modules of in-process hooks in a plugin's hooks file: they are for another program, and reported as not run (C12).

use super::sheet::Sheet;
use crate::config::hookset::HookModule;
use crate::config::source::report::Report;
use crate::config::source::tree::{Member, Node};
use std::path::Path;

/// The code of the finding about a module.
pub(crate) const MODULE_NOT_RUN: &str = "module-not-run";

/// Reads `modules` next to the `hooks` of a hooks file.
pub(super) fn read(members: &[Member], sheet: &mut Sheet, report: &mut Report<'_>) {
    let Some(member) = members.iter().find(|member| member.key == "modules") else { return };
    let Some(nodes) = member.value.as_list() else {
        let message = format!("`modules` must be a list of paths, not {}", member.value.kind());
        report.error(member.value.span, "wrong-type", message).rule("C12");
        return;
    };
    for node in nodes {
        module(node, sheet, report);
    }
}

fn module(node: &Node, sheet: &mut Sheet, report: &mut Report<'_>) {
    let Some(written) = node.as_text() else {
        let message = format!("a module is named by its path, not by {}", node.kind());
        report.error(node.span, "wrong-type", message).rule("C12");
        return;
    };
    let location = report.location(node.span);
    let below = location.file.parent().unwrap_or(Path::new(""));
    // Without the `./` that people write.
    let file = below.join(written).components().collect();
    let message = format!("the hooks of the module `{written}` are not run here");
    report.warning(node.span, MODULE_NOT_RUN, message).rule("C12");
    let source = report.source().clone();
    sheet.modules.push(HookModule { source, label: written.into(), file, location });
}
