//! The notes on a placed job, beside those of placing it.

use stowplan_answers::expert;
use stowplan_answers::openmp::job_notes;
use stowplan_engine::error::Note;
use stowplan_engine::map::Mapped;
use stowplan_job::error::JobError;
use stowplan_job::place::Placement;

/// Adds the notes on threads, if the job says something about them, and what an expert would say of the plan.
pub(super) fn advise(placement: &mut Placement) -> Result<(), JobError> {
    let Mapped { plan, notes, .. } = &mut placement.mapped;
    let threads = job_notes::notes(plan);
    notes.extend(threads.map_err(|(class, sentence)| JobError::Told { class, sentence })?);
    notes.extend(expert::notes(plan));
    Ok(())
}

/// Whether a note is left out.
pub(super) fn is_quiet(quiet: &[String], note: &Note) -> bool {
    quiet.iter().any(|class| class == note.class())
}
