//! Runs the program of `policyHelper` and reads its answer (C4).
//!
//! INVARIANT (C7b): a program that fails, is too slow, or prints anything but its answer never counts as one without
//! settings. Its process has ended before the answer is used.

use super::load::Layer;
use super::permissions::RuleList;
use super::policy_helper::{KEY, PolicyHelper};
use super::raw::is_setting;
use super::request::Request;
use super::source::json;
use super::source::read::ReadError;
use super::source::tree::{Data, Member};
use becket_base::text::one_line;
use becket_process::{
    ByteCap, CancellationToken, Command, Descendants, End, FinishedRun, Limits, Program, Runner, SpawnError,
};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The key of the settings in the answer.
const SETTINGS: &str = "managedSettings";
/// The same key in lower case.
const LETTERS: &str = "managedsettings";
/// The variable that tells the program who runs it, and Becket that the program is running.
const VERSION: &str = "BECKET_VERSION";
const RUNNING: &str = "BECKET_POLICY_HELPER";
/// The longest text of the program that a message quotes, in characters.
const LONGEST: usize = 300;

/// The answer of a program.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PolicyAnswer {
    /// The program has no settings, so the managed files count.
    Files,
    /// These settings count, and no managed file.
    Instead(Arc<str>),
}

/// Returns the program that managed files name; `None` also if one of them can't be read or has an invalid value, since
/// no session starts then.
pub(super) fn helper(files: &[Layer]) -> Option<PolicyHelper> {
    let mut found = None;
    for file in files {
        let text = file.text.as_deref().ok()?;
        // A key may be written with escapes.
        if !text.contains(KEY) && !text.contains("\\u") {
            continue;
        }
        let document = json::parse(text).ok()?;
        if let Some(member) = document.root.get(KEY) {
            found = Some(PolicyHelper::of(&member.value).ok()?);
        }
    }
    found
}

/// Runs the program, and waits for its end.
///
/// # Errors
/// Errors if it gives no answer.
pub(super) fn ask(
    helper: &PolicyHelper,
    directory: &Path,
    request: &Request,
) -> Result<PolicyAnswer, ReadError> {
    let failed = |why: String| ReadError::NoPolicy { why };
    if request.environment.var(RUNNING).is_some() {
        return Err(failed(
            "it was started by itself: a program of `policyHelper` must not run Becket".to_owned(),
        ));
    }
    if !helper.path.is_file() {
        return Err(failed("there is no such file".to_owned()));
    }
    let finished = finished(helper, command(helper, directory, request)).map_err(failed)?;
    let stdout = std::str::from_utf8(&finished.stdout.bytes);
    settings(stdout.map_err(|_| failed("its output is not UTF-8".to_owned()))?).map_err(failed)
}

fn command(helper: &PolicyHelper, directory: &Path, request: &Request) -> Command {
    let mut command = Command::new(Program::exec::<&str>(&helper.path, []), directory)
        .descendants(Descendants::Adopted { kept: Arc::new([]) });
    let inherited = request.environment.vars().filter(|(name, _)| *name != VERSION);
    command.env = inherited.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    command.env(VERSION, env!("CARGO_PKG_VERSION")).env(RUNNING, "1")
}

/// Runs it on a thread of its own, since the caller may or may not have a runtime.
fn finished(helper: &PolicyHelper, command: Command) -> Result<FinishedRun, String> {
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let limits = Limits {
            deadline: Some(helper.limit),
            term_grace: Duration::from_millis(200),
            stdout_cap: ByteCap::MIB,
            stderr_cap: ByteCap::MIB,
            ..Limits::default()
        };
        runtime.block_on(async {
            let runner = Runner::new();
            let finished = runner.run(&command, &limits, &CancellationToken::new(), &mut |_| ()).await;
            runner.all_gone().await;
            finished.map_err(|error: SpawnError| format!("it can't be started: {error}"))
        })
    };
    let finished = thread::scope(|scope| scope.spawn(run).join());
    let finished = finished.unwrap_or_else(|_| Err("it can't be started".to_owned()))?;
    ended_well(helper, &finished)?;
    Ok(finished)
}

fn ended_well(helper: &PolicyHelper, finished: &FinishedRun) -> Result<(), String> {
    let quote = || {
        let outputs = [&finished.stderr.bytes, &finished.stdout.bytes];
        let text = outputs
            .into_iter()
            .map(|bytes| String::from_utf8_lossy(bytes))
            .find(|text| !text.trim().is_empty());
        text.map(|text| format!(": {}", one_line(text.trim(), LONGEST))).unwrap_or_default()
    };
    match finished.end {
        End::Exited(0) => {}
        End::Exited(code) => return Err(format!("it ended with exit code {code}{}", quote())),
        End::Signaled(signal) => return Err(format!("signal {signal} ended it{}", quote())),
        End::TimedOut => {
            return Err(format!("it took longer than {} ms (`timeoutMs`)", helper.limit.as_millis()));
        }
        End::Cancelled | End::Lost => return Err("its end was not seen".to_owned()),
    }
    for (name, stream) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
        if stream.truncated() {
            return Err(format!("it wrote more than 1 MiB to {name}"));
        }
    }
    Ok(())
}

