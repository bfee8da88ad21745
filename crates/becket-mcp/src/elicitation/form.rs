//! Forms: fields in order, from a flat schema.

use serde_json::{Map, Value};

use super::Unreadable;
use super::check::{FieldError, Judge};
use super::field::Field;

/// The limit on fields, above what a user would fill in.
const MOST: usize = 200;

/// A form that a server asks its user to fill in.
///
/// ```
/// use becket_mcp::elicitation::Form;
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": {"mail": {"type": "string", "format": "email"}, "news": {"type": "boolean", "default": false}},
///     "required": ["mail"]
/// });
/// let form = Form::read(schema.as_object().unwrap())?;
/// let mut content = serde_json::Map::new();
/// form.fill_defaults(&mut content);
/// let errors = form.validate(&content, &|_, _| None).unwrap_err();
/// assert_eq!(errors[0].to_string(), "`mail`: this is needed");
///
/// content.insert("mail".into(), json!("a@b.example"));
/// let content = form.validate(&content, &|_, _| None).unwrap();
/// assert_eq!(json!(content), json!({"mail": "a@b.example", "news": false}));
/// # Ok::<(), becket_mcp::elicitation::Unreadable>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Form {
    /// The display name.
    pub title: Option<String>,
    /// The purpose, in the server's words.
    pub description: Option<String>,
    /// The fields, in the server's order.
    pub fields: Vec<Field>,
}

impl Form {
    /// Parses the `requestedSchema` of a question.
    ///
    /// # Errors
    /// Errors if it is not a flat object, a field is of a type that a user can't fill in, or a required one is
    /// missing.
    pub fn read(schema: &Map<String, Value>) -> Result<Self, Unreadable> {
        match schema.get("type") {
            None => {}
            Some(Value::String(name)) if name == "object" => {}
            Some(_) => return Err(Unreadable::params("the `type` of its schema is not \"object\"")),
        }
        let none = Map::new();
        let properties = match schema.get("properties") {
            Some(Value::Object(properties)) => properties,
            Some(_) => return Err(Unreadable::params("the `properties` of its schema are not an object")),
            None => &none,
        };
        if properties.len() > MOST {
            return Err(Unreadable::params(format!("it has more than {MOST} fields")));
        }
        let required = required(schema, properties)?;
        let read = |(name, schema): (&String, &Value)| {
            let field = Field::read(name, schema, required.contains(&name.as_str()));
            field.map_err(|what| Unreadable::Field { field: name.clone(), what })
        };
        let text = |key: &str| schema.get(key).and_then(Value::as_str).map(str::to_owned);
        Ok(Self {
            title: text("title"),
            description: text("description"),
            fields: properties.iter().map(read).collect::<Result<_, _>>()?,
        })
    }

    /// Returns the field of that name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Fills in the defaults of missing fields.
    pub fn fill_defaults(&self, content: &mut Map<String, Value>) {
        for field in &self.fields {
            if let Some(default) = &field.default
                && !content.contains_key(&field.name)
            {
                content.insert(field.name.clone(), default.clone());
            }
        }
    }

    /// Returns the content in the order of the form, if it is valid. `judge` matches a text against an ECMAScript
    /// expression; if it can't decide, the text passes, and the server validates it.
    ///
    /// # Errors
    /// Returns each invalid or missing field, and each that is not in the form, with what to write instead.
    pub fn validate(
        &self,
        content: &Map<String, Value>,
        judge: &Judge<'_>,
    ) -> Result<Map<String, Value>, Vec<FieldError>> {
        let (mut checked, mut errors) = (Map::new(), Vec::new());
        for field in &self.fields {
            match content.get(&field.name) {
                Some(value) => match field.wrong(value, judge) {
                    None => drop(checked.insert(field.name.clone(), value.clone())),
                    Some(what) => errors.push(FieldError { field: field.name.clone(), what }),
                },
                None if field.required => {
                    errors.push(FieldError { field: field.name.clone(), what: "this is needed".to_owned() });
                }
                None => {}
            }
        }
        for name in content.keys().filter(|name| self.field(name).is_none()) {
            let what = "the form has no such field; leave it out".to_owned();
            errors.push(FieldError { field: name.clone(), what });
        }
        if errors.is_empty() { Ok(checked) } else { Err(errors) }
    }
}

fn required<'a>(
    schema: &'a Map<String, Value>,
    properties: &Map<String, Value>,
) -> Result<Vec<&'a str>, Unreadable> {
    let names = match schema.get("required") {
        None => return Ok(Vec::new()),
        Some(Value::Array(names)) => names,
        Some(_) => return Err(Unreadable::params("`required` in its schema is not a list")),
    };
    let one = |name: &'a Value| match name.as_str() {
        Some(name) if properties.contains_key(name) => Ok(name),
        Some(name) => {
            Err(Unreadable::Field { field: name.to_owned(), what: "it is required and not there".into() })
        }
        None => Err(Unreadable::params("`required` in its schema has a name that is not a string")),
    };
    names.iter().map(one).collect()
}
