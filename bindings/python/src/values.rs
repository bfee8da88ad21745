//! Values of Python as JSON, and back.
//!
//! Refuses what JSON can't say: other types, keys that are no text, numbers that no JSON reader keeps, text with lone surrogates,
//! and what is nested deeper than [`DEEPEST`], a list that holds itself included. The error says where.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::Serialize;
use serde_json::{Map, Number, Value};

/// How deep values may be nested: as deep as the JSON reader goes.
const DEEPEST: usize = 127;

/// An object of JSON, of a `dict`.
///
/// # Errors
/// It holds what JSON can't say.
pub(crate) fn object(given: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    map(given, &Path::Top)
}

/// Where a value stands, for errors.
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

fn map(given: &Bound<'_, PyDict>, path: &Path<'_>) -> PyResult<Map<String, Value>> {
    if path.depth() > DEEPEST {
        return Err(PyValueError::new_err(format!("it is nested deeper than {DEEPEST} levels")));
    }
    let mut map = Map::with_capacity(given.len());
    for (key, inner) in given.iter() {
        let key = key.cast::<PyString>().map_err(|_| {
            PyTypeError::new_err(format!("{} has the key {key:?}, which is no text", shown(path)))
        })?;
        let key = text(key, path)?;
        let inner = value(&inner, &Path::Key(path, &key))?;
        map.insert(key, inner);
    }
    Ok(map)
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
        return map(given, path).map(Value::Object);
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
        return Err(PyTypeError::new_err(format!("{} is of type `{kind}`, which is no JSON", shown(path))));
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
        PyValueError::new_err(format!("{} holds a lone surrogate, which is no text", shown(path)))
    })
}

fn shown(path: &Path<'_>) -> String {
    match path {
        Path::Top => "it".to_owned(),
        Path::Key(..) | Path::At(..) => format!("`{}`", path.say()),
    }
}

/// JSON as values of Python, each made anew: what one hook does to its own reaches no other.
pub(crate) fn from_json<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(flag) => Ok(PyBool::new(py, *flag).to_owned().into_any()),
        Value::Number(number) => self::number(py, number),
        Value::String(text) => Ok(PyString::new(py, text).into_any()),
        Value::Array(items) => {
            let items = items.iter().map(|item| from_json(py, item)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, items)?.into_any())
        }
        Value::Object(map) => dict(py, map).map(Bound::into_any),
    }
}

fn number<'py>(py: Python<'py>, number: &Number) -> PyResult<Bound<'py, PyAny>> {
    if let Some(number) = number.as_i64() {
        return Ok(number.into_pyobject(py)?.into_any());
    }
    if let Some(number) = number.as_u64() {
        return Ok(number.into_pyobject(py)?.into_any());
    }
    Ok(PyFloat::new(py, number.as_f64().unwrap_or(f64::NAN)).into_any())
}

/// An object as a `dict`.
pub(crate) fn dict<'py>(py: Python<'py>, map: &Map<String, Value>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in map {
        dict.set_item(PyString::new(py, key), from_json(py, value)?)?;
    }
    Ok(dict)
}

/// Anything of ours that is data.
pub(crate) fn to_python<'py>(py: Python<'py>, data: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let value = serde_json::to_value(data).map_err(|error| crate::errors::broken(&error.to_string()))?;
    from_json(py, &value)
}
