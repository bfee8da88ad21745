//! The options of commands whose value is a program. Data only.
//!
//! A version at the end of a command's name (`gem3.1`, `gcc-12`) and the target of a compiler in front are left out.

use super::unversioned::unversioned;

/// The way in which an option's value is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    /// Run by a shell.
    Text,
    /// Split at blanks, with more arguments appended.
    Words,
    /// Split at commas, with more arguments appended.
    Commas,
    /// Run as one program, with more arguments appended.
    Program,
    /// Run as one program, alone or with `-d`.
    Filter,
    /// Run by a shell, if it follows a key that contains one of these and a `=` or a blank; in upper or lower case.
    Keyed(&'static [&'static str]),
    /// Run by a shell, if it starts with one of these marks.
    Marked(&'static [&'static str]),
    /// Run by a shell from a `!` on, in a command of an editor or a pager.
    Editor,
    /// A part of a text that a shell runs: harmless unless it contains characters of the shell.
    Spliced,
    /// A file of settings with programs: harmless unless it is the input.
    Settings,
}

/// Options of some commands whose value is run.
#[derive(Debug)]
pub(super) struct ProgramOption {
    commands: &'static [&'static str],
    /// Letters of short options. `+` is the option of editors whose value is attached to a `+`.
    pub(super) short: &'static str,
    /// Letters of other options whose value is attached, so that no letter of it is an option.
    pub(super) valued: &'static str,
    /// Long options; a prefix of one counts. One that starts with a dash is written out, after one dash.
    pub(super) long: &'static [&'static str],
    pub(super) runs: Runs,
}

const fn option(
    commands: &'static [&'static str],
    short: &'static str,
    long: &'static [&'static str],
    runs: Runs,
) -> ProgramOption {
    ProgramOption { commands, short, valued: "", long, runs }
}

impl ProgramOption {
    /// Adds the letters of other options with a value.
    const fn beside(self, valued: &'static str) -> Self {
        Self { valued, ..self }
    }

    /// Returns whether the purpose of the command is to run another one: a rule that allows it allows that, too.
    pub(super) fn is_launcher(&self) -> bool {
        self.commands
            .iter()
            .any(|name| matches!(*name, "su" | "nodemon" | "gdbserver" | "parallel" | "npx" | "cargo"))
    }

    /// Returns whether arguments after `--` belong to a program that the command runs (`npm test -- -c x`).
    pub(super) fn ends(&self) -> bool {
        self.commands == NPM
    }

    /// Returns whether values follow a first argument without a dash, as tar's.
    pub(super) fn is_bundled(&self) -> bool {
        self.commands == TAR
    }
}

/// Returns the options of a command.
pub(super) fn options_of(name: &str) -> impl Iterator<Item = &'static ProgramOption> {
    let family = family(name);
    OPTIONS.iter().filter(move |option| option.commands.contains(&family))
}

/// Returns the name under which the table lists a command.
fn family(name: &str) -> &str {
    let listed = |name: &str| OPTIONS.iter().any(|option| option.commands.contains(&name));
    let is_compiler = |name: &str| COMPILERS.contains(&name.rsplit('-').next().unwrap_or_default());
    match name.split_once('.') {
        _ if listed(name) => name,
        _ if is_compiler(name) || is_compiler(unversioned(name)) => "gcc",
        Some(("vim", _)) => "vim",
        Some(_) | None => unversioned(name),
    }
}

const COMPILERS: &[&str] =
    &["gcc", "g++", "cc", "c++", "cpp", "c89", "c99", "gfortran", "gccgo", "gdc", "gm2"];
const TAR: &[&str] = &["tar", "gtar", "bsdtar", "star"];
const SSH: &[&str] = &["ssh", "slogin", "scp", "sftp", "ssh-copy-id", "autossh", "sshfs", "ssh-keyscan"];
const NETCAT: &[&str] = &["nc", "ncat", "netcat", "nc.traditional", "nc.openbsd"];
const NPX: &[&str] = &["npx", "bunx", "pnpx"];
const NPM: &[&str] = &["npm", "pnpm"];
const VIM: &[&str] = &[
    "vim",
    "vi",
    "nvim",
    "view",
    "ex",
    "gvim",
    "vimdiff",
    "gvimdiff",
    "rvim",
    "rview",
    "gview",
    "editor",
    "sensible-editor",
];
const APT: &[&str] = &["apt", "apt-get", "apt-cache", "apt-config", "apt-mark", "apt-cdrom", "aptitude"];
const MYSQL: &[&str] = &["mysql", "mariadb"];

