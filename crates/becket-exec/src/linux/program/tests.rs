use super::*;

/// Files by their paths; an empty path is the file that runs. Git corrects words in `/corrects`, and has the alias
/// `puhs`.
#[derive(Default)]
struct FakeFiles(Vec<(&'static str, Identity)>);

impl Files for FakeFiles {
    fn identify(&self, file: ProgramFile<'_>) -> Option<Identity> {
        let path = match file {
            ProgramFile::Running => "",
            ProgramFile::Named(path) => path,
        };
        self.0.iter().find(|(known, _)| *known == path).map(|(_, identity)| identity.clone())
    }

    fn git_settings(&self, options: &[String]) -> GitSettings {
        let corrects = options.iter().any(|option| option == "/corrects");
        GitSettings { corrects, aliases: ["puhs".to_owned()].into() }
    }
}

fn program(arguments: &[&str], file: &str, path: &str) -> ExecutedProgram {
    let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
    ExecutedProgram { arguments, file: file.to_owned(), path: path.to_owned() }
}

#[track_caller]
fn reads(arguments: &[&str], file: &str, path: &str, form: &str) {
    let forms = program(arguments, file, path).forms(&FakeFiles::default());
    assert!(forms.contains(&form.to_owned()), "{form} is not among {forms:?}");
}

#[track_caller]
fn does_not_read(arguments: &[&str], file: &str, path: &str, form: &str) {
    let forms = program(arguments, file, path).forms(&FakeFiles::default());
    assert!(!forms.contains(&form.to_owned()), "{form} is among {forms:?}");
}

// rule: E1
#[test]
fn a_program_is_known_by_its_argument_its_file_and_its_path() {
    reads(&["git", "push"], "/usr/bin/git", "/usr/bin/git", "git push");
    reads(&["x", "push"], "/usr/bin/git", "/usr/bin/git", "git push");
    reads(&["git", "push"], "/usr/bin/mine", "/usr/bin/mine", "git push");
    reads(&["x", "push"], "/usr/bin/mine", "/tmp/git", "git push");
    reads(&["git", "push"], "/usr/bin/git", "/usr/bin/git", "/usr/bin/git push");
    does_not_read(&["echo", "git", "push"], "/bin/echo", "/bin/echo", "git push");
    assert_eq!(program(&[], "/usr/bin/git", "").forms(&FakeFiles::default()), ["/usr/bin/git", "git"]);
}

// rule: E1
#[test]
fn a_script_is_read_without_its_interpreters() {
    let npm = ["/usr/bin/env", "node", "/usr/bin/npm", "publish"];
    reads(&npm, "/usr/bin/env", "/usr/bin/npm", "npm publish");
    // `#!./git` in front of a script that is executed as `./x`.
    reads(&["/bin/sh", "./git", "push", "./x"], "/bin/dash", "./x", "git push ./x");
    reads(&["/usr/bin/git", "push", "./x"], "/usr/bin/git", "./x", "git push ./x");
    does_not_read(&["sh", "./git", "push"], "/bin/dash", "/bin/sh", "git push");
    assert_eq!(program(&npm, "/usr/bin/env", "/usr/bin/npm").name(), "npm");
    assert_eq!(program(&npm, "/usr/bin/env", "/usr/bin/npm").command(), "/usr/bin/npm publish");
}

// rule: E1
#[test]
fn a_program_that_another_one_loads_is_read() {
    let ld = "/lib64/ld-linux-x86-64.so.2";
    reads(&[ld, "/usr/bin/git", "push"], ld, ld, "git push");
    reads(&[ld, "--library-path", "/x", "--inhibit-cache", "/usr/bin/git", "push"], ld, ld, "git push");
    does_not_read(&[ld, "/bin/echo", "git", "push"], ld, ld, "git push");
    reads(&["valgrind", "-q", "git", "push"], "/usr/bin/valgrind", "/usr/bin/valgrind", "git push");
    let tool = "/usr/libexec/valgrind/memcheck-amd64-linux";
    reads(&["valgrind", "git", "push"], tool, tool, "git push");
    reads(&["qemu-x86_64", "-L", "/x", "git", "push"], "/usr/bin/qemu-x86_64", "", "git push");
    reads(&["busybox", "rm", "x"], "/bin/busybox", "/bin/busybox", "rm x");
    reads(&["rm", "x"], "/bin/busybox", "/bin/rm", "rm x");
    reads(&["-rm", "x"], "/bin/busybox", "/bin/busybox", "rm x");
    reads(&["./busyboxx", "rm", "x"], "/tmp/busyboxx", "./busyboxx", "rm x");
    reads(&["busybox", "rm", "x"], "/tmp/x", "./x", "rm x");
    reads(&["busybox", "busybox", "toybox", "/bin/rm", "x"], "/bin/busybox", "/bin/busybox", "rm x");
    reads(&["x", "--coreutils-prog=rm", "x"], "/tmp/x", "/tmp/x", "rm x");
}

// rule: E1
#[test]
fn a_known_file_is_read_under_its_own_name() {
    let identity = |name: &str| Identity::Program(name.to_owned());
    let forms = |arguments: &[&str], file: &str, files: Vec<(&'static str, Identity)>| {
        program(arguments, file, file).forms(&FakeFiles(files))
    };
    let has = |forms: Vec<String>, form: &str| forms.iter().any(|found| found == form);
    assert!(has(forms(&["x", "push"], "/tmp/x", vec![("", identity("git"))]), "git push"));
    assert!(has(
        forms(&["node", "./y", "publish"], "/bin/node", vec![("./y", identity("npm"))]),
        "npm publish"
    ));
    assert!(!has(
        forms(&["cat", "./y", "publish"], "/bin/cat", vec![("./y", identity("npm"))]),
        "npm publish"
    ));
    for (line, file) in [
        ("bash -o errexit ./y publish", "/bin/bash"),
        ("python3 -W ignore ./y publish", "/usr/bin/python3.11"),
        ("sh ./y publish", "/bin/busybox"),
        ("busybox sh ./y publish", "/bin/busybox"),
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        assert!(has(forms(&arguments, file, vec![("./y", identity("npm"))]), "npm publish"), "{line}");
    }
    let loaded = vec![("", Identity::Loader), ("./y", identity("git"))];
    assert!(has(forms(&["./x", "./y", "push"], "/tmp/x", loaded), "git push"));
    let multi_call = || vec![("", Identity::MultiCall(vec!["cp".to_owned(), "rm".to_owned()]))];
    assert!(has(forms(&["x", "rm", "y"], "/tmp/x", multi_call()), "rm y"));
    assert!(!has(forms(&["x", "ls", "y"], "/tmp/x", multi_call()), "ls y"));
    assert!(!has(forms(&["x", "ls", "y"], "/tmp/x", multi_call()), "rm y"));
}

// rule: E1
#[test]
fn options_of_git_do_not_hide_its_subcommand() {
    for options in [
        &["-C", "dir"][..],
        &["-c", "x.y=z", "--no-pager"],
        &["--git-dir=x", "--work-tree", "y", "-P"],
        &["--exec-path=/x", "--bare", "--config-env", "a=B"],
        &["--shallow-file", "x"],
        &["--new-option"],
        &["--new-option", "x", "-P"],
    ] {
        let arguments: Vec<&str> =
            ["git"].iter().chain(options).chain(&["push", "origin"]).copied().collect();
        reads(&arguments, "/usr/bin/git", "/usr/bin/git", "git push origin");
    }
    reads(&["git-push", "origin"], "/usr/lib/git-core/git-push", "", "git push origin");
    does_not_read(&["git", "-C", "push", "status"], "/usr/bin/git", "/usr/bin/git", "git push status");
    does_not_read(&["git", "stash", "push"], "/usr/bin/git", "/usr/bin/git", "git push");
}

// rule: E1
#[test]
fn a_word_that_git_corrects_is_the_subcommand() {
    let git = "/usr/bin/git";
    let read = |line: &str, form: &str| {
        let arguments: Vec<&str> = line.split(' ').collect();
        program(&arguments, git, git).forms(&FakeFiles::default()).contains(&form.to_owned())
    };
    for line in
        ["git -C /corrects pushh x", "git -c help.autocorrect=1 pushh x", "git -c HELP.AutoCorrect=1 psuh x"]
    {
        assert!(read(line, "git push x"), "{line}");
    }
    for line in [
        "git pushh x",
        "git -C /corrects puhs x",
        "git -c alias.pushh=x -C /corrects pushh x",
        "git -C /corrects pull x",
        "git -C /corrects lfs x",
    ] {
        assert!(!read(line, "git push x"), "{line}");
    }
}
