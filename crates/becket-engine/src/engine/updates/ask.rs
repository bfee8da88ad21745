//! Questions about a session's permissions, in addition to settling its calls.

use crate::engine::host_operations::HostOperations;
use crate::permission::start_mode::mode_of;
use crate::plan::facts::LinksOnDisk;
use becket_model::Session;
use becket_model::event::PermissionMode;
use becket_rules::tools::Access;
use becket_rules::{Change, PermissionUpdate, Rule, RuleList, Scope};
use std::path::{Path, PathBuf};

impl HostOperations<'_> {
    /// Returns the working directories in addition to the session's cwd, from files, the command line and updates;
    /// absolute, each once.
    pub fn directories(self) -> Vec<PathBuf> {
        let config = self.engine().config();
        let mut all: Vec<PathBuf> = Vec::new();
        for directory in &config.additional_directories {
            if !all.contains(&directory.path) {
                all.push(directory.path.clone());
            }
        }
        all
    }

    /// Describes the deny rule that prevents reading a file; `path` is absolute. For files that no call names: the
    /// results of a search, a `@file` in a prompt (P7).
    pub fn denies_read(self, session: &Session, path: &Path) -> Option<String> {
        let inner = self.inner();
        let snapshot = inner.snapshot();
        if snapshot.rules.list(RuleList::Deny).is_empty() {
            return None;
        }
        let anchor = &snapshot.places.project_dir;
        let home = inner.environment.home();
        let scope = Scope { cwd: &session.cwd, home, anchor, links: &LinksOnDisk };
        let entry = snapshot.rules.path_denied(Access::Read, &path.to_string_lossy(), &scope)?;
        Some(format!("the rule `{}` of {} denies it", entry.rule(), entry.origin().label))
    }

    /// Returns whether a deny rule may prevent reading some file now: any rule except one about a shell (P7).
    pub fn may_deny_reads(self) -> bool {
        let snapshot = self.inner().snapshot();
        let rules = snapshot.rules.list(RuleList::Deny);
        rules.iter().any(|entry| !matches!(entry.rule().tool(), "Bash" | "PowerShell"))
    }

    /// Returns the suggestions that would change something (P13): none for rules and directories that are already in
    /// force, for the current mode of the session, or for one that it may not be in.
    pub fn worth_suggesting(
        self,
        mode: &PermissionMode,
        suggestions: Vec<PermissionUpdate>,
    ) -> Vec<PermissionUpdate> {
        if suggestions.is_empty() {
            return suggestions;
        }
        let snapshot = self.inner().snapshot();
        let directories = self.directories();
        let holds =
            |list: RuleList, rule: &Rule| snapshot.rules.list(list).iter().any(|entry| entry.rule() == rule);
        let changes = |update: &PermissionUpdate| match &update.change {
            Change::AddRules(list, rules) => !rules.iter().all(|rule| holds(*list, rule)),
            Change::AddDirectories(paths) => !paths.iter().all(|path| directories.contains(&path.into())),
            Change::SetMode(becket_rules::Mode::BypassPermissions) if self.may_bypass().is_err() => false,
            Change::SetMode(wanted) => mode_of(*wanted) != *mode,
            Change::ReplaceRules(..) | Change::RemoveRules(..) | Change::RemoveDirectories(_) => true,
        };
        suggestions.into_iter().filter(changes).collect()
    }
}