/// The keys of ssh's configuration that contain a program.
const SSH_KEYS: &[&str] =
    &["proxycommand", "localcommand", "knownhostscommand", "ssh_command", "xauthlocation"];

/// The keys of apt's configuration that contain programs; a list has more parts after them.
const APT_KEYS: &[&str] =
    &["invoke", "install-pkgs", "dir::bin", "proxy-auto-detect", "proxyautodetect", "gpgcommand", "::binary"];

/// The keys of Mercurial's configuration that contain programs.
const HG_KEYS: &[&str] =
    &["alias.", "hooks.", "extensions.", "ui.ssh", "ui.editor", "merge-tools.", "pager.pager", "extdiff."];

const OPTIONS: &[ProgramOption] = &[
    option(
        TAR,
        "F",
        &["to-command", "info-script", "new-volume-script", "rsh-command", "rmt-command"],
        Runs::Text,
    ),
    option(TAR, "I", &["use-compress-program"], Runs::Words),
    option(TAR, "", &["checkpoint-action"], Runs::Keyed(&["exec"])),
    option(&["split", "gsplit"], "", &["filter"], Runs::Text),
    option(&["sort", "gsort"], "", &["compress-program"], Runs::Filter),
    option(&["sdiff", "diff3"], "", &["diff-program"], Runs::Program),
    option(&["install", "ginstall"], "", &["strip-program"], Runs::Program),
    option(&["rsync"], "e", &["rsh"], Runs::Words),
    option(&["rsync"], "", &["rsync-path"], Runs::Text),
    option(SSH, "o", &[], Runs::Keyed(SSH_KEYS)),
    option(SSH, "J", &[], Runs::Spliced).beside("BbcDEeFIiLlmOopPQRSWwX"),
    option(SSH, "F", &[], Runs::Settings).beside("BbcDEeIiJLlmOopPQRSWwX"),
    option(&["scp", "sftp"], "S", &[], Runs::Program),
    option(&["scp", "sftp"], "D", &[], Runs::Words).beside("BbcFiJloPRSsX"),
    option(&["mosh"], "", &["ssh", "client", "server"], Runs::Words),
    option(&["man"], "P", &["pager"], Runs::Text),
    option(&["man"], "H", &["html"], Runs::Words),
    option(&["ag", "ack", "bat", "batcat", "delta"], "", &["pager"], Runs::Text),
    option(&["rg"], "", &["pre", "hostname-bin"], Runs::Program),
    option(&["fzf"], "", &["preview"], Runs::Text),
    option(&["less"], "+", &[], Runs::Editor),
    option(&["zip"], "T", &["unzip-command"], Runs::Text),
    option(NETCAT, "c", &["sh-exec"], Runs::Text),
    option(NETCAT, "e", &["exec", "lua-exec"], Runs::Words),
    option(&["cpio", "gcpio"], "", &["rsh-command"], Runs::Words),
    option(&["wget", "wget2"], "", &["use-askpass"], Runs::Program),
    option(&["aria2c"], "", ARIA, Runs::Program),
    option(&["yt-dlp", "youtube-dl"], "", &["exec", "exec-before-download", "netrc-cmd"], Runs::Text),
    option(&["rclone"], "", &["password-command", "sftp-ssh", "metadata-mapper"], Runs::Words),
    option(&["restic"], "", &["password-command"], Runs::Words),
    option(&["borg"], "", &["rsh"], Runs::Words),
    option(&["rdiff-backup"], "", &["remote-schema"], Runs::Text),
    option(&["tcpdump"], "z", &[], Runs::Program),
    option(&["strace"], "o", &["output"], Runs::Marked(&["|", "!"])),
    option(&["bpftrace"], "c", &[], Runs::Words),
    option(&["dpkg"], "", &["pre-invoke", "post-invoke", "status-logger"], Runs::Text),
    option(&["dpkg-buildpackage", "debuild"], "", BUILD, Runs::Text),
    option(APT, "o", &["option"], Runs::Keyed(APT_KEYS)).beside("act"),
    option(APT, "c", &["config-file"], Runs::Settings).beside("aot"),
    option(&["rpm", "rpmbuild", "rpmquery", "rpmverify"], "", &["pipe"], Runs::Text),
    option(&["rpm", "rpmbuild", "rpmquery", "rpmverify"], "E", &["eval"], Runs::Marked(&["%("])),
    option(&["logrotate"], "m", &["mail"], Runs::Program),
    option(&["pandoc"], "F", &["filter"], Runs::Program),
    option(&["openvpn"], "", OPENVPN, Runs::Words),
    option(&["gpg", "gpg2", "gpgsm", "gpg-agent"], "", GPG, Runs::Program),
    option(&["gpg", "gpg2"], "", &["photo-viewer"], Runs::Text),
    option(&["su", "runuser", "script"], "c", &["command", "session-command"], Runs::Text),
    option(&["asciinema"], "c", &["command"], Runs::Text),
    option(&["nodemon"], "x", &["exec"], Runs::Text),
    option(NPX, "c", &["call"], Runs::Text),
    option(NPM, "c", &["call", "editor", "shell", "browser", "viewer"], Runs::Text),
    option(NPM, "", &["git", "script-shell", "python"], Runs::Program),
    // A module that Node.js loads, and files that may set `script-shell`.
    option(NPM, "", &["node-options", "userconfig", "globalconfig"], Runs::Program),
    option(&["gem"], "e", &["editor"], Runs::Text).beside("bgimnPprsuv"),
    option(&["prove"], "e", &["exec"], Runs::Words).beside("aIjMP"),
    option(&["cargo", "cargo-watch"], "s", &["shell"], Runs::Text),
    option(&["go"], "", &["-exec", "-toolexec", "-vettool", "exec", "toolexec", "vettool"], Runs::Words),
    option(&["gcc"], "", &["-wrapper"], Runs::Commas),
    option(VIM, "cS+", &["cmd"], Runs::Editor),
    option(&["psql"], "c", &["command"], Runs::Marked(&["\\!"])),
    option(&["psql"], "o", &["output"], Runs::Marked(&["|"])).beside("cdfFhLpPRTUv"),
    option(MYSQL, "e", &["execute"], Runs::Marked(&["\\!", "system "])),
    option(MYSQL, "", &["pager"], Runs::Text),
    option(&["hg", "chg"], "", &["config"], Runs::Keyed(HG_KEYS)),
    option(&["hg", "chg"], "", &["ssh"], Runs::Words),
    option(&["svn"], "", &["diff-cmd", "diff3-cmd", "editor-cmd"], Runs::Words),
    option(&["mail", "mailx"], "", &["exec"], Runs::Marked(&["!", "shell "])),
    option(&["lftp"], "ce", &[], Runs::Marked(&["!"])),
    option(&["gdbserver"], "", &["wrapper"], Runs::Text),
    option(
        &["parallel"],
        "",
        &["ssh", "rsync-opts", "use-compress-program", "use-decompress-program"],
        Runs::Words,
    ),
];

const ARIA: &[&str] = &[
    "on-bt-download-complete",
    "on-download-complete",
    "on-download-error",
    "on-download-pause",
    "on-download-start",
    "on-download-stop",
];

const BUILD: &[&str] = &[
    "check-command",
    "hook-binary",
    "hook-build",
    "hook-buildinfo",
    "hook-changes",
    "hook-check",
    "hook-done",
    "hook-init",
    "hook-postclean",
    "hook-preclean",
    "hook-sign",
    "hook-source",
    "sign-command",
];

const GPG: &[&str] = &[
    "agent-program",
    "dirmngr-program",
    "keyboxd-program",
    "pinentry-program",
    "scdaemon-program",
    "tpm2daemon-program",
];

const OPENVPN: &[&str] = &[
    "auth-user-pass-verify",
    "client-connect",
    "client-disconnect",
    "down",
    "ipchange",
    "learn-address",
    "route-pre-down",
    "route-up",
    "tls-verify",
    "up",
];
