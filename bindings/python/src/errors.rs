//! The exceptions of the package, which `becket/errors.py` defines.

use becket_embed::NotOpened;
use pyo3::import_exception;
use pyo3::prelude::*;

import_exception!(becket.errors, BecketError);
import_exception!(becket.errors, ConfigError);
import_exception!(becket.errors, EventError);
import_exception!(becket.errors, ExecError);
import_exception!(becket.errors, ForkedError);
import_exception!(becket.errors, RegistrationError);
import_exception!(becket.errors, SessionClosed);

/// Returns the exception for a session that was not opened, with the problems found.
pub(crate) fn not_opened(py: Python<'_>, why: &NotOpened) -> PyErr {
    let findings = match why {
        NotOpened::Wrong(_) => Ok(pyo3::types::PyList::empty(py).into_any()),
        NotOpened::Configuration { findings, .. } => crate::objects::to_python(py, findings),
    };
    match findings {
        Ok(findings) => ConfigError::new_err((why.to_string(), findings.unbind())),
        Err(error) => error,
    }
}

/// Returns the exception for a panic of the engine, which must never be mistaken for a verdict.
pub(crate) fn broken(what: &str) -> PyErr {
    BecketError::new_err(format!("the engine failed, so nothing was decided: {what}"))
}
