//! `cargo xtask prices FILE VERSION`: writes the built-in table of models from the price list of the Python package
//! `litellm` (MIT): `pip download --no-deps litellm==VERSION`, and from its wheel the file
//! `litellm/model_prices_and_context_window_backup.json`.
//!
//! INVARIANT: a price that the list does not give, or gives as 0, is left out: it is unknown, not free.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The table, below the root of the workspace.
const TABLE: &str = "crates/becket-llm/data/models.json";

/// The providers that are kept: their name in the list, the prefix of their models there, and their name in the table.
const PROVIDERS: [(&str, &str, &str); 8] = [
    ("anthropic", "", "anthropic"),
    ("cohere_chat", "", "cohere"),
    ("deepseek", "deepseek/", "deepseek"),
    ("gemini", "gemini/", "gemini"),
    ("groq", "groq/", "groq"),
    ("mistral", "mistral/", "mistral"),
    ("openai", "", "openai"),
    ("xai", "xai/", "xai"),
];

/// The prices of a request: their names in the list and in the table.
const RATES: [(&str, &str); 4] = [
    ("input_cost_per_token", "input"),
    ("output_cost_per_token", "output"),
    ("cache_read_input_token_cost", "cache_read"),
    ("cache_creation_input_token_cost", "cache_write"),
];

/// The sizes of a context, in thousands of tokens, above which some models cost more.
const STEPS: [u64; 4] = [100, 128, 200, 272];

pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    let [file, version] = rest else {
        return Err("`prices` takes the list of litellm and the version of that package".to_owned());
    };
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let list: Map<String, Value> =
        serde_json::from_str(&text).map_err(|error| format!("{file} is not the list: {error}"))?;
    let date = jiff::Zoned::now().strftime("%Y-%m-%d").to_string();
    let models: BTreeMap<String, Value> =
        list.iter().filter_map(|(name, entry)| model(name, entry)).collect();
    if models.is_empty() {
        return Err(format!("{file} has none of the models"));
    }
    let path = crate::root().join(TABLE);
    write(&path, &table(version, &date, &models))?;
    crate::say(&format!("{} models in {}", models.len(), path.display()));
    Ok(())
}

/// Returns the table, one line for each model, so that a change of it is readable.
fn table(version: &str, date: &str, models: &BTreeMap<String, Value>) -> String {
    let source = format!("litellm {version} (PyPI, MIT), model_prices_and_context_window_backup.json");
    let lines: Vec<String> =
        models.iter().map(|(name, model)| format!("    {}: {model}", json!(name))).collect();
    format!(
        "{{\n  \"source\": {},\n  \"date\": \"{date}\",\n  \"models\": {{\n{}\n  }}\n}}\n",
        json!(source),
        lines.join(",\n")
    )
}

fn model(name: &str, entry: &Value) -> Option<(String, Value)> {
    if !matches!(entry["mode"].as_str(), Some("chat" | "responses")) {
        return None;
    }
    let (_, prefix, provider) = PROVIDERS.iter().find(|(of, ..)| entry["litellm_provider"] == **of)?;
    let mut model = Map::new();
    if let Some(mut price) = rates(entry, "") {
        let long = STEPS.iter().find_map(|thousands| {
            let mut rates = rates(entry, &format!("_above_{thousands}k_tokens"))?;
            rates.insert("tokens".to_owned(), json!(thousands * 1000));
            Some(rates)
        });
        price.extend(long.map(|long| ("above".to_owned(), Value::Object(long))));
        model.insert("price".to_owned(), Value::Object(price));
    }
    for (of, own) in [("max_input_tokens", "context_window"), ("max_output_tokens", "max_output")] {
        let tokens = entry[of].as_f64().filter(|tokens| *tokens >= 1.0);
        model.extend(tokens.map(|tokens| (own.to_owned(), number(tokens))));
    }
    (!model.is_empty())
        .then(|| (format!("{provider}::{}", name.trim_start_matches(prefix)), Value::Object(model)))
}

/// Returns the prices per million tokens; `None` without those of input and output.
fn rates(entry: &Value, suffix: &str) -> Option<Map<String, Value>> {
    let mut rates = Map::new();
    for (of, own) in RATES {
        let rate = entry[format!("{of}{suffix}")].as_f64().filter(|rate| *rate > 0.0);
        rates.extend(rate.map(|rate| (own.to_owned(), number((rate * 1e12).round() / 1e6))));
    }
    (rates.contains_key("input") && rates.contains_key("output")).then_some(rates)
}

/// Converts a number; a whole number is written as an integer.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the fraction is zero, and tokens and prices are far below 2^52"
)]
fn number(value: f64) -> Value {
    if value.fract() == 0.0 { json!(value as i64) } else { json!(value) }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, text).map_err(failed)
}
