//! Typed attributes of a job and its apps: one table, sorted by owner and key.

use super::keys::{ValueType, is_policy, key};
use crate::error::spec::Owner;
pub use crate::text::said::Scope;
use serde::Serialize;
use std::collections::BTreeMap;

/// What stored an attribute. Packed as its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Source {
    /// Its own name.
    Own,
    /// A mapping directive.
    Map,
    /// A ranking directive.
    Rank,
    /// A binding directive.
    Bind,
}

impl Source {
    /// All sources, by number.
    pub(crate) const ALL: [Self; 4] = [Self::Own, Self::Map, Self::Rank, Self::Bind];
}

/// A value. Packed with its type's number in front.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
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

impl Value {
    /// Its type.
    #[must_use]
    pub const fn ty(&self) -> ValueType {
        match self {
            Self::Bool(_) => ValueType::Bool,
            Self::Uint16(_) => ValueType::Uint16,
            Self::Uint32(_) => ValueType::Uint32,
            Self::String(_) => ValueType::String,
        }
    }
}

/// One attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// The app or the job.
    pub owner: Owner,
    /// Key number.
    pub key: u16,
    /// Value.
    pub value: Value,
    /// Whether it travels.
    pub scope: Scope,
    /// What stored it.
    pub source: Source,
}

impl Attribute {
    /// Whether it is one of the job's three policies, which are shown and packed apart from its attributes.
    #[must_use]
    pub fn is_policy_of_job(&self) -> bool {
        self.owner == Owner::Job && is_policy(self.key)
    }
}

/// The attributes of a job and its apps, including the job's policies. An owner has at most one attribute for each key.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    /// Ascending by key.
    rows: BTreeMap<Owner, Vec<Attribute>>,
}

impl Attributes {
    /// Whether there are no attributes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
    /// All attributes, ascending by owner and key.
    pub fn iter(&self) -> impl Iterator<Item = &Attribute> {
        self.rows.values().flatten()
    }
    /// The attributes of an owner, ascending by key.
    #[must_use]
    pub fn of(&self, owner: Owner) -> &[Attribute] {
        self.rows.get(&owner).map_or(&[], Vec::as_slice)
    }
    /// Stores an attribute. It replaces an earlier one with the same owner and key.
    pub fn set(&mut self, attribute: Attribute) {
        let own = self.rows.entry(attribute.owner).or_default();
        match own.binary_search_by_key(&attribute.key, |row| row.key) {
            Ok(at) => own[at] = attribute,
            Err(at) => own.insert(at, attribute),
        }
    }
    fn retain(&mut self, owner: Owner, keep: impl Fn(&Attribute) -> bool) {
        if let Some(own) = self.rows.get_mut(&owner) {
            own.retain(keep);
        }
    }
    /// Removes an attribute, if it is there.
    pub fn remove(&mut self, owner: Owner, key: u16) {
        self.retain(owner, |row| row.key != key);
    }
    /// Removes what a directive of this owner has stored.
    pub(crate) fn remove_source(&mut self, owner: Owner, source: Source) {
        self.retain(owner, |row| row.source != source);
    }
    /// An attribute, if it is there.
    #[must_use]
    pub fn get(&self, owner: Owner, key: u16) -> Option<&Attribute> {
        self.of(owner).iter().find(|row| row.key == key)
    }
    /// Whether the owner has the key.
    #[must_use]
    pub fn has(&self, owner: Owner, key: u16) -> bool {
        self.get(owner, key).is_some()
    }
    /// The number of a numeric attribute.
    #[must_use]
    pub fn number(&self, owner: Owner, key: u16) -> Option<u16> {
        match self.get(owner, key)?.value {
            Value::Uint16(number) => Some(number),
            Value::Bool(_) | Value::Uint32(_) | Value::String(_) => None,
        }
    }
    /// The text of a string attribute.
    #[must_use]
    pub fn string(&self, owner: Owner, key: u16) -> Option<&str> {
        match &self.get(owner, key)?.value {
            Value::String(text) => Some(text),
            Value::Bool(_) | Value::Uint16(_) | Value::Uint32(_) => None,
        }
    }
    /// Whether a bool attribute is there and true.
    #[must_use]
    pub fn is_set(&self, owner: Owner, key: u16) -> bool {
        let attribute = self.get(owner, key);
        attribute.is_some_and(|attribute| attribute.value == Value::Bool(true))
    }
}

/// The name of a key, or its number.
#[must_use]
pub fn key_name(number: u16) -> String {
    key(number).map_or_else(|| format!("key {number}"), |key| key.name.to_owned())
}
