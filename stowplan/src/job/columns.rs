//! The columns of rows: which to show, and in what order (`--columns`).

/// A column of the table of ranks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Column {
    /// The rank in the job.
    Rank,
    /// The app.
    App,
    /// The rank in the app.
    AppRank,
    /// The node's name.
    Node,
    /// The number among the job's processes on the node, in placement order. Not the number of a GPU.
    LocalRank,
    /// The number among all processes on the node.
    NodeRank,
    /// The object it was mapped to.
    Object,
    /// The cpus it is bound to.
    Cpus,
    /// Visible numbers of the GPUs it is given.
    Gpus,
    /// Names of the network cards that it is mapped to.
    Nics,
    /// Threads that it should run.
    Threads,
    /// One of its threads; there is a row for each.
    Thread,
    /// The place of the thread among the places of its process.
    Place,
    /// The cpus of the process, where `cpus` is the thread's.
    Mask,
    /// Whose rules put the thread there.
    Runtime,
}

impl Column {
    /// All columns, in the order in which messages name them.
    pub const ALL: [Self; 15] = [
        Self::Rank,
        Self::App,
        Self::AppRank,
        Self::Node,
        Self::LocalRank,
        Self::NodeRank,
        Self::Object,
        Self::Cpus,
        Self::Gpus,
        Self::Nics,
        Self::Threads,
        Self::Thread,
        Self::Place,
        Self::Mask,
        Self::Runtime,
    ];

    /// Its name.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rank => "rank",
            Self::App => "app",
            Self::AppRank => "app_rank",
            Self::Node => "node",
            Self::LocalRank => "local_rank",
            Self::NodeRank => "node_rank",
            Self::Object => "object",
            Self::Cpus => "cpus",
            Self::Gpus => "gpus",
            Self::Nics => "nics",
            Self::Threads => "threads",
            Self::Thread => "thread",
            Self::Place => "place",
            Self::Mask => "mask",
            Self::Runtime => "runtime",
        }
    }
}

/// Reads names that are separated by commas. Each may be given once.
///
/// # Errors
/// The word that is not a column, or that is given twice.
/// ```
/// use stowplan::job::columns::{Column, read};
/// assert_eq!(read("cpus,rank"), Ok(vec![Column::Cpus, Column::Rank]));
/// assert_eq!(read("rank,gpu"), Err("gpu"));
/// assert_eq!(read("rank,rank"), Err("rank"));
/// ```
pub fn read(text: &str) -> Result<Vec<Column>, &str> {
    let mut columns = Vec::new();
    for word in text.split(',') {
        let found = Column::ALL.into_iter().find(|column| column.word() == word);
        match found.filter(|column| !columns.contains(column)) {
            Some(column) => columns.push(column),
            None => return Err(word),
        }
    }
    Ok(columns)
}
