//! The id of a call to which the agent gives none.

use serde_json::{Map, Value};

/// The offset basis and the prime of FNV-1a, 64 bits. Its value is the same on every machine and in every release, so the
/// processes before and after a call agree on it.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Derives an id from the tool and its input, whatever the order of the keys.
pub fn derived_id(tool: &str, input: &Map<String, Value>) -> String {
    let mut hash = BASIS;
    add(&mut hash, tool.as_bytes());
    add_object(&mut hash, input);
    format!("becket-{hash:016x}")
}

fn add(hash: &mut u64, bytes: &[u8]) {
    // The length keeps `ab` + `c` from being the same as `a` + `bc`.
    for byte in bytes.len().to_le_bytes().iter().chain(bytes) {
        *hash = (*hash ^ u64::from(*byte)).wrapping_mul(PRIME);
    }
}

fn add_value(hash: &mut u64, value: &Value) {
    match value {
        Value::Object(object) => add_object(hash, object),
        Value::Array(items) => {
            add(hash, b"[");
            items.iter().for_each(|item| add_value(hash, item));
            add(hash, b"]");
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            add(hash, value.to_string().as_bytes());
        }
    }
}

fn add_object(hash: &mut u64, object: &Map<String, Value>) {
    let mut keys: Vec<&String> = object.keys().collect();
    keys.sort_unstable();
    add(hash, b"{");
    for key in keys {
        add(hash, key.as_bytes());
        object.get(key).into_iter().for_each(|value| add_value(hash, value));
    }
    add(hash, b"}");
}
