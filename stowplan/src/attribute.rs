//! Typed attributes of a job and its apps, by the numbers of their keys.

use stowplan_engine::spawn::attributes::{self, key_name};

pub use stowplan_engine::error::spec::Owner;

/// The value of an attribute.
/// ```
/// use stowplan::prte::Value;
/// assert_eq!(Value::from(2_u16), Value::Uint16(2));
/// assert_eq!(Value::from("2:core"), Value::String("2:core".to_owned()));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Value {
    /// Present is true.
    Bool(bool),
    /// 16 bits.
    Uint16(u16),
    /// 32 bits.
    Uint32(u32),
    /// Text.
    String(String),
}

/// Whether an attribute travels with the request.
/// ```
/// use stowplan::prte::Scope;
/// assert_eq!(Scope::default(), Scope::Global);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scope {
    /// It is packed and relayed.
    #[default]
    Global,
    /// It stays where it was set, and has no effect on the mapping.
    Local,
}

/// One attribute.
/// ```
/// use stowplan::prte::{Owner, Request, Scope, Value, keys};
/// let mut request = Request::new();
/// let app = Owner::App(request.push_app("./ocean", Some(4))?);
/// request.set_attribute(app, 42, Value::from("mine"), Scope::Global)?;
/// let own = request.attribute(app, 42).ok_or("it was set")?;
/// assert_eq!((own.key(), own.value()), (42, Value::from("mine")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attribute<'r> {
    inner: &'r attributes::Attribute,
}

impl<'r> Attribute<'r> {
    pub(crate) const fn new(inner: &'r attributes::Attribute) -> Self {
        Self { inner }
    }
    /// Who has it.
    #[must_use]
    pub const fn owner(self) -> Owner {
        self.inner.owner
    }
    /// The number of its key.
    #[must_use]
    pub const fn key(self) -> u16 {
        self.inner.key
    }
    /// The name of its key: `PRTE_APP_MAPBY`, or `key 42`.
    #[must_use]
    pub fn name(self) -> String {
        key_name(self.inner.key)
    }
    /// Its value.
    #[must_use]
    pub fn value(self) -> Value {
        match &self.inner.value {
            attributes::Value::Bool(own) => Value::Bool(*own),
            attributes::Value::Uint16(own) => Value::Uint16(*own),
            attributes::Value::Uint32(own) => Value::Uint32(*own),
            attributes::Value::String(own) => Value::String(own.clone()),
        }
    }
    /// Whether it travels.
    #[must_use]
    pub const fn scope(self) -> Scope {
        match self.inner.scope {
            attributes::Scope::Global => Scope::Global,
            attributes::Scope::Local => Scope::Local,
        }
    }
}

impl Value {
    pub(crate) fn inner(self) -> attributes::Value {
        match self {
            Self::Bool(own) => attributes::Value::Bool(own),
            Self::Uint16(own) => attributes::Value::Uint16(own),
            Self::Uint32(own) => attributes::Value::Uint32(own),
            Self::String(own) => attributes::Value::String(own),
        }
    }
}

impl Scope {
    pub(crate) const fn inner(self) -> attributes::Scope {
        match self {
            Self::Global => attributes::Scope::Global,
            Self::Local => attributes::Scope::Local,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u16> for Value {
    fn from(value: u16) -> Self {
        Self::Uint16(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Uint32(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}
