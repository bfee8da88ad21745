//! The processes that belong to one that is being ended: its group, its session, its descendants, as far as they can be
//! found.
//!
//! A group is killed as one; processes that left it (`setsid sleep &`, a shell with job control) are found in `/proc`
//! while their parents are still alive. A process in a session of its own whose parents had ended before the first
//! look is not found; but if the leader adopts orphans, none escapes. On systems other than Linux only the group is
//! known.
//!
//! INVARIANT: a process is signalled only if its start time is still the recorded one: ids are reused.

use std::sync::Arc;

use rustix::process::{Pid, Signal};

/// One process at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    pid: i32,
    parent: i32,
    group: i32,
    session: i32,
    start: u64,
    dead: bool,
}

/// The living relatives of a leader; without the leader itself if it is a child of this process, which keeps its id.
#[derive(Debug)]
pub(super) struct Kin {
    leader: Pid,
    noted: Vec<Stat>,
    is_orphaned: bool,
    /// The names of programs that are left alone, if the leader adopts orphans.
    kept: Option<Arc<[String]>>,
}

impl Kin {
    /// Creates an empty set.
    pub(super) fn new(leader: Pid) -> Self {
        Self { leader, noted: Vec::new(), is_orphaned: false, kept: None }
    }

    /// Creates the set of a leader that adopts the orphans among its descendants, and so is the ancestor of all of
    /// them, as long as it lives. Programs with the kept names, and the processes that they have started, do not
    /// belong to the set.
    pub(super) fn adopted(leader: Pid, kept: Arc<[String]>) -> Self {
        Self { kept: Some(kept), ..Self::new(leader) }
    }

    pub(super) fn are_adopted(&self) -> bool {
        self.kept.is_some()
    }

    /// Creates the set of a leader whose host has died: it includes the leader.
    pub(super) fn orphaned(leader: Pid) -> Self {
        Self { is_orphaned: true, ..Self::new(leader) }
    }

    /// Records all processes that belong to the leader or to a process recorded before, and forgets those that have
    /// ended. Walks the process table once; to be called before any signal is sent, while children still name their
    /// parents.
    pub(super) fn look(&mut self) {
        let all = processes();
        let root = self.leader.as_raw_pid();
        let mut family: Vec<Stat> = all.iter().copied().filter(|stat| self.knows(stat)).collect();
        loop {
            let is_new = |stat: &&Stat| !family.contains(*stat);
            let is_kin = |stat: &&Stat| {
                stat.group == root
                    || stat.session == root
                    || stat.parent == root
                    || family.iter().any(|kin| kin.pid == stat.parent)
            };
            let more: Vec<Stat> = all.iter().filter(is_new).filter(is_kin).copied().collect();
            if more.is_empty() {
                break;
            }
            family.extend(more);
        }
        let own = rustix::process::getpid().as_raw_pid();
        let is_spared = |stat: &Stat| stat.pid == root && !self.is_orphaned;
        family.retain(|stat| !stat.dead && !is_spared(stat) && stat.pid != own && stat.pid > 1);
        self.leave_kept(&mut family);
        self.noted = family;
    }

    /// Removes the exempt processes, with their descendants.
    fn leave_kept(&self, family: &mut Vec<Stat>) {
        let Some(kept) = self.kept.as_ref().filter(|kept| !kept.is_empty()) else { return };
        let mut exempt: Vec<i32> =
            family.iter().map(|stat| stat.pid).filter(|pid| is_named(*pid, kept)).collect();
        loop {
            let is_new = |stat: &&Stat| exempt.contains(&stat.parent) && !exempt.contains(&stat.pid);
            let more: Vec<i32> = family.iter().filter(is_new).map(|stat| stat.pid).collect();
            if more.is_empty() {
                break;
            }
            exempt.extend(more);
        }
        family.retain(|stat| !exempt.contains(&stat.pid));
    }

    /// Signals the processes that left the group; the group itself is signalled separately.
    pub(super) fn signal_leavers(&self, signal: Signal) {
        for stat in self.noted.iter().filter(|stat| stat.group != self.leader.as_raw_pid()) {
            signal_if_same(stat, signal);
        }
    }

    /// Signals all recorded processes one by one, for a leader whose id is no longer ours.
    pub(super) fn signal_each(&self, signal: Signal) {
        for stat in &self.noted {
            signal_if_same(stat, signal);
        }
    }

    /// Signals all processes of a leader whose host has died: one by one if they can be seen, otherwise as a group.
    pub(super) fn signal_orphans(&self, signal: Signal) {
        if cfg!(target_os = "linux") {
            self.signal_each(signal);
        } else {
            let _ = rustix::process::kill_process_group(self.leader, signal);
        }
    }

    /// Returns whether any process is left. Looks again only once all recorded processes have ended.
    pub(super) fn is_alive(&mut self) -> bool {
        if self
            .noted
            .iter()
            .any(|stat| current(stat.pid).is_some_and(|now| now.start == stat.start && !now.dead))
        {
            return true;
        }
        self.look();
        !self.noted.is_empty()
    }

    fn knows(&self, stat: &Stat) -> bool {
        self.noted.iter().any(|noted| noted.pid == stat.pid && noted.start == stat.start)
    }
}

/// Returns whether a process runs a program with one of these names: that of its file, or the one it gave itself.
#[cfg(target_os = "linux")]
fn is_named(pid: i32, names: &[String]) -> bool {
    let file = std::fs::read_link(format!("/proc/{pid}/exe")).ok();
    let file = file.as_deref().and_then(std::path::Path::file_name).and_then(std::ffi::OsStr::to_str);
    let own = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    // `tmux: server`
    let own = own.trim_end_matches('\n').split(':').next().unwrap_or_default();
    names.iter().any(|name| file == Some(name.as_str()) || own == name)
}

