//! Typed attributes of a job and its apps: one table, sorted by owner and key.

use super::keys::{ValueType, key};
use crate::error::spec::Owner;
use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};

/// Whether an attribute travels with the request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Scope {
    /// It travels.
    Global,
    /// It stays in the process that set it.
    Local,
}

impl Scope {
    /// The word of requests and listings.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Local => "local",
        }
    }
}

/// What stored an attribute.
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

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
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

/// One attribute, borrowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// Whose.
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

/// The attributes of a job and its apps. Shape of each column: `[attributes]`, ascending by (owner, key), without
/// duplicates.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    owner: Vec<Owner>,
    key: Vec<u16>,
    ty: Vec<ValueType>,
    scope: Vec<Scope>,
    source: Vec<Source>,
    /// A number, or a row of `strings`.
    value: Vec<u64>,
    strings: Vec<String>,
    known: HashMap<String, u64>,
}

impl Attributes {
    /// Rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.key.len()
    }
    /// No rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.key.is_empty()
    }
    /// Where the attributes of an owner stand. Cost: a binary search, and the owner's rows.
    #[must_use]
    pub fn rows_of(&self, owner: Owner) -> Range<usize> {
        let start = self.owner.partition_point(|&other| other < owner);
        let own = self.owner[start..]
            .iter()
            .take_while(|&&other| other == owner);
        start..start + own.count()
    }
    /// The attributes of an owner, to be asked several things. Cost: as [`Attributes::rows_of`].
    #[must_use]
    pub(crate) fn owned_by(&self, owner: Owner) -> Owned<'_> {
        Owned {
            table: self,
            rows: self.rows_of(owner),
        }
    }
    fn find(&self, owner: Owner, key: u16) -> Result<usize, usize> {
        if self
            .owner
            .last()
            .is_none_or(|&last| (last, self.key[self.len() - 1]) < (owner, key))
        {
            return Err(self.len());
        }
        self.owned_by(owner).find(key)
    }
    /// Stores a value in place of the one there. Cost: nothing when owners and keys ascend, else the rows behind it move.
    pub fn set(&mut self, owner: Owner, key: u16, value: Value, scope: Scope, source: Source) {
        let ty = value.ty();
        let bits = match value {
            Value::Bool(value) => u64::from(value),
            Value::Uint16(value) => u64::from(value),
            Value::Uint32(value) => u64::from(value),
            Value::String(text) => self.intern(text),
        };
        match self.find(owner, key) {
            Ok(row) => {
                (
                    self.ty[row],
                    self.scope[row],
                    self.source[row],
                    self.value[row],
                ) = (ty, scope, source, bits);
            }
            Err(row) => {
                self.owner.insert(row, owner);
                self.key.insert(row, key);
                self.ty.insert(row, ty);
                self.scope.insert(row, scope);
                self.source.insert(row, source);
                self.value.insert(row, bits);
            }
        }
    }
    fn intern(&mut self, text: String) -> u64 {
        if let Some(&row) = self.known.get(&text) {
            return row;
        }
        let row = self.strings.len() as u64;
        self.strings.push(text.clone());
        self.known.insert(text, row);
        row
    }
    fn remove_row(&mut self, row: usize) {
        self.owner.remove(row);
        self.key.remove(row);
        self.ty.remove(row);
        self.scope.remove(row);
        self.source.remove(row);
        self.value.remove(row);
    }
    /// Removes an attribute, if it is there.
    pub fn remove(&mut self, owner: Owner, key: u16) {
        if let Ok(row) = self.find(owner, key) {
            self.remove_row(row);
        }
    }
    /// Removes what a directive of this owner has stored.
    pub(crate) fn remove_source(&mut self, owner: Owner, source: Source) {
        for row in self.rows_of(owner).rev() {
            if self.source[row] == source {
                self.remove_row(row);
            }
        }
    }
    /// The text of a string row, empty for others.
    #[must_use]
    fn text(&self, row: usize) -> &str {
        usize::try_from(self.value[row])
            .ok()
            .and_then(|id| self.strings.get(id))
            .map_or("", String::as_str)
    }
    /// A row as a value.
    #[must_use]
    pub fn attribute(&self, row: usize) -> Attribute {
        let bits = self.value[row];
        let value = match self.ty[row] {
            ValueType::Bool => Value::Bool(bits != 0),
            ValueType::Uint16 => Value::Uint16(u16::try_from(bits).unwrap_or(u16::MAX)),
            ValueType::Uint32 => Value::Uint32(u32::try_from(bits).unwrap_or(u32::MAX)),
            ValueType::String => Value::String(self.text(row).to_owned()),
        };
        Attribute {
            owner: self.owner[row],
            key: self.key[row],
            value,
            scope: self.scope[row],
            source: self.source[row],
        }
    }
    /// Takes rows over from another table. Cost: that of as many [`Attributes::set`].
    pub(crate) fn take_rows(&mut self, from: &Self, owner: Owner) {
        for row in from.of(owner) {
            self.set(row.owner, row.key, row.value, row.scope, row.source);
        }
    }
    /// The attributes of a scope, ascending by owner and key.
    pub(crate) fn scoped(&self, scope: Scope) -> impl Iterator<Item = Attribute> + '_ {
        (0..self.len())
            .filter(move |&row| self.scope[row] == scope)
            .map(|row| self.attribute(row))
    }
    /// How many attributes have a scope.
    pub(crate) fn count(&self, scope: Scope) -> usize {
        self.scope.iter().filter(|&&other| other == scope).count()
    }
    /// The bools that are set: whose, and which key.
    pub(crate) fn set_bools(&self) -> impl Iterator<Item = (Owner, u16)> + '_ {
        (0..self.len())
            .filter(|&row| self.ty[row] == ValueType::Bool && self.value[row] != 0)
            .map(|row| (self.owner[row], self.key[row]))
    }
    /// All attributes, ascending by owner and key.
    pub fn iter(&self) -> impl Iterator<Item = Attribute> + '_ {
        (0..self.len()).map(|row| self.attribute(row))
    }
    /// The attributes of an owner, ascending by key.
    pub fn of(&self, owner: Owner) -> impl Iterator<Item = Attribute> + '_ {
        self.rows_of(owner).map(|row| self.attribute(row))
    }
    /// Whether the owner has the key.
    #[must_use]
    pub fn has(&self, owner: Owner, key: u16) -> bool {
        self.owned_by(owner).has(key)
    }
    /// The number of a numeric attribute.
    #[must_use]
    pub fn number(&self, owner: Owner, key: u16) -> Option<u16> {
        self.owned_by(owner).number(key)
    }
    /// The text of a string attribute.
    #[must_use]
    pub fn string(&self, owner: Owner, key: u16) -> Option<&str> {
        self.owned_by(owner).string(key)
    }
    /// Whether a bool attribute is there and true.
    #[must_use]
    pub fn is_set(&self, owner: Owner, key: u16) -> bool {
        self.owned_by(owner).is_set(key)
    }
    /// The apps that have attributes, ascending, each with its rows. Cost: one pass.
    pub fn apps(&self) -> impl Iterator<Item = (u32, Owned<'_>)> {
        let mut next = self.rows_of(Owner::Job).end;
        std::iter::from_fn(move || {
            let owner = *self.owner.get(next)?;
            let own = self.owner[next..]
                .iter()
                .take_while(|&&other| other == owner);
            let rows = next..next + own.count();
            next = rows.end;
            Some((owner.app()?, Owned { table: self, rows }))
        })
    }
}

