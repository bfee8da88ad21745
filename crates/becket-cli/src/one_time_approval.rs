//! Calls that hooks asked about where the agent could not ask: a person may allow one of them once, at a terminal.
//!
//! One private file of the user holds them by the digest of the call: the agent, the project, the directory, the tool and its
//! whole input. It is locked while it is changed. A call that was not allowed is forgotten after an hour, a permission after
//! ten minutes.

use crate::error::CliError;
use becket_base::file_lock;
use becket_base::private_file;
use becket_base::text::hex;
use becket_base::text_file::read_if_there;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time for which a call that was asked about is kept.
const KEPT: Duration = Duration::from_secs(60 * 60);
/// The time for which a permission holds.
pub(crate) const ALLOWED: Duration = Duration::from_secs(10 * 60);
/// The calls that are kept; the oldest go first.
const CALLS: usize = 64;
/// The digits of a digest that name a call.
const DIGITS: usize = 12;

/// A call that hooks asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OneTimeApproval {
    /// The agent.
    pub(crate) agent: String,
    /// The project.
    pub(crate) project: String,
    /// The directory.
    pub(crate) directory: String,
    /// The tools with their whole inputs, as JSON.
    pub(crate) calls: Vec<(String, serde_json::Value)>,
}

/// A call on file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct KeptCall {
    pub(crate) call: OneTimeApproval,
    /// The reason that the hooks gave.
    pub(crate) reason: String,
    /// The agent's process: its id and the time of its start.
    pub(crate) host: Option<(u32, u64)>,
    asked: u64,
    allowed: Option<u64>,
}

impl OneTimeApproval {
    /// Returns the digest of everything about the call.
    fn digest(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        hex(&Sha256::digest(text))
    }
}

/// The file of the calls.
pub(crate) struct OneTimeApprovals {
    file: PathBuf,
}

/// The calls by their digests.
type Calls = BTreeMap<String, KeptCall>;

impl OneTimeApprovals {
    /// The calls of a user whose directory of settings this is.
    pub(crate) fn of(user_directory: &Path) -> Self {
        OneTimeApprovals { file: user_directory.join("becket/asked.json") }
    }

    /// Returns true if the call was allowed, and forgets that: it holds once.
    ///
    /// # Errors
    /// The file can't be used.
    pub(crate) fn take_permission(&self, call: &OneTimeApproval) -> Result<bool, CliError> {
        if !self.file.exists() {
            return Ok(false);
        }
        let mut taken = false;
        self.change(|calls| {
            let digest = call.digest();
            let is_allowed =
                calls.get(&digest).is_some_and(|kept| kept.call == *call && kept.allowed.is_some());
            taken = is_allowed && calls.remove(&digest).is_some();
        })?;
        Ok(taken)
    }

    /// Keeps a call; returns its name for the command line.
    ///
    /// # Errors
    /// The file can't be used.
    pub(crate) fn keep(
        &self,
        call: OneTimeApproval,
        reason: &str,
        host: Option<(u32, u64)>,
    ) -> Result<String, CliError> {
        let digest = call.digest();
        let name = digest.get(..DIGITS).unwrap_or_default().to_owned();
        self.change(|calls| {
            while calls.len() >= CALLS {
                let oldest =
                    calls.iter().min_by_key(|(_, kept)| kept.asked).map(|(digest, _)| digest.clone());
                calls.remove(&oldest.unwrap_or_default());
            }
            let kept = KeptCall { call, reason: reason.to_owned(), host, asked: now(), allowed: None };
            calls.insert(digest, kept);
        })?;
        Ok(name)
    }

    /// Returns the call of a name.
    ///
    /// # Errors
    /// There is none, or the file can't be used.
    pub(crate) fn find(&self, name: &str) -> Result<KeptCall, CliError> {
        let mut calls = self.read()?;
        forget_old(&mut calls);
        let mut found =
            calls.into_iter().filter(|(digest, _)| name.len() >= DIGITS && digest.starts_with(name));
        match (found.next(), found.next()) {
            (Some((_, kept)), None) => Ok(kept),
            _ => Err(CliError::NoOneTimeApproval { name: name.to_owned() }),
        }
    }

