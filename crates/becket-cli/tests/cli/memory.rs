//! The memory of the whole process.

use crate::env_with;

/// The limit, in KiB. Most of it is the program file, of which the system maps 64 KiB around each page that is touched;
/// without optimisation, the code alone takes more.
const MOST_KIB: u64 = if cfg!(debug_assertions) { 48 * 1024 } else { 14 * 1024 };

#[test]
fn a_hook_sees_a_small_parent() {
    // The hook's parent is becket, which has done everything but print when the hook reads its status.
    let script = "grep VmHWM /proc/$PPID/status >&2; exit 2";
    let settings =
        serde_json::json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": script}]}]}});
    let env = env_with(&settings.to_string());
    let ended = env.becket(["fire", "Stop"]).run();
    let peak: Option<u64> = ended.stderr.split_whitespace().find_map(|word| word.parse().ok());
    let peak = peak.expect("the system says how much it is");
    assert!(peak > 500 && peak <= MOST_KIB, "{peak} KiB, and {MOST_KIB} KiB are the limit");
}
