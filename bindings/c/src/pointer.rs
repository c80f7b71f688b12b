//! Checks and follows the pointers that callers pass, and writes to their memory.

use crate::fail::Fail;
use std::ffi::{CStr, c_char};
use std::slice;

/// The most bytes of one text or array: a greater length is a mistake.
const BYTES_MAX: usize = 1 << 30;
/// The most words of a command line.
const WORDS_MAX: usize = 1 << 24;

/// The caller's memory for an answer, not checked yet.
pub(crate) struct Space<T> {
    pub(crate) out: *mut T,
    pub(crate) capacity: usize,
    pub(crate) needed: *mut usize,
}

impl<T> Space<T> {
    pub(crate) const fn new(out: *mut T, capacity: usize, needed: *mut usize) -> Self {
        Self {
            out,
            capacity,
            needed,
        }
    }
}

/// A handle for reading.
pub(crate) unsafe fn read<'h, T>(handle: *const T) -> Result<&'h T, Fail> {
    // SAFETY: it is NULL or came from this library, which gives pointers to boxed values.
    unsafe { handle.as_ref() }.ok_or(Fail::Invalid("a handle is NULL"))
}

/// A handle for changing.
pub(crate) unsafe fn change<'h, T>(handle: *mut T) -> Result<&'h mut T, Fail> {
    // SAFETY: as in `read`. The header says that no other thread uses it during the call.
    unsafe { handle.as_mut() }.ok_or(Fail::Invalid("a handle is NULL"))
}

/// Bytes from the caller.
pub(crate) unsafe fn bytes<'b>(start: *const u8, len: usize) -> Result<&'b [u8], Fail> {
    if len == 0 {
        return Ok(&[]);
    }
    if start.is_null() {
        return Err(Fail::Invalid(
            "a text or array is NULL, and its length is not 0",
        ));
    }
    if len > BYTES_MAX {
        return Err(Fail::Invalid("a length is beyond 1 GiB"));
    }
    // SAFETY: it is not NULL, and the header asks that it points to `len` bytes.
    Ok(unsafe { slice::from_raw_parts(start, len) })
}

/// Text from the caller.
pub(crate) unsafe fn text<'t>(start: *const c_char, len: usize) -> Result<&'t str, Fail> {
    // SAFETY: the caller guarantees it.
    let bytes = unsafe { bytes(start.cast(), len) }?;
    std::str::from_utf8(bytes).map_err(|_| Fail::Invalid("a text is no UTF-8"))
}

/// A command line from the caller.
pub(crate) unsafe fn words(start: *const *const c_char, count: usize) -> Result<Vec<String>, Fail> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if start.is_null() {
        return Err(Fail::Invalid(
            "the words are NULL, and their number is not 0",
        ));
    }
    if count > WORDS_MAX {
        return Err(Fail::Invalid(
            "these are more words than a command line has",
        ));
    }
    let mut words = Vec::new();
    for at in 0..count {
        // SAFETY: the header asks that it points to `count` pointers, which need not be aligned.
        let word = unsafe { start.add(at).read_unaligned() };
        if word.is_null() {
            return Err(Fail::Invalid("a word is NULL"));
        }
        // SAFETY: it is not NULL, and the header asks for a C string.
        let word = unsafe { CStr::from_ptr(word) };
        let word = word
            .to_str()
            .map_err(|_| Fail::Invalid("a word is no UTF-8"))?;
        words.push(word.to_owned());
    }
    Ok(words)
}

/// Handles from the caller.
pub(crate) unsafe fn handles<'h, T>(
    start: *const *const T,
    count: usize,
) -> Result<Vec<&'h T>, Fail> {
    // SAFETY: the caller guarantees it.
    let handles = unsafe { pointers(start, count) }?;
    // SAFETY: as in `read`.
    handles
        .into_iter()
        .map(|handle| unsafe { read(handle) })
        .collect()
}

/// Places for answers from the caller; those that are NULL are not wanted.
pub(crate) unsafe fn outputs<T>(start: *const *mut T, count: usize) -> Result<Vec<*mut T>, Fail> {
    // SAFETY: the caller guarantees it.
    let places = unsafe { pointers(start.cast::<*const T>(), count) }?;
    Ok(places.into_iter().map(<*const T>::cast_mut).collect())
}

