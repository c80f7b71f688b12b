//! `stow_components`: mapping components of the caller's own, as functions with a state.

use crate::asked::StowAsked;
use crate::cluster::StowCluster;
use crate::constants::{STOW_ANSWER_PASS, STOW_ANSWER_TAKE};
use crate::fail::Fail;
use crate::job::StowJob;
use crate::machine::StowMachine;
use crate::plan::StowPlan;
use crate::planner::StowPlanner;
use crate::pointer::{Out, change, free, read, text, words};
use crate::proc::kind;
use crate::refusal::StowError;
use crate::status::call_with;
use face::Planner;
use face::component::{self, AskedApp, Component, Declined, Hardware, Registry, Room, Share};
use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// Components; opaque to callers.
pub struct StowComponents(Registry);

/// How many processes each node of an app gets.
pub type CountFunction = Option<unsafe extern "C" fn(*mut c_void, *mut StowAsked<'_>) -> u32>;
/// The object of each process on a node.
pub type ObjectsFunction =
    Option<unsafe extern "C" fn(*mut c_void, *mut StowAsked<'_>, u32, *mut u32) -> u32>;

/// The state of a component. Its lock is held while a function of the component runs.
struct State(Mutex<*mut c_void>);

// SAFETY: the header says that functions may be called by another thread, one at a time.
unsafe impl Send for State {}
// SAFETY: as above; the lock sees to it.
unsafe impl Sync for State {}

impl State {
    fn ask(
        &self,
        asked: &mut StowAsked<'_>,
        call: impl FnOnce(*mut c_void, *mut StowAsked<'_>) -> u32,
    ) -> Result<(), Declined> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = call(*state, &raw mut *asked);
        if let Some(why) = asked.why.take() {
            return Err(Declined::ResourceBusy(why));
        }
        match answer {
            STOW_ANSWER_TAKE => Ok(()),
            STOW_ANSWER_PASS => Err(Declined::TakeNextOption),
            other => Err(Declined::ResourceBusy(format!(
                "it answered {other}, without a reason"
            ))),
        }
    }
}

/// The engine's own components.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_components_new(
    out: *mut *mut StowComponents,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let out = unsafe { Out::new(out) }?;
        out.give(StowComponents(Registry::standard()))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

fn with_objects(
    component: Component,
    object: u32,
    state: Arc<State>,
    objects: unsafe extern "C" fn(*mut c_void, *mut StowAsked<'_>, u32, *mut u32) -> u32,
) -> Result<Component, Fail> {
    let kind = kind(object).ok_or(Fail::Invalid("there is no such kind of objects"))?;
    let own = move |app: AskedApp<'_>, node: Hardware<'_>, procs: u32| {
        let mut asked = StowAsked::new(app, &[], Some(node));
        let mut found = vec![u32::MAX; procs as usize];
        let place = found.as_mut_ptr();
        // SAFETY: the header asks for a function that writes `procs` numbers and returns.
        state.ask(&mut asked, |state, asked| unsafe {
            objects(state, asked, procs, place)
        })?;
        Ok(found)
    };
    Ok(component.objects(kind, own))
}

/// Adds a component.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_components_add(
    components: *mut StowComponents,
    name: *const c_char,
    name_len: usize,
    priority: u32,
    word: *const c_char,
    word_len: usize,
    count: CountFunction,
    object: u32,
    objects: ObjectsFunction,
    state: *mut c_void,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (components, name) = unsafe { (change(components)?, text(name, name_len)?) };
        // SAFETY: the caller guarantees it.
        let word = unsafe { text(word, word_len) }?;
        let count = count.ok_or(Fail::Invalid("the count function is NULL"))?;
        let priority = u8::try_from(priority);
        let priority = priority.map_err(|_| Fail::Invalid("a priority is at most 255"))?;
        let state = Arc::new(State(Mutex::new(state)));
        let counted = Arc::clone(&state);
        let own = move |app: AskedApp<'_>, rooms: &[Room<'_>]| -> Result<Vec<Share>, Declined> {
            let mut asked = StowAsked::new(app, rooms, None);
            // SAFETY: the header asks for a function that returns.
            counted.ask(&mut asked, |state, asked| unsafe { count(state, asked) })?;
            Ok(asked.shares)
        };
        let mut component = Component::new(name, priority).count(own);
        if !word.is_empty() {
            component = component.word(word);
        }
        if let Some(objects) = objects {
            component = with_objects(component, object, state, objects)?;
        }
        Ok(components.0.register(component)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Reads a command line that may say the words of components.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_components_job(
    components: *const StowComponents,
    line: *const *const c_char,
    count: usize,
    out: *mut *mut StowJob,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (components, line, out) =
            unsafe { (read(components)?, words(line, count)?, Out::new(out)?) };
        out.give(StowJob::fixed(components.0.job(line)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Places a job on a machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_components_place(
    components: *const StowComponents,
    job: *const StowJob,
    machine: *const StowMachine,
    out: *mut *mut StowPlan,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (components, job) = unsafe { (read(components)?, read(job)?) };
        // SAFETY: the caller guarantees it.
        let (machine, out) = unsafe { (read(machine)?, Out::new(out)?) };
        let plan = component::place(job.job()?, &machine.0, &components.0)?;
        out.give(StowPlan::new(plan))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Places a job on a cluster.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_components_place_in(
    components: *const StowComponents,
    cluster: *mut StowCluster,
    job: *const StowJob,
    out: *mut *mut StowPlan,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (components, cluster) = unsafe { (read(components)?, change(cluster)?) };
        // SAFETY: the caller guarantees it.
        let (job, out) = unsafe { (read(job)?, Out::new(out)?) };
        let plan = cluster.change().place_with(job.job()?, &components.0)?;
        out.give(StowPlan::new(plan))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// A planner that asks these components for every plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_components_planner(
    components: *const StowComponents,
    job: *const StowJob,
    machine: *const StowMachine,
    out: *mut *mut StowPlanner,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (components, job) = unsafe { (read(components)?, read(job)?) };
        // SAFETY: the caller guarantees it.
        let (machine, out) = unsafe { (read(machine)?, Out::new(out)?) };
        let planner = Planner::with(job.job()?, &machine.0, &components.0)?;
        out.give(StowPlanner(planner))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Frees components.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_components_free(components: *mut StowComponents) {
    // SAFETY: the caller guarantees it.
    unsafe { free(components) }
}
