//! `stow_proc`: one process as a struct to which later versions may add fields, and its cpus.

use crate::constants::{
    STOW_NONE, STOW_OBJECT_CORE, STOW_OBJECT_DEVICE, STOW_OBJECT_DIE, STOW_OBJECT_GPU,
    STOW_OBJECT_HWTHREAD, STOW_OBJECT_L1CACHE, STOW_OBJECT_L2CACHE, STOW_OBJECT_L3CACHE,
    STOW_OBJECT_L4CACHE, STOW_OBJECT_L5CACHE, STOW_OBJECT_MACHINE, STOW_OBJECT_NUMA,
    STOW_OBJECT_PACKAGE,
};
use crate::fail::Fail;
use face::ObjKind;
use std::ffi::c_char;
use std::mem::offset_of;

/// One process.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StowProc {
    /// Size of the caller's struct in bytes.
    pub size: usize,
    /// Its rank.
    pub rank: u32,
    /// The number of its app.
    pub app: u32,
    /// Its rank in the app.
    pub app_rank: u32,
    /// The number of its node; `STOW_NONE` from a slice.
    pub node: u32,
    /// Its number among the job's processes on the node.
    pub local_rank: u32,
    /// Its number among all processes on the node.
    pub node_rank: u32,
    /// The kind of the object it was mapped to.
    pub object_kind: u32,
    /// The number of that object on the node.
    pub object: u32,
}

impl From<face::Proc<'_>> for StowProc {
    fn from(proc: face::Proc<'_>) -> Self {
        let object = proc.object();
        Self {
            size: 0,
            rank: proc.rank().into(),
            app: proc.app(),
            app_rank: proc.app_rank(),
            node: proc.node().number(),
            local_rank: proc.local_rank(),
            node_rank: proc.node_rank(),
            object_kind: kind_number(object),
            object: object.map_or(0, |object| object.index()),
        }
    }
}

impl From<face::SliceProc<'_>> for StowProc {
    fn from(proc: face::SliceProc<'_>) -> Self {
        let object = proc.object();
        Self {
            size: 0,
            rank: proc.rank().into(),
            app: proc.app(),
            app_rank: proc.app_rank(),
            node: STOW_NONE,
            local_rank: proc.local_rank(),
            node_rank: proc.node_rank(),
            object_kind: kind_number(object),
            object: object.map_or(0, |object| object.index()),
        }
    }
}

/// The size of the struct in the first version.
const SIZE_MIN: usize = offset_of!(StowProc, object) + size_of::<u32>();
/// No later version will have a larger struct: with a larger size, the caller forgot to set it.
const SIZE_MAX: usize = 4096;

/// The kind of an object as its number in C; 0 for none.
fn kind_number(object: Option<face::Object>) -> u32 {
    object.map_or(0, |object| object.kind() as u32 + 1)
}

/// Reads and checks the size in the caller's struct.
pub(crate) unsafe fn judge(out: *const StowProc) -> Result<usize, Fail> {
    if out.is_null() {
        return Err(Fail::Invalid("an output is NULL"));
    }
    // SAFETY: it is not NULL, and the header asks for a size at its beginning.
    let size = unsafe { out.cast::<usize>().read_unaligned() };
    if !(SIZE_MIN..=SIZE_MAX).contains(&size) {
        return Err(Fail::Invalid(
            "the size of a proc is not that of any version",
        ));
    }
    Ok(size)
}

/// Writes as many bytes as the caller's struct has.
pub(crate) unsafe fn put(out: *mut StowProc, proc: StowProc) -> Result<(), Fail> {
    // SAFETY: the caller guarantees it.
    let size = unsafe { judge(out) }?;
    let proc = StowProc { size, ..proc };
    let known = size.min(size_of::<StowProc>());
    let from: *const StowProc = &raw const proc;
    // SAFETY: the caller's struct has `size` bytes; `known` is at most that, and at most the size of our struct.
    unsafe {
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), out.cast::<u8>(), known);
        out.cast::<u8>().add(known).write_bytes(0, size - known);
    }
    Ok(())
}

/// Cpus as bits in words of 64 bits.
pub(crate) fn words(cpus: face::Cpus<'_>) -> Vec<u64> {
    let mut words: Vec<u64> = Vec::new();
    for cpu in cpus.iter() {
        let at = cpu as usize / 64;
        if words.len() <= at {
            words.resize(at + 1, 0);
        }
        words[at] |= 1 << (cpu % 64);
    }
    words
}

/// Numbers as visibility variables take them: `4,5`.
pub(crate) fn list(numbers: &[u32]) -> String {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    words.join(",")
}

/// The kind of objects of a constant. STOW_OBJECT_NONE and unknown numbers are none.
pub(crate) const fn kind(object: u32) -> Option<ObjKind> {
    Some(match object {
        STOW_OBJECT_MACHINE => ObjKind::Machine,
        STOW_OBJECT_PACKAGE => ObjKind::Package,
        STOW_OBJECT_DIE => ObjKind::Die,
        STOW_OBJECT_NUMA => ObjKind::Numa,
        STOW_OBJECT_L5CACHE => ObjKind::L5,
        STOW_OBJECT_L4CACHE => ObjKind::L4,
        STOW_OBJECT_L3CACHE => ObjKind::L3,
        STOW_OBJECT_L2CACHE => ObjKind::L2,
        STOW_OBJECT_L1CACHE => ObjKind::L1,
        STOW_OBJECT_CORE => ObjKind::Core,
        STOW_OBJECT_HWTHREAD => ObjKind::Hwthread,
        STOW_OBJECT_GPU => ObjKind::Gpu,
        STOW_OBJECT_DEVICE => ObjKind::Device,
        _ => return None,
    })
}

/// The name of a kind of objects.
#[unsafe(no_mangle)]
pub extern "C" fn stow_object_name(kind: u32) -> *const c_char {
    let words = [
        c"",
        c"machine",
        c"package",
        c"die",
        c"numa",
        c"l5cache",
        c"l4cache",
        c"l3cache",
        c"l2cache",
        c"l1cache",
        c"core",
        c"hwthread",
        c"gpu",
        c"device",
    ];
    words
        .get(kind as usize)
        .copied()
        .unwrap_or_default()
        .as_ptr()
}
