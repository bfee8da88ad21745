//! A model that answers from a file: prompt and agent hooks can be tested offline and deterministically.
//!
//! A script is a JSON document. Each request gets the next turn; with `"pick": "fitting"` it gets the first turn whose
//! `expect` texts are all in the request, and a turn may be used more than once, which suits hooks that run in
//! parallel.
//!
//! ```json
//! {
//!   "name": "no deletions",
//!   "pick": "fitting",
//!   "turns": [
//!     {"expect": ["rm -rf"], "json": {"reason": "it deletes a directory", "ok": false}},
//!     {"expect": ["run the tests"], "tool_uses": [{"name": "Bash", "input": {"command": "cargo test"}}]},
//!     {"expect": ["slow"], "delay_ms": 50, "text": "{\"reason\": \"late\", \"ok\": true}"},
//!     {"expect": ["busy"], "error": {"kind": "overloaded", "message": "come back later", "retry_after_s": 1}},
//!     {"json": {"reason": "nothing against it", "ok": true}}
//!   ]
//! }
//! ```
//!
//! | key of a turn | meaning |
//! |---|---|
//! | `expect` | texts that must be in the request (system prompt, messages, tool results) |
//! | `text`, `json` | the model's answer; `json` is serialized to text |
//! | `thinking` | the model's thoughts before the answer |
//! | `tool_uses` | the tools it calls: `name`, `input` and, if it matters, `id` |
//! | `stop` | the reason why it ends: `end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `refusal`, `pause_turn` |
//! | `usage` | `input_tokens`, `output_tokens`, `cache_read`, `cache_write` |
//! | `error` | it fails instead: `kind` is `unauthorized`, `rate_limited`, `overloaded`, `bad_request`, `not_found`, `connection`, `truncated`, `bad_answer` or `server` |
//! | `delay_ms` | the delay before the answer starts |
//! | `endless` | the answer never ends: `"silence"`, or `"text"` repeated forever |
//!
//! A request that fits no turn is an error that shows the expected and the actual request, so that a test fails with
//! the reason. An unknown key is an error with its line and column.

mod model;
mod script;
mod turn;

pub use model::{RecordedRequest, ScriptedModel};
pub use script::{Script, ScriptError};
pub use turn::Turn;
