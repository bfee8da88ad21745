//! The parts of README that are made from other pages: the agents, and the figures.
//!
//! Each is between a line `<!-- NAME: made by cargo xtask gen -->` and the next `<!-- end -->`.

use crate::agents::{PointResult, ProvedRun};
use crate::root;
use becket_dialects::{ALL, Dialect, Proof};
use std::collections::BTreeMap;
use std::fs;

/// The line behind a part.
const END: &str = "<!-- end -->";

/// Writes the parts into README.
///
/// # Errors
/// Errors if a page can't be read or written, or if README has no place for a part.
pub(crate) fn write() -> Result<(), String> {
    let path = root().join("README.md");
    let text = filled(&read("README.md")?)?;
    fs::write(&path, text).map_err(|error| format!("`{}`: {error}", path.display()))
}

/// Returns README with its parts as they are now.
fn filled(readme: &str) -> Result<String, String> {
    let readme = with_part(readme, "agents", &agents(&ProvedRun::all()?))?;
    with_part(&readme, "figures", &figures(&read("docs/benchmarks.md")?)?)
}

fn with_part(readme: &str, name: &str, part: &str) -> Result<String, String> {
    let start = format!("<!-- {name}: made by cargo xtask gen -->\n");
    let split = readme.split_once(&start).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = split.ok_or_else(|| format!("README.md has no place for `{name}`"))?;
    Ok(format!("{before}{start}{part}{END}{after}"))
}

/// Returns the table of agents by the number of points that they held.
fn agents(runs: &BTreeMap<String, ProvedRun>) -> String {
    let mut by_points: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
    let mut documented = Vec::new();
    for dialect in ALL {
        match held(dialect, runs) {
            Some(points) => by_points.entry(points).or_default().push(dialect.title),
            None => documented.push(dialect.title),
        }
    }
    let mut text = "| points held | agents |\n|---|---|\n".to_owned();
    for ((held, lost), titles) in by_points.iter().rev() {
        text.push_str(&format!("| {held} of {} | {} |\n", held + lost, titles.join(", ")));
    }
    if !documented.is_empty() {
        text.push_str(&format!("| not run | {}: by their documentation |\n", documented.join(", ")));
    }
    text
}

/// Returns the numbers of points that an agent held and lost in the last run of its version; `None` if it was not run.
fn held(dialect: &Dialect, runs: &BTreeMap<String, ProvedRun>) -> Option<(usize, usize)> {
    let run =
        runs.get(dialect.name).filter(|run| dialect.proof == Proof::Run && run.version == dialect.version)?;
    let lost = run.results.points.values().filter(|result| **result == PointResult::Lost).count();
    Some((run.results.points.len() - lost, lost))
}

/// Returns the figures, each with its floor, from the page of benchmarks.
fn figures(page: &str) -> Result<String, String> {
    let row = |what: &str| {
        let line = page.lines().find(|line| line.starts_with(&format!("| {what} |")));
        let mut cells = line.into_iter().flat_map(|line| line.split(" | ")).skip(1);
        match (cells.next(), cells.next()) {
            (Some(ours), Some(floor)) => Ok((ours.to_owned(), floor.to_owned())),
            _ => Err(format!("docs/benchmarks.md has no row `{what}`")),
        }
    };
    let (nothing, _) = row("fire an event that has no hook")?;
    let (one, process) = row("one `true` hook, whole event")?;
    let (callback, _) = row("one inline callback, whole event")?;
    let (small, shell) = row("small program, fire, no hook")?;
    Ok(format!(
        "[Figures](docs/benchmarks.md), with their floor: in a program, an event without a hook takes {nothing}, with a function\n\
         {callback}, with the command `true` {one} (the process alone {process}). As the hook of another agent, an event without a hook\n\
         takes {small} (`sh -c true` {shell}).\n"
    ))
}

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(root().join(path)).map_err(|error| format!("`{path}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_is_in_step() {
        let readme = read("README.md").unwrap();
        assert!(filled(&readme).unwrap() == readme, "README.md is out of step: cargo xtask gen");
    }

    #[test]
    fn a_part_replaces_the_one_before() {
        let readme = "a\n<!-- x: made by cargo xtask gen -->\nold\n<!-- end -->\nb\n";
        let filled = with_part(readme, "x", "new\n").unwrap();
        assert_eq!(filled, readme.replace("old", "new"));
        assert_eq!(with_part(&filled, "x", "new\n").unwrap(), filled);
        assert!(with_part(readme, "y", "").unwrap_err().contains("no place for `y`"));
    }

    #[test]
    fn a_figure_without_a_row_is_an_error() {
        assert!(figures("| other | 1 | 2 |\n").unwrap_err().contains("fire an event that has no hook"));
    }
}
