//! The rules, conditions and rights in force for the programs of a line (`protocol.md` E1, E5).

use becket_engine::Engine;
use becket_exec::line::{LineRules, RuleText};
use becket_exec::{OnDeny, Rights, real_rights};
use becket_model::PROTECTED_FILES;
use std::path::{Path, PathBuf};

/// Files of git that decide what it runs. A line may change the rest of its directory: it may commit.
const OF_GIT: &[&[&str]] = &[&[".git", "hooks"], &[".git", "config"]];

/// Returns the rules in force for a line of a session in `cwd`; `of_call` are the rights that hooks leave to its call,
/// with paths as written.
#[must_use]
pub fn line_rules(engine: &Engine, cwd: &Path, of_call: &[Rights]) -> LineRules {
    let mut rules = match engine.config().policy.exec_text_only {
        true => LineRules::default(),
        false => program_rules(engine),
    };
    let of_call = || of_call.iter().map(|rights| real_line_rights(engine, cwd, rights.clone()));
    let rights = line_rights(engine, cwd).and_then(|of_settings| {
        let of_call: Vec<Rights> = of_call().collect::<Result<_, _>>()?;
        let all = of_call.iter().fold(Rights::default(), |all, rights| all.intersection(rights));
        Ok((of_settings, all))
    });
    match rights {
        Ok((of_settings, of_call)) => {
            rules.rights = of_settings;
            rules.call_rights = of_call;
            rules.excluded.clone_from(&engine.config().sandbox.excluded_commands);
        }
        Err(why) => rules.refusal = Some(why),
    }
    rules
}

/// Returns the rules in force for a program that a host of a session in `cwd` runs itself: the text of its line was
/// not judged, so the rules apply to it regardless of the setting `exec`, and no hook is asked.
#[must_use]
pub fn exec_rules(engine: &Engine, cwd: &Path) -> LineRules {
    let rules = LineRules { conditions: Vec::new(), ..program_rules(engine) };
    let excluded = engine.config().sandbox.excluded_commands.clone();
    match line_rights(engine, cwd) {
        Ok(rights) => LineRules { rights, excluded, ..rules },
        Err(why) => LineRules { refusal: Some(why), ..rules },
    }
}

fn program_rules(engine: &Engine) -> LineRules {
    let rules = engine.host().program_rules();
    let text = |rule: becket_engine::ProgramRule| RuleText {
        text: rule.text,
        origin: rule.origin,
        anchor: rule.anchor,
    };
    let on_deny = match engine.config().policy.exec_denial_ends_line {
        true => OnDeny::EndLine,
        false => OnDeny::GoOn,
    };
    LineRules {
        deny: rules.deny.into_iter().map(text).collect(),
        ask: rules.ask.into_iter().map(text).collect(),
        conditions: rules.conditions.into_iter().map(text).collect(),
        on_deny,
        ..LineRules::default()
    }
}

/// Returns the rights that the settings leave to the lines of a session in `cwd`, on this system (E5).
///
/// # Errors
/// Returns the reason why no line may run: a restriction that can't be parsed or can't be enforced.
pub fn line_rights(engine: &Engine, cwd: &Path) -> Result<Rights, String> {
    real_line_rights(engine, cwd, engine.host().line_rights(cwd)?)
}

/// Returns the files of a project that a line with restricted rights does not write.
fn kept(project: &Path) -> impl Iterator<Item = PathBuf> {
    let paths =
        PROTECTED_FILES.iter().chain(OF_GIT).map(|names| project.join(names.iter().collect::<PathBuf>()));
    paths.filter(|path| path.exists())
}

/// Returns the rights of a line on this system. Files that other programs execute or obey stay protected.
fn real_line_rights(engine: &Engine, cwd: &Path, mut written: Rights) -> Result<Rights, String> {
    if written.are_all() {
        return Ok(written);
    }
    let project = engine.host().project_directory();
    written.deny_write.extend(kept(&project));
    let mut needed = engine.host().directories();
    needed.extend([project, cwd.to_owned()]);
    real_rights(&written, &needed).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    // rules: E5, P14
    #[test]
    fn every_protected_file_that_exists_is_kept() {
        let root = tempfile::tempdir().unwrap();
        let project = root.path();
        assert_eq!(kept(project).count(), 0);
        for file in [".cursor/hooks.json", ".github/hooks/x.json", ".mcp.json", ".git/config", "src/a.rs"] {
            let path = project.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let mut kept: Vec<PathBuf> =
            kept(project).map(|path| path.strip_prefix(project).unwrap().into()).collect();
        kept.sort();
        assert_eq!(kept, [".cursor", ".git/config", ".github/hooks", ".mcp.json"].map(PathBuf::from));
    }
}
