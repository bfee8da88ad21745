//! Deny and ask rules that load and forbid nothing: guards that never work, and so errors here.

use crate::config::load::Layer;
use crate::config::raw::Sheet;
use crate::config::rules::{Remark, check};
use crate::config::source::report::Report;
use becket_rules::RuleList;

/// The findings about rules that match nothing, whatever is called.
const IDLE: [&str; 4] =
    ["rule-matches-nothing", "rule-without-domain", "rule-for-tool-in-other-case", "path-starts-at-settings"];

pub(super) fn lint(sheet: &Sheet, layer: &Layer, report: &mut Report<'_>) {
    let rules = sheet.permissions.rules.iter();
    for raw in rules.filter(|raw| matches!(raw.list, RuleList::Deny | RuleList::Ask)) {
        let remarks = check(raw.list, &raw.text).unwrap_or_default();
        for remark in remarks
            .into_iter()
            .filter(|remark| IDLE.contains(&remark.code) && is_sure(remark, &raw.text, layer))
        {
            report.error(raw.span, remark.code, remark.message).rule(remark.rule).maybe_help(remark.help);
        }
    }
}

/// Returns whether a path that looks absolute is not one of the settings' own directory.
fn is_sure(remark: &Remark, rule: &str, layer: &Layer) -> bool {
    if remark.code != "path-starts-at-settings" {
        return true;
    }
    let path = rule.split_once("(/").map_or("", |(_, path)| path);
    let first = path.split(['/', ')']).next().unwrap_or_default();
    !layer.anchor.join(first).exists()
}
