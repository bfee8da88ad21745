//! Groups of calls, and broken calls in them.

use super::*;
use becket_engine::{Hints, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::ToolSpec;
use futures_util::future::BoxFuture;
use std::sync::Arc;

struct NamedTool(&'static str, bool);

impl Tool for NamedTool {
    fn name(&self) -> &str {
        self.0
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec { name: self.0.into(), description: String::new(), input_schema: serde_json::json!({}) }
    }

    fn hints(&self) -> Hints {
        Hints { together: self.1, ..Hints::default() }
    }

    fn run<'a>(&'a self, _: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        unreachable!("nothing is run here")
    }
}

fn wanted_of(names: &str) -> Vec<ParsedCall> {
    let of = |name: &str| ToolCall { id: String::new(), name: name.into(), input: Map::new() };
    names.split_whitespace().map(|name| (of(name), None)).collect()
}

fn shown(groups: Vec<Vec<ParsedCall>>) -> Vec<String> {
    let names = |group: Vec<ParsedCall>| group.into_iter().map(|(call, _)| call.name).collect::<Vec<_>>();
    groups.into_iter().map(|group| names(group).join(" ")).collect()
}

// rule: L1
#[test]
fn neighbours_that_may_run_together_do_and_the_order_stays() {
    let tools: [Arc<dyn Tool>; 2] = [Arc::new(NamedTool("R", true)), Arc::new(NamedTool("W", false))];
    let toolbox = ToolSet::new(tools);
    for (calls, expected) in [
        ("", vec![]),
        ("R R R", vec!["R R R"]),
        ("W W", vec!["W", "W"]),
        ("R R W R W R R", vec!["R R", "W", "R", "W", "R R"]),
        ("R unknown R", vec!["R", "unknown", "R"]),
    ] {
        assert_eq!(shown(groups(wanted_of(calls), &toolbox)), expected, "{calls}");
    }
    let mut broken = wanted_of("R R R");
    broken[1].1 = Some("no JSON".into());
    assert_eq!(shown(groups(broken, &toolbox)), ["R", "R", "R"]);
}

// rule: L0
#[test]
fn a_broken_call_is_known_by_its_place_among_the_calls() {
    let call = || Block::ToolUse { id: "t".into(), name: "R".into(), input: Map::new() };
    let content = [Block::Text("a".into()), call(), Block::Text("b".into()), call()];
    let broken = vec![BrokenCall { at: 3, why: "no JSON".into() }];
    let wanted = wanted(
        wanted_of("R R").into_iter().map(|(call, _)| call).collect(),
        places_among_calls(&content, broken),
    );
    assert_eq!(wanted.iter().map(|(_, why)| why.is_some()).collect::<Vec<_>>(), [false, true]);
}
