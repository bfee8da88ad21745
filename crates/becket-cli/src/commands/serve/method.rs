//! The methods by name: one table for dispatch, suggestions and the schema.

/// The methods that a client may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Initialize,
    SessionOpen,
    SessionReload,
    SessionEnvFiles,
    SessionClose,
    EventFire,
    EventPlan,
    EventExplain,
    HooksRegister,
    HooksUnregister,
    EventsSubscribe,
    EventsUnsubscribe,
    BackgroundTake,
}

/// The notification that cancels a request.
pub(super) const CANCEL: &str = "$/cancel";

impl Method {
    /// All methods, in the order of the schema.
    pub(super) const ALL: [Method; 13] = [
        Method::Initialize,
        Method::SessionOpen,
        Method::SessionReload,
        Method::SessionEnvFiles,
        Method::SessionClose,
        Method::EventFire,
        Method::EventPlan,
        Method::EventExplain,
        Method::HooksRegister,
        Method::HooksUnregister,
        Method::EventsSubscribe,
        Method::EventsUnsubscribe,
        Method::BackgroundTake,
    ];

    /// Returns the name on the wire.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Method::Initialize => "initialize",
            Method::SessionOpen => "session/open",
            Method::SessionReload => "session/reload",
            Method::SessionEnvFiles => "session/env_files",
            Method::SessionClose => "session/close",
            Method::EventFire => "event/fire",
            Method::EventPlan => "event/plan",
            Method::EventExplain => "event/explain",
            Method::HooksRegister => "hooks/register",
            Method::HooksUnregister => "hooks/unregister",
            Method::EventsSubscribe => "events/subscribe",
            Method::EventsUnsubscribe => "events/unsubscribe",
            Method::BackgroundTake => "background/take",
        }
    }

    /// Returns the description, in a sentence.
    pub(super) const fn about(self) -> &'static str {
        match self {
            Method::Initialize => "Negotiates the version of the protocol. Must be the first request.",
            Method::SessionOpen => "Reads the configuration of a project, and starts an engine with it.",
            Method::SessionReload => "Reads the configuration again; running hooks keep the previous one.",
            Method::SessionEnvFiles => {
                "Returns the files that hooks have filled with variables, in the order in which a shell evaluates them."
            }
            Method::SessionClose => "Ends a session with everything that it runs.",
            Method::EventFire => "Runs the hooks of an event, and returns what `becket fire --json` prints.",
            Method::EventPlan => "Returns the hooks that an event would run. Runs nothing.",
            Method::EventExplain => {
                "Returns what `becket explain --json` prints: the plan, and the reasons why other hooks would not run."
            }
            Method::HooksRegister => "Adds a hook that is a call of the client.",
            Method::HooksUnregister => "Removes such a hook.",
            Method::EventsSubscribe => "Enables notifications about everything that happens in a session.",
            Method::EventsUnsubscribe => "Disables these notifications.",
            Method::BackgroundTake => "Returns the results of background hooks since the last call.",
        }
    }

    /// Returns the method with that name.
    pub(super) fn from_name(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.name() == name)
    }

    /// Returns the most similar name of a method.
    pub(super) fn near(name: &str) -> Option<&'static str> {
        becket_base::suggest(name, &Method::ALL.map(Method::name))
    }
}
