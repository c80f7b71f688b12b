//! Every rank of a plan, as columns: one of them, or several in one call.

use crate::fail::Fail;
use crate::plan::StowPlan;
use crate::pointer::{Out, Room, Space, outputs, read};
use crate::status::call;
use face::Columns;

/// How many columns there are: those of the table, and the GPUs.
const COLUMNS: usize = 9;
/// The columns of the table.
const TABLE: usize = 8;

fn column(plan: &StowPlan, column: usize) -> Option<&[u32]> {
    Some(match column {
        0 => plan.table().app(),
        1 => plan.table().app_rank(),
        2 => plan.table().node(),
        3 => plan.table().local_rank(),
        4 => plan.table().node_rank(),
        5 => plan.table().object_kind(),
        6 => plan.table().object(),
        7 => plan.table().cpuset(),
        8 => plan.gpus().ids(),
        _ => return None,
    })
}

/// One column: a number for each rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_column(
    plan: *const StowPlan,
    column: u32,
    out: *mut u32,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    call(|| {
        // SAFETY: the caller guarantees it.
        let (plan, room) = unsafe { (read(plan)?, Room::new(&space)?) };
        let unknown = Fail::Invalid("there is no such column");
        if column as usize >= COLUMNS {
            return Err(unknown);
        }
        if capacity < plan.plan.len() {
            return room.too_small(plan.plan.len());
        }
        room.put(self::column(plan, column as usize).ok_or(unknown)?)
    })
}

/// Several columns in one call: `outs[STOW_COLUMN_X]` is the memory for a column.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_columns(
    plan: *const StowPlan,
    outs: *const *mut u32,
    count: usize,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    call(|| {
        // SAFETY: the caller guarantees it.
        let (plan, needed) = unsafe { (read(plan)?, Out::new(needed)?) };
        if count > COLUMNS {
            return Err(Fail::Invalid("there are not so many columns"));
        }
        let ranks = plan.plan.len();
        // SAFETY: the caller guarantees it.
        let outs = unsafe { outputs(outs, count) }?;
        needed.put(ranks)?;
        if capacity < ranks {
            return Err(Fail::TooSmall);
        }
        // Columns are written beside the caller's memory, which may be of any alignment.
        let mut rows = vec![Vec::new(); TABLE];
        if outs.iter().take(TABLE).any(|out| !out.is_null()) {
            rows = vec![vec![0; ranks]; TABLE];
            let columns: Vec<&mut [u32]> = rows.iter_mut().map(Vec::as_mut_slice).collect();
            if let Ok(columns) = columns.try_into() {
                plan.plan.write_table(Columns(columns))?;
            }
        }
        for (at, &out) in outs.iter().enumerate().filter(|(_, out)| !out.is_null()) {
            let own = rows
                .get(at)
                .map_or_else(|| plan.gpus().ids(), Vec::as_slice);
            let mut written = 0;
            let space = Space::new(out, capacity, &raw mut written);
            // SAFETY: the header asks that each pointer is to `capacity` numbers.
            unsafe { Room::new(&space) }?.put(own)?;
        }
        Ok(())
    })
}
