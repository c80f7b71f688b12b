//! Many jobs placed at once.

use crate::fail::Fail;
use crate::job::StowJob;
use crate::machine::StowMachine;
use crate::plan::StowPlan;
use crate::pointer::{Many, Out, handles, read};
use crate::refusal::StowError;
use crate::status::call_with;

/// Places many jobs, each as if it had the machine to itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_place_many(
    jobs: *const *const StowJob,
    count: usize,
    machine: *const StowMachine,
    plans: *mut *mut StowPlan,
    errors: *mut *mut StowError,
    failed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (jobs, machine) = unsafe { (handles(jobs, count)?, read(machine)?) };
        // SAFETY: the caller guarantees it.
        let (plans, failed) = unsafe { (Many::new(plans, count)?, Out::new(failed)?) };
        let mut described = Vec::new();
        for job in &jobs {
            described.push(job.job().cloned());
        }
        let sound: Vec<face::Job> = described
            .iter()
            .filter_map(|job| job.as_ref().ok().cloned())
            .collect();
        let mut placed = face::Plan::many(&sound, &machine.0).into_iter();
        let mut first = None;
        for (at, job) in described.into_iter().enumerate() {
            let plan = match job {
                Ok(_) => placed
                    .next()
                    .map_or(Err(Fail::TooSmall), |plan| plan.map_err(Fail::from)),
                Err(fail) => Err(fail),
            };
            let (plan, refused) = match plan {
                Ok(plan) => (Some(StowPlan::new(plan)), None),
                Err(Fail::Refused(refused)) => (None, Some(refused)),
                Err(fail) => return Err(fail),
            };
            plans.give(at, plan);
            if !errors.is_null() {
                // SAFETY: the header asks for as many places as jobs.
                unsafe { Many::new(errors, count) }?.give(at, refused.as_ref().map(StowError::of));
            }
            if let (None, Some(refused)) = (&first, refused) {
                first = Some((at, refused));
            }
        }
        match first {
            None => failed.put(count),
            Some((at, refused)) => {
                failed.put(at)?;
                Err(Fail::RefusedOf(at, refused))
            }
        }
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}
