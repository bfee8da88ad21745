//! A grammar of shell lines around one command, with everything that has ever hidden a command from a shell parser.

use super::shell_stage::Shell;

/// A generator of lines from a seed: the same on every machine.
#[derive(Debug)]
pub(crate) struct Grammar {
    state: u64,
    shell: Shell,
}

/// Spellings of the command.
const COMMANDS: &[&str] = &[
    "git push",
    "git push",
    "git push",
    "git  push",
    "git push a",
    "g''it push",
    "\\git push",
    "'git' push",
    "\"git\" push",
    "g\\\nit push",
    "git pu\\sh",
    "${x:-git} push",
    "$(echo git) push",
    "`echo git` push",
    "git $x push",
    "git",
    "{git,push}",
    "$'git' push",
    "$'\\x67it' push",
    "git pus{h,}",
    "$\"git\" push",
    "gi[t] push",
];

/// Wrappers that run a command, whose words replace `%`.
const WRAPPERS: &[&str] = &[
    "env %",
    "env A=1 %",
    "env -u X %",
    "env -- %",
    "env --unset=X %",
    "env --uns X %",
    "timeout 5 %",
    "timeout -k1 5 %",
    "timeout --kill=1 5 %",
    "timeout --fore 5 %",
    "nice %",
    "nice -n 5 %",
    "nice -5 %",
    "nohup %",
    "stdbuf -oL %",
    "stdbuf --out=0 %",
    "command %",
    "command -p %",
    "builtin command %",
    "exec %",
    "exec -a x %",
    "eval %",
    "eval -- %",
    "builtin eval %",
    "setsid -w %",
    "setsid %",
    "flock f %",
    "flock -n f %",
    "flock -w1 f %",
    "flock {f,f} %",
    "ionice -c 3 %",
    "taskset -c 0 %",
    "setarch x86_64 %",
    "setarch -R %",
    "linux64 %",
    "xargs % </dev/null",
    "echo | xargs -I{} %",
    "echo push | xargs git",
    "echo git push | xargs env",
    "echo git push | xargs timeout 5",
    "echo git push | xargs nice -n 5",
    "echo git push | xargs env A=1",
    "echo git push | xargs flock f",
    "echo push | xargs --replace=@ git @",
    "echo push | xargs -n1 timeout 5 git",
    "find . -maxdepth 0 -exec % \\;",
    "find . -maxdepth 0 -exec flock + % \\;",
    "find . -maxdepth 0 -exec env % {} +",
    "find . -maxdepth 0 -ok % \\;",
    "time %",
    "time -p %",
    "! %",
    "A=1 %",
    "A=1 B=2 %",
    ">/dev/null %",
    "% >/dev/null",
    "2>&1 %",
    "% <<< a",
    "coproc %",
    "jobs -x %",
    "&>/dev/null %",
    "% &>/dev/null",
    "{fd}>/dev/null %",
    "12>/dev/null %",
    "time -f a %",
    "command -- %",
    "x=$(%)",
    "x=`%` :",
    "echo {a,$(%)}",
    "noglob %",
    "trap '' INT; %",
];

/// Commands that run a program given as text, which replaces `%` as one word.
const TEXTS: &[&str] = &[
    "sh -c %",
    "bash -c %",
    "dash -c %",
    "sh +c %",
    "bash +c %",
    "sh -ec %",
    "sh -e -c %",
    "sh -c -- %",
    "bash -c -e %",
    "sh -co errexit %",
    "bash -o pipefail -c %",
    "bash -O extglob -c %",
    "bash -login -c %",
    "bash -noprofile -c %",
    "bash -norc -posix -c %",
    "bash -rcfile /dev/null -c %",
    "bash --norc -c %",
    "bash -lo posix -c %",
    "bash -kc %",
    "env sh -c %",
    "timeout 5 sh -c %",
    "eval %",
    "eval -- %",
    "trap % EXIT",
    "trap -- % EXIT",
    "env -S %",
    "env --split=%",
    "flock f -c %",
    "sh <<< %",
    "bash <<< %",
    "bash -s <<< %",
    "bash +s x <<< %",
    "sh -s a b <<< %",
    "bash /dev/stdin <<< %",
    "sh //dev/stdin <<< %",
    "cd /dev; sh stdin <<< %",
    "cd /; bash dev/fd/0 <<< %",
    "bash /proc/self/fd/0 <<< %",
    "bash /dev/fd/3 3<<< %",
    "sh <&3 3<<< %",
    "sh 3<<< % <&3",
    "sh 3<<< % 0>&3",
    "{ sh <&3; } 3<<< %",
    "{ sh; } <<< %",
    "f() { sh; }; f <<< %",
    ". /dev/stdin <<< %",
    "source /dev/fd/0 <<< %",
    "exec <<< %; sh",
    "command exec <<< %; sh",
    "exec 3<<< %; sh <&3",
    "echo % | sh",
    "printf '%%s\\n' % | bash",
    "cat <<< % | sh",
    "bash <(echo %)",
    ". <(echo %)",
    "eval \"$(echo %)\"",
    "x=%; eval \"$x\"",
    "x=%; $x",
    "mapfile -C % -c 1 y <<< a",
    "mapfile -tC% -c1 y <<< a",
    "setarch x86_64 <<< %",
    "linux64 <<< %",
    "find . -maxdepth 0 -exec sh -c % \\;",
    "echo a | xargs sh -c %",
    "echo a | xargs -I{} sh -c %",
    "shopt -s expand_aliases\nalias g=%\ng",
    "bash --rcfile /dev/fd/3 -ic : 3<<< %",
    "echo % | tee >(sh) >/dev/null",
    "sh -c \"$0\" %",
    "set -- %; eval \"$1\"",
    "sh <<E\n%\nE",
    "echo %",
    ": %",
    "cat <<< %",
    "PS4=%; :",
];