#[cfg(not(target_os = "linux"))]
fn is_named(_: i32, _: &[String]) -> bool {
    false
}

/// Returns the living descendants of a process, without the spared ones and theirs.
#[cfg(target_os = "linux")]
pub(super) fn descendants(of: i32, spared: &[Stat]) -> Vec<Stat> {
    let mut all = processes();
    all.retain(|stat| !spared.iter().any(|kept| kept.pid == stat.pid && kept.start == stat.start));
    let mut found: Vec<Stat> = Vec::new();
    loop {
        let is_child = |stat: &&Stat| stat.parent == of || found.iter().any(|kin| kin.pid == stat.parent);
        let more: Vec<Stat> =
            all.iter().filter(is_child).filter(|stat| !found.contains(stat)).copied().collect();
        if more.is_empty() {
            found.retain(|stat| !stat.dead);
            return found;
        }
        found.extend(more);
    }
}

/// Kills a process, unless another one has its id by now.
#[cfg(target_os = "linux")]
pub(super) fn kill_if_same(stat: &Stat) {
    signal_if_same(stat, Signal::KILL);
}

#[cfg(target_os = "linux")]
fn signal_if_same(stat: &Stat, signal: Signal) {
    use rustix::process::{PidfdFlags, kill_process, pidfd_open, pidfd_send_signal};

    let Some(pid) = Pid::from_raw(stat.pid) else { return };
    // Opened before the comparison: from then on the descriptor means this process and no later one.
    let handle = pidfd_open(pid, PidfdFlags::empty());
    if current(stat.pid).is_none_or(|now| now.start != stat.start) {
        return;
    }
    let _ = match handle {
        Ok(handle) => pidfd_send_signal(handle, signal),
        Err(_) => kill_process(pid, signal),
    };
}

#[cfg(not(target_os = "linux"))]
fn signal_if_same(_: &Stat, _: Signal) {}

/// Returns the sessions of all processes that have a pipe open, by their leaders, which may have ended; without the
/// session `but`, that of the process that created the pipe.
#[cfg(target_os = "linux")]
pub(super) fn sessions_behind(pipe: u64, but: i32) -> Vec<Pid> {
    let link = format!("pipe:[{pipe}]");
    let holds = |stat: &Stat| {
        let Ok(open) = std::fs::read_dir(format!("/proc/{}/fd", stat.pid)) else { return false };
        let mut targets = open.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
        targets.any(|target| target.as_os_str() == link.as_str())
    };
    let all = processes();
    let holders = all.iter().filter(|stat| stat.session > 1 && stat.session != but && holds(stat));
    let sessions: std::collections::BTreeSet<i32> = holders.map(|stat| stat.session).collect();
    sessions.into_iter().filter_map(Pid::from_raw).collect()
}

/// Returns nothing: processes can't be listed here.
#[cfg(not(target_os = "linux"))]
pub(super) fn sessions_behind(_: u64, _: i32) -> Vec<Pid> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn processes() -> Vec<Stat> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(current).collect()
}

#[cfg(not(target_os = "linux"))]
fn processes() -> Vec<Stat> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn current(pid: i32) -> Option<Stat> {
    parse(pid, &std::fs::read(format!("/proc/{pid}/stat")).ok()?)
}

#[cfg(not(target_os = "linux"))]
fn current(_: i32) -> Option<Stat> {
    None
}

/// Parses `pid (name) state parent group session … start`: the name may contain blanks, parentheses and line ends, so
/// the fields start after the last parenthesis (`proc_pid_stat(5)`).
#[cfg(target_os = "linux")]
fn parse(pid: i32, line: &[u8]) -> Option<Stat> {
    /// The number of fields between the session and the start time.
    const BETWEEN: usize = 15;
    let after_name = line.iter().rposition(|byte| *byte == b')')? + 1;
    let mut fields = std::str::from_utf8(&line[after_name..]).ok()?.split_ascii_whitespace();
    let dead = matches!(fields.next()?, "Z" | "X");
    Some(Stat {
        pid,
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
        session: fields.next()?.parse().ok()?,
        start: fields.nth(BETWEEN)?.parse().ok()?,
        dead,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_blanks_does_not_shift_the_fields() {
        let line = b"7 (a) S 1 (\n) Z 3 5 6 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 1 2";
        let stat = parse(7, line).unwrap();
        assert_eq!(stat, Stat { pid: 7, parent: 3, group: 5, session: 6, start: 4242, dead: true });
    }

    #[test]
    fn a_short_line_is_no_process() {
        assert_eq!(parse(7, b"7 (a) S 1 2"), None);
        assert_eq!(parse(7, b""), None);
    }

    #[test]
    fn the_test_itself_is_seen() {
        let own = rustix::process::getpid().as_raw_pid();
        assert!(processes().iter().any(|stat| stat.pid == own && !stat.dead));
    }

    // rule: H4
    #[test]
    fn who_holds_a_pipe_is_found_by_its_session_but_the_one_who_made_it() {
        let (_read, write) = crate::unix::pipes::pipe().unwrap();
        let inode = rustix::fs::fstat(&write).unwrap().st_ino;
        let own = crate::unix::ffi::session();
        // A session that can't be seen from here has no leader with an id.
        let named: Vec<Pid> = Pid::from_raw(own).into_iter().collect();
        assert_eq!(sessions_behind(inode, -1), named);
        assert_eq!(sessions_behind(inode, own), []);
        assert_eq!(sessions_behind(u64::MAX, -1), []);
    }
}