    /// Allows a call once.
    ///
    /// # Errors
    /// It is not on file any more, or the file can't be used.
    pub(crate) fn allow(&self, kept: &KeptCall) -> Result<(), CliError> {
        let mut is_there = false;
        self.change(|calls| {
            if let Some(kept) = calls.get_mut(&kept.call.digest()) {
                kept.allowed = Some(now());
                is_there = true;
            }
        })?;
        if is_there { Ok(()) } else { Err(CliError::NoOneTimeApproval { name: kept.call.digest() }) }
    }

    fn read(&self) -> Result<Calls, CliError> {
        let text = read_if_there(&self.file)?.unwrap_or_default();
        // What is broken allows nothing: it starts again.
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    fn change(&self, work: impl FnOnce(&mut Calls)) -> Result<(), CliError> {
        let lock = self.file.with_extension("lock");
        let fail = |path: &Path, why| CliError::Write { path: path.to_owned(), why };
        let _lock = file_lock::lock_private(&lock).map_err(|why| fail(&lock, why))?;
        let mut calls = self.read()?;
        forget_old(&mut calls);
        work(&mut calls);
        let text = serde_json::to_vec(&calls).map_err(|why| fail(&self.file, why.into()))?;
        private_file::replace(&self.file, &text).map_err(|why| fail(&self.file, why))
    }
}

/// Forgets calls and permissions whose time is over. A clock that was put back ends them as well.
fn forget_old(calls: &mut Calls) {
    let now = now();
    let is_within = |since: u64, limit: Duration| since <= now && now - since <= limit.as_secs();
    calls.retain(|_, kept| match kept.allowed {
        Some(allowed) => is_within(allowed, ALLOWED),
        None => is_within(kept.asked, KEPT),
    });
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(command: &str) -> OneTimeApproval {
        OneTimeApproval {
            agent: "codex".to_owned(),
            project: "/p".to_owned(),
            directory: "/p".to_owned(),
            calls: vec![("Bash".to_owned(), json!({"command": command}))],
        }
    }

    #[test]
    fn a_permission_is_for_one_call_once() {
        let directory = tempfile::tempdir().unwrap();
        let calls = OneTimeApprovals::of(directory.path());
        assert!(!calls.take_permission(&call("a")).unwrap());
        let name = calls.keep(call("a"), "why", None).unwrap();
        assert!(!calls.take_permission(&call("a")).unwrap());
        let kept = calls.find(&name).unwrap();
        assert_eq!((kept.call.clone(), kept.reason.as_str()), (call("a"), "why"));
        calls.allow(&kept).unwrap();
        for other in [call("b"), OneTimeApproval { directory: "/q".to_owned(), ..call("a") }] {
            assert!(!calls.take_permission(&other).unwrap());
        }
        assert!(calls.take_permission(&call("a")).unwrap());
        assert!(!calls.take_permission(&call("a")).unwrap());
        assert!(calls.find(&name).is_err() && calls.allow(&kept).is_err());
        assert!(calls.find("").is_err());
        // One that is asked about again after the yes needs another one.
        let name = calls.keep(call("a"), "why", None).unwrap();
        calls.allow(&calls.find(&name).unwrap()).unwrap();
        calls.keep(call("a"), "another reason", None).unwrap();
        assert!(!calls.take_permission(&call("a")).unwrap());
    }

    #[test]
    fn calls_and_permissions_expire() {
        let kept =
            |asked, allowed| KeptCall { call: call("a"), reason: String::new(), host: None, asked, allowed };
        let (hour, minute) = (60 * 60, 60);
        for (asked, allowed, stays) in [
            (now() - hour + minute, None, true),
            (now() - hour - minute, None, false),
            (now() - hour, Some(now() - 9 * minute), true),
            (now() - hour, Some(now() - 11 * minute), false),
            (now() + minute, None, false),
        ] {
            let mut calls = Calls::from([("a".to_owned(), kept(asked, allowed))]);
            forget_old(&mut calls);
            assert_eq!(calls.len() == 1, stays, "{asked} {allowed:?}");
        }
    }

    #[test]
    fn few_calls_are_kept_and_a_broken_file_allows_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let calls = OneTimeApprovals::of(directory.path());
        for number in 0..CALLS + 3 {
            calls.keep(call(&number.to_string()), "", None).unwrap();
        }
        assert_eq!(calls.read().unwrap().len(), CALLS);
        std::fs::write(&calls.file, "{broken").unwrap();
        assert!(!calls.take_permission(&call("1")).unwrap());
    }
}