/// Compound programs; other programs replace `%`.
const COMPOUNDS: &[&str] = &[
    "%; %",
    "% && %",
    "% || %",
    "%\n%",
    "% | cat",
    "% |& cat",
    "echo | { %; }",
    "( % )",
    "(%)",
    "{ %; }",
    "((%))",
    "( (%) )",
    "if %; then %; fi",
    "if :; then :; else %; fi",
    "while %; do break; done",
    "until :; do %; done",
    "for x in a; do %; done",
    "for x in a\ndo %\ndone",
    "for ((;;)); do %; break; done",
    "case a in a) % ;; esac",
    "case a in (a|b) %; esac",
    "case a in a) ;& b) % ;; esac",
    "select x in a; do %; done",
    "f() { %; }; f",
    "f() (%); f",
    "function f { %; }; f",
    "function f() { %; }; f",
    "[[ a ]] && %",
    "[[ a || % ]]",
    "[[ a && -n $(%) ]]",
    "echo $(%)",
    "echo \"$(%)\"",
    "echo `%`",
    "echo \"`%`\"",
    "echo $( (%) )",
    "echo $((%))",
    "cat <(%)",
    "echo a > >(%)",
    "echo ${x:-$(%)}",
    "echo \"${x:-`%`}\"",
    "echo ${x#$(%)}",
    "echo $(( $(%) + 1 ))",
    "cat <<E\n$(%)\nE",
    "cat <<E\n`%`\nE",
    "cat <<'E'\n%\nE",
    "cat <<E\nE\n%",
    "cat <<-E\n\ta\n\tE\n%",
    "echo a # %",
    "echo a # b\n%",
    "echo 'a' \"b\" ; %",
    "echo $'\\'; % #'",
    "echo \"$'\" ; % #'\"",
    "echo \\\\; %",
    "echo \\'; % #'",
    "echo 'a\\'; % #'",
    "echo a\\\n#b; %",
    "echo $'a\\'b'; %",
    "echo $\"a\" ; %",
    "echo $[1+1] ; %",
    "echo ${x/a/$(%)}",
    "echo ${x:$(%)0}",
    "x=(a b); %",
    "x=(a; %",
    "echo a &>x %",
    "echo a &>>x %",
    "echo a >&x %",
    "echo a &> /dev/null; %",
    "echo a &\n%",
    "% &",
    "% & wait",
    "coproc { %; }",
    "! { %; }",
    "time { %; }",
    "{ %; } 2>/dev/null",
    "> /dev/null; %",
    "echo a <&- ; %",
    "echo a; ; %",
    "echo <<<a; %",
    "cat <<< \"$(%)\"",
    "echo \"a;b\" '&&' ; %",
    "x='%'",
    "echo '%'",
    "echo \"%\"",
    "# %\n:",
    "set -- a; %",
    "shopt -s nullglob; %",
    "set -k; git A=1 push",
    "set -o keyword; git A=1 push",
    "declare -A m; m['$(%)']=1",
    "a['$(%)']=1",
    "x='a[$(%)]'; ((x))",
    "x='a[$(%)]'; echo $((x))",
    "let 'a[$(%)]'",
    "x='a[$(%)]'; [[ x -eq 1 ]]",
    "[[ -v 'a[$(%)]' ]]",
    "test -v 'a[$(%)]'",
    "read 'a[$(%)]' <<< 1",
    "printf -v 'a[$(%)]' 1",
    "declare 'a[$(%)]=1'",
    "declare -i x='a[$(%)]'",
    "unset 'a[$(%)]'",
    "printf -v x 'a[\\44(git push)]'; ((x))",
    "compgen -W '$(%)'",
    "x='$(%)'; echo \"${x@P}\"",
    "PS4='$(%)'; set -x; :",
    "declare BASH_CMDS[g]=git; g push",
    "declare -n r=BASH_CMDS; r[g]=git; g push",
    "BASH_CMDS[g]=git; g push",
    "printf -v BASH_CMDS[g] git; g push",
    "read BASH_CMDS[g] <<< git; g push",
    ": ${BASH_CMDS[g]:=git}; g push",
    "hash -p git g; g push",
    "set -o history -o histexpand\n: git push\n!!:1-2",
    "set -o history\nhistory -s 'git push'\nfc -s",
];

