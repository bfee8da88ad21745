//! The command of an entry: `becket fire`, or a refusal in the agent's own form if it can't be run.
//!
//! A POSIX shell runs `becket` and passes on its exit code if it is one of an answer: 0, that of a refusal on this
//! event, and on events that can't be blocked also 1 and 2. Any other one, as from a program that is missing, can't be
//! executed, was killed or does not know its arguments, becomes the refusal that the agent accepts on this event.

use crate::agent::{AgentConfig, ConfigForm, RegisteredEvent, Scope};
use becket_dialects::refuse;
use becket_model::EventKind;
use serde_json::json;
use std::time::Duration;

/// The name of an entry, if the form of the agent has names.
pub(crate) const ENTRY_NAME: &str = "becket";

/// The argument by which an entry is recognised as Becket's own.
pub const MARKER: &str = "--installed";

/// The argument of an entry that rewrites shell lines to run under `becket exec`.
pub(crate) const EXEC_REWRITE: &str = "--exec-rewrite";

/// The script of every entry. `$0` is the program; the first three arguments are the refusal's stdout, stderr and exit
/// code, the others are those of the program. What the program prints is passed on only with an exit code of an answer, so
/// that there is one answer; a signal to the whole group must not end the shell before it has printed that answer. An answer
/// that stdout does not take, or that is for the null device, is on stderr, with exit code 2. An empty file succeeds as a
/// script of the shell, so the program must not be one.
///
/// Some agents replace the names of variables in their settings by the values that these have when they start. So the
/// script uses no variable but one that nobody else sets.
const SCRIPT: &str = r#"trap : HUP INT TERM; if case $0 in */*) [ -s "$0" ];; *) [ -s "$(command -v "$0")" ];; esac; then becket_answer=$(shift 3; exec "$0" "$@"); else (exit 127); fi; set -- "$1" "$2" "$3" "$?"; case $3:$4 in *:0|1:1|1:2|2:2) set -- "$becket_answer" "" "$4";; esac; [ -z "$1" ] || { [ ! /dev/fd/1 -ef /dev/null ] && printf "%s\n" "$1"; } || { printf "%s\n" "$1" >&2; exit 2; }; [ -z "$2" ] || printf "%s\n" "$2" >&2; exit "$3""#;

/// The command of one entry.
#[derive(Debug, Clone)]
pub struct HookCommand<'a> {
    /// The agent.
    pub agent: &'a AgentConfig,
    /// The scope of the entry.
    pub scope: Scope,
    /// The program: an absolute path, or `becket` to find it on `PATH`.
    pub program: &'a str,
    /// The longest time that a handler may take; `None` if there are no handlers.
    pub longest: Option<Duration>,
    /// Set if shell lines are rewritten to run under `becket exec`, if the agent accepts a rewrite.
    pub exec_rewrite: bool,
}

impl HookCommand<'_> {
    /// Returns the words with which the program is started.
    pub fn words(&self, event: &RegisteredEvent) -> Vec<String> {
        self.words_within(event, self.agent.within(event.name, self.longest))
    }

    /// Returns the words with which the program is started to answer within a time.
    pub(crate) fn words_within(&self, event: &RegisteredEvent, within: Duration) -> Vec<String> {
        let within = within.as_secs().max(1).to_string();
        let mut words = vec!["fire", "--dialect", self.agent.name, "--within", &within];
        if self.scope == Scope::User {
            words.push("--user-scope");
        }
        let is_of_calls =
            event.kind == EventKind::PreToolUse || matches!(self.agent.form, ConfigForm::Plugin(_));
        if self.exec_rewrite && is_of_calls && self.agent.takes_rewrites() {
            words.push(EXEC_REWRITE);
        }
        words.extend([MARKER, env!("CARGO_PKG_VERSION_MAJOR")]);
        words.into_iter().map(str::to_owned).collect()
    }

    /// Returns the command for a shell.
    pub fn text(&self, event: &RegisteredEvent) -> String {
        self.text_within(event, self.agent.within(event.name, self.longest))
    }

    /// Returns the command whose program answers within a time.
    pub(crate) fn text_within(&self, event: &RegisteredEvent, within: Duration) -> String {
        let refused = refuse(self.agent.dialect(), &json!({"hook_event_name": event.native}), &self.reason());
        let exit = refused.exit.to_string();
        let (stdout, stderr) = (refused.stdout.trim_end(), refused.stderr.trim_end());
        let words = self.words_within(event, within);
        let all = ["sh", "-c", SCRIPT, self.program, stdout, stderr, &exit];
        join(all.into_iter().chain(words.iter().map(String::as_str)))
    }

    /// Returns the reason of the refusal.
    pub fn reason(&self) -> String {
        let AgentConfig { name, .. } = self.agent;
        let scope = self.scope.name();
        format!(
            "becket cannot be run ({}), so this is refused. To repair: becket install {name} --{scope} --repair. To remove: \
             becket uninstall {name} --{scope}, or delete the entries with {MARKER} in {}",
            self.program,
            self.agent.shown(self.scope)
        )
    }
}

