//! Laws of the analysis: spelling changes nothing, nothing panics, nothing takes long, a small stack is enough.

use std::time::{Duration, Instant};

use becket_rules::powershell;
use becket_rules::shell::{Applies, CommandPattern, Coverage, Line, Target};
use proptest::prelude::*;

/// Runs every query on a line, as the fuzz target does.
fn exercise(text: &str) {
    let line = Line::parse(text);
    for pattern in ["git push *", "rm -rf *", "*a*b*", "git", "*", ":*", " * x", text] {
        let pattern = CommandPattern::new(pattern);
        let _ = line.condition(&pattern);
        let _ = line.hit(&pattern);
        let _ = line.uncovered(&[&pattern]);
        let _ = pattern.matches(text);
    }
    let _ = (line.redirections().len(), line.file_uses().len(), line.unknowns().count());
    assert!(line.commands().iter().all(|command| command.words().count() > 0 || !command.raw().is_empty()));
    let line = powershell::Line::parse(text);
    let pattern = CommandPattern::new("ls *");
    let _ = (line.condition(&pattern), line.hit(&pattern), line.uncovered(&[&pattern]));
}

/// Generates spellings of one word that bash reads as that word.
fn spelled(word: &str) -> impl Strategy<Value = String> + use<> {
    let word = word.to_owned();
    (0..8_usize, 0..word.len()).prop_map(move |(kind, at)| {
        let (head, tail) = word.split_at(at);
        match kind {
            0 => format!("'{word}'"),
            1 => format!("\"{word}\""),
            2 => format!("{head}\\{tail}"),
            3 => format!("{head}''{tail}"),
            4 => format!("$'{word}'"),
            5 => format!("{head}\"{tail}\""),
            6 => format!("{head}\\\n{tail}"),
            _ => word.clone(),
        }
    })
}

/// Generates ways to run a command.
fn wrapped() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop::sample::select(vec![
        ("", ""),
        ("(", ")"),
        ("{ ", "; }"),
        ("echo; ", ""),
        ("true && ", " > /dev/null"),
        ("echo $(", ")"),
        ("! ", ""),
        ("if ", "; then :; fi"),
        ("time ", ""),
        ("command ", ""),
        ("sudo -u x ", ""),
        ("env A=b ", ""),
        ("A=b ", ""),
        ("cat <<E\nx\nE\n", ""),
        ("x() { ", "; }; x"),
        ("case a in a) ", ";; esac"),
        ("for a in b; do ", "; done"),
        ("eval ", ""),
        ("timeout -k 1 2 ", ""),
        ("[[ $(", ") ]]"),
        ("echo \"", "\" `echo` | cat # "),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    // rules: P3, P5, P6
    #[test]
    fn spelling_and_wrapping_hide_no_command(
        git in spelled("git"), push in spelled("push"), blank in "[ \t]{1,3}", (before, after) in wrapped(),
    ) {
        prop_assume!(!before.starts_with("echo \""));
        let text = format!("{before}{git}{blank}{push}{blank}x{after}");
        let line = Line::parse(&text);
        let pattern = CommandPattern::new("git push *");
        let applies = line.condition(&pattern);
        let found = matches!(applies, Applies::Match { .. });
        prop_assert!(found, "{:?}: {:?}", text, applies);
        prop_assert!(line.hit(&pattern).is_some(), "{:?}", text);
    }

    // rules: P4, P6
    #[test]
    fn quoted_text_is_data(words in "[a-z ;&|()<>#{}]{0,30}") {
        let text = format!("echo 'git push {words}'");
        prop_assert_eq!(Line::parse(&text).condition(&CommandPattern::new("git push *")), Applies::NoMatch);
    }

    // rules: P4
    #[test]
    fn an_allowed_line_has_only_allowed_commands(text in "((git|ls|rm|echo|\\$x|'a'|\\$\\(|\\)|;|&&|\\||\n|[ {}'\"]) ?){0,12}") {
        let line = Line::parse(&text);
        let allow = CommandPattern::new("git *");
        if line.uncovered(&[&allow]) == Coverage::Covered {
            let foreign = line.commands().iter().find(|command| command.is_subcommand() && !command.text().starts_with("git"));
            prop_assert!(foreign.is_none(), "{:?}: {:?}", text, foreign);
            prop_assert_eq!(line.condition(&CommandPattern::new("rm *")), line.condition(&CommandPattern::new("ls *")));
        }
    }

    // rules: P4, P6, P15
    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,60}|[\\x00-\\x7f]{0,200}") {
        exercise(&text);
    }

    // rules: P4, P6
    #[test]
    fn shell_soup_never_panics(text in "([$`'\"\\\\(){}\\[\\]<>|&;#!~*? \n=E]|case |esac|in |if |fi|do |\\$\\(|\\$\\{|<<E\n|git ){0,80}") {
        exercise(&text);
    }

    // rule: P3
    #[test]
    fn a_pattern_without_stars_matches_itself_alone(text in "[a-z]{1,5}( [a-z-]{1,5}){0,3}", other in "[a-z]{1,5}") {
        let pattern = CommandPattern::new(&text);
        prop_assert!(pattern.matches(&text));
        let spaced = format!("  {}\t", text.replace(' ', "  "));
        prop_assert!(pattern.matches(&spaced));
        let longer = format!("{} {}", text, other);
        prop_assert!(!pattern.matches(&longer));
        let prefix = CommandPattern::new(&format!("{text} *"));
        let old = CommandPattern::new(&format!("{text}:*"));
        let glued = format!("{}{}", text, other);
        for command in [&text, &longer, &glued] {
            prop_assert_eq!(prefix.matches(command), *command != glued);
            prop_assert_eq!(old.matches(command), prefix.matches(command));
        }
        let open = CommandPattern::new(&format!("{text}*"));
        prop_assert!(open.matches(&glued) && open.matches(&longer));
    }

    // rule: P3
    #[test]
    fn stars_match_as_the_slow_definition_says(pattern in "[ab* ]{0,8}", text in "[ab ]{0,10}") {
        let compiled = CommandPattern::new(&pattern);
        prop_assert_eq!(compiled.matches(&text), slow(&normal(&pattern), &normal(&text)), "{:?} on {:?}", pattern, text);
    }
}

fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Matches a pattern by its definition, without regard to speed.
fn slow(pattern: &str, text: &str) -> bool {
    fn glob(pattern: &[u8], text: &[u8]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some((b'*', rest)) => (0..=text.len()).any(|at| glob(rest, &text[at..])),
            Some((first, rest)) => text.first() == Some(first) && glob(rest, &text[1..]),
        }
    }
    match pattern.strip_suffix(" *") {
        Some(core) => glob(core.as_bytes(), text.as_bytes()) || glob(pattern.as_bytes(), text.as_bytes()),
        None => glob(pattern.as_bytes(), text.as_bytes()),
    }
}

/// Returns lines made to overflow a stack or to take quadratic time.
fn hostile(size: usize) -> Vec<String> {
    let repeated = |piece: &str| piece.repeat(size / piece.len() + 1);
    let mut lines: Vec<String> = [
        "(",
        ")",
        "{ ",
        "}",
        "$(",
        "`",
        "\\`",
        "${x:-",
        "$((",
        "((",
        "[[ ",
        "'",
        "\"",
        "\\",
        "\\\n",
        "\"$(",
        "<(",
        "<<E ",
        "<<E\n",
        "if ",
        "case x in ",
        "case x in a) ",
        "while ",
        "for x in ",
        "for ((",
        "f() { ",
        "function f ",
        "! ",
        "time ",
        "coproc ",
        "sudo ",
        "sudo -",
        "sudo --x ",
        "env ",
        "env -S ",
        "eval ",
        "sh -c ",
        "xargs ",
        "a=",
        "a[",
        "a=(",
        "{a,",
        "{a,b}",
        "{",
        ",",
        "a ",
        "$x ",
        "git push ",
        "git ",
        "|",
        "a|",
        "a;",
        "a&&",
        "&",
        ";",
        "\n",
        "#",
        "# \n",
        "<",
        ">",
        ">a ",
        "*",
        "a*b ",
        "é",
        "\u{a0}",
        "\r",
        "strace ",
        "find -exec ",
        "trap ",
        "alias a=",
        "echo $(case x in a) ",
        "$'\\",
        "~",
        "$",
        "$$",
        "${",
        "${#",
        "declare a=(",
        "'a'\\''",
        "\"a\"",
        "@(",
        "[[ a =~ (",
        "x[$(",
        "parallel ",
        "env -S'",
        "--",
    ]
    .iter()
    .map(|piece| repeated(piece))
    .collect();
    lines.push(format!("{}git push{}", "(".repeat(size / 2), ")".repeat(size / 2)));
    lines.push(format!("{}git push{}", "$(".repeat(size / 3), ")".repeat(size / 3)));
    lines.push(format!("{}git push{}", "{ ".repeat(size / 5), "; }".repeat(size / 5)));
    lines.push(format!("{}git push{}", "if ".repeat(size / 15), "; then a; fi".repeat(size / 15)));
    lines
}

