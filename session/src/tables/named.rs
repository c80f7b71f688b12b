//! A table whose rows have names and are found by them. A row that was taken out is used again.

use crate::name::{Name, NameIndex};
use std::borrow::Borrow;
use stowplan_engine::id::{Column, Id};

/// The rows, in use or free. A free row has an empty name. Shape: `[rows]`.
#[derive(Clone)]
pub(crate) struct Named<I, T> {
    pub(crate) row: Column<I, T>,
    by_name: NameIndex<I>,
    free: Vec<I>,
}

impl<I, T> Default for Named<I, T> {
    fn default() -> Self {
        Self {
            row: Column::default(),
            by_name: NameIndex::default(),
            free: Vec::new(),
        }
    }
}

impl<I: Id, T: Default + Borrow<Name>> Named<I, T> {
    /// Puts in a row with a name that is new.
    pub(crate) fn put(&mut self, value: T) -> I {
        let row = if let Some(row) = self.free.pop() {
            self.row[row] = value;
            row
        } else {
            self.row.push_tight(value)
        };
        self.by_name.insert(row, |row| self.row[row].borrow());
        row
    }
    /// Takes a row out.
    pub(crate) fn take(&mut self, row: I) -> T {
        let taken = std::mem::take(&mut self.row[row]);
        self.by_name.remove(taken.borrow(), row);
        self.free.push(row);
        taken
    }
    /// The row of a name.
    pub(crate) fn find(&self, name: &str) -> Option<I> {
        self.by_name.find(name, |row| self.row[row].borrow())
    }
    /// The name of a row, empty if it is free.
    pub(crate) fn name(&self, row: I) -> &Name {
        self.row[row].borrow()
    }
    /// Whether there is such a row, and in use.
    pub(crate) fn has(&self, row: I) -> bool {
        let there = self.row.get(row);
        there.is_some_and(|there| !there.borrow().as_str().is_empty())
    }
    /// Rows that are in use.
    pub(crate) fn rows(&self) -> impl Iterator<Item = I> + '_ {
        self.row.ids().filter(|&row| self.has(row))
    }
    /// Rows that are in use, by name.
    pub(crate) fn by_name(&self) -> Vec<I> {
        let mut rows: Vec<I> = self.rows().collect();
        rows.sort_by_key(|&row| self.name(row));
        rows
    }
    pub(crate) fn len(&self) -> u64 {
        self.by_name.count() as u64
    }
    /// Whether each row in use, and no other, is found by its name: for the check.
    pub(crate) fn is_found(&self) -> bool {
        let found = |row| self.find(self.name(row).as_str()) == Some(row);
        self.rows().all(found) && self.len() == self.rows().count() as u64
    }
}
