//! Serializes our types to fresh Python objects, so that hooks cannot affect each other.
//!
//! The conventions are those of JSON: NaN becomes `None`, enum variants become their names.

use becket_model::EventKind;
use becket_model::table::COMMON_INPUT;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyString};
use serde::ser::{
    Error, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use std::collections::HashMap;
use std::fmt::{self, Display};

/// Converts the value.
///
/// # Errors
/// Errors if it contains a value that JSON can't represent, or the interpreter has no memory left.
pub(crate) fn to_python<'py>(py: Python<'py>, data: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    data.serialize(Objects { py, is_key: false }).map_err(|ConversionError(why)| why)
}

/// Returns the name of a field of the event table, interned by Python, so that a keyword call compares no text.
fn known_name<'py>(py: Python<'py>, name: &str) -> Option<&'py Bound<'py, PyString>> {
    static NAMES: PyOnceLock<HashMap<&str, Py<PyString>>> = PyOnceLock::new();
    let names = NAMES.get_or_init(py, || {
        let events = EventKind::ALL.iter().flat_map(|kind| kind.spec().input);
        let fields = COMMON_INPUT.iter().chain(events).map(|field| field.name);
        fields.map(|name| (name, PyString::intern(py, name).unbind())).collect()
    });
    names.get(name).map(|known| known.bind(py))
}

fn name<'py>(py: Python<'py>, name: &str) -> Bound<'py, PyString> {
    known_name(py, name).cloned().unwrap_or_else(|| PyString::new(py, name))
}

/// A value that could not be converted.
#[derive(Debug)]
struct ConversionError(PyErr);

impl Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ConversionError {}

impl Error for ConversionError {
    fn custom<T: Display>(why: T) -> Self {
        ConversionError(PyValueError::new_err(why.to_string()))
    }
}

impl From<PyErr> for ConversionError {
    fn from(why: PyErr) -> Self {
        ConversionError(why)
    }
}

type ObjectResult<'py> = Result<Bound<'py, PyAny>, ConversionError>;

/// A serializer to one object.
#[derive(Clone, Copy)]
struct Objects<'py> {
    py: Python<'py>,
    /// True if it is the key of a `dict`.
    is_key: bool,
}

impl<'py> Objects<'py> {
    fn value(self) -> Self {
        Objects { is_key: false, ..self }
    }

    fn items(self, variant: Option<&'static str>) -> Items<'py> {
        Items { of: self.value(), items: Vec::new(), variant }
    }

    fn fields(self, variant: Option<&'static str>) -> Fields<'py> {
        Fields { of: self.value(), dict: PyDict::new(self.py), key: None, variant }
    }

    fn none(self) -> Bound<'py, PyAny> {
        self.py.None().into_bound(self.py)
    }

    /// Returns the value of a variant under its name.
    fn of_variant(self, variant: Option<&'static str>, held: Bound<'py, PyAny>) -> ObjectResult<'py> {
        let Some(variant) = variant else { return Ok(held) };
        let dict = PyDict::new(self.py);
        dict.set_item(variant, held)?;
        Ok(dict.into_any())
    }
}

/// A serializer to a `list`.
struct Items<'py> {
    of: Objects<'py>,
    items: Vec<Bound<'py, PyAny>>,
    variant: Option<&'static str>,
}

impl<'py> Items<'py> {
    fn item<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), ConversionError> {
        self.items.push(item.serialize(self.of)?);
        Ok(())
    }

    fn made(self) -> ObjectResult<'py> {
        let list = PyList::new(self.of.py, self.items)?;
        self.of.of_variant(self.variant, list.into_any())
    }
}

/// A serializer to a `dict`.
struct Fields<'py> {
    of: Objects<'py>,
    dict: Bound<'py, PyDict>,
    key: Option<Bound<'py, PyAny>>,
    variant: Option<&'static str>,
}

impl<'py> Fields<'py> {
    fn field<T: Serialize + ?Sized>(&mut self, field: &str, value: &T) -> Result<(), ConversionError> {
        let value = value.serialize(self.of)?;
        Ok(self.dict.set_item(name(self.of.py, field), value)?)
    }