// rules: P4, P6
#[test]
fn hostile_lines_fit_a_small_stack_and_a_short_time() {
    let run = || {
        let started = Instant::now();
        for line in [300, 9_990].iter().flat_map(|size| hostile(*size)) {
            exercise(&line);
            assert!(started.elapsed() < Duration::from_secs(120), "too slow at {:?}", line.get(..40));
        }
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
}

// rules: P4, P5, P15
#[test]
fn a_megabyte_of_anything_is_unknown_soon() {
    let started = Instant::now();
    let lines = hostile(1 << 15).into_iter().chain(hostile(1 << 20).into_iter().step_by(24));
    for line in lines {
        let parsed = Line::parse(&line);
        let [git, odd] = ["git push *", "*a*b*c"].map(CommandPattern::new);
        assert!(matches!(parsed.condition(&git), Applies::Unknown { .. }));
        assert!(matches!(parsed.uncovered(&[&git]), Coverage::Unknown { .. }));
        let _ = (parsed.hit(&git), parsed.hit(&odd), powershell::Line::parse(&line).hit(&git));
        assert!(started.elapsed() < Duration::from_secs(240), "too slow at {:?}", line.get(..40));
    }
}

// rule: P4
#[test]
fn ten_thousand_characters_are_read_and_one_more_is_not() {
    let most = format!("git push {}", "é".repeat(10_000 - 9));
    let git = CommandPattern::new("git push *");
    assert!(matches!(Line::parse(&most).condition(&git), Applies::Match { .. }));
    let over = format!("{most}é");
    assert!(matches!(Line::parse(&over).condition(&git), Applies::Unknown { .. }));
    assert!(matches!(Line::parse(&over).uncovered(&[&git]), Coverage::Unknown { .. }));
    assert!(Line::parse(&over).hit(&git).is_some());
    assert!(Line::parse(&over).hit(&CommandPattern::new("rm *")).is_none());
}

// rules: P4, P6
#[test]
fn a_command_behind_more_words_than_are_tried_is_unknown() {
    let git = CommandPattern::new("git push *");
    for line in [
        format!("strace {}git push", "-e x ".repeat(1_990)),
        format!("start-stop-daemon {}-x git push", "-x a b ".repeat(1_400)),
        format!("npm explore {}git push", "a ".repeat(4_000)),
    ] {
        let parsed = Line::parse(&line);
        assert!(parsed.condition(&git).runs(), "{:?}", line.get(..40));
        assert!(parsed.hit(&git).is_some(), "{:?}", line.get(..40));
        let all = CommandPattern::new("strace *");
        assert!(matches!(parsed.uncovered(&[&all]), Coverage::Unknown { .. }), "{:?}", line.get(..40));
    }
}

// rules: P4, P6, P15
#[test]
fn random_bytes_for_a_while() {
    let started = Instant::now();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    while started.elapsed() < Duration::from_secs(2) {
        let bytes: Vec<u8> = (0..64)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                b"git push \"'\\`$(){}[]<>|&;#!\n=E\0\xc3\xa9*?~-c"[usize::try_from(state % 38).unwrap()]
            })
            .collect();
        exercise(&String::from_utf8_lossy(&bytes));
    }
}

fn redirections(text: &str) -> Vec<String> {
    let shown = |target: &Target| match target {
        Target::Literal(path) => path.clone(),
        Target::Dynamic(raw) => format!("?{raw}"),
    };
    let line = Line::parse(text);
    line.redirections().iter().map(|found| format!("{:?} {}", found.kind, shown(&found.target))).collect()
}

