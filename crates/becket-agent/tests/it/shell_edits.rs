//! Command lines that mode `acceptEdits` runs without asking, with a proof that they stay inside.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::calls::{Place, call_of, run};
use crate::support::shell::Shell;
use crate::support::{PATH, Tree, object};
use becket_agent::tool_call::{CallEnd, DeniedBy, ToolCalls};
use becket_engine::{Effect, Tool, ToolSet};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Creates the tree of the table.
fn tree() -> Tree {
    let tree = Tree::new();
    for file in
        ["tree/one", "tree/more/two", "template/.claude/settings.json", "template/x", "conf/git/config"]
    {
        tree.write(&format!("work/{file}"), "text\n");
    }
    for file in ["linked/x", ".git/config", ".claude/settings.json"] {
        tree.write(&format!("work/{file}"), "kept\n");
    }
    tree.link("outside", "work/linked/away");
    tree
}

fn shell() -> Shell {
    Shell::of(tree(), |host| host)
}

fn cases(shell: &Shell) -> Vec<(String, Effect)> {
    let table: Value = serde_json::from_str(include_str!("../cases/edits.json")).unwrap();
    let place = |name: &str| shell.tree.base.join(name).display().to_string();
    let case = |case: &Value| {
        let line = case["line"].as_str().unwrap();
        let line = line
            .replace("OUT", &place("outside"))
            .replace("MORE", &place("more"))
            .replace("WORK", &place("work"));
        let effect = match case["effect"].as_str().unwrap() {
            "reads" => Effect::Reads,
            "edits" => Effect::Edits,
            "elsewhere" => Effect::EditsElsewhere,
            "protected" => Effect::EditsProtected,
            "acts" => Effect::Acts,
            "acts and edits" => Effect::ActsAndEdits,
            other => panic!("{other}"),
        };
        (line, effect)
    };
    table["cases"].as_array().unwrap().iter().map(case).collect()
}

