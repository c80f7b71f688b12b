//! A file of ranks for a command line of one's own, as prterun and mpirun of Open MPI read it.

use super::comment;
use super::prterun;
use crate::launchers::cpus::Unit;
use crate::launchers::job::{Job, Unsaid};
use crate::launchers::reader::Reader;
use crate::launchers::text::Text;

pub(crate) fn export<'p>(job: &'p Job<'p>, reader: Reader) -> Result<Text<'p>, Unsaid> {
    super::no_gpus(job)?;
    let (slots, unit) = prterun::slots(job)?;
    if reader == Reader::Ompi4 {
        all_bound(job)?;
    }
    let says = match unit {
        Unit::Core => "their order and cores",
        Unit::Hwthread => "their order and hardware threads",
    };
    let trusts = "that nodes have the cores of the plan's topologies, counted as hwloc does";
    let first = comment("rankfile", job, says, trusts);
    let call = call(job, reader, unit);
    Ok(Text {
        comments: vec![first, call],
        body: Box::new(move |out| prterun::write(job, &slots, out)),
    })
}

/// How the file is called.
fn call(job: &Job<'_>, reader: Reader, unit: Unit) -> String {
    let ranks = job.ranks();
    let mut words = match reader {
        Reader::Ompi4 => format!("# mpirun -np {ranks} --rankfile FILE"),
        Reader::Own
        | Reader::Prte
        | Reader::Ompi
        | Reader::Hydra
        | Reader::Intel
        | Reader::Slurm
        | Reader::Flux
        | Reader::Pals
        | Reader::Pbs => {
            let launcher = if reader == Reader::Ompi {
                "mpirun"
            } else {
                "prterun"
            };
            format!(
                "# {launcher} -n {ranks} --map-by rankfile:file=FILE{}",
                prterun::counted_in(unit)
            )
        }
    };
    if reader == Reader::Ompi4 && unit == Unit::Hwthread {
        words.push_str(" --use-hwthread-cpus");
    }
    words + " --bind-to " + &prterun::bind_to(job, unit)
}

/// Open MPI 4 has no line without slots.
fn all_bound(job: &Job<'_>) -> Result<(), Unsaid> {
    let on = match (job.lists.rows.is_empty(), job.lists.unbound_on) {
        (true, _) => 0,
        (false, Some(node)) => node,
        (false, None) => return Ok(()),
    };
    Err(Unsaid(format!(
        "node {} has an unbound rank, and Open MPI 4 wants slots for each",
        job.nodes.name(on)
    )))
}
