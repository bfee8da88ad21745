//! The arguments of `fire` in the command of a hook. All others are for the full program, even wrong ones.

use becket_engine::Profile;
use std::ffi::OsString;
use std::path::PathBuf;

/// The arguments that this program reads.
#[derive(Debug)]
pub(super) struct FireArguments {
    /// The profile.
    pub(super) profile: Profile,
    /// The managed settings, instead of the system's directory; absolute.
    pub(super) managed: Option<PathBuf>,
    /// Unset by `--untrusted-project`.
    pub(super) folder_trusted: bool,
    /// The agent, if it has a dialect of its own.
    pub(super) agent: Option<AgentArguments>,
}

/// The arguments about an agent with a dialect of its own.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AgentArguments {
    /// The name of the dialect.
    pub(super) dialect: String,
    /// The time within which the answer is given, in seconds.
    pub(super) within: Option<u64>,
    /// The major version for which `becket install` has written the entry.
    pub(super) installed: Option<String>,
    /// True if the entry is of the user's configuration.
    pub(super) user_scope: bool,
}

/// The arguments read so far.
#[derive(Debug, Default)]
struct ParsedArguments {
    fire: bool,
    stdin_event: bool,
    untrusted: bool,
    profile: Option<String>,
    managed: Option<PathBuf>,
    dialect: Option<String>,
    within: Option<u64>,
    installed: Option<String>,
    user_scope: bool,
}

impl FireArguments {
    /// Reads the arguments, the name of the program first; `None` if they are for the full program.
    pub(super) fn read(arguments: &[OsString]) -> Option<Self> {
        let mut seen = ParsedArguments::default();
        let mut rest = arguments.iter().skip(1);
        while let Some(argument) = rest.next() {
            let argument = argument.to_str()?;
            match argument.split_once('=') {
                Some((name, value)) => seen.value(name, value.to_owned())?,
                None if argument.starts_with("--") && !seen.has_flag(argument) => {
                    seen.value(argument, rest.next()?.to_str()?.to_owned())?;
                }
                None => seen.word(argument)?,
            }
        }
        seen.whole()
    }
}

impl ParsedArguments {
    fn has_flag(&self, name: &str) -> bool {
        matches!(name, "--stdin-event" | "--untrusted-project" | "--user-scope")
    }

    /// Reads a word without a value; `None` if it is unknown, repeated or out of place.
    fn word(&mut self, word: &str) -> Option<()> {
        let place = match word {
            "fire" => &mut self.fire,
            "--stdin-event" if self.fire => &mut self.stdin_event,
            "--untrusted-project" if self.fire => &mut self.untrusted,
            "--user-scope" if self.fire => &mut self.user_scope,
            _ => return None,
        };
        (!std::mem::replace(place, true)).then_some(())
    }

    /// Reads an option with its value.
    fn value(&mut self, name: &str, value: String) -> Option<()> {
        if value.is_empty() || value.starts_with('-') {
            return None;
        }
        match name {
            "--profile" if self.profile.is_none() => self.profile = Some(value),
            "--managed-dir" if self.managed.is_none() => self.managed = Some(value.into()),
            "--dialect" if self.fire && self.dialect.is_none() => self.dialect = Some(value),
            "--within" if self.fire && self.within.is_none() => {
                self.within = Some(value.parse().ok().filter(|seconds| *seconds > 0)?);
            }
            "--installed" if self.fire && self.installed.is_none() => self.installed = Some(value),
            _ => return None,
        }
        Some(())
    }

    fn whole(self) -> Option<FireArguments> {
        let profile = match self.profile.as_deref() {
            None | Some("claude") => Profile::claude(),
            Some("agent") => Profile::agent(),
            Some("becket") => Profile::becket(),
            Some(_) => return None,
        };
        let of_agent = [self.within.is_some(), self.installed.is_some(), self.user_scope];
        let names_input = match self.dialect {
            Some(_) => !self.stdin_event,
            None => self.stdin_event && of_agent == [false; 3],
        };
        let is_complete = self.fire && names_input && self.managed.iter().all(|path| path.is_absolute());
        let ParsedArguments { within, installed, user_scope, .. } = self;
        let agent = self.dialect.map(|dialect| AgentArguments { dialect, within, installed, user_scope });
        is_complete.then_some(FireArguments {
            profile,
            managed: self.managed,
            folder_trusted: !self.untrusted,
            agent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<FireArguments> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        FireArguments::read(&words)
    }

    #[test]
    fn the_command_of_a_hook_is_read() {
        for (line, profile, trusted) in [
            ("becket fire --stdin-event", "claude", true),
            ("/usr/bin/becket --profile becket fire --stdin-event", "becket", true),
            ("becket --profile=agent fire --stdin-event --untrusted-project", "agent", false),
            ("becket fire --stdin-event --profile claude --managed-dir /etc/x", "claude", true),
        ] {
            let read = read(line).expect(line);
            let named = match profile {
                "claude" => Profile::claude(),
                "agent" => Profile::agent(),
                _ => Profile::becket(),
            };
            assert_eq!(read.profile.directory, named.directory, "{line}");
            assert_eq!(read.folder_trusted, trusted, "{line}");
        }
        let managed = read("becket --managed-dir /etc/x fire --stdin-event").and_then(|read| read.managed);
        assert_eq!(managed, Some(PathBuf::from("/etc/x")));
    }

    #[test]
    fn an_entry_of_install_is_read() {
        let of = |line: &str| read(line).expect(line).agent.expect(line);
        let dialect = || "gemini".to_owned();
        assert_eq!(
            of("becket fire --dialect gemini"),
            AgentArguments { dialect: dialect(), ..AgentArguments::default() }
        );
        assert_eq!(
            of("becket fire --dialect gemini --within 55 --user-scope --installed 0"),
            AgentArguments {
                dialect: dialect(),
                within: Some(55),
                installed: Some("0".to_owned()),
                user_scope: true
            }
        );
    }

    #[test]
    fn everything_else_is_for_the_full_program() {
        for line in [
            "becket",
            "becket check",
            "becket fire",
            "becket fire PreToolUse",
            "becket fire PreToolUse --stdin-event",
            "becket --stdin-event fire",
            "becket fire --stdin-event --stdin-event",
            "becket fire fire --stdin-event",
            "becket fire --stdin-event --dialect gemini",
            "becket fire --stdin-event --dialect=gemini",
            "becket --dialect gemini fire",
            "becket fire --dialect gemini --dialect gemini",
            "becket fire --dialect gemini --asks deny",
            "becket fire --dialect gemini --within 0",
            "becket fire --dialect gemini --within soon",
            "becket fire --dialect gemini --exec-rewrite",
            "becket fire --dialect gemini --detached 1",
            "becket fire --dialect gemini PreToolUse",
            "becket fire --stdin-event --within 5",
            "becket fire --stdin-event --installed 0",
            "becket fire --stdin-event --user-scope",
            "becket fire --stdin-event --settings /x.json",
            "becket fire --stdin-event -C /x",
            "becket fire --stdin-event=yes",
            "becket fire --stdin-event --profile",
            "becket fire --stdin-event --profile codex",
            "becket fire --stdin-event --profile=",
            "becket fire --stdin-event --profile claude --profile claude",
            "becket fire --stdin-event --managed-dir relative",
            "becket fire --stdin-event --managed-dir --profile",
            "becket fire --stdin-event --",
            "becket fire --stdin-event --json",
            "becket fire --stdin-event --exec-rewrite",
            "becket --help fire --stdin-event",
        ] {
            assert!(read(line).is_none(), "{line}");
        }
    }
}