/// Returns true if the command of an entry is Becket's own: a shell that runs a script, of any version, with the program
/// and its arguments. A command that only contains such words is someone else's.
pub fn is_own(command: &str) -> bool {
    own_words(command).is_some()
}

/// Returns the program of an own command and its arguments; `None` for any other command.
pub(crate) fn own_words(command: &str) -> Option<Vec<String>> {
    let words = shlex::split(command)?;
    let [shell, option, _script, program, rest @ ..] = words.as_slice() else { return None };
    if shell != "sh" || option != "-c" {
        return None;
    }
    let start = rest.iter().position(|word| word == "fire")?;
    let started: Vec<String> = std::iter::once(program).chain(&rest[start..]).cloned().collect();
    is_started(&started).then_some(started)
}

/// Returns the command of an entry that starts its program with these words.
pub(crate) fn own_command<'a>(
    agent: &'a AgentConfig,
    scope: Scope,
    words: &'a [String],
) -> Option<HookCommand<'a>> {
    let program = words.first()?;
    let exec_rewrite = words.iter().any(|word| word == EXEC_REWRITE);
    Some(HookCommand { agent, scope, program, longest: None, exec_rewrite })
}

/// Returns true if these words start Becket as the hook of an agent: `PROGRAM fire --dialect NAME … --installed MAJOR`.
pub(crate) fn is_started(words: &[String]) -> bool {
    // A redirection or an operator is not part of an entry; an option that a user added is.
    let is_plain = |word: &String| !word.contains(['<', '>', '|', '&', ';', '(', ')', '`', '$', '\n']);
    match words {
        [_program, fire, dialect, arguments @ .., marker, major] => {
            fire == "fire"
                && dialect == "--dialect"
                && marker == MARKER
                && major.parse::<u32>().is_ok()
                && arguments.iter().all(is_plain)
        }
        _ => false,
    }
}

/// Joins words for a shell. A text with a NUL, which no command can contain, is left out.
fn join<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let quoted: Vec<String> =
        words.filter_map(|word| shlex::try_quote(word).ok().map(|word| word.into_owned())).collect();
    quoted.join(" ")
}

