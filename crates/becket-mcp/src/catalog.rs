//! The lists of all servers of a pool (`protocol.md` X5, X8): the latest ones, and announced changes.

use std::collections::HashSet;
use std::sync::Arc;

use crate::lists::{ListState, Lists};
use crate::prompt::Prompt;
use crate::resource::Resources;
use crate::tool::ToolList;

/// All lists, by server.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) tools: Lists<Arc<Tools>>,
    pub(crate) resources: Lists<Arc<Resources>>,
    pub(crate) prompts: Lists<Arc<Vec<Prompt>>>,
}

/// The tools of a server, and their names.
#[derive(Debug)]
pub(crate) struct Tools {
    pub(crate) list: Arc<ToolList>,
    names: HashSet<Box<str>>,
}

impl Catalog {
    /// Begins a connection: earlier lists of its server are outdated.
    pub(crate) fn renewed(&self, server: &str) {
        self.tools.changed(server);
        self.resources.changed(server);
        self.prompts.changed(server);
    }

    /// Makes room for the lists of this many connected servers.
    pub(crate) fn make_room(&self, servers: usize) {
        self.tools.make_room(servers);
        self.resources.make_room(servers);
        self.prompts.make_room(servers);
    }

    /// Drops the lists of a server that is no longer configured.
    pub(crate) fn forget(&self, server: &str) {
        self.tools.forget(server);
        self.resources.forget(server);
        self.prompts.forget(server);
    }

    /// Returns the tools that the server listed last.
    pub(crate) fn last_tools(&self, server: &str) -> Option<Arc<ToolList>> {
        last(self.tools.look(server)).map(|tools| Arc::clone(&tools.list))
    }
}

impl Tools {
    pub(crate) fn new(list: ToolList) -> Self {
        let names = list.iter().map(|tool| tool.name.as_str().into()).collect();
        Self { list: Arc::new(list), names }
    }

    pub(crate) fn has(&self, tool: &str) -> bool {
        self.names.contains(tool)
    }
}

/// Returns the last known list.
pub(crate) fn last<T: Clone>(listed: ListState<T>) -> Option<T> {
    match listed {
        ListState::Fresh(list) | ListState::Changed(list) | ListState::Kept { list, .. } => {
            Some(T::clone(&list))
        }
        ListState::Nothing { .. } => None,
    }
}