/// Pieces that are put into a line at random places.
const PIECES: &[&str] = &[
    "'", "\"", "\\", "\n", ";", "&", "|", "(", ")", "{", "}", "$", "`", "<", ">", "#", " ", "!", "[", "]",
    "$(", "${", "$'", "<<E", "((", "))", "&>", "\\\n", "=", "~", "*", "?", "-", ",", "1",
];

impl Grammar {
    pub(crate) fn new(seed: u64, shell: Shell) -> Self {
        Self { state: seed ^ (shell as u64) << 32, shell }
    }

    /// Returns the next line.
    pub(crate) fn line(&mut self) -> String {
        let depth = 1 + self.number(3);
        let mut line = self.program(depth);
        if self.number(3) == 0 {
            for _ in 0..=self.number(2) {
                self.disturb(&mut line);
            }
        }
        line
    }

    fn program(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.pick(COMMANDS).to_owned();
        }
        match self.number(8) {
            0 => self.pick(COMMANDS).to_owned(),
            1 | 2 => {
                let template = self.pick(WRAPPERS);
                let command =
                    if self.number(3) == 0 { self.wrapped() } else { self.pick(COMMANDS).to_owned() };
                template.replace('%', &command)
            }
            3 | 4 => {
                let text = self.program(depth - 1);
                let text = self.quoted(&text);
                let template = self.pick(TEXTS);
                template.replace("%%", "\u{1}").replace('%', &text).replace('\u{1}', "%")
            }
            _ => {
                let template = self.pick(COMPOUNDS);
                let mut out = String::new();
                for (at, piece) in template.split('%').enumerate() {
                    if at > 0 {
                        out.push_str(&self.program(depth - 1));
                    }
                    out.push_str(piece);
                }
                out
            }
        }
    }

    fn wrapped(&mut self) -> String {
        let command = self.pick(COMMANDS);
        self.pick(WRAPPERS).replace('%', command)
    }

    /// Quotes the text as one word, in one of the shell's ways.
    fn quoted(&mut self, text: &str) -> String {
        let single = format!("'{}'", text.replace('\'', "'\\''"));
        match self.number(6) {
            0 if self.shell == Shell::Bash => {
                format!("$'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
            }
            1 => {
                let special = |c: char| matches!(c, '$' | '`' | '"' | '\\');
                let escape = |c: char| if special(c) { vec!['\\', c] } else { vec![c] };
                format!("\"{}\"", text.chars().flat_map(escape).collect::<String>())
            }
            2 if text.chars().all(|c| c.is_ascii_alphabetic() || c == ' ') => text.replace(' ', "\\ "),
            _ => single,
        }
    }

    /// Inserts a piece, or removes a character.
    fn disturb(&mut self, line: &mut String) {
        let mut at = self.number(line.len() + 1);
        while !line.is_char_boundary(at) {
            at -= 1;
        }
        if self.number(3) == 0 && at < line.len() {
            line.remove(at);
        } else {
            line.insert_str(at, self.pick(PIECES));
        }
    }

    fn pick(&mut self, from: &'static [&'static str]) -> &'static str {
        let at = self.number(from.len());
        from.get(at).copied().unwrap_or_default()
    }

    fn number(&mut self, below: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.state >> 33) % below.max(1) as u64).unwrap_or_default()
    }
}
