//! Calls that hooks asked about while the agent could not ask: a person may allow one of them once, at a terminal.
//!
//! One private file of the user contains them by the digest of the call: the agent, its session, the project, the
//! directory, the tool and its whole input. It is locked while it is changed. A call that was not allowed is forgotten
//! after an hour, a permission after ten minutes.
//!
//! A person names a call by its ID, which is random: nothing about a call tells the ID of another one.

use crate::FiringError;
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
/// The time for which a permission is valid.
pub const ALLOWED: Duration = Duration::from_secs(10 * 60);
/// The maximum number of calls; the oldest are dropped first.
const CALLS: usize = 64;
/// The characters of an ID: digits and lower-case letters that are not mistaken for others. Each stands for 5 bits.
const CHARACTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// The length of an ID: 50 bits.
const LENGTH: usize = 10;

/// A call that hooks asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneTimeApproval {
    /// The agent.
    pub agent: String,
    /// The id of the agent's session.
    pub session: String,
    /// The project.
    pub project: String,
    /// The directory.
    pub directory: String,
    /// The tools with their whole inputs, as JSON.
    pub calls: Vec<(String, serde_json::Value)>,
}

/// A call in the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptCall {
    /// The ID by which a person names the call.
    id: String,
    /// The call.
    pub call: OneTimeApproval,
    /// The reason that the hooks gave.
    pub reason: String,
    /// The agent's process: its id and the time of its start.
    pub host: Option<(u32, u64)>,
    asked: u64,
    allowed: Option<u64>,
    /// Set once the permission was taken.
    #[serde(default)]
    taken: Option<TakenPermission>,
}

/// The entry of becket in an agent's configuration that asks about a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskingEntry {
    /// True if it is in the user's configuration, false if it is in a project's.
    pub user_scope: bool,
    /// The id of the call.
    pub call: String,
}

/// A permission that an entry has taken.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct TakenPermission {
    by: AskingEntry,
    at: u64,
}

impl TakenPermission {
    /// Returns true if the permission is valid for this entry as well: it is the agent's entry of the other scope, for
    /// the same call.
    fn is_shared_with(&self, entry: &AskingEntry) -> bool {
        self.by.call == entry.call && self.by.user_scope != entry.user_scope
    }
}

impl KeptCall {
    /// Returns true if the permission was not taken yet.
    fn waits(&self) -> bool {
        self.taken.is_none()
    }

    /// Takes the permission of an entry; returns false if there is none.
    fn take(&mut self, entry: &AskingEntry) -> bool {
        let is_free = match &self.taken {
            None => true,
            Some(taken) => taken.is_shared_with(entry),
        };
        let is_taken = self.allowed.is_some() && is_free;
        if is_taken && self.taken.is_some() {
            // Both entries have used it.
            self.allowed = None;
        }
        if is_taken {
            self.taken = Some(TakenPermission { by: entry.clone(), at: now() });
        }
        is_taken
    }
}

impl OneTimeApproval {
    /// Returns the digest of everything about the call.
    fn digest(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        hex(&Sha256::digest(text))
    }
}

/// The path of the file below the user's directory of settings.
pub const FILE: &str = "becket/asked.json";

/// The file of the calls.
pub struct OneTimeApprovals {
    file: PathBuf,
}

/// The calls by their digests.
type Calls = BTreeMap<String, KeptCall>;

impl OneTimeApprovals {
    /// Returns the calls of the user with this directory of settings.
    pub fn of(user_directory: &Path) -> Self {
        OneTimeApprovals { file: user_directory.join(FILE) }
    }

    /// Returns true if the call was allowed, and uses up that permission. If an agent has an entry for the user and one
    /// for the project, both ask about the same call, and the permission is valid once for each.
    ///
    /// # Errors
    /// Errors if the file can't be used.
    pub fn take_permission(&self, call: &OneTimeApproval, entry: &AskingEntry) -> Result<bool, FiringError> {
        if !self.file.exists() {
            return Ok(false);
        }
        let mut taken = false;
        self.change(|calls| {
            let kept = calls.get_mut(&call.digest()).filter(|kept| kept.call == *call);
            taken = kept.is_some_and(|kept| kept.take(entry));
        })?;
        Ok(taken)
    }

