//! The parts of a resolution that an agent honours, and a safe replacement for each that it does not.

use super::combine::CombinedResolution;
use super::{AnswerParts, Asks, CarriedContext};
use crate::{Action, AskForm, Dialect, EventRow, NativeCall, OutputForm, derived_id};
use becket_model::EventKind;
use serde_json::{Map, Value};

/// A resolution that contains only what the agent honours.
pub(super) struct SafeResolution {
    action: Action,
    rewrite: Option<Map<String, Value>>,
    context: Option<String>,
    stop: Option<String>,
    message: Option<String>,
    output: Option<String>,
    json: Map<String, Value>,
    text: Option<String>,
    /// Text for the user that the agent does not show.
    pub(super) unshown: Option<String>,
    pub(super) carried: Option<CarriedContext>,
    pub(super) lost: Vec<&'static str>,
}

impl SafeResolution {
    /// Returns the reason of a denial or a block.
    pub(super) fn refusal(&self) -> Option<&str> {
        match &self.action {
            Action::Refuse { reason } => Some(reason),
            Action::Proceed | Action::Allow | Action::Ask { .. } => None,
        }
    }

    /// Returns the parts to write. An output may have the form of a block, although nothing is blocked.
    pub(super) fn outgoing<'a>(&'a self, row: &'a EventRow, call: Option<&'a NativeCall>) -> AnswerParts<'a> {
        let form = self.output.as_ref().map_or(OutputForm::None, |_| row.supports.output);
        let with_output = |text: Option<&str>| {
            [self.output.as_deref(), text].into_iter().flatten().collect::<Vec<_>>().join("\n")
        };
        let action = match form {
            OutputForm::Block => Action::Refuse { reason: with_output(self.refusal()) },
            OutputForm::None | OutputForm::Field | OutputForm::Stop => self.action.clone(),
        };
        // Beside such a stop the agent takes no context.
        let (stop, context) = match form {
            OutputForm::Stop => (Some(with_output(self.context.as_deref())), None),
            OutputForm::None | OutputForm::Field | OutputForm::Block => {
                (self.stop.clone(), self.context.clone())
            }
        };
        AnswerParts {
            kind: Some(row.kind),
            native: row.native,
            call,
            action,
            rewrite: self.rewrite.clone(),
            context,
            stop,
            message: self.message.clone(),
            output: self.output.clone(),
            json: &self.json,
            text: self.text.as_deref(),
        }
    }
}

pub(super) fn make_safe(
    dialect: &Dialect,
    row: &EventRow,
    call: Option<&NativeCall>,
    combined: CombinedResolution,
    asks: Asks,
) -> SafeResolution {
    let CombinedResolution { resolution, native, is_rewritten, output } = combined;
    let mut safe = SafeResolution {
        action: resolution.action,
        rewrite: None,
        context: resolution.context,
        stop: None,
        message: resolution.message,
        output: None,
        unshown: None,
        json: resolution.json,
        text: resolution.text,
        carried: None,
        lost: Vec::new(),
    };
    if is_rewritten {
        safe.rewrite(row, native);
    }
    safe.ask(row, asks);
    safe.stop(row, resolution.stop);
    safe.output(dialect, row, output);
    if !row.supports.message {
        safe.unshown = safe.message.take();
    }
    if matches!(row.kind, EventKind::PreToolUse | EventKind::PermissionRequest) {
        safe.context_before_call(dialect, row, call);
    } else {
        safe.refusal_elsewhere(row);
        safe.context_elsewhere(row);
    }
    safe
}

/// Returns true if the event is the end of a turn: a block continues the turn.
pub(crate) fn ends_turn(kind: EventKind) -> bool {
    matches!(kind, EventKind::Stop | EventKind::SubagentStop)
}

/// Returns true if an ask on the event reaches the user, or is a denial by the agent's own decision.
pub fn passes_ask(row: &EventRow, asks: Asks) -> bool {
    match (asks, row.supports.ask) {
        (Asks::Deny, _) | (_, AskForm::None) => false,
        (Asks::Auto | Asks::Pass, AskForm::Kept | AskForm::KeptWithRewrite) => true,
        (asks, AskForm::EndsRun) => asks == Asks::Pass,
    }
}

