//! A plan for people: its summary and its picture.

use crate::answer::say;
use crate::plan::StowPlan;
use crate::pointer::Space;
use std::ffi::c_char;

/// The first line of the command's page.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_summary(
    plan: *const StowPlan,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { say(plan, space, |plan| Ok(plan.plan.summary().to_string())) }
}

/// The plan as an SVG image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_picture(
    plan: *const StowPlan,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { say(plan, space, |plan| Ok(plan.plan.picture())) }
}

/// The plan as a page for a browser.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_html(
    plan: *const StowPlan,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { say(plan, space, |plan| Ok(plan.plan.html())) }
}