    /// Keeps a call; returns its ID for the command line, which stays the same while the call waits.
    ///
    /// # Errors
    /// Errors if the file can't be used, or if the system returns no random bytes.
    pub fn keep(
        &self,
        call: OneTimeApproval,
        reason: &str,
        host: Option<(u32, u64)>,
    ) -> Result<String, FiringError> {
        let digest = call.digest();
        let mut id = new_id()?;
        self.change(|calls| {
            if let Some(before) = calls.remove(&digest).filter(KeptCall::waits) {
                id = before.id;
            }
            while calls.len() >= CALLS {
                let oldest =
                    calls.iter().min_by_key(|(_, kept)| kept.asked).map(|(digest, _)| digest.clone());
                calls.remove(&oldest.unwrap_or_default());
            }
            let (id, reason, asked) = (id.clone(), reason.to_owned(), now());
            calls.insert(digest, KeptCall { id, call, reason, host, asked, allowed: None, taken: None });
        })?;
        Ok(id)
    }

    /// Returns the IDs of the calls that wait for a person; none if the file can't be read, which allows nothing.
    pub fn waiting(&self) -> Vec<String> {
        let mut calls = self.read().unwrap_or_default();
        forget_old(&mut calls);
        calls.into_values().filter(KeptCall::waits).map(|kept| kept.id).collect()
    }

    /// Returns the call with this ID.
    ///
    /// # Errors
    /// Errors if there is none, or if the file can't be used.
    pub fn find(&self, id: &str) -> Result<KeptCall, FiringError> {
        let mut calls = self.read()?;
        forget_old(&mut calls);
        let found = calls.into_values().find(|kept| kept.waits() && kept.id == id);
        found.ok_or_else(|| FiringError::NoOneTimeApproval { id: id.to_owned() })
    }

    /// Allows a call once.
    ///
    /// # Errors
    /// Errors if it is no longer in the file, or if the file can't be used.
    pub fn allow(&self, kept: &KeptCall) -> Result<(), FiringError> {
        let mut is_there = false;
        self.change(|calls| {
            let is_same = |there: &&mut KeptCall| there.waits() && there.id == kept.id;
            if let Some(waiting) = calls.get_mut(&kept.call.digest()).filter(is_same) {
                waiting.allowed = Some(now());
                is_there = true;
            }
        })?;
        if is_there { Ok(()) } else { Err(FiringError::NoOneTimeApproval { id: kept.id.clone() }) }
    }

