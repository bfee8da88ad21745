//! The places of Becket between an agent and its calls.

use becket_install::Scope;

/// The place of Becket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// The hook of the agent, registered in this scope.
    Hook(Scope),
    /// The MCP server that offers the tools of another.
    Gateway,
    /// The proxy between an editor and the agent.
    Acp,
    /// The hook of the agent, at a terminal.
    Terminal,
}

impl Route {
    const ALL: [Route; 5] =
        [Route::Hook(Scope::User), Route::Hook(Scope::Project), Route::Gateway, Route::Acp, Route::Terminal];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Route::Hook(scope) => scope.name(),
            Route::Gateway => "gateway",
            Route::Acp => "acp",
            Route::Terminal => "terminal",
        }
    }

    pub(super) fn by_name(name: &str) -> Option<Self> {
        Route::ALL.into_iter().find(|route| route.name() == name)
    }
}