impl SafeResolution {
    /// Turns a rewrite that can't be passed on into a denial that names the corrected input: the agent would run the
    /// model's own. A rewrite beside an ask becomes one too, since agents show the user the original.
    fn rewrite(&mut self, row: &EventRow, native: Option<Map<String, Value>>) {
        let is_open = match self.action {
            Action::Proceed | Action::Allow => true,
            Action::Ask { .. } => row.supports.ask == AskForm::KeptWithRewrite,
            Action::Refuse { .. } => return,
        };
        match native {
            Some(new) if row.supports.rewrite && is_open => self.rewrite = Some(new),
            native => {
                let before = match &self.action {
                    Action::Ask { reason } => format!("{reason}\n"),
                    Action::Proceed | Action::Allow | Action::Refuse { .. } => String::new(),
                };
                let hint = match native {
                    Some(new) => format!(
                        "a hook of this project rewrites this call; make this one instead: {}",
                        Value::Object(new)
                    ),
                    None => "a hook of this project rewrites a part of this call, which this agent can't be \
                             answered; make the parts as calls of their own"
                        .to_owned(),
                };
                self.action = Action::Refuse { reason: format!("{before}{hint}") };
            }
        }
    }

    /// Turns an ask into a denial if the agent would run the call.
    fn ask(&mut self, row: &EventRow, asks: Asks) {
        let Action::Ask { reason } = &self.action else { return };
        if !passes_ask(row, asks) {
            let reason =
                format!("this call needs the user's approval, which can't be asked for here: {reason}");
            self.action = Action::Refuse { reason };
        }
    }

    /// Turns `continue: false` into the nearest effect that the agent has, a block: it would go on.
    fn stop(&mut self, row: &EventRow, stop: Option<String>) {
        let Some(reason) = stop else { return };
        if row.supports.stop {
            self.stop = Some(reason);
        } else if ends_turn(row.kind) {
            // It ends the turn without an answer, and goes on after a block.
            self.action = Action::Proceed;
            if !reason.is_empty() {
                self.tell(reason);
            }
        } else if !matches!(self.action, Action::Refuse { .. }) {
            let reason = if reason.is_empty() { "stopped by a hook".to_owned() } else { reason };
            self.action = Action::Refuse { reason };
        }
    }

    /// Passes on an output that replaces the tool's, or says that the model reads the original.
    fn output(&mut self, dialect: &Dialect, row: &EventRow, output: Option<String>) {
        let Some(output) = output else { return };
        match row.supports.output {
            OutputForm::Field | OutputForm::Block | OutputForm::Stop => self.output = Some(output),
            OutputForm::None => {
                self.lost.push("an output that replaces the tool's");
                let title = dialect.title;
                self.tell(format!(
                    "a hook replaces the output of this call; {title} shows the model the original"
                ));
            }
        }
    }

    /// Adds a text for the user.
    fn tell(&mut self, text: String) {
        let before = self.message.take().map(|message| format!("{message}\n")).unwrap_or_default();
        self.message = Some(before + &text);
    }

    fn context_before_call(&mut self, dialect: &Dialect, row: &EventRow, call: Option<&NativeCall>) {
        if row.supports.context {
            return;
        }
        let Some(context) = self.context.take() else { return };
        if let Action::Refuse { reason } = &mut self.action {
            *reason = format!("{reason}\n{context}");
            return;
        }
        let takes_it = dialect.row_of(EventKind::PostToolUse).is_some_and(|after| after.supports.context);
        match call.filter(|_| takes_it && row.kind == EventKind::PreToolUse) {
            Some(call) => {
                let input = self.rewrite.as_ref().unwrap_or(&call.input);
                let id = if call.has_derived_id { derived_id(&call.name, input) } else { call.id.clone() };
                self.carried = Some(CarriedContext { call: id, context });
            }
            None => self.lost.push("context before a call"),
        }
    }

    /// Turns a block that the agent ignores into text for the model, if the agent accepts any.
    fn refusal_elsewhere(&mut self, row: &EventRow) {
        if row.supports.refusal {
            return;
        }
        let Action::Refuse { reason } = std::mem::take(&mut self.action) else { return };
        if row.supports.context {
            let context = self.context.take().map(|context| format!("\n{context}")).unwrap_or_default();
            self.context = Some(format!("{reason}{context}"));
        } else {
            self.lost.push("a block");
        }
    }

    fn context_elsewhere(&mut self, row: &EventRow) {
        if !row.supports.context && self.context.take().is_some() {
            self.lost.push("context");
        }
    }
}
