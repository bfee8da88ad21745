//! The scenarios: what the model does, and what is looked at afterwards.

use super::Points;
use super::point::{Point, PointResult};
use super::scratch::ScratchProject;
use becket_install::{AgentConfig, Scope};
use becket_proof::{AgentDriver, ModelRequest, Turn};

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

/// A scenario with Becket registered in one scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Trial {
    pub(super) scenario: Scenario,
    pub(super) scope: Scope,
}

impl Trial {
    /// The trials of an agent: all scenarios in the project, where a new user registers, and the calls in the user's own
    /// configuration as well. Claude Code would run hooks in the project twice.
    pub(super) fn all_of(agent: &AgentConfig) -> Vec<Self> {
        let of = |scope| Scenario::ALL.map(|scenario| Trial { scenario, scope });
        match (agent.project.filter(|_| agent.name != "claude"), agent.user) {
            (None, _) => of(Scope::User).into(),
            (Some(_), None) => of(Scope::Project).into(),
            (Some(_), Some(_)) => {
                let user = Trial { scenario: Scenario::Calls, scope: Scope::User };
                of(Scope::Project).into_iter().chain([user]).collect()
            }
        }
    }

    /// Returns the trial of a pair of names.
    ///
    /// # Errors
    /// One of them is none.
    pub(super) fn by_names(scenario: &str, scope: &str) -> Result<Self, String> {
        let scenario =
            Scenario::by_name(scenario).ok_or_else(|| format!("`{scenario}` is not a scenario"))?;
        let scope = [Scope::User, Scope::Project].into_iter().find(|known| known.name() == scope);
        Ok(Trial { scenario, scope: scope.ok_or("there is no such scope")? })
    }
}

/// The calls of [`Scenario::Calls`], in their order.
///
/// A denied edit ends the run of some agents, so it comes last. No call contains the text of a hook.
const CALLS: [(Point, &str); 7] = [
    (Point::Deny, "git push --force origin main"),
    (Point::Rewrite, "touch original-file"),
    (Point::ContextBefore, "echo before"),
    (Point::ExitTwo, "touch forbidden-file"),
    (Point::PostBlock, "echo leak-me"),
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

    /// The prompt that the user gives.
    pub(super) const fn prompt(self) -> &'static str {
        match self {
            Scenario::Calls | Scenario::Ask | Scenario::Stop => "go",
            Scenario::Prompt => "FORBIDDEN please",
        }
    }

    /// The turns of the model.
    pub(super) fn turns(self, driver: &AgentDriver, project: &ScratchProject) -> Vec<Turn> {
        let shell = |command: &str| Turn::Call((driver.shell)(command));
        match self {
            Scenario::Calls => {
                let write = || Turn::Call((driver.write)(&project.vendored(), "x"));
                let calls = CALLS.into_iter();
                calls
                    .map(|(point, command)| if point == Point::WriteGuard { write() } else { shell(command) })
                    .collect()
            }
            Scenario::Ask => vec![shell("git reset --hard"), shell("echo end")],
            Scenario::Stop => vec![Turn::Text("I am done.".to_owned())],
            Scenario::Prompt => vec![shell("touch prompted-file")],
        }
    }

    /// Looks at what a run has done.
    pub(super) fn points(self, project: &ScratchProject, requests: &[ModelRequest]) -> Points {
        let seen = Seen { project, main: requests.iter().filter(|request| request.is_main).collect() };
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
struct Seen<'a> {
    project: &'a ScratchProject,
    /// The requests that were answered by turns.
    main: Vec<&'a ModelRequest>,
}

impl Seen<'_> {
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
            | Point::Harmless => PointResult::Lost,
        }
    }

    /// The points that no single call is about.
    fn texts(&self) -> [(Point, PointResult); 4] {
        let ended = if self.project.has("session-ended") { PointResult::Kept } else { PointResult::Lost };
        [
            (Point::SessionContext, self.arrived("CONTEXT-OF-SESSION")),
            (Point::PromptContext, self.arrived("CONTEXT-OF-PROMPT")),
            (Point::ContextAfter, self.arrived("CONTEXT-AFTER-CALL")),
            (Point::SessionEnd, ended),
        ]
    }

    /// The result of a denial of the call with this index.
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