// rule: P14
#[test]
fn each_line_of_the_table_has_the_effect_that_it_says() {
    let shell = shell();
    let wrong: Vec<String> = cases(&shell)
        .into_iter()
        .map(|(line, effect)| (shell.effect(&line), line, effect))
        .filter(|(judged, _, effect)| judged != effect)
        .map(|(judged, line, effect)| format!("{line:?} is {judged:?}, not {effect:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// rule: P14
#[test]
fn a_directory_with_a_protected_file_does_not_change_as_a_whole_unasked() {
    let tree = tree();
    let guard = tree.base.join("work/tree/more/two");
    let shell = Shell::of(tree, |host| host.with_protected(guard));
    for line in [
        "rm -r tree",
        "rm -rf tree/more/",
        "rm tree/more/*",
        "rm -r t*",
        "sudo rm -fr tree",
        "cd tree && rm -r more",
        "mv tree tree2",
        "mv -t sub tree",
        "mv -T template tree",
        "cp -rT template tree",
        "cp -r template/. tree/more",
        "chmod -R 000 tree",
        "rsync -a --delete template/ tree/",
        "find tree -delete",
        "find tree -type f -delete",
        "tar --remove-files -cf x.tar tree",
        "zip -rm x.zip tree",
        "git rm -r tree",
        "git -C tree clean -fdx",
        "git clean -fdx",
        "git clean -fde keep",
        "git mv tree q",
        "chmod -R 000 .",
        "chmod 000 tree",
        "chmod 644 tree/more",
        "chmod u-x tree",
        "chmod a=r tree",
        "chmod g+w,u-rx tree",
        "chmod 600 .",
        "chmod --reference=a.txt tree",
        "chmod \"$MODE\" tree",
        "find . -delete",
    ] {
        assert_eq!(shell.effect(line), Effect::EditsProtected, "{line}");
    }
    for line in [
        "rm -r template",
        "rm tree/one",
        "mv a.txt tree/b.txt",
        "mv sub tree",
        "cp -r sub tree",
        "touch tree",
        "chmod +x tree",
        "chmod 755 tree",
        "chmod go-rwx tree",
        "chmod u=rwx,g=r tree",
        "chmod 600 tree/one",
        "find tree -name '*.o' -delete",
        "find tree -newer x",
        "tar cf x.tar tree",
        "git clean -ndx",
        "git rm --cached -r tree",
        "git add tree",
        "rsync -a template tree",
        "grep -r x tree",
    ] {
        assert_ne!(shell.effect(line), Effect::EditsProtected, "{line}");
    }
}

/// Returns the files that no edit may change, with their content.
fn kept(tree: &Tree) -> Vec<(PathBuf, Vec<u8>)> {
    let is_kept = |path: &PathBuf| {
        let place = path.strip_prefix(&tree.base).unwrap();
        let names: Vec<_> =
            place.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        names.first().is_none_or(|name| name == "outside")
            || names.iter().any(|name| name.starts_with(".git") || name == ".claude")
    };
    tree.snapshot().into_iter().filter(|(path, _)| is_kept(path)).collect()
}

// rule: P14
#[tokio::test]
async fn lines_that_edit_stay_inside_and_touch_nothing_that_is_protected() {
    let mut ran = 0;
    for (line, _) in cases(&shell()).into_iter().filter(|(_, effect)| *effect == Effect::Edits) {
        // In a separate tree: the paths of the line are those of another one.
        let (other, shell) = (shell_of_line(&line), shell());
        let line = line.replace(&other, &shell.tree.base.display().to_string());
        assert_eq!(shell.effect(&line), Effect::Edits, "{line}");
        let before = kept(&shell.tree);
        shell.line(&line).await;
        assert!(kept(&shell.tree) == before, "{line}");
        ran += 1;
    }
    assert!(ran > 25, "only {ran} lines ran");
}

/// Returns the base of the tree whose paths the line contains, if it contains any.
fn shell_of_line(line: &str) -> String {
    let path = line.split(' ').find(|word| word.starts_with('/')).unwrap_or("/nowhere/more");
    PathBuf::from(path)
        .ancestors()
        .find(|path| path.ends_with("more"))
        .map_or("/nowhere".into(), |more| more.parent().unwrap().display().to_string())
}

// rule: P14
#[test]
fn a_program_that_the_line_itself_could_put_on_the_path_is_not_trusted() {
    let tree = tree();
    tree.write("work/bin/other", "");
    let path = format!("{}:{PATH}", tree.base.join("work/bin").display());
    let shell = Shell::of(tree, |_| {
        let environment = becket_engine::Environment::empty().with_var("PATH", &path);
        becket_tools::Surroundings::new(environment)
    });
    assert_eq!(shell.effect("mkdir x"), Effect::Edits);
    assert_eq!(shell.effect("cp a.txt bin/ls"), Effect::Edits);
    assert_eq!(shell.effect("cp a.txt bin/ls && ls"), Effect::ActsAndEdits);
    assert_eq!(shell.effect("cp a.txt bin/touch; touch x"), Effect::ActsAndEdits);
    assert_eq!(shell.effect("ls"), Effect::Reads);
}

// rules: P7, P14
#[test]
fn what_a_rule_keeps_from_being_read_comes_under_no_other_name() {
    let shell = Shell::of(tree(), |host| host.with_denied_reads(|_, path| path.ends_with("a.txt")));
    for (line, effect) in [
        ("mv a.txt b", Effect::ActsAndEdits),
        ("cp a.txt b", Effect::ActsAndEdits),
        ("cp inside-link b", Effect::ActsAndEdits),
        ("mv tree t2", Effect::ActsAndEdits),
        ("cp -r tree t2", Effect::ActsAndEdits),
        ("cp sub/b.txt b", Effect::Edits),
        ("mkdir x", Effect::Edits),
    ] {
        assert_eq!(shell.effect(line), effect, "{line}");
    }
}

// rules: H12, P14
#[test]
fn variables_of_hooks_and_directories_that_are_not_the_session_s_make_a_line_uncertain() {
    let tree = tree();
    let file = tree.write("env.sh", "export PATH=.:$PATH\n");
    let shell = Shell::of(tree, |host| host.with_env_files(move |_| vec![file.clone()]));
    assert_eq!(shell.effect("mkdir x"), Effect::ActsAndEdits);
}

// rule: P14
#[tokio::test]
async fn the_root_stays_a_working_directory_wherever_the_session_is() {
    let shell = shell();
    shell.line("cd sub").await;
    assert_eq!(shell.effect("cat ../a.txt"), Effect::Reads);
    assert_eq!(shell.effect("mv ../a.txt ."), Effect::Edits);
    assert_eq!(shell.effect("touch ../../x"), Effect::EditsElsewhere);
    let background = json!({"command": "mkdir x", "run_in_background": true});
    assert_eq!(shell.bash.effect(&shell.session(), &object(background)), Effect::Edits);
}

// rules: P7, P14
#[tokio::test]
async fn plan_runs_no_line_that_edits_even_if_a_rule_allows_it() {
    let place = Place::new();
    let shell = Shell::new();
    let tools = ToolSet::new([Arc::new(shell.bash) as Arc<dyn Tool>]);
    let settings = json!({"permissions": {"allow": ["Bash", "Edit"]}});
    let calls = ToolCalls::new(place.engine(&settings, false, &tools), tools);
    let mut session = place.session(Some("plan"));
    session.cwd = shell.tree.work();
    for (line, runs) in [
        ("rm a.txt", false),
        ("echo x > f", false),
        ("sed -i s/o/x/ a.txt", false),
        ("echo x | tee f", false),
        ("ln -s a.txt f", false),
        ("sh -c 'touch f'", false),
        ("X=f; rm $X $Y", false),
        ("git reset --hard", false),
        ("git commit -m x", false),
        ("env A=1 sh -c 'cat a.txt; exit 0'", true),
        ("sleep 0 2>/dev/null", true),
    ] {
        let report = run(&calls, &session, call_of("Bash", json!({"command": line}))).await;
        let message = "the mode `plan` makes no edits".to_owned();
        let denied = CallEnd::Denied { by: DeniedBy::Mode, because: message };
        assert_eq!(report.ended == denied, !runs, "{line}: {:?}", report.ended);
        assert_eq!(matches!(report.ended, CallEnd::Done { .. }), runs, "{line}: {:?}", report.ended);
    }
    assert!(shell.tree.work().join("a.txt").exists() && !shell.tree.work().join("f").exists());
}

#[test]
fn no_line_stands_twice_in_the_table() {
    let shell = shell();
    let mut seen = std::collections::HashSet::new();
    for (line, _) in cases(&shell) {
        assert!(seen.insert(line.clone()), "{line:?}");
    }
    assert!(seen.len() > 120);
}
