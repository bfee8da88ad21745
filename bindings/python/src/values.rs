//! Python values as JSON.
//!
//! Values that JSON can't represent are errors: other types, keys that are not text, numbers that JSON readers do not
//! preserve, text with lone surrogates, and values nested deeper than [`DEEPEST`], a list that contains itself
//! included. The error contains the position.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Number, Value};

/// The maximum nesting of values: that of the JSON reader.
const DEEPEST: usize = 127;

/// Converts a `dict` to a JSON object: a map, or another collection of fields.
///
/// # Errors
/// Errors if it contains a value that JSON can't represent.
pub(crate) fn object<T: FromIterator<(String, Value)>>(given: &Bound<'_, PyDict>) -> PyResult<T> {
    fields(given, &Path::Top)
}

/// The position of a value, for errors.
enum Path<'a> {
    Top,
    Key(&'a Path<'a>, &'a str),
    At(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn depth(&self) -> usize {
        match self {
            Path::Top => 0,
            Path::Key(above, _) | Path::At(above, _) => above.depth() + 1,
        }
    }

    fn say(&self) -> String {
        match self {
            Path::Top => String::new(),
            Path::Key(Path::Top, key) => (*key).to_owned(),
            Path::Key(above, key) => format!("{}.{key}", above.say()),
            Path::At(above, at) => format!("{}[{at}]", above.say()),
        }
    }
}

fn fields<T: FromIterator<(String, Value)>>(given: &Bound<'_, PyDict>, path: &Path<'_>) -> PyResult<T> {
    if path.depth() > DEEPEST {
        return Err(PyValueError::new_err(format!("it is nested deeper than {DEEPEST} levels")));
    }
    let fields = given.iter().map(|(key, inner)| {
        let key = key.cast::<PyString>().map_err(|_| {
            PyTypeError::new_err(format!("{} has the key {key:?}, which is not text", shown(path)))
        })?;
        let key = text(key, path)?;
        let inner = value(&inner, &Path::Key(path, &key))?;
        Ok((key, inner))
    });
    fields.collect()
}

fn value(given: &Bound<'_, PyAny>, path: &Path<'_>) -> PyResult<Value> {
    if given.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(given) = given.cast::<PyString>() {
        return text(given, path).map(Value::String);
    }
    if let Ok(given) = given.cast::<PyBool>() {
        return Ok(Value::Bool(given.is_true()));
    }
    if let Ok(given) = given.cast::<PyDict>() {
        return fields(given, path).map(Value::Object);
    }
    if let Ok(given) = given.cast::<PyInt>() {
        return whole(given, path);
    }
    if let Ok(given) = given.cast::<PyFloat>() {
        let number = Number::from_f64(given.value());
        return number.map(Value::Number).ok_or_else(|| {
            PyValueError::new_err(format!(
                "{} is {}, which JSON has no number for",
                shown(path),
                given.value()
            ))
        });
    }
    items(given, path)
}

fn items(given: &Bound<'_, PyAny>, path: &Path<'_>) -> PyResult<Value> {
    let is_list = given.cast::<PyList>().is_ok() || given.cast::<PyTuple>().is_ok();
    if !is_list {
        let kind = given.get_type();
        let kind = kind.name()?;
        return Err(PyTypeError::new_err(format!(
            "{} is of type `{kind}`, which JSON can't represent",
            shown(path)
        )));
    }
    if path.depth() > DEEPEST {
        return Err(PyValueError::new_err(format!("it is nested deeper than {DEEPEST} levels")));
    }
    let items = given.try_iter()?.enumerate().map(|(at, item)| value(&item?, &Path::At(path, at)));
    items.collect::<PyResult<Vec<_>>>().map(Value::Array)
}

fn whole(given: &Bound<'_, PyInt>, path: &Path<'_>) -> PyResult<Value> {
    if let Ok(number) = given.extract::<i64>() {
        return Ok(Value::from(number));
    }
    let number = given.extract::<u64>();
    number.map(Value::from).map_err(|_| {
        PyValueError::new_err(format!("{} is a number of more than 64 bits: send it as text", shown(path)))
    })
}

fn text(given: &Bound<'_, PyString>, path: &Path<'_>) -> PyResult<String> {
    given.extract::<String>().map_err(|_| {
        PyValueError::new_err(format!("{} contains a lone surrogate, which is not text", shown(path)))
    })
}

fn shown(path: &Path<'_>) -> String {
    match path {
        Path::Top => "it".to_owned(),
        Path::Key(..) | Path::At(..) => format!("`{}`", path.say()),
    }
}