// rule: P4
#[test]
fn redirections_name_their_files() {
    let cases: [(&str, &[&str]); 26] = [
        ("echo a > out", &["Output out"]),
        ("echo a >> out", &["Output out"]),
        ("echo a >| out", &["Output out"]),
        ("echo a &> out", &["Output out"]),
        ("echo a &>> out", &["Output out"]),
        ("echo a >& out", &["Output out"]),
        ("echo a <> out", &["Output out"]),
        ("echo a 3> out", &["Output out"]),
        ("echo a {fd}> out", &["Output out"]),
        ("> out", &["Output out"]),
        ("cat < in", &["Input in"]),
        ("cat < in > out 2> err", &["Input in", "Output out", "Output err"]),
        ("echo a > /dev/null", &[]),
        ("echo a 2>&1 >&2 2>&- <&-", &[]),
        ("echo a > \"my file\"", &["Output my file"]),
        ("echo a > '$x'", &["Output $x"]),
        ("echo a > $x", &["Output ?$x"]),
        ("echo a > ~/x", &["Output ?~/x"]),
        ("echo a > *.c", &["Output ?*.c"]),
        ("echo a > $(ls)", &["Output ?$(ls)"]),
        ("{ echo a; } > out", &["Output out"]),
        ("echo $(ls > out)", &["Output out"]),
        ("sh -c 'ls > out'", &["Output out"]),
        ("cd /etc && echo a > passwd", &["Output ?passwd"]),
        ("cd /etc && echo a > /x", &["Output /x"]),
        ("echo 'a > b' \"c > d\" # > e", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(redirections(text), expected, "{text}");
    }
}

fn file_uses(text: &str) -> Vec<String> {
    Line::parse(text).file_uses().iter().map(|found| format!("{:?} {}", found.access, found.path)).collect()
}

// rule: P7
#[test]
fn well_known_commands_name_their_files() {
    let cases: [(&str, &[&str]); 79] = [
        ("cat a b", &["Read a", "Read b"]),
        ("cat -- -a", &["Read -a"]),
        ("cat - ", &[]),
        ("head -n 5 a", &["Read a"]),
        ("head -5 a", &["Read a"]),
        ("tail -f a", &["Read a"]),
        ("sed s/a/b/ x y", &["Read x", "Read y"]),
        ("sed -e s/a/b/ x", &["Read x"]),
        ("sed -n 1p x", &["Read x"]),
        ("sed -i s/a/b/ x", &["Read x", "Edit x"]),
        ("sed -i.bak s/a/b/ x", &["Read x", "Edit x", "Edit x.bak"]),
        ("sed -ni s/a/b/ x", &["Read x", "Edit x"]),
        ("sed --in-place=.bak s/a/b/ x", &["Read x", "Edit x", "Edit x.bak"]),
        ("grep a x", &["Read x"]),
        ("grep -r -e a x", &["Read x"]),
        ("grep -A 3 a x", &["Read x"]),
        ("echo a | tee x y", &["Edit x", "Edit y"]),
        ("tee -a x", &["Edit x"]),
        ("cp a b", &["Read a", "Edit b"]),
        ("cp -t d a b", &["Read a", "Read b", "Edit d"]),
        ("mv a b", &["Edit a", "Edit b"]),
        ("rm -rf a b", &["Edit a", "Edit b"]),
        ("rm 'my file' $x ~/y *.c", &["Edit my file", "Edit ~/y"]),
        ("rm '~/y' ~x/y \"$HOME/z\" ${HOME} $HOMEX/z", &["Edit ./~/y", "Edit ~/z", "Edit ~"]),
        ("cat \\~/y '$HOME/y'", &["Read ./~/y", "Read $HOME/y"]),
        ("sudo rm a; timeout 5 cat b", &["Edit a", "Read b"]),
        ("sh -c 'rm a'", &["Edit a"]),
        ("/bin/rm a", &["Edit a"]),
        ("cd /etc; rm a /b", &["Edit /b"]),
        // Clusters, attached values, and prefixes of long options.
        ("cp -at d a", &["Edit d", "Read a"]),
        ("cp -ft/d a", &["Edit /d", "Read a"]),
        ("cp --target=d a", &["Edit d", "Read a"]),
        ("cp --t d a b", &["Edit d", "Read a", "Read b"]),
        ("cp a -t d", &["Edit d", "Read a"]),
        ("cp -aS .b a b", &["Read a", "Edit b"]),
        ("cp -- -t a b", &["Read -t", "Read a", "Edit b"]),
        ("mv -ft.d a", &["Edit .d", "Edit a"]),
        ("mv --targ d a", &["Edit d", "Edit a"]),
        ("sed --in-pl s/a/b/ x", &["Read x", "Edit x"]),
        ("sed --in s/a/b/ x", &["Read x", "Edit x"]),
        ("sed -i --expr=s/a/b/ x", &["Read x", "Edit x"]),
        ("sed -ne p x", &["Read x"]),
        ("sed -nep x", &["Read x"]),
        ("sed -n --quiet p x", &["Read x"]),
        ("sed 's/a/b/w y' x", &["Edit y", "Read x"]),
        ("sed -n 'w y' x", &["Edit y", "Read x"]),
        ("sed -e 'r y' -e p x", &["Read y", "Read x"]),
        ("grep --regex=a x", &["Read x"]),
        ("grep --file=a x", &["Read a", "Read x"]),
        ("grep -ef x", &["Read x"]),
        ("grep -A1 a x", &["Read x"]),
        ("grep --unknown a x", &["Read a", "Read x"]),
        // More commands.
        ("dd if=a of=b bs=1", &["Read a", "Edit b"]),
        ("dd of=~/a", &["Edit ~/a"]),
        ("install -m 644 -D a b", &["Read a", "Edit b"]),
        ("install -d a b", &["Read a", "Edit a", "Edit b"]),
        ("ln -s a b", &["Read a", "Edit b"]),
        ("ln -st d a", &["Edit d", "Read a"]),
        ("sort -o b a", &["Edit b", "Read a"]),
        ("sort a --outp=b", &["Edit b", "Read a"]),
        ("uniq a b", &["Read a", "Edit b"]),
        ("touch a", &["Edit a"]),
        ("chmod +x a", &["Edit a"]),
        ("chmod --reference=r a", &["Read r", "Edit a"]),
        ("truncate -s 0 a", &["Edit a"]),
        ("tar xf a -C d", &["Edit a", "Edit d"]),
        ("curl -d @a -F x=@b -o c u", &["Read a", "Read b", "Edit c"]),
        ("less a; nl b; . c", &["Read a", "Read b", "Read c"]),
        // Values to which the line sets variables.
        ("x=a; cat $x \"${x}/b\" $y", &["Read a", "Read a/b"]),
        ("for f in a b; do rm $f; done", &["Edit a", "Edit b"]),
        ("cat $PWD/a ~+/b", &["Read ./a", "Read ./b"]),
        ("HOME=h; cat ~/a", &["Read ~/a", "Read h/a"]),
        ("export D=/d; cp a $D", &["Read a", "Edit /d"]),
        ("cat /proc/$$/cwd/a", &["Read /proc/self/cwd/a"]),
        ("cat $(ls) `ls` $1", &[]),
        ("cat ${x:-a} ${y-$x}", &["Read a"]),
        ("x=a; x+=b; cat $x ${z:=/c}", &["Read a", "Read ab", "Read b", "Read /c"]),
        ("git diff --no-index a b", &["Read a", "Read b"]),
        ("gzip -c a; gzip b; xargs -a c echo", &["Read a", "Edit b", "Read c"]),
    ];
    for (text, expected) in cases {
        let mut found = file_uses(text);
        found.sort();
        found.dedup();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn what_is_said_about_a_line_can_be_read() {
    let line = Line::parse("sudo git push");
    assert_eq!(line.commands()[1].via(), Some("sudo"));
    assert_eq!(line.text(), "sudo git push");
    let unknown = Line::parse("$CMD push");
    let why: Vec<String> = unknown.unknowns().map(ToString::to_string).collect();
    assert_eq!(why, ["only run time knows which command `$CMD` is"]);
}
