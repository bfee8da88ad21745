//! The hooks and rules of a configuration for a process that outlives one event, such as the MCP gateway.
//!
//! INVARIANT: the hooks of a project run only if the user trusts its folder (G3); its deny and ask rules always apply.

use crate::error::CliError;
use crate::hook_output;
use crate::services::HookServices;
use crate::session::Session;
use crate::telemetry;
use becket_dialects::{Action, Resolution};
use becket_engine::{Builder, CancellationToken, Engine, Settlement};
use becket_fire::Fired;
use becket_fire::person_gate::PersonGate;
use becket_fire::result::{deny_if, record_denial};
use becket_fire::trust_gate::{self, TrustGate};
use becket_model::{Event, EventKind};

/// The engine of a process, and the rules that apply in addition to it.
pub(crate) struct HookGate {
    session: Session,
    engine: Engine,
    /// The engine for the rules of a project whose hooks do not run.
    rules: Option<Engine>,
}

/// The decision of hooks and rules about a call.
pub(crate) struct CallResolution {
    pub(crate) resolution: Resolution,
    /// True if a hook or a rule allows the call.
    pub(crate) is_allowed: bool,
}

impl HookGate {
    /// Opens the gate. `trusts_project` trusts the folder of the project without a record of trust; `add` adds what the
    /// hooks need in addition to `services`.
    ///
    /// # Errors
    /// Errors if the configuration forbids the start.
    pub(crate) fn open(
        session: Session,
        trusts_project: bool,
        services: &HookServices,
        add: impl FnOnce(Builder) -> Builder,
    ) -> Result<Self, CliError> {
        // Hooks of a folder that is not trusted may not rewrite a call (G3).
        let session = if trusts_project { session.trusting(true) } else { session };
        let gate = TrustGate::of(session, !trusts_project, false);
        let builder = add(services.to(gate.launch.builder(true)));
        let engine =
            telemetry::observed(builder).build().map_err(|error| CliError::Start { why: error.why })?;
        Ok(HookGate { rules: gate.rules()?, session: gate.launch, engine })
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Reloads the configuration, so that an edited hook takes effect from the next event on. A file that can't be read
    /// leaves the old configuration in force; returns the reasons.
    pub(crate) fn refresh(&self) -> Vec<String> {
        let engines = std::iter::once(&self.engine).chain(&self.rules);
        engines.filter_map(|engine| engine.host().reload().err()).map(|kept| kept.to_string()).collect()
    }

    /// Returns the deny rule that removes a tool, by any of its names.
    pub(crate) fn deny_rule(&self, names: &[String]) -> Option<String> {
        let engines = || std::iter::once(&self.engine).chain(&self.rules);
        names.iter().find_map(|name| engines().find_map(|engine| engine.host().deny_rule_for_tool(name)))
    }

    /// Fires an event and returns the decision of hooks and rules.
    pub(crate) async fn resolve(&self, event: &Event, cancel: &CancellationToken) -> Resolution {
        self.judge(event, cancel).await.resolution
    }

    /// Fires an event like [`HookGate::resolve`], and also returns the allow of rules, which a resolution does not
    /// contain.
    pub(crate) async fn judge(&self, event: &Event, cancel: &CancellationToken) -> CallResolution {
        let outcome = self.engine.fire_until(event, cancel).await;
        let is_settled = matches!(outcome.settlement, Some(Settlement::Allowed { .. }));
        let fired = Fired { outcome, background: Vec::new(), left: None };
        let output = hook_output::of(&fired, "");
        let blocked = output.stderr.as_deref().filter(|_| output.exit == 2);
        let mut resolution = Resolution::from_protocol(event.kind(), output.json, blocked);
        if let Some(rules) = &self.rules {
            trust_gate::restrict(&mut resolution, event, &self.engine, rules);
        }
        deny_if(&mut resolution, || PersonGate::of(&self.session, event.kind()).denial(event));
        record_denial(&self.engine, event, &fired.outcome, &resolution);
        let is_open = matches!(resolution.action, Action::Proceed | Action::Allow);
        CallResolution { is_allowed: is_settled && is_open, resolution }
    }

    /// Returns the number of hooks of the project for an event that do not run.
    pub(crate) fn held_back(&self, kind: EventKind) -> usize {
        let count = |engine: &Engine| engine.host().hooks().of(kind).len();
        self.rules.as_ref().map_or(0, |rules| count(rules).saturating_sub(count(&self.engine)))
    }

    /// Ends everything that hooks still run.
    pub(crate) async fn close(&self) {
        self.engine.close().await;
        if let Some(rules) = &self.rules {
            rules.close().await;
        }
    }
}
