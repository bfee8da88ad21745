//! `becket schema`: JSON Schemas of inputs and outputs.

use crate::args::{SchemaArgs, SchemaOf};
use crate::error::{CliError, CommandResult};
use crate::event;
use crate::out::Out;
use crate::report::test::TestReport;
use becket_embed::view::Report;
use becket_lab::profile::ProfileReport;
use becket_lab::replay::ReplayReport;
use becket_model::schema;

/// Prints one schema.
pub(crate) fn run(args: &SchemaArgs, out: &Out) -> CommandResult {
    let text = match &args.what {
        SchemaOf::Settings => generated("settings.json".to_owned())?,
        SchemaOf::Input { event } => generated(format!("input/{}.json", event::kind(event)?))?,
        SchemaOf::Output { event } => generated(format!("output/{}.json", event::kind(event)?))?,
        SchemaOf::Rpc => schema::text(&super::serve::schema()),
        SchemaOf::TestReport => schema::text(schemars::schema_for!(TestReport).as_value()),
        SchemaOf::ProfileReport => schema::text(schemars::schema_for!(ProfileReport).as_value()),
        SchemaOf::ReplayReport => schema::text(schemars::schema_for!(ReplayReport).as_value()),
        SchemaOf::Report => schema::text(schemars::schema_for!(Report).as_value()),
    };
    out.print_raw(text.as_bytes())?;
    Ok(0)
}

fn generated(name: String) -> Result<String, CliError> {
    let mut all = schema::all().into_iter();
    let found = all.find(|(file, _)| *file == name);
    found.map(|(_, schema)| schema::text(&schema)).ok_or(CliError::NoSchema { what: name })
}
