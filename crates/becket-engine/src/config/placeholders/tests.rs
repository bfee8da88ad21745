use super::*;
use crate::config::handler::Shell;
use crate::testing;

fn places() -> Places {
    Places { profile: Profile::claude(), project_dir: "/work dir/$x".into() }
}

fn with_root(root: &str) -> Handler {
    let mut handler = testing::command("true");
    handler.root = Some(std::sync::Arc::new(Root {
        root: root.into(),
        data: Some("/data".into()),
        options: vec![("api-key".into(), "a b; rm".into())],
    }));
    handler
}

fn exec(program: &str, args: &[&str]) -> Command {
    Command::Exec { program: program.into(), args: args.iter().map(ToString::to_string).collect() }
}

fn shell(script: &str, shell: Shell) -> Command {
    Command::Shell { script: script.into(), shell }
}

#[test]
fn exec_form_fills_every_placeholder_as_one_argument() {
    // rule: H2
    let command = exec(
        "${CLAUDE_PLUGIN_ROOT}/run",
        &["${CLAUDE_PROJECT_DIR}/a", "k=${user_config.api-key}", "${HOME}"],
    );
    let filled = places().fill(&with_root("/p l"), &command, PathStyle::Native).unwrap();
    let args = vec!["/work dir/$x/a".to_owned(), "k=a b; rm".to_owned(), "${HOME}".to_owned()];
    assert_eq!(filled, FilledCommand::Exec { program: "/p l/run".into(), args });
}

#[test]
fn shell_form_fills_a_plugins_directories_only_where_they_are_plain() {
    // rule: H2
    let command = shell("${CLAUDE_PLUGIN_ROOT}/x ${CLAUDE_PROJECT_DIR} $CLAUDE_PLUGIN_ROOT", Shell::Default);
    let script = |root: &str| match places().fill(&with_root(root), &command, PathStyle::Native).unwrap() {
        FilledCommand::Shell { script, .. } => script,
        FilledCommand::Exec { .. } => unreachable!(),
    };
    assert_eq!(script("/opt/p-1.0_x+@y"), "/opt/p-1.0_x+@y/x ${CLAUDE_PROJECT_DIR} $CLAUDE_PLUGIN_ROOT");
    for unsafe_root in ["/opt/a b", "/opt/$(id)", "/opt/a;b", "/opt/'q'", "C:\\p"] {
        assert_eq!(script(unsafe_root), "${CLAUDE_PLUGIN_ROOT}/x ${CLAUDE_PROJECT_DIR} $CLAUDE_PLUGIN_ROOT");
    }
}

#[test]
fn git_bash_gets_the_paths_of_a_plugin_as_it_writes_them() {
    // rules: H2, H3
    let command = shell("${CLAUDE_PLUGIN_ROOT}/x ${CLAUDE_PROJECT_DIR}", Shell::Default);
    let script = |root: &str| match places().fill(&with_root(root), &command, PathStyle::GitBash).unwrap() {
        FilledCommand::Shell { script, .. } => script,
        FilledCommand::Exec { .. } => unreachable!(),
    };
    assert_eq!(script(r"C:\Users\ada\p"), "/c/Users/ada/p/x ${CLAUDE_PROJECT_DIR}");
    assert_eq!(script(r"C:\my plugins\p"), "${CLAUDE_PLUGIN_ROOT}/x ${CLAUDE_PROJECT_DIR}");
    let written = |style| crate::plan::variables::written(r"C:\Users\ada".into(), style);
    assert_eq!(written(PathStyle::GitBash), "/c/Users/ada");
    assert_eq!(written(PathStyle::Native), r"C:\Users\ada");
}

#[test]
fn power_shell_gets_its_own_spelling_of_all_three() {
    // rule: H2
    let command =
        shell("& ${CLAUDE_PROJECT_DIR}/a ${CLAUDE_PLUGIN_ROOT} ${CLAUDE_PLUGIN_DATA}", Shell::PowerShell);
    let expected = "& ${env:CLAUDE_PROJECT_DIR}/a ${env:CLAUDE_PLUGIN_ROOT} ${env:CLAUDE_PLUGIN_DATA}";
    assert_eq!(
        places().fill(&with_root("/p"), &command, PathStyle::of(&command)).unwrap(),
        FilledCommand::Shell { script: expected.into(), power: true }
    );
}

#[test]
fn a_users_option_in_a_shell_text_is_an_error_that_names_the_variable() {
    // rule: H2
    let command = shell("x ${user_config.api-key}", Shell::Default);
    let error = places().fill(&with_root("/p"), &command, PathStyle::Native).unwrap_err();
    assert!(error.to_string().contains("\"$CLAUDE_PLUGIN_OPTION_API_KEY\""), "{error}");
}

#[test]
fn a_value_is_never_read_again() {
    // rule: H2
    let values = BTreeMap::from([("A".to_owned(), "${B}".to_owned()), ("B".to_owned(), "x".to_owned())]);
    assert_eq!(replace("${A}${B}${", &values), "${B}x${");
}

#[test]
fn variables_name_the_project_the_root_and_each_option() {
    // rules: H2, C9
    let names: Vec<String> = places().variables(&with_root("/p")).into_iter().map(|(n, _)| n).collect();
    let expected =
        ["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "CLAUDE_PLUGIN_OPTION_API_KEY"];
    assert_eq!(names, expected);
}
