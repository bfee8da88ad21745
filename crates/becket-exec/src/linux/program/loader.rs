//! Programs that run another one without executing it: the dynamic loader, valgrind, qemu's user mode.

/// Options of the dynamic loader whose value is the next argument.
const OF_LD: [&str; 7] = [
    "--argv0",
    "--audit",
    "--glibc-hwcaps-mask",
    "--glibc-hwcaps-prepend",
    "--inhibit-rpath",
    "--library-path",
    "--preload",
];

/// Options of qemu whose value is the next argument.
const OF_QEMU: [&str; 15] =
    ["-0", "-B", "-D", "-E", "-L", "-R", "-U", "-cpu", "-d", "-dfilter", "-g", "-p", "-plugin", "-r", "-s"];

/// Returns the position of the program to run, if a program with this name runs one. `loads` is true if the file is a
/// dynamic loader under another name.
pub(super) fn operand(name: &str, loads: bool, arguments: &[&str]) -> Option<usize> {
    let with_value: &[&str] = match name {
        _ if loads || is_loader(name) => &OF_LD,
        _ if name.starts_with("qemu-") => &OF_QEMU,
        _ if is_valgrind(name) => &[],
        _ => return None,
    };
    let mut at = 1;
    while let Some(option) = arguments.get(at) {
        if !option.starts_with('-') {
            return Some(at);
        }
        at += if with_value.contains(option) { 2 } else { 1 };
    }
    None
}

fn is_loader(name: &str) -> bool {
    ["ld-", "ld.", "ld64."].iter().any(|start| name.starts_with(start)) && name.contains(".so")
}

/// Returns whether this is valgrind, which executes one of its tools with the same arguments.
fn is_valgrind(name: &str) -> bool {
    const TOOLS: [&str; 9] =
        ["cachegrind", "callgrind", "dhat", "drd", "exp-bbv", "helgrind", "lackey", "massif", "memcheck"];
    let tool = |tool: &str| name.strip_prefix(tool).is_some_and(|rest| rest.starts_with('-'));
    name.starts_with("valgrind") || name.starts_with("none-") || TOOLS.into_iter().any(tool)
}