unsafe fn pointers<T>(start: *const *const T, count: usize) -> Result<Vec<*const T>, Fail> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if start.is_null() {
        return Err(Fail::Invalid("an array is NULL, and its length is not 0"));
    }
    if count > WORDS_MAX {
        return Err(Fail::Invalid("an array is longer than any call needs"));
    }
    // SAFETY: the header asks that it points to `count` pointers, which need not be aligned.
    let each = (0..count).map(|at| unsafe { start.add(at).read_unaligned() });
    Ok(each.collect())
}

/// The caller's memory for new handles, one for each of several answers.
pub(crate) struct Many<T> {
    out: *mut *mut T,
    count: usize,
}

impl<T> Many<T> {
    pub(crate) unsafe fn new(out: *mut *mut T, count: usize) -> Result<Self, Fail> {
        if out.is_null() && count > 0 {
            return Err(Fail::Invalid("an output is NULL"));
        }
        Ok(Self { out, count })
    }

    /// Gives the caller a new handle, or NULL.
    pub(crate) fn give(&self, at: usize, value: Option<T>) {
        let handle = value.map_or(std::ptr::null_mut(), |value| Box::into_raw(Box::new(value)));
        if at < self.count {
            // SAFETY: it is not NULL, and the header asks for `count` pointers that may be written to.
            unsafe { self.out.add(at).write_unaligned(handle) };
        }
    }
}

/// The caller's memory for one value, written only when the call succeeds.
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    pub(crate) unsafe fn new(out: *mut T) -> Result<Self, Fail> {
        if out.is_null() {
            return Err(Fail::Invalid("an output is NULL"));
        }
        Ok(Self(out))
    }

    pub(crate) fn put(self, value: T) -> Result<(), Fail> {
        // SAFETY: it is not NULL, and the header asks for a pointer that may be written to.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }
}

impl<T> Out<*mut T> {
    /// Gives the caller a new handle.
    pub(crate) fn give(self, value: T) -> Result<(), Fail> {
        self.put(Box::into_raw(Box::new(value)))
    }
}

/// The caller's memory for several items, checked.
pub(crate) struct Room<T> {
    out: *mut T,
    capacity: usize,
    needed: Out<usize>,
}

impl<T: Copy> Room<T> {
    pub(crate) unsafe fn new(space: &Space<T>) -> Result<Self, Fail> {
        if space.out.is_null() && space.capacity > 0 {
            return Err(Fail::Invalid(
                "an output is NULL, and its capacity is not 0",
            ));
        }
        // SAFETY: the caller guarantees it.
        let needed = unsafe { Out::new(space.needed) }?;
        Ok(Self {
            out: space.out,
            capacity: space.capacity,
            needed,
        })
    }

    /// Whether it has room for so many items.
    pub(crate) const fn holds(&self, items: usize) -> bool {
        items <= self.capacity
    }

    /// Reports how many items are needed.
    pub(crate) fn too_small(self, needed: usize) -> Result<(), Fail> {
        self.needed.put(needed)?;
        Err(Fail::TooSmall)
    }

    pub(crate) fn put(self, items: &[T]) -> Result<(), Fail> {
        self.needed.put(items.len())?;
        if items.len() > self.capacity {
            return Err(Fail::TooSmall);
        }
        if !items.is_empty() {
            // SAFETY: there is room for the items. They are copied as bytes, which need no alignment. The caller's memory does
            // not overlap ours.
            unsafe {
                let bytes = size_of_val(items);
                std::ptr::copy_nonoverlapping(items.as_ptr().cast::<u8>(), self.out.cast(), bytes);
            }
        }
        Ok(())
    }
}

impl Room<c_char> {
    /// Writes text and a NUL after it.
    pub(crate) fn put_text(self, text: &str) -> Result<(), Fail> {
        let needed = text.len() + 1;
        self.needed.put(needed)?;
        if needed > self.capacity {
            return Err(Fail::TooSmall);
        }
        // SAFETY: there is room for the text and the NUL. The caller's memory does not overlap ours.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), self.out.cast(), text.len());
            self.out.add(text.len()).write(0);
        }
        Ok(())
    }
}

/// Frees a handle.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: it came from `Out::give`, and the header allows freeing it once. A panic while freeing cannot be reported.
        let boxed = unsafe { Box::from_raw(handle) };
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(boxed)));
    }
}
