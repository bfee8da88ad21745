//! A model read from a file: prompt and agent hooks can be tested offline, and the same way each time.
//!
//! A script is one JSON document. Each request takes the next turn; with `"pick": "fitting"` it takes the first
//! turn whose `expect` texts are all in the request, as often as it fits, which suits hooks that run side by side.
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
//! | `expect` | texts that have to be in the request (system prompt, messages, results of tools) |
//! | `text`, `json` | what the model says; `json` is written out as text |
//! | `thinking` | what it thinks before |
//! | `tool_uses` | tools it asks for: `name`, `input` and, if it matters, `id` |
//! | `stop` | why it ends: `end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `refusal`, `pause_turn` |
//! | `usage` | `input_tokens`, `output_tokens`, `cache_read`, `cache_write` |
//! | `error` | it fails instead: `kind` is `unauthorized`, `rate_limited`, `overloaded`, `bad_request`, `not_found`, `connection`, `truncated`, `bad_answer` or `server` |
//! | `delay_ms` | it waits before it says anything |
//! | `endless` | it never ends: `"silence"`, or `"text"` for ever |
//!
//! A request that fits no turn is an error that shows what was expected and what came, so a test fails with its
//! reason. An unknown key is an error with its line and column.

mod model;
mod script;
mod turn;

pub use model::{RecordedRequest, ScriptedModel};
pub use script::{Script, ScriptError};
pub use turn::Turn;