    fn read(&self) -> Result<Calls, FiringError> {
        let text = read_if_there(&self.file)?.unwrap_or_default();
        // Broken content allows nothing: the file starts empty.
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    fn change(&self, work: impl FnOnce(&mut Calls)) -> Result<(), FiringError> {
        let lock = self.file.with_extension("lock");
        let fail = |path: &Path, why| FiringError::Write { path: path.to_owned(), why };
        let _lock = file_lock::lock_private(&lock).map_err(|why| fail(&lock, why))?;
        let mut calls = self.read()?;
        forget_old(&mut calls);
        work(&mut calls);
        let text = serde_json::to_vec(&calls).map_err(|why| fail(&self.file, why.into()))?;
        private_file::replace(&self.file, &text).map_err(|why| fail(&self.file, why))
    }
}

/// Forgets expired calls and permissions. A clock that was set back ends them as well.
fn forget_old(calls: &mut Calls) {
    let now = now();
    let is_within = |since: u64, limit: Duration| since <= now && now - since <= limit.as_secs();
    calls.retain(|_, kept| match (&kept.taken, kept.allowed) {
        (Some(taken), Some(_)) => is_within(taken.at, ALLOWED),
        (Some(_), None) => false,
        (None, Some(allowed)) => is_within(allowed, ALLOWED),
        (None, None) => is_within(kept.asked, KEPT),
    });
}

/// Returns a new ID.
///
/// # Errors
/// Errors if the system returns no random bytes.
fn new_id() -> Result<String, FiringError> {
    let mut bits = [0; LENGTH];
    getrandom::fill(&mut bits).map_err(|why| FiringError::NoRandomness { why: why.to_string() })?;
    Ok(bits.iter().map(|bits| char::from(CHARACTERS[usize::from(bits % 32)])).collect())
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
            session: "s".to_owned(),
            project: "/p".to_owned(),
            directory: "/p".to_owned(),
            calls: vec![("Bash".to_owned(), json!({"command": command}))],
        }
    }

    fn entry(user_scope: bool, call: &str) -> AskingEntry {
        AskingEntry { user_scope, call: call.to_owned() }
    }

    #[test]
    fn one_yes_is_for_both_entries_of_an_agent_and_the_same_call() {
        let directory = tempfile::tempdir().unwrap();
        let calls = OneTimeApprovals::of(directory.path());
        let (user, project) = (entry(true, "1"), entry(false, "1"));
        for (first, second) in [(&user, &project), (&project, &user)] {
            let name = calls.keep(call("a"), "why", None).unwrap();
            calls.allow(&calls.find(&name).unwrap()).unwrap();
            assert!(calls.take_permission(&call("a"), first).unwrap());
            // Neither the same entry again, nor another call with the same input.
            assert!(!calls.take_permission(&call("a"), first).unwrap());
            let other = AskingEntry { call: "2".to_owned(), ..second.clone() };
            assert!(!calls.take_permission(&call("a"), &other).unwrap());
            assert!(calls.find(&name).is_err(), "it does not wait for a yes any more");
            assert!(calls.take_permission(&call("a"), second).unwrap());
            for entry in [first, second] {
                assert!(!calls.take_permission(&call("a"), entry).unwrap());
            }
        }
    }

    #[test]
    fn a_permission_is_for_one_call_once() {
        let directory = tempfile::tempdir().unwrap();
        let calls = OneTimeApprovals::of(directory.path());
        assert!(!calls.take_permission(&call("a"), &entry(true, "1")).unwrap());
        let name = calls.keep(call("a"), "why", None).unwrap();
        assert!(!calls.take_permission(&call("a"), &entry(true, "1")).unwrap());
        assert_eq!(calls.waiting(), [name.as_str()]);
        let kept = calls.find(&name).unwrap();
        assert_eq!((kept.call.clone(), kept.reason.as_str()), (call("a"), "why"));
        calls.allow(&kept).unwrap();
        for other in [
            call("b"),
            OneTimeApproval { directory: "/q".to_owned(), ..call("a") },
            OneTimeApproval { session: "t".to_owned(), ..call("a") },
        ] {
            assert!(!calls.take_permission(&other, &entry(true, "1")).unwrap());
        }
        assert!(calls.take_permission(&call("a"), &entry(true, "1")).unwrap());
        assert!(!calls.take_permission(&call("a"), &entry(true, "1")).unwrap());
        assert!(calls.find(&name).is_err() && calls.allow(&kept).is_err());
        assert!(calls.waiting().is_empty());
        assert!(calls.find("").is_err());
        // A call that is asked about again after the approval needs another one.
        let name = calls.keep(call("a"), "why", None).unwrap();
        calls.allow(&calls.find(&name).unwrap()).unwrap();
        calls.keep(call("a"), "another reason", None).unwrap();
        assert!(!calls.take_permission(&call("a"), &entry(true, "1")).unwrap());
    }

    // rule: O10
    #[test]
    fn an_id_is_random_and_stays_while_the_call_waits() {
        let directory = tempfile::tempdir().unwrap();
        let calls = OneTimeApprovals::of(directory.path());
        let elsewhere = tempfile::tempdir().unwrap();
        let others = OneTimeApprovals::of(elsewhere.path());
        let of_session = OneTimeApproval { session: "t".to_owned(), ..call("a") };
        let id = calls.keep(call("a"), "why", None).unwrap();
        assert_eq!(calls.keep(call("a"), "another reason", None).unwrap(), id);
        let mut ids = vec![
            id.clone(),
            calls.keep(call("b"), "why", None).unwrap(),
            calls.keep(of_session, "why", None).unwrap(),
            others.keep(call("a"), "why", None).unwrap(),
        ];
        let known = calls.find(&id).unwrap();
        calls.allow(&known).unwrap();
        assert!(calls.take_permission(&call("a"), &entry(true, "1")).unwrap());
        ids.push(calls.keep(call("a"), "why", None).unwrap());
        assert!(calls.allow(&known).is_err(), "the call that was allowed waits no more");
        for (at, id) in ids.iter().enumerate() {
            assert!(id.len() == LENGTH && id.bytes().all(|byte| CHARACTERS.contains(&byte)), "{id}");
            assert!(!ids[..at].contains(id), "{ids:?}");
        }
    }

    #[test]
    fn calls_and_permissions_expire() {
        let kept = |asked, allowed| KeptCall {
            id: "id".to_owned(),
            call: call("a"),
            reason: String::new(),
            host: None,
            asked,
            allowed,
            taken: None,
        };
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
        assert!(!calls.take_permission(&call("1"), &entry(true, "1")).unwrap());
    }
}
