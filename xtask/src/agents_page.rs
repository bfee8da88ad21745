//! `docs/guide/agents.md`: the effects that each agent keeps, weakens and loses, from the tables of `becket-dialects`.

use crate::agents::{PointResult, Points, ProvedRun, Results};
use becket_dialects::{ALL, Ability, CallShape, Dialect, Fate, Proof, fates};
use becket_model::EventKind;
use std::collections::{BTreeMap, BTreeSet};

const INTRODUCTION: &str = "\
# Becket under other agents

Made by `cargo xtask gen` from the tables of `becket-dialects`.

`becket fire --dialect AGENT`, as the hook of an agent, reads the agent's own payload from stdin, runs the hooks of
`.claude/settings.json` as they are, and answers in the agent's own form: one answer, never two. `--dialect auto` recognises
the agent by the payload. `becket check --for AGENT` says the following for each hook of a project, with line and column.

An answer that the agent has no form for is replaced by the nearest safe one:

- An ask becomes a denial with the reason where the agent would run the call; `--asks deny` and `--asks pass` change that.
- A rewrite that the agent does not support becomes a denial that names the corrected input.
- Context that a hook adds before a call is sent with the answer about the result of the call.
- `continue: false` becomes a block, or text for the model, where the agent would go on. At the end of a turn it needs no answer.
- An output that replaces the tool's is passed on as text, in a field of its own or as the reason of a block or a stop, which some
  agents give the model instead of the original. Other agents show the model the original, and the answer says so.
- A call of several commands or files fires one event for each, and the strictest decision counts.
- Any failure on an event that can be blocked is a refusal in the agent's form; so are an unknown event and an unknown dialect. A
  payload of another agent than the entry names is refused in the form of that other agent. If the answer can't be written to stdout,
  it is a refusal on stderr with exit code 2.
- An allow is passed on to Claude Code only: other agents decide about the call as they would without hooks.

Further differences:

- Every agent runs a call when its hook takes too long. Becket therefore answers 5 s before the agent's default limit, or
  after `--within SECONDS`, and denies the call. If you set another limit in the agent's configuration, set `--within` as well.
  A call that stands for more than 1,000 calls is denied.
- A tool that is not in the agent's table runs the hooks that match its own name, and is denied where a guard for Bash,
  Write or Edit would not see it. Managed files, the user's file and the command line may name the tool that it resembles
  (`\"toolAliases\": {\"teleport\": \"Bash\"}`), or let such tools pass (`\"unknownTools\": \"allow\"`).
- Agents that join the names of an MCP server and its tool (`server_tool`, `server-tool`) are read by the servers in their own
  configuration: `opencode.json`, `kilo.json`, `cline_mcp_settings.json`, `mcp-config.json` of Copilot, `settings.json` of Gemini
  CLI. A tool of any other server counts as one that is not in the table.
- A call that can't be read without loss is refused: two different values for one thing (`path` beside `file_path`), a command
  with an unknown part, a file or a URL that is not a text.
- Rules and hooks judge a command in the directory that the call names (`workdir`, `dir_path`); the project stays that of the
  session. If the tool may ignore the key that names the directory, the call is judged in both directories. A directory that does
  not exist is refused.
- A tool that reads all files of a pattern (`read_many_files`) is a Read of everything that the pattern may mean: deny and ask rules
  about any of it hold. Name the files, or a narrower directory, where that is too much.
- In the user's own configuration of an agent add `--user-scope`: the hooks of a project run only if the user trusts its
  folder. Otherwise the hooks of the user and of managed settings run, the deny and ask rules of the project count, and one
  line names what was held back.
- The answer does not wait for a hook with `async` or `asyncRewake`. The hook continues in a process of its own, up to its own limit,
  and its text for the model is part of the next answer that can contain context, since no agent can be woken. The same applies to
  a hook that announces on its first line that it continues in the background. On macOS and Windows the answer waits for such a hook;
  if it still runs two seconds before the limit, it is ended, and the answer is that of the other hooks.
