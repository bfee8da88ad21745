//! The scenarios: the model's turns, and the checks afterwards.

use super::Points;
use super::point::{Point, PointResult};
use super::route::Route;
use super::scratch::ScratchProject;
use super::terminal;
use becket_install::{AgentConfig, Scope};
use becket_proof::{
    AgentDriver, GatewayTool, ModelRequest, ToolCall, Turn, acp_driver, gateway_driver, terminal_driver,
};
use serde_json::{Value, json};

/// One run of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scenario {
    /// Calls that hooks deny, rewrite and comment.
    Calls,
    /// A call that is asked about.
    Ask,
    /// A turn that may not end.
    Stop,
    /// A prompt that is blocked.
    Prompt,
}

/// A scenario with Becket in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Trial {
    pub(super) scenario: Scenario,
    pub(super) route: Route,
}

impl Trial {
    /// Returns the trials of an agent: all scenarios in the project, where a new user registers, and the calls in the
    /// user's own configuration as well. Claude Code would run hooks in the project twice. Behind the gateway and the
    /// proxy, only the scenarios that they decide.
    pub(super) fn all_of(agent: &AgentConfig) -> Vec<Self> {
        let mut all = Trial::of_hook(agent);
        if gateway_driver(agent.name).is_some() {
            all.extend(
                [Scenario::Calls, Scenario::Ask].map(|scenario| Trial { scenario, route: Route::Gateway }),
            );
        }
        if acp_driver(agent.name).is_some() {
            all.extend(Scenario::ALL.map(|scenario| Trial { scenario, route: Route::Acp }));
        }
        if terminal_driver(agent.name).is_some() {
            all.push(Trial { scenario: Scenario::Calls, route: Route::Terminal });
        }
        all
    }

    fn of_hook(agent: &AgentConfig) -> Vec<Self> {
        let of = |scope| Scenario::ALL.map(|scenario| Trial { scenario, route: Route::Hook(scope) });
        match (agent.project.filter(|_| agent.name != "claude"), agent.user) {
            (None, _) => of(Scope::User).into(),
            (Some(_), None) => of(Scope::Project).into(),
            (Some(_), Some(_)) => {
                let user = Trial { scenario: Scenario::Calls, route: Route::Hook(Scope::User) };
                of(Scope::Project).into_iter().chain([user]).collect()
            }
        }
    }

    /// Returns the trial of a pair of names.
    ///
    /// # Errors
    /// Errors if one of them does not exist.
    pub(super) fn by_names(scenario: &str, route: &str) -> Result<Self, String> {
        let scenario =
            Scenario::by_name(scenario).ok_or_else(|| format!("`{scenario}` is not a scenario"))?;
        let route = Route::by_name(route).ok_or_else(|| format!("`{route}` is not a place of Becket"))?;
        Ok(Trial { scenario, route })
    }