/// The attributes of one owner.
#[derive(Clone, Debug)]
pub struct Owned<'a> {
    table: &'a Attributes,
    rows: Range<usize>,
}

impl<'a> Owned<'a> {
    /// It has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    fn find(&self, key: u16) -> Result<usize, usize> {
        match self.table.key[self.rows.clone()].binary_search(&key) {
            Ok(row) => Ok(self.rows.start + row),
            Err(row) => Err(self.rows.start + row),
        }
    }
    fn typed(&self, key: u16, ty: ValueType) -> Option<usize> {
        let row = self.find(key).ok()?;
        (self.table.ty[row] == ty).then_some(row)
    }
    /// Whether the key is there.
    #[must_use]
    pub fn has(&self, key: u16) -> bool {
        self.find(key).is_ok()
    }
    /// Whether any key of a range is there.
    #[must_use]
    pub(crate) fn has_any(&self, keys: RangeInclusive<u16>) -> bool {
        self.keys().iter().any(|key| keys.contains(key))
    }
    /// Its keys, ascending.
    #[must_use]
    pub fn keys(&self) -> &'a [u16] {
        &self.table.key[self.rows.clone()]
    }
    /// What tells values apart: (key, number or row of a string), without scopes. Equal ones mean the same.
    pub(crate) fn signature(&self) -> impl Iterator<Item = (u16, u64)> + use<'a> {
        let table = self.table;
        self.rows
            .clone()
            .map(move |row| (table.key[row], table.value[row]))
    }
    /// The number of a numeric attribute.
    #[must_use]
    pub fn number(&self, key: u16) -> Option<u16> {
        let row = self.typed(key, ValueType::Uint16)?;
        u16::try_from(self.table.value[row]).ok()
    }
    /// The text of a string attribute.
    #[must_use]
    pub fn string(&self, key: u16) -> Option<&'a str> {
        let row = self.typed(key, ValueType::String)?;
        Some(self.table.text(row))
    }
    /// What a string attribute is known by: equal numbers, equal texts.
    pub(crate) fn string_id(&self, key: u16) -> Option<u64> {
        let row = self.typed(key, ValueType::String)?;
        Some(self.table.value[row])
    }
    /// Whether a bool attribute is there and true.
    #[must_use]
    pub fn is_set(&self, key: u16) -> bool {
        self.typed(key, ValueType::Bool)
            .is_some_and(|row| self.table.value[row] != 0)
    }
}

/// The name of a key, or its number.
#[must_use]
pub fn key_name(number: u16) -> String {
    key(number).map_or_else(|| format!("key {number}"), |key| key.name.to_owned())
}
