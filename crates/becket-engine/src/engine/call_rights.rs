//! The rights that hooks leave to a call (E5): their intersection, and the refusal of a call whose rights are not
//! enforced.

use crate::config::SandboxGrant;
use crate::engine::host_operations::HostOperations;
use crate::handlers::context::EngineState;
use becket_model::{
    Attributed, CallSandbox, DecidedBy, Event, EventBody, PathRights, PermissionDecision, Reason, Rights,
    Ruling, SandboxAnswer, Verdict,
};
use becket_rules::EndpointPattern;
use std::path::{Path, PathBuf};

impl HostOperations<'_> {
    /// Returns the rights that each of these answers leaves to a call of a session in `cwd` (E5), with paths as they
    /// are written. The call has the rights that all of them leave: the intersection of what `becket_exec::real_rights`
    /// makes of each, in any order. Written paths can't be compared with each other: a link or `..` may lead anywhere.
    ///
    /// The answers are those of [`becket_model::VerdictFields::sandbox`].
    ///
    /// # Errors
    /// Errors if an answer can't be read, so the call may not run: the reason, with the handler.
    pub fn call_rights(
        self,
        answers: &[Attributed<SandboxAnswer>],
        cwd: &Path,
    ) -> Result<Vec<Rights>, String> {
        let rights = answers.iter().map(|answer| {
            let grant = match &answer.what {
                SandboxAnswer::Grant(grant) => grant_of(grant, cwd, self.inner().environment.home()),
                SandboxAnswer::Unread { why } => Err(why.clone()),
            };
            let granted = grant.and_then(|grant| self.rights_of_lines(&grant, cwd));
            granted.map_err(|why| answer.refusal(&format!("can't be read: {why}")))
        });
        rights.collect()
    }

    /// Returns the rights of command lines under a grant of settings or of a hook.
    pub(super) fn rights_of_lines(self, grant: &SandboxGrant, cwd: &Path) -> Result<Rights, String> {
        let denied = grant.denied()?;
        let own = [cwd.to_owned(), self.project_directory(), self.inner().environment.temp()];
        let written = own.into_iter().chain(self.directories()).chain(grant.allow_write.iter().cloned());
        // Not `below`, which compares paths: these may have links and `..` in them.
        Ok(Rights { write: PathRights::Below(written.collect()), ..denied })
    }
}

/// Converts an answer; no part of it may be without effect.
fn grant_of(answer: &CallSandbox, cwd: &Path, home: Option<&Path>) -> Result<SandboxGrant, String> {
    let paths = |texts: &[String]| -> Result<Vec<PathBuf>, String> {
        texts.iter().map(|text| absolute(text, cwd, home)).collect()
    };
    let (files, network) = (&answer.filesystem, &answer.network);
    for text in network.allowed_domains.iter().chain(&network.denied_domains) {
        text.parse::<EndpointPattern>().map_err(|why| format!("`{text}` is not a host: {why}"))?;
    }
    Ok(SandboxGrant {
        allow_write: paths(&files.allow_write)?,
        deny_read: paths(&files.deny_read)?,
        deny_write: paths(&files.deny_write)?,
        allowed_domains: network.allowed_domains.clone(),
        denied_domains: network.denied_domains.clone(),
        unix_sockets: network.allow_all_unix_sockets,
        local_binding: network.allow_local_binding,
        ..SandboxGrant::default()
    })
}

fn absolute(text: &str, cwd: &Path, home: Option<&Path>) -> Result<PathBuf, String> {
    if text.trim().is_empty() || text.contains('\0') {
        return Err(format!("`{}` is not a path", text.escape_debug()));
    }
    match text.strip_prefix('~') {
        Some("") => home.map(Path::to_owned).ok_or_else(|| no_home(text)),
        Some(rest) if rest.starts_with('/') => {
            home.map(|home| home.join(rest.trim_start_matches('/'))).ok_or_else(|| no_home(text))
        }
        Some(_) | None => Ok(cwd.join(text)),
    }
}

fn no_home(text: &str) -> String {
    format!("`{text}` begins in the home directory, and there is none")
}

/// Denies a call whose rights are not enforced here: the host has to hand them to a tool that enforces them, or pass on
/// the call together with them. A program that is already being executed has had its rights since it started.
pub(super) fn refuse_unenforced(engine: &EngineState, event: &Event, verdict: &mut Verdict) {
    let EventBody::PreToolUse(call) = &event.body else { return };
    let tool = &call.tool_name;
    let because = if call.executed.is_some() {
        "is too late for a program that is being executed".to_owned()
    } else if engine.host.carries_rights.contains(&tool.as_str()) {
        return;
    } else if !engine.host.enforces_rights {
        "can't be enforced here: this host does not run the call itself".to_owned()
    } else if !engine.tools.enforces_rights(tool) {
        format!("can't be enforced for `{tool}` here")
    } else {
        return;
    };
    let reasons = verdict.fields.sandbox.iter().filter(|answer| answer.what.unread().is_none());
    let reasons = reasons.map(|answer| Attributed {
        source: answer.source.clone(),
        label: answer.label.clone(),
        what: Reason { text: answer.refusal(&because), by: DecidedBy::Failure },
    });
    let mut reasons: Vec<Attributed<Reason>> = reasons.collect();
    if reasons.is_empty() {
        return;
    }
    if let Ruling::Permission { decision: PermissionDecision::Deny, reasons: own } = &verdict.ruling {
        reasons = own.iter().cloned().chain(reasons).collect();
    }
    verdict.ruling = Ruling::Permission { decision: PermissionDecision::Deny, reasons };
    verdict.fields.updated_input = None;
}