    /// Returns the prompts of the user: one for all calls, or one for each call and another for the message about the
    /// last.
    pub(super) fn prompts(self) -> Vec<&'static str> {
        let count = match (self.route, self.scenario) {
            (Route::Acp, Scenario::Calls) => CALLS.len() + 1,
            _ => 1,
        };
        vec![self.scenario.prompt(); count]
    }

    /// Returns a part of the name of a tool that only the main requests offer.
    pub(super) fn main_tool(self, driver: &AgentDriver) -> Option<&'static str> {
        match terminal_driver(driver.name).filter(|_| self.route == Route::Terminal) {
            Some(terminal) => terminal.main_tool,
            None => driver.main_tool,
        }
    }

    /// Returns the turns of the model.
    pub(super) fn turns(self, driver: &AgentDriver, project: &ScratchProject) -> Vec<Turn> {
        if let Some(terminal) = terminal_driver(driver.name).filter(|_| self.route == Route::Terminal) {
            return terminal::turns(terminal);
        }
        let Some(gateway) = gateway_driver(driver.name).filter(|_| self.route == Route::Gateway) else {
            let shell = |command: &str| (driver.shell)(command);
            return self.scenario.turns(&shell, &|| (driver.write)(&project.vendored(), "x"));
        };
        let run = |command: &str| (gateway.call)(GatewayTool::Run, json!({"command": command}));
        let input = json!({"file_path": project.vendored(), "content": "x"});
        let mut turns = self.scenario.turns(&run, &|| (gateway.call)(GatewayTool::Write, input.clone()));
        if self.scenario == Scenario::Calls {
            turns.push(Turn::Call((driver.shell)("touch own-shell-file")));
        }
        turns
    }

    /// Checks the effects of a run; `asked` are the questions to the user of an editor.
    pub(super) fn points(
        self,
        project: &ScratchProject,
        requests: &[ModelRequest],
        asked: &[Value],
    ) -> Points {
        let mut points = self.scenario.points(project, requests);
        let is_shown = |text: &str| asked.iter().any(|question| question.to_string().contains(text));
        match self.route {
            Route::Hook(_) | Route::Terminal => {}
            Route::Gateway => {
                let of_agent = [Point::SessionContext, Point::PromptContext, Point::SessionEnd];
                points.retain(|point, _| !of_agent.contains(point));
                if self.scenario == Scenario::Calls {
                    let is_run = project.has("own-shell-file");
                    points
                        .insert(Point::OwnShell, if is_run { PointResult::Lost } else { PointResult::Kept });
                }
            }
            // The user sees the reason, and says no.
            Route::Acp
                if self.scenario == Scenario::Ask && project.has_work() && is_shown("throws away work") =>
            {
                points.insert(Point::Ask, PointResult::Kept);
            }
            Route::Acp => {}
        }
        points
    }
}

/// The calls of [`Scenario::Calls`], in their order.
///
/// A denied edit ends the run of some agents, so it comes last. No call contains the text of a hook.
const CALLS: [(Point, &str); 8] = [
    (Point::Deny, "git push --force origin main"),
    (Point::Rewrite, "touch original-file"),
    (Point::ContextBefore, "touch before-file"),
    (Point::ExitTwo, "touch forbidden-file"),
    (Point::PostBlock, "echo leak-me"),
    (Point::Output, "printf 'show-key-%s' 42"),
    (Point::Harmless, "touch harmless-file"),
    (Point::WriteGuard, ""),
];

impl Scenario {
    pub(super) const ALL: [Scenario; 4] = [Scenario::Calls, Scenario::Ask, Scenario::Stop, Scenario::Prompt];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Scenario::Calls => "calls",
            Scenario::Ask => "ask",
            Scenario::Stop => "stop",
            Scenario::Prompt => "prompt",
        }
    }

    fn by_name(name: &str) -> Option<Self> {
        Scenario::ALL.into_iter().find(|scenario| scenario.name() == name)
    }

    /// Returns the prompt of the user.
    const fn prompt(self) -> &'static str {
        match self {
            Scenario::Calls | Scenario::Ask | Scenario::Stop => "go",
            Scenario::Prompt => "FORBIDDEN please",
        }
    }

    /// Returns the turns of the model, with its calls of a shell and of a tool that writes.
    fn turns(self, run: &dyn Fn(&str) -> ToolCall, write: &dyn Fn() -> ToolCall) -> Vec<Turn> {
        let shell = |command: &str| Turn::Call(run(command));
        match self {
            Scenario::Calls => {
                let calls = CALLS.into_iter();
                calls
                    .map(
                        |(point, command)| {
                            if point == Point::WriteGuard { Turn::Call(write()) } else { shell(command) }
                        },
                    )
                    .collect()
            }
            Scenario::Ask => vec![shell("git reset --hard"), shell("echo end")],
            Scenario::Stop => vec![Turn::Text("I am done.".to_owned())],
            Scenario::Prompt => vec![shell("touch prompted-file")],
        }
    }

    /// Checks the effects of a run.
    fn points(self, project: &ScratchProject, requests: &[ModelRequest]) -> Points {
        let seen = RunEffects { project, main: requests.iter().filter(|request| request.is_main).collect() };
        match self {
            Scenario::Calls => seen.calls(),
            Scenario::Ask => {
                Points::from([(Point::Ask, seen.held(0, !project.has_work(), "throws away work"))])
            }
            Scenario::Stop => {
                let goes_on = seen.main.len() > 1 && seen.said("The tests fail");
                Points::from([(
                    Point::StopBlock,
                    if goes_on { PointResult::Kept } else { PointResult::Lost },
                )])
            }
            Scenario::Prompt => {
                let is_blocked = seen.main.is_empty() && !project.has("prompted-file");
                Points::from([(
                    Point::PromptBlock,
                    if is_blocked { PointResult::Kept } else { PointResult::Lost },
                )])
            }
        }
    }
}

