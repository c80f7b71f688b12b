//! `stow_asked`: what a component of the caller's sees while it is asked, and where it puts its answer.

use crate::answer::{count, part, say};
use crate::constants::STOW_COUNT;
use crate::fail::Fail;
use crate::pointer::{Space, change, read, text};
use crate::proc::kind;
use crate::refusal::string;
use crate::status::{ask, call};
use face::component::{AskedApp, Hardware, Room, Share};
use face::prte::Value;
use std::ffi::{CString, c_char};

/// The app that a component is asked about, with its nodes; opaque to callers, and gone when the function returns.
pub struct StowAsked<'a> {
    app: AskedApp<'a>,
    rooms: &'a [Room<'a>],
    /// In the objects function: the one node.
    node: Option<Hardware<'a>>,
    program: CString,
    map_by: CString,
    pub(crate) shares: Vec<Share>,
    pub(crate) why: Option<String>,
}

impl<'a> StowAsked<'a> {
    pub(crate) fn new(
        app: AskedApp<'a>,
        rooms: &'a [Room<'a>],
        node: Option<Hardware<'a>>,
    ) -> Self {
        Self {
            app,
            rooms,
            node,
            program: string(app.program()),
            map_by: string(&app.options().map()),
            shares: Vec::new(),
            why: None,
        }
    }

    fn hardware(&self, room: u32) -> Option<Hardware<'a>> {
        let one = || self.node.filter(|_| room == 0);
        let room = self.rooms.get(room as usize);
        room.map(|room| room.hardware()).or_else(one)
    }
}

/// A number about the app; 0 for NULL.
unsafe fn number(
    asked: *const StowAsked<'_>,
    of: impl FnOnce(&StowAsked<'_>) -> Option<u32>,
) -> u32 {
    ask(|| {
        // SAFETY: the caller guarantees it.
        let asked = unsafe { read(asked) }.ok()?;
        of(asked)
    })
}

/// The number of the app.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_app(asked: *const StowAsked<'_>) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { number(asked, |asked| Some(asked.app.number())) }
}

/// The processes that the app asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_procs(asked: *const StowAsked<'_>) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { number(asked, |asked| Some(asked.app.procs().unwrap_or(STOW_COUNT))) }
}

/// The program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_program(asked: *const StowAsked<'_>) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(asked, |asked| Some(&asked.program)) }
}

/// The map policy with its parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_map_by(asked: *const StowAsked<'_>) -> *const c_char {
    // SAFETY: the caller guarantees it.
    unsafe { part(asked, |asked| Some(&asked.map_by)) }
}

/// An attribute of the app, as text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_attribute(
    asked: *const StowAsked<'_>,
    key: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    let told = |asked: &StowAsked<'_>| {
        let found = u16::try_from(key)
            .ok()
            .and_then(|key| asked.app.attribute(key));
        let why = || Fail::NotFound(format!("the app has no attribute {key}"));
        Ok(match found.ok_or_else(why)?.value() {
            Value::Bool(value) => value.to_string(),
            Value::Uint16(value) => value.to_string(),
            Value::Uint32(value) => value.to_string(),
            Value::String(value) => value,
            other => format!("{other:?}"),
        })
    };
    // SAFETY: the caller guarantees it.
    unsafe { say(asked, space, told) }
}

/// How many rooms there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_rooms(asked: *const StowAsked<'_>) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        count(asked, |asked| {
            asked.rooms.len() + usize::from(asked.node.is_some())
        })
    }
}

/// How many nodes a room has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_nodes(asked: *const StowAsked<'_>, room: u32) -> u32 {
    let nodes = |asked: &StowAsked<'_>| {
        let found = asked.rooms.get(room as usize);
        Some(found.map_or_else(
            || u32::from(asked.hardware(room).is_some()),
            |room| room.nodes(),
        ))
    };
    // SAFETY: the caller guarantees it.
    unsafe { number(asked, nodes) }
}

/// How many processes each node of a room may take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_avail(asked: *const StowAsked<'_>, room: u32) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { number(asked, |asked| Some(asked.rooms.get(room as usize)?.avail())) }
}

/// The slots of each node of a room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_slots(asked: *const StowAsked<'_>, room: u32) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { number(asked, |asked| Some(asked.hardware(room)?.slots())) }
}

/// The processes on each node of a room, of any job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_used(asked: *const StowAsked<'_>, room: u32) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { number(asked, |asked| Some(asked.hardware(room)?.used())) }
}

/// How many objects of a kind each node of a room has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_objects(
    asked: *const StowAsked<'_>,
    room: u32,
    object: u32,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        number(asked, |asked| {
            Some(asked.hardware(room)?.objects(kind(object)?))
        })
    }
}

/// How many hardware threads of each node of a room are free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_free_hwthreads(asked: *const StowAsked<'_>, room: u32) -> u32 {
    let free = |asked: &StowAsked<'_>| u32::try_from(asked.hardware(room)?.free_pus()).ok();
    // SAFETY: the caller guarantees it.
    unsafe { number(asked, free) }
}

/// The name of a node of a room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_name(
    asked: *const StowAsked<'_>,
    room: u32,
    node: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    let told = |asked: &StowAsked<'_>| {
        let found = asked.rooms.get(room as usize);
        let found = found.filter(|room| node < room.nodes());
        let why = || Fail::NotFound(format!("there is no node {node} in a room {room}"));
        Ok(found.ok_or_else(why)?.name(node))
    };
    // SAFETY: the caller guarantees it.
    unsafe { say(asked, space, told) }
}

/// Answers for the next nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_share(
    asked: *mut StowAsked<'_>,
    nodes: u32,
    procs: u32,
) -> u32 {
    call(|| {
        // SAFETY: the caller guarantees it.
        let asked = unsafe { change(asked) }?;
        asked.shares.push(Share { nodes, procs });
        Ok(())
    })
}

/// Says why nobody may place the app.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_asked_refuse(
    asked: *mut StowAsked<'_>,
    why: *const c_char,
    len: usize,
) -> u32 {
    call(|| {
        // SAFETY: the caller guarantees it.
        let (asked, why) = unsafe { (change(asked)?, text(why, len)?) };
        asked.why = Some(why.to_owned());
        Ok(())
    })
}