- For an agent without hooks, or whose hooks do not see MCP tools, use [the gateway](gateway.md); for one that an editor
  starts over ACP, use [the proxy](acp.md).

";

const PROOF: &str = "
## Proof

`cargo xtask agents` runs the agents themselves, of the versions below, with Becket registered as `becket install` does it, for the
project and for the user, against a scripted model, without a network and without a user. It checks the effects: whether the remote
branch has moved, a file exists, uncommitted work is still there, and the reason was sent to the model. The table shows the last run
of each agent. `becket doctor --prove AGENT` does the same with an agent as it is installed on a machine.

- kept: the hook has its effect, and the model reads the reason
- hint: the call is denied, and the reason names the input that the hook wants
- ends: the call is not made, and the run ends
- lost: the hook has no effect

";

const ROUTES: &str = "
Three further setups are tested:

- The agent's shell is off, and it uses the tools of an MCP server behind [the gateway](gateway.md).
- An editor drives the agent through [the proxy](acp.md). The user allows what no hook asks about, and the model reads the reason of
  a denial with the next prompt.
- A person at a terminal types prompts, answers a question first with no and then with yes (where the agent can't ask, with `becket
  allow-once`), and has a subagent try what is denied.

";

/// Returns the page.
///
/// # Errors
/// Errors if the record of the runs can't be read.
pub(crate) fn text() -> Result<String, String> {
    let runs = ProvedRun::all()?;
    let mut text = INTRODUCTION.to_owned();
    text.push_str("| agent | version | evidence | limit of a hook | project |\n|---|---|---|---|---|\n");
    for dialect in ALL {
        text.push_str(&overview(dialect, runs.get(dialect.name)));
    }
    text.push_str(&proof(&runs));
    text.push_str(&other_routes(&runs));
    text.push_str("\nSections below: kept, weakened (→ what it becomes), lost.\n");
    for dialect in ALL.into_iter().filter(|dialect| dialect.name != "claude") {
        text.push_str(&section(dialect));
    }
    Ok(text)
}

/// Returns the table of the last runs.
fn proof(runs: &BTreeMap<String, ProvedRun>) -> String {
    let agents: Vec<(&Dialect, &ProvedRun)> =
        ALL.into_iter().filter_map(|dialect| Some((dialect, runs.get(dialect.name)?))).collect();
    let points: BTreeSet<_> = agents.iter().flat_map(|(_, run)| run.results.points.keys()).collect();
    let titles: String = agents.iter().map(|(dialect, _)| format!(" {} |", dialect.title)).collect();
    let versions: String =
        agents.iter().map(|(_, run)| format!(" {}, {} |", run.version, run.date)).collect();
    let mut text =
        format!("{PROOF}| point |{titles}\n|---|{}\n| run |{versions}\n", "---|".repeat(agents.len()));
    for point in points {
        let results: String = agents
            .iter()
            .map(|(_, run)| {
                run.results
                    .points
                    .get(point)
                    .map_or_else(|| " – |".to_owned(), |result| format!(" {result} |"))
            })
            .collect();
        text.push_str(&format!("| {point} |{results}\n"));
    }
    text
}

/// Returns the table of the last runs behind the gateway and the proxy.
fn other_routes(runs: &BTreeMap<String, ProvedRun>) -> String {
    let titled = |dialect: &&Dialect| Some((dialect.title, &runs.get(dialect.name)?.results));
    let agents: Vec<_> = ALL.iter().filter_map(titled).collect();
    let of = |route: &'static str, points: fn(&Results) -> &Points| {
        let shown = agents.iter().map(move |(title, results)| (format!("{title}, {route}"), points(results)));
        shown.filter(|(_, points)| !points.is_empty())
    };
    let columns: Vec<(String, &Points)> = of("gateway", |results| &results.gateway)
        .chain(of("ACP proxy", |results| &results.acp))
        .chain(of("terminal", |results| &results.terminal))
        .collect();
    let titles: String = columns.iter().map(|(title, _)| format!(" {title} |")).collect();
    let mut text = format!("{ROUTES}| point |{titles}\n|---|{}\n", "---|".repeat(columns.len()));
    let points: BTreeSet<_> = columns.iter().flat_map(|(_, points)| points.keys()).collect();
    for point in points {
        let cell = |(_, points): &(String, &Points)| match points.get(point) {
            Some(result) => format!(" {result} |"),
            None => " – |".to_owned(),
        };
        text.push_str(&format!("| {point} |{}\n", columns.iter().map(cell).collect::<String>()));
    }
    text
}

fn overview(dialect: &Dialect, run: Option<&ProvedRun>) -> String {
    let evidence = match (dialect.proof, run) {
        (Proof::Run, Some(run)) if run.version == dialect.version => {
            let points = &run.results.points;
            let held = points.values().filter(|result| **result != PointResult::Lost).count();
            format!("held {held} of {} points on {}", points.len(), run.date)
        }
        (Proof::Run, _) => "recorded payloads".to_owned(),
        (Proof::Documented, _) => "its documentation; not run".to_owned(),
    };
    let project =
        dialect.project_variables.first().map_or("`cwd` upwards".to_owned(), |name| format!("`{name}`"));
    let Dialect { name, title, version, .. } = dialect;
    format!(
        "| {title} (`{name}`) | {version} | {evidence} | {} s | {project} |\n",
        dialect.timeout.default.as_secs()
    )
}

fn section(dialect: &Dialect) -> String {
    let mut text = format!(
        "\n## {}\n\n| event | theirs | kept | weakened | lost |\n|---|---|---|---|---|\n",
        dialect.title
    );
    for kind in EventKind::ALL {
        text.push_str(&event_row(dialect, kind));
    }
    text.push_str(&format!("\nTools: {}.\n", tools(dialect)));
    for note in dialect.notes {
        text.push_str(&format!("\n- {note}"));
    }
    if !dialect.notes.is_empty() {
        text.push('\n');
    }
    text
}

/// Returns the row of an event; empty for one that the agent does not fire.
fn event_row(dialect: &Dialect, kind: EventKind) -> String {
    let theirs: Vec<String> =
        dialect.events.iter().filter(|row| row.kind == kind).map(|row| format!("`{}`", row.native)).collect();
    if theirs.is_empty() {
        return String::new();
    }
    let fates = fates(dialect, kind);
    let listed = |words: fn(&(Ability, Fate)) -> Option<String>| {
        let all: Vec<String> = fates.iter().filter_map(words).collect();
        if all.is_empty() { "–".to_owned() } else { all.join("; ") }
    };
    let kept = listed(|(ability, fate)| (*fate == Fate::Kept).then(|| ability.name().to_owned()));
    let weakened = listed(|(ability, fate)| match fate {
        Fate::Weakened(to) => Some(format!("{} → {to}", ability.name())),
        Fate::Kept | Fate::Lost(_) => None,
    });
    let lost = listed(|(ability, fate)| match fate {
        Fate::Lost(_) => Some(ability.name().to_owned()),
        Fate::Kept | Fate::Weakened(_) => None,
    });
    format!("| {kind} | {} | {kept} | {weakened} | {lost} |\n", theirs.join(", "))
}

fn tools(dialect: &Dialect) -> String {
    let one = |row: &becket_dialects::ToolRow| {
        let each = match row.shape {
            CallShape::One => "",
            CallShape::Patch(_) | CallShape::PatchOrOne(_) => ", one call for each file",
            CallShape::Commands(_) => ", one call for each command",
            CallShape::Paths(_) => ", one call for each path",
            CallShape::Patterns(_) => ", one call for each pattern",
            CallShape::Urls(_) => ", one call for each URL",
            CallShape::Search(_) => ", by its input",
        };
        format!("`{}` = {} ({}{each})", row.native, row.protocol_names().join(" or "), row.class.name())
    };
    dialect.tools.iter().map(one).collect::<Vec<_>>().join(", ")
}
