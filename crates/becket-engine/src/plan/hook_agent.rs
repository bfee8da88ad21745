//! The id of a hook's agent: `hook-agent-` and a random UUID (H8).
//!
//! The prefix distinguishes the events of such an agent from all others; nothing else in the engine reads it.

use becket_model::AgentId;

const PREFIX: &str = "hook-agent-";

/// Returns an id that no other agent has.
pub(crate) fn fresh() -> AgentId {
    AgentId::from(format!("{PREFIX}{}", uuid::Uuid::new_v4()))
}

/// Returns whether an event of this agent comes from inside an `agent` handler.
pub(crate) fn is_hook_agent(id: &str) -> bool {
    id.starts_with(PREFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agent_of_a_hook_has_a_name_of_its_own() {
        // rule: H8
        let (one, two) = (fresh(), fresh());
        assert_ne!(one, two);
        assert!(is_hook_agent(one.as_str()) && !is_hook_agent("agent-1"));
        let uuid = uuid::Uuid::parse_str(one.as_str().strip_prefix("hook-agent-").unwrap()).unwrap();
        assert_eq!(uuid.get_version_num(), 4);
    }
}