/// Returns the time within which the program that is started with these words answers.
pub(crate) fn limit_among(words: &[String]) -> Option<Duration> {
    let at = words.iter().position(|word| word == "--within")?;
    words.get(at + 1)?.parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AGENTS;
    use becket_dialects::{Answer, Effect};
    use std::process::Command;

    /// Runs an entry whose program is `program`, and returns its answer.
    fn answer(agent: &AgentConfig, event: &RegisteredEvent, program: &str) -> Answer {
        let command = HookCommand { agent, scope: Scope::User, program, longest: None, exec_rewrite: false };
        let command = command.text(event);
        let ended = Command::new("sh").args(["-c", &command]).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let exit = u8::try_from(ended.status.code().unwrap()).unwrap();
        Answer { stdout: text(ended.stdout), stderr: text(ended.stderr), exit }
    }

    #[test]
    fn a_program_that_cant_be_run_refuses_in_the_form_of_the_agent() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str, mode: u32| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            }
            path.display().to_string()
        };
        let programs = [
            directory.path().join("it's gone").display().to_string(),
            file("text", "#!/bin/sh\n", 0o600),
            file("broken", "\u{7f}ELF", 0o755),
            file("killed", "#!/bin/sh\nkill -9 $$\n", 0o755),
            file("other", "#!/bin/sh\nexit 64\n", 0o755),
            file("failed", "#!/bin/sh\nexit 1\n", 0o755),
            file("empty", "", 0o755),
            file("zeros", "\0\0\0\0", 0o755),
        ];
        let usage = file("usage", "#!/bin/sh\necho wrong arguments >&2; exit 2\n", 0o755);
        for agent in &AGENTS {
            for event in
                agent.registered(&[]).iter().filter(|event| event.kind == becket_model::EventKind::PreToolUse)
            {
                for program in &programs {
                    let answer = answer(agent, event, program);
                    let effect = agent.dialect().effect_of(&answer);
                    let name = (agent.name, event.name, program, &answer);
                    assert!(matches!(effect, Effect::Held | Effect::Ends), "{name:?}");
                    assert!(format!("{answer:?}").contains("--repair"), "{name:?}");
                }
                let answer = answer(agent, event, &usage);
                let effect = agent.dialect().effect_of(&answer);
                assert!(matches!(effect, Effect::Held | Effect::Ends), "{} {answer:?}", agent.name);
            }
        }
    }

    // rule: O10
    #[cfg(unix)]
    #[test]
    fn the_program_on_the_search_path_is_the_one_that_must_not_be_empty() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let becket = |directory: &str, text: &str| {
            let directory = root.path().join(directory);
            std::fs::create_dir_all(&directory).unwrap();
            std::fs::write(directory.join("becket"), text).unwrap();
            std::fs::set_permissions(directory.join("becket"), PermissionsExt::from_mode(0o755)).unwrap();
            directory.display().to_string()
        };
        let (empty, whole) = (becket("em * pty", ""), becket("whole", "#!/bin/sh\necho {}\n"));
        std::fs::create_dir_all(root.path().join("directory/becket")).unwrap();
        let directory = root.path().join("directory").display().to_string();
        let agent = crate::agent("gemini").unwrap();
        let registered = agent.registered(&[]);
        let event = registered.iter().find(|event| event.kind == EventKind::PreToolUse).unwrap();
        let command = HookCommand {
            agent,
            scope: Scope::Project,
            program: "becket",
            longest: None,
            exec_rewrite: false,
        };
        for (path, is_refused) in [
            (format!("{whole}:{empty}"), false),
            (format!("{directory}:{whole}"), false),
            (format!("/nowhere:{whole}"), false),
            (format!("{empty}:{whole}"), true),
            (directory.clone(), true),
            ("/nowhere".to_owned(), true),
        ] {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", &command.text(event)]).env("PATH", format!("{path}:/usr/bin:/bin"));
            let ended = shell.output().unwrap();
            let out = String::from_utf8(ended.stdout).unwrap();
            assert_eq!((ended.status.code(), out.contains("deny")), (Some(0), is_refused), "{path}: {out}");
        }
    }

    /// Replaces the names of variables as Gemini CLI and Qwen Code do it when they read their settings.
    fn resolved(text: &str, variables: &[(&str, &str)]) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let braced = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
            let end = after.find(|c| !is_of_name(c)).unwrap_or(after.len());
            let (name, next) = braced.unwrap_or_else(|| after.split_at(end));
            let value = variables.iter().find(|(known, _)| *known == name);
            out.push_str(before);
            match value {
                Some((_, value)) => out.push_str(value),
                None => out.push_str(&rest[before.len()..rest.len() - next.len()]),
            }
            rest = next;
        }
        out + rest
    }

    // rule: O10
    #[cfg(unix)]
    #[test]
    fn an_agent_that_replaces_variables_in_its_settings_runs_the_same_entry() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let becket = root.path().join("becket");
        std::fs::write(&becket, "#!/bin/sh\ncat\n").unwrap();
        std::fs::set_permissions(&becket, PermissionsExt::from_mode(0o755)).unwrap();
        let path = format!("/nowhere:{}:/usr/bin:/bin", root.path().display());
        let letters: Vec<String> = ('a'..='z').chain('A'..='Z').map(String::from).collect();
        let mut variables: Vec<(&str, &str)> =
            letters.iter().map(|letter| (letter.as_str(), "other")).collect();
        variables.extend([
            ("PATH", path.as_str()),
            ("HOME", "/home/me"),
            ("IFS", ":"),
            ("_", "/usr/bin/node"),
        ]);
        assert_eq!(
            resolved("$PATH ${HOME} $NONE ${NONE} $(x) $? \"$e\"", &[("HOME", "/h"), ("e", "E")]),
            "$PATH /h $NONE ${NONE} $(x) $? \"E\""
        );
        let agent = crate::agent("gemini").unwrap();
        let registered = agent.registered(&[]);
        let event = registered.iter().find(|event| event.kind == EventKind::PreToolUse).unwrap();
        let absolute = becket.display().to_string();
        for program in ["becket", &absolute] {
            let command =
                HookCommand { agent, scope: Scope::Project, program, longest: None, exec_rewrite: false };
            let line = format!("printf denied | {}", resolved(&command.text(event), &variables));
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", &line]).env("PATH", &path).envs(variables.iter().copied());
            let ended = shell.output().unwrap();
            let out = String::from_utf8(ended.stdout).unwrap();
            assert_eq!((ended.status.code(), out.as_str()), (Some(0), "denied\n"), "{line}");
        }
    }

    // rule: O10
    #[cfg(unix)]
    #[test]
    fn an_answer_to_a_signal_to_the_whole_group_is_passed_on() {
        use std::os::unix::fs::PermissionsExt;
        use std::os::unix::process::CommandExt;
        let root = tempfile::tempdir().unwrap();
        let (becket, begun) = (root.path().join("becket"), root.path().join("begun"));
        let script = format!(
            "#!/bin/sh\ntrap 'echo denied; exit 0' TERM\necho > {}\nwhile :; do sleep 0.1; done\n",
            begun.display()
        );
        std::fs::write(&becket, script).unwrap();
        std::fs::set_permissions(&becket, PermissionsExt::from_mode(0o755)).unwrap();
        let agent = crate::agent("gemini").unwrap();
        let registered = agent.registered(&[]);
        let event = registered.iter().find(|event| event.kind == EventKind::PreToolUse).unwrap();
        let program = becket.display().to_string();
        let command = HookCommand {
            agent,
            scope: Scope::Project,
            program: &program,
            longest: None,
            exec_rewrite: false,
        };
        for shell in ["/bin/sh", "/bin/bash"] {
            let _ = std::fs::remove_file(&begun);
            let mut process = Command::new(shell);
            process.args(["-c", &command.text(event)]).stdout(std::process::Stdio::piped()).process_group(0);
            let process = process.spawn().unwrap();
            assert!(becket_testkit::proc::wait_until(|| begun.exists()));
            let group = format!("-{}", process.id());
            assert!(Command::new("kill").args(["-TERM", "--", &group]).status().unwrap().success());
            let ended = process.wait_with_output().unwrap();
            let out = String::from_utf8(ended.stdout).unwrap();
            // The shell of the agent, which the signal reaches as well, may end by it.
            assert_eq!(out, "denied\n", "{shell}");
        }
    }

    // rule: O10
    #[cfg(unix)]
    #[test]
    fn an_answer_for_the_null_device_is_on_stderr() {
        for agent in &AGENTS {
            let registered = agent.registered(&[]);
            let Some(event) = registered.iter().find(|event| event.kind == EventKind::PreToolUse) else {
                continue;
            };
            let command = HookCommand {
                agent,
                scope: Scope::Project,
                program: "/nowhere/becket",
                longest: None,
                exec_rewrite: false,
            };
            let mut shell = Command::new("/bin/sh");
            let ended = shell.args(["-c", &command.text(event)]).stdout(std::process::Stdio::null()).output();
            let ended = ended.unwrap();
            assert!(!ended.stderr.is_empty() && !ended.status.success(), "{}: {ended:?}", agent.name);
        }
    }

    // rules: O10, D1
    #[cfg(unix)]
    #[test]
    fn a_program_that_is_killed_after_its_answer_has_one_answer() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let becket = root.path().join("becket");
        std::fs::write(
            &becket,
            "#!/bin/sh\necho '{\"decision\": \"deny\", \"reason\": \"x\"}'; kill -9 $$\n",
        )
        .unwrap();
        std::fs::set_permissions(&becket, PermissionsExt::from_mode(0o755)).unwrap();
        for agent in &AGENTS {
            for event in agent.registered(&[]).iter().filter(|event| event.kind == EventKind::PreToolUse) {
                let answer = answer(agent, event, &becket.display().to_string());
                let effect = agent.dialect().effect_of(&answer);
                assert!(matches!(effect, Effect::Held | Effect::Ends), "{} {answer:?}", agent.name);
                assert!(!answer.stdout.contains("\"x\""), "{} {answer:?}", agent.name);
            }
        }
    }

    // rule: O10
    #[cfg(target_os = "linux")]
    #[test]
    fn a_refusal_that_stdout_does_not_take_is_on_stderr() {
        let agent = crate::agent("gemini").unwrap();
        let registered = agent.registered(&[]);
        let event = registered.iter().find(|event| event.kind == EventKind::PreToolUse).unwrap();
        let program = "/nowhere/becket";
        let command = HookCommand { agent, scope: Scope::User, program, longest: None, exec_rewrite: false };
        let text = command.text(event);
        for to in ["/dev/full", "&-"] {
            let ended = Command::new("sh").args(["-c", &format!("{text} >{to}")]).output().unwrap();
            let said = String::from_utf8(ended.stderr).unwrap();
            assert!(ended.status.code() == Some(2) && said.contains("--repair"), "{to}: {said}");
        }
    }

    #[test]
    fn the_answer_of_the_program_is_passed_on() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("becket");
        std::fs::write(&program, "#!/bin/sh\nread line; echo \"out $line $*\"; echo err >&2; exit 0\n")
            .unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let agent = crate::agent("gemini").unwrap();
        let event = agent.registered(&[])[2];
        let program_text = program.to_str().unwrap();
        let command = HookCommand {
            agent,
            scope: Scope::User,
            program: program_text,
            longest: None,
            exec_rewrite: false,
        };
        let text = command.text(&event);
        assert!(is_own(&text));
        let words = own_words(&text).unwrap();
        assert_eq!(words.first().map(String::as_str), program.to_str());
        assert_eq!(limit_among(&words), Some(Duration::from_secs(55)));
        let line = format!("echo in | {text}");
        let ended = Command::new("sh").args(["-c", &line]).output().unwrap();
        let out = String::from_utf8(ended.stdout).unwrap();
        assert_eq!(ended.status.code(), Some(0));
        assert_eq!(out, "out in fire --dialect gemini --within 55 --user-scope --installed 0\n");
        assert_eq!(ended.stderr, b"err\n");
    }

    #[test]
    fn a_command_that_only_contains_the_words_of_an_entry_is_not_one() {
        let entry = "sh -c 'x' becket '' why 2 fire --dialect gemini --within 55 --installed 0";
        let with_option = entry.replace(" --installed", " --settings /etc/x.json --installed");
        for own in [entry, &with_option] {
            assert!(is_own(own), "{own}");
        }
        for other in [
            "apt list --installed 2>/dev/null | grep -q becket",
            "becket fire --dialect gemini --installed 0",
            "sh -c 'x' becket '' why 2 fire --dialect gemini --installed",
            "sh -c 'x' becket '' why 2 fire --dialect gemini --installed new",
            "sh -c 'x' becket '' why 2 fire --stdin-event --installed 0",
            &format!("{entry} | tee log"),
            &format!("{entry} >log"),
            &format!("{entry}; rm log"),
            &format!("mine && {entry}"),
            &format!("echo {entry}"),
            &entry.replace(" --installed", " >log --installed"),
            &entry.replace("sh -c", "bash -c"),
            "",
        ] {
            assert!(!is_own(other), "{other}");
        }
    }
}