/// The effects of a run.
struct RunEffects<'a> {
    project: &'a ScratchProject,
    /// The requests that were answered by turns.
    main: Vec<&'a ModelRequest>,
}

impl RunEffects<'_> {
    fn calls(&self) -> Points {
        CALLS
            .iter()
            .enumerate()
            .map(|(index, (point, _))| (*point, self.call(index, *point)))
            .chain(self.texts())
            .collect()
    }

    fn call(&self, index: usize, point: Point) -> PointResult {
        let project = self.project;
        match point {
            Point::Deny => self.held(index, project.is_pushed(), "force-push to the protected branch"),
            Point::ExitTwo => self.held(index, project.has("forbidden-file"), "EXIT-TWO"),
            Point::WriteGuard => self.held(index, project.vendored().exists(), "WRITE-GUARD"),
            Point::Rewrite if project.has("rewritten-file") => PointResult::Kept,
            Point::Rewrite if project.has("original-file") => PointResult::Lost,
            Point::Rewrite if self.said("touch rewritten-file") => PointResult::Hint,
            Point::ContextBefore => self.arrived("CONTEXT-BEFORE-CALL"),
            Point::PostBlock => self.arrived("BLOCK-AFTER-CALL"),
            // The output that the command really has.
            Point::Output if self.said("show-key-42") => PointResult::Lost,
            Point::Output => self.arrived("OUTPUT-OF-HOOK"),
            Point::Harmless if project.has("harmless-file") => PointResult::Kept,
            _ if self.main.len() <= index => PointResult::Unreached,
            Point::Ask
            | Point::Rewrite
            | Point::SessionContext
            | Point::PromptContext
            | Point::ContextAfter
            | Point::PromptBlock
            | Point::StopBlock
            | Point::SessionEnd
            | Point::Harmless
            | Point::OwnShell
            | Point::TerminalDeny
            | Point::TerminalAsk
            | Point::TerminalSubagent => PointResult::Lost,
        }
    }

    /// Returns the points that are not about a single call.
    fn texts(&self) -> [(Point, PointResult); 4] {
        let ended = if self.project.has("session-ended") { PointResult::Kept } else { PointResult::Lost };
        [
            (Point::SessionContext, self.arrived("CONTEXT-OF-SESSION")),
            (Point::PromptContext, self.arrived("CONTEXT-OF-PROMPT")),
            (Point::ContextAfter, self.arrived("CONTEXT-AFTER-CALL")),
            (Point::SessionEnd, ended),
        ]
    }

    /// Returns the result of a denial of the call with this index.
    fn held(&self, index: usize, is_done: bool, reason: &str) -> PointResult {
        if is_done {
            PointResult::Lost
        } else if self.main.len() <= index {
            PointResult::Unreached
        } else if self.said(reason) {
            PointResult::Kept
        } else if self.main.len() == index + 1 {
            PointResult::Ends
        } else {
            PointResult::Silent
        }
    }

    fn arrived(&self, text: &str) -> PointResult {
        if self.said(text) { PointResult::Kept } else { PointResult::Lost }
    }

    /// Returns true if the model has read a text.
    fn said(&self, text: &str) -> bool {
        self.main.iter().any(|request| request.messages.to_string().contains(text))
    }
}
