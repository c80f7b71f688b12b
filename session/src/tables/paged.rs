//! A column whose rows are never used twice: pages without rows cost eight bytes.

use std::marker::PhantomData;
use stowplan_engine::id::Id;

/// Rows of one page.
const PAGE: usize = 1024;

const FILLED: &str = "a row that was put is in a page";

/// One column in pages. A page is allocated with its first row and freed with its last.
#[derive(Clone)]
pub(crate) struct Paged<I, T> {
    pages: Vec<Option<Box<Page<T>>>>,
    id: PhantomData<I>,
}

#[derive(Clone)]
struct Page<T> {
    rows: Box<[T]>,
    used: usize,
}

impl<I, T> Default for Paged<I, T> {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            id: PhantomData,
        }
    }
}

impl<I: Id, T: Clone + Default> Paged<I, T> {
    /// Fills a row that is free.
    pub(crate) fn put(&mut self, id: I, value: T) {
        let (page, row) = (id.row() / PAGE, id.row() % PAGE);
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_with(|| {
            Box::new(Page {
                rows: vec![T::default(); PAGE].into_boxed_slice(),
                used: 0,
            })
        });
        page.rows[row] = value;
        page.used += 1;
    }

    /// Empties a row that was filled.
    pub(crate) fn take(&mut self, id: I) -> T {
        let (page, row) = (id.row() / PAGE, id.row() % PAGE);
        let full = self.pages[page].as_mut().expect(FILLED);
        let value = std::mem::take(&mut full.rows[row]);
        full.used -= 1;
        if full.used == 0 {
            self.pages[page] = None;
        }
        value
    }

    /// A row, if its page is there.
    #[inline]
    pub(crate) fn get(&self, id: I) -> Option<&T> {
        let page = self.pages.get(id.row() / PAGE)?.as_ref()?;
        Some(&page.rows[id.row() % PAGE])
    }

    /// A filled row.
    #[inline]
    pub(crate) fn at(&self, id: I) -> &T {
        self.get(id).expect(FILLED)
    }

    /// A filled row, to change.
    #[inline]
    pub(crate) fn at_mut(&mut self, id: I) -> &mut T {
        let page = self.pages[id.row() / PAGE].as_mut().expect(FILLED);
        &mut page.rows[id.row() % PAGE]
    }
}