    fn made(self) -> ObjectResult<'py> {
        self.of.of_variant(self.variant, self.dict.into_any())
    }
}

macro_rules! numbers {
    ($($method:ident $kind:ty),*) => {
        $(fn $method(self, number: $kind) -> ObjectResult<'py> {
            let Ok(number) = number.into_pyobject(self.py);
            Ok(number.into_any())
        })*
    };
}

impl<'py> Serializer for Objects<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = ConversionError;
    type SerializeSeq = Items<'py>;
    type SerializeTuple = Items<'py>;
    type SerializeTupleStruct = Items<'py>;
    type SerializeTupleVariant = Items<'py>;
    type SerializeMap = Fields<'py>;
    type SerializeStruct = Fields<'py>;
    type SerializeStructVariant = Fields<'py>;

    numbers! {
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64
    }

    fn serialize_bool(self, flag: bool) -> ObjectResult<'py> {
        Ok(PyBool::new(self.py, flag).to_owned().into_any())
    }

    fn serialize_f32(self, number: f32) -> ObjectResult<'py> {
        self.serialize_f64(number.into())
    }

    fn serialize_f64(self, number: f64) -> ObjectResult<'py> {
        Ok(if number.is_finite() { PyFloat::new(self.py, number).into_any() } else { self.none() })
    }

    fn serialize_char(self, char: char) -> ObjectResult<'py> {
        self.serialize_str(char.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> ObjectResult<'py> {
        let text = if self.is_key { name(self.py, text) } else { PyString::new(self.py, text) };
        Ok(text.into_any())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> ObjectResult<'py> {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> ObjectResult<'py> {
        Ok(self.none())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> ObjectResult<'py> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> ObjectResult<'py> {
        Ok(self.none())
    }

    fn serialize_unit_struct(self, _: &'static str) -> ObjectResult<'py> {
        Ok(self.none())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> ObjectResult<'py> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> ObjectResult<'py> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> ObjectResult<'py> {
        let held = value.serialize(self.value())?;
        self.of_variant(Some(variant), held)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'py>, ConversionError> {
        Ok(self.items(None))
    }

    fn serialize_tuple(self, _: usize) -> Result<Items<'py>, ConversionError> {
        Ok(self.items(None))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'py>, ConversionError> {
        Ok(self.items(None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items<'py>, ConversionError> {
        Ok(self.items(Some(variant)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Fields<'py>, ConversionError> {
        Ok(self.fields(None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields<'py>, ConversionError> {
        Ok(self.fields(None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Fields<'py>, ConversionError> {
        Ok(self.fields(Some(variant)))
    }
}

macro_rules! items {
    ($($kind:ident $method:ident),*) => {
        $(impl<'py> $kind for Items<'py> {
            type Ok = Bound<'py, PyAny>;
            type Error = ConversionError;

            fn $method<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), ConversionError> {
                self.item(item)
            }

            fn end(self) -> ObjectResult<'py> {
                self.made()
            }
        })*
    };
}

items! {
    SerializeSeq serialize_element, SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field, SerializeTupleVariant serialize_field
}

macro_rules! fields {
    ($($kind:ident),*) => {
        $(impl<'py> $kind for Fields<'py> {
            type Ok = Bound<'py, PyAny>;
            type Error = ConversionError;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, field: &'static str, value: &T) -> Result<(), ConversionError> {
                self.field(field, value)
            }

            fn end(self) -> ObjectResult<'py> {
                self.made()
            }
        })*
    };
}

fields! { SerializeStruct, SerializeStructVariant }

impl<'py> SerializeMap for Fields<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = ConversionError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ConversionError> {
        let key = key.serialize(Objects { is_key: true, ..self.of })?;
        if !key.is_instance_of::<PyString>() {
            return Err(ConversionError::custom(format!("a key is not text: {key}")));
        }
        self.key = Some(key);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ConversionError> {
        let key = self.key.take().ok_or_else(|| ConversionError::custom("a value has no key"))?;
        let value = value.serialize(self.of)?;
        Ok(self.dict.set_item(key, value)?)
    }

    fn end(self) -> ObjectResult<'py> {
        self.made()
    }
}