/// Reads the output of the program.
fn settings(stdout: &str) -> Result<PolicyAnswer, String> {
    let document = json::parse(stdout).map_err(|error| format!("its output is not JSON: {error}"))?;
    let Some(members) = document.root.as_map() else {
        return Err(format!("its output is {}, not an object with `{SETTINGS}`", document.root.kind()));
    };
    if document.duplicates.iter().any(|duplicate| duplicate.key == SETTINGS) {
        return Err(format!("its output has `{SETTINGS}` twice"));
    }
    let Some(settings) = document.root.get(SETTINGS) else {
        return match members.iter().find_map(stray) {
            Some(stray) => Err(format!("its output has {stray} outside of `{SETTINGS}`")),
            None => Ok(PolicyAnswer::Files),
        };
    };
    if settings.value.as_map().is_none() {
        return Err(format!("`{SETTINGS}` is {}, not an object", settings.value.kind()));
    }
    let text = stdout.get(settings.value.span.range()).unwrap_or_default();
    Ok(PolicyAnswer::Instead(text.into()))
}

/// Returns the name, for a message, of settings that a member of the output has elsewhere than in `managedSettings`: the
/// member is a setting, or misspells that key, or contains settings.
fn stray(member: &Member) -> Option<String> {
    let key = &member.key;
    if key == SETTINGS || member.value.data == Data::Null {
        return None;
    }
    let letters = key.to_ascii_lowercase().replace(['_', '-', ' '], "");
    if is_policy(key) || strsim::damerau_levenshtein(&letters, LETTERS) <= 2 {
        return Some(format!("`{key}`"));
    }
    let inner = member.value.as_map()?.iter().find(|inner| inner.key == SETTINGS || is_policy(&inner.key))?;
    Some(format!("`{key}.{}`", inner.key))
}

/// Returns whether a policy has a key of this name, as a setting or as a list of rules.
fn is_policy(key: &str) -> bool {
    is_setting(key) || RuleList::ALL.iter().any(|list| list.key() == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: C4
    #[test]
    fn an_answer_is_an_object_with_settings_or_without_any() {
        let instead = |text: &str| Ok(PolicyAnswer::Instead(text.into()));
        let refused = |text: &str| Err(text.to_owned());
        for (stdout, answer) in [
            ("{}", Ok(PolicyAnswer::Files)),
            (r#"{"managedSettings": null, "note": "none"}"#, Ok(PolicyAnswer::Files)),
            ("\u{feff}{\"managedSettings\": {\"a\": \"é\"}}\n", instead(r#"{"a": "é"}"#)),
            (r#"{"managedSettings": {}}"#, instead("{}")),
            (r#"{"managedSettings": []}"#, refused("`managedSettings` is a list, not an object")),
            (
                r#"{"permissions": {"deny": ["Bash"]}}"#,
                refused("its output has `permissions` outside of `managedSettings`"),
            ),
            (
                r#"{"ManagedSettings": {"failClosed": true}}"#,
                refused("its output has `ManagedSettings` outside of `managedSettings`"),
            ),
            (
                r#"{"managed_settings": {}}"#,
                refused("its output has `managed_settings` outside of `managedSettings`"),
            ),
            (
                r#"{"manageSettings": {}}"#,
                refused("its output has `manageSettings` outside of `managedSettings`"),
            ),
            (
                r#"{"settings": {"permissions": {"deny": ["Bash"]}}}"#,
                refused("its output has `settings.permissions` outside of `managedSettings`"),
            ),
            (r#"{"ok": true, "info": {"host": "a", "settings": 5}}"#, Ok(PolicyAnswer::Files)),
            (
                r#"{"managedSettings": {"failClosed": true}, "managedSettings": {}}"#,
                refused("its output has `managedSettings` twice"),
            ),
            ("[]", refused("its output is a list, not an object with `managedSettings`")),
        ] {
            assert_eq!(settings(stdout), answer, "{stdout}");
        }
        for stdout in ["", "ok", "{\"managedSettings\": {}} {}"] {
            let why = settings(stdout).expect_err(stdout);
            assert!(why.starts_with("its output is not JSON: "), "{why}");
        }
    }
}
