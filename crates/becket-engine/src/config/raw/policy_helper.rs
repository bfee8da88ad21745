//! The setting `policyHelper` of one file. If a part of it can't be read, a managed file is broken (C7b).

use super::sheet::Sheet;
use crate::config::policy_helper::{KEY, PolicyHelper};
use crate::config::source::report::Report;
use crate::config::source::tree::{Data, Member};
use becket_model::Source;

/// Reads the setting. Only that of a managed file is checked, since no other one counts.
pub(crate) fn read(members: &[Member], sheet: &mut Sheet, report: &mut Report<'_>) {
    let set = members.iter().find(|member| member.key == KEY && member.value.data != Data::Null);
    let Some(member) = set else { return };
    sheet.policy_helper = Some(member.value.span);
    if *report.source() != Source::Policy {
        return;
    }
    if let Err(error) = PolicyHelper::of(&member.value) {
        report.error(error.at, "invalid-policy-helper", error.why).rule("C7b");
        let (location, why) = (report.location(error.at), report.latest_error());
        sheet.broken_guard.get_or_insert_with(|| format!("{location}: {why}"));
    }
}
