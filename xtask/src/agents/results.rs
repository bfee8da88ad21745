//! The results of an agent, one set of points for each place of Becket.

use super::Points;
use super::route::Route;
use serde::{Deserialize, Serialize};

/// The results of an agent.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Results {
    /// The points with Becket as its hook.
    #[serde(default)]
    pub(crate) points: Points,
    /// The points behind the gateway.
    #[serde(default, skip_serializing_if = "Points::is_empty")]
    pub(crate) gateway: Points,
    /// The points behind the ACP proxy.
    #[serde(default, skip_serializing_if = "Points::is_empty")]
    pub(crate) acp: Points,
    /// The points with Becket as its hook, at a terminal.
    #[serde(default, skip_serializing_if = "Points::is_empty")]
    pub(crate) terminal: Points,
}

impl Results {
    /// Returns the points of a route.
    pub(super) fn of_mut(&mut self, route: Route) -> &mut Points {
        match route {
            Route::Hook(_) => &mut self.points,
            Route::Gateway => &mut self.gateway,
            Route::Acp => &mut self.acp,
            Route::Terminal => &mut self.terminal,
        }
    }

    /// Returns all sets of points, with their names.
    pub(super) fn sets(&self) -> [(&'static str, &Points); 4] {
        [("hook", &self.points), ("gateway", &self.gateway), ("acp", &self.acp), ("terminal", &self.terminal)]
    }

    /// Returns the number of all points.
    pub(super) fn len(&self) -> usize {
        self.sets().iter().map(|(_, points)| points.len()).sum()
    }
}
