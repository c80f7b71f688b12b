//! Who reads a file that a plan is written into.

/// Who reads a file that starts nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reader {
    /// Nobody was named: the form that most launchers read.
    Own,
    /// PRRTE.
    Prte,
    /// Open MPI 5.
    Ompi,
    /// Open MPI 4.
    Ompi4,
    /// MPICH.
    Hydra,
    /// Intel MPI.
    Intel,
    /// Slurm.
    Slurm,
    /// Flux.
    Flux,
    /// HPE Cray PALS.
    Pals,
    /// PBS.
    Pbs,
}

impl Reader {
    /// Readers of rank files, by their words.
    pub(crate) const OF_RANKS: &[(&str, Self)] = &[
        ("prte", Self::Prte),
        ("ompi", Self::Ompi),
        ("ompi4", Self::Ompi4),
    ];
    /// Readers of host files, by their words.
    pub(crate) const OF_HOSTS: &[(&str, Self)] = &[
        ("prte", Self::Prte),
        ("ompi", Self::Ompi),
        ("ompi4", Self::Ompi4),
        ("hydra", Self::Hydra),
        ("intel", Self::Intel),
        ("slurm", Self::Slurm),
        ("flux", Self::Flux),
        ("pals", Self::Pals),
        ("pbs", Self::Pbs),
    ];
}
