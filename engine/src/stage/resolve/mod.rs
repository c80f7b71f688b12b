//! Stage 2: a relayed request and the files it names -> resolved apps.

// One app's options, from its attributes and the job's.
pub mod options;
// The options of all apps, equal ones once.
pub(crate) mod dedupe;
// Words that are wrong together.
pub(crate) mod conflicts;
// The same for GPUs and mpibind.
pub(crate) mod gpu_conflicts;
// What is worth a note about the words.
pub(crate) mod notes;
// Bindings by the size of the job.
pub(crate) mod size;
// The files that a request names.
pub(crate) mod files;

use crate::error::spec::FileFault;
use crate::error::{MapError, Note, SpecError};
use crate::id::Column;
use crate::policy::MapKind;
use crate::policy::{
    CpuMode, IfSupported, MapBy, NoLocal, Ordered, Overload, Oversubscribe, PprObject, Span,
};
use crate::spawn::inherit::{Inherited, Parent, inherit, promote};
use crate::spawn::intake::Spoken;
use crate::spawn::keys;
use crate::spawn::policy::Flags;
use crate::spawn::request::{AppRow, SpawnRequest, owner};
use crate::stage::component::Dispatch;
pub use crate::stage::resolve::conflicts::ByCores;
use crate::stage::resolve::conflicts::{judge_devices, judge_rows};
use crate::stage::resolve::dedupe::AppOptions;
use crate::stage::resolve::files::{FileUse, file_use, pool_of, read_listing, read_lsf};
pub use crate::stage::resolve::files::{Files, NoFiles};
use crate::stage::resolve::options::{DecidedBy, JobPe, Lsf, Options, app_options, job_options};
use crate::table::apps::{AppId, AppTable, ListId, ListingId, Numbering, Policy, PolicyId};
use crate::table::interner::ById;
use crate::table::listings::Listing;
use crate::table::origins::Origins;
use crate::table::topologies::Topologies;
use crate::text::cursor::whole_ranges;
use crate::text::hostfile::read_hostfile;
use crate::text::hostlist::read_hosts;
use crate::text::hosts::{HostListId, HostfileId, Hosts};
use crate::text::lines::file_at;
use std::collections::HashMap;

/// What placement needs of a request.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// One row per app.
    pub apps: AppTable,
    /// Which nodes each app names.
    pub hosts: Hosts,
    /// What is worth a note so far.
    pub notes: Vec<Note>,
    /// Whether components are asked once, or for each app.
    pub dispatch: Dispatch,
    /// What is refused for words whose meaning hangs on whether there are cores.
    pub by_cores: Option<ByCores>,
    /// A file that an earlier app reads as something else, and that does not parse as what this app takes it for: an
    /// error when the app's turn comes.
    pub deferred: Vec<(AppId, SpecError)>,
}

/// A request whose promotions and inheritance are done: what `--show-attributes` shows.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The request.
    pub request: SpawnRequest,
    /// What came from the parent.
    pub inherited: Inherited,
}

/// Does what is done once, before any app is looked at: the job's words, promotions, inheritance.
///
/// # Errors
/// `contradicting-qualifiers` (opposite words of two infos), `app-forbidden-qualifier`, `conflicting-inheritance`.
pub fn prepare(
    mut request: SpawnRequest,
    parent: Option<&Parent>,
    spoken: &Spoken,
) -> Result<Prepared, MapError> {
    spoken.judge_opposites()?;
    spoken.judge_forbidden()?;
    promote(&mut request)?;
    let inherited = inherit(&mut request, parent);
    Ok(Prepared { request, inherited })
}

/// Apps with every word decided, and the files that must still be read.
#[derive(Clone, Debug)]
pub struct Decided {
    resolved: Resolved,
    request: SpawnRequest,
    /// The file of each app that has one; its numbering.
    files: Column<AppId, Option<(FileUse, String, Numbering)>>,
    affinity: Option<Listing>,
}

/// What a request is resolved with, beside itself.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The parent job's row, if a running job spawned this one.
    pub parent: Option<&'a Parent>,
    /// The words as said, for messages.
    pub spoken: &'a Spoken,
    /// LSF's affinity file.
    pub affinity: Option<&'a str>,
    /// Reads files.
    pub files: &'a dyn Files,
}

/// From a relayed request to one row per app: [`decide`], then [`Decided::read_files`].
///
/// # Errors
/// The first that the request deserves, in the order of errors "Which class".
///
/// Cost: linear in the request and the files; apps with equal options share one policy.
pub fn resolve(request: SpawnRequest, context: Context<'_>) -> Result<Resolved, MapError> {
    decide(request, context)?.read_files(context.files)
}

/// Decides every option of every app from words alone.
///
/// # Errors
/// Contradictions and combinations by class, and within a class by app; LSF's file, as it decides who takes an app.
pub fn decide(request: SpawnRequest, context: Context<'_>) -> Result<Decided, MapError> {
    // The order of classes needs the rows of a request that promotion might refuse: opposite words first, then rows.
    context.spoken.judge_opposites()?;
    let mut prepared = request;
    let promoted = context
        .spoken
        .judge_forbidden()
        .and_then(|()| promote(&mut prepared));
    let inherited = inherit(&mut prepared, context.parent);
    let affinity = match context.affinity {
        None => None,
        Some(path) => {
            Some(read_lsf(path, context.files)?).filter(|listing| !listing.entries.is_empty())
        }
    };
    let lsf = if affinity.is_some() {
        Lsf::Given
    } else {
        Lsf::Absent
    };
    let job = job_options(&prepared, inherited, lsf);
    prepared.judge_counts()?;
    let options = AppOptions::new(&prepared, &job, lsf);
    judge_devices(&options)?;
    let by_cores = judge_rows(&prepared, &options, context.spoken, promoted)?;
    let mut decided = Decided {
        resolved: Resolved::default(),
        request: prepared,
        files: Column::new(),
        affinity,
    };
    decided.intern(&options, &job, lsf);
    decided.resolved.by_cores = by_cores;
    decided.resolved.dispatch = if decided.request.has_own_directives() {
        Dispatch::PerApp
    } else {
        Dispatch::Single
    };
    decided.resolved.notes =
        crate::stage::resolve::notes::remarks(&decided.request, &options, &job);
    Ok(decided)
}

impl Decided {
    /// The request after promotion and inheritance.
    #[must_use]
    pub const fn request(&self) -> &SpawnRequest {
        &self.request
    }

    fn intern(&mut self, options: &AppOptions, job: &Options, lsf: Lsf) {
        let mut lists: HashMap<String, ListId> = HashMap::new();
        let oversubscribe = self
            .request
            .mapping()
            .is_some_and(|mapping| mapping.flags.oversubscribes());
        let oversubscribe = if oversubscribe {
            Oversubscribe::Allowed
        } else {
            Oversubscribe::Refused
        };
        let (request, apps) = (&self.request, &mut self.resolved.apps);
        let rows = options.each(|(app, options)| {
            let policy = policy(options, oversubscribe, &mut lists, apps);
            let id = apps.intern(policy);
            // The job's PE, taken by an app that has other objects: where these are too small, it is not used.
            let borrowed = options
                .pe
                .is_some_and(|pe| pe.cpus > 1 && pe.by == DecidedBy::Job)
                && options.judges_pe;
            let without = borrowed.then(|| {
                let options = app_options(request, owner(app), job, lsf, JobPe::Withheld);
                self::policy(&options, oversubscribe, &mut lists, apps)
            });
            let dist = options.kind == MapKind::Dist && !options.lsf;
            let [map, rank, bind] = options.origins;
            Interned {
                policy: id,
                without_pe: without.map(|policy| apps.intern(policy)),
                count_mode: options.word_mode,
                device: options.device.clone().filter(|_| dist),
                origins: Origins { map, rank, bind },
                file: file_use(options),
            }
        });
        let mut labels = request.labels().peekable();
        for ((app, row), (_, id)) in request.apps().iter().zip(options.ids()) {
            apps.np.push(match row {
                AppRow::App { np } => *np,
                AppRow::Hole => None,
            });
            let label = labels.next_if(|(owner, _)| *owner == app);
            if let Some((_, label)) = label {
                apps.set_arguments(app, label.argv.clone());
            }
            apps.label.push(
                label
                    .map(|(_, label)| label.cmd.clone())
                    .unwrap_or_default(),
            );
            let row = id.map(|id| &rows[id]);
            apps.policy.push(row.map(|row| row.policy));
            apps.without_pe.push(row.and_then(|row| row.without_pe));
            apps.count_mode
                .push(row.map_or(CpuMode::Core, |row| row.count_mode));
            apps.device.push(row.and_then(|row| row.device.clone()));
            apps.origins.push(row.map(|row| row.origins));
            self.files.push(row.and_then(|row| row.file.clone()));
        }
    }
}

/// What distinct options come to.
struct Interned {
    policy: PolicyId,
    without_pe: Option<PolicyId>,
    count_mode: CpuMode,
    device: Option<String>,
    origins: Origins,
    file: Option<(FileUse, String, Numbering)>,
}

impl Decided {
    /// Judges the words whose meaning hangs on whether there are cores, where the topologies are known before the files are
    /// read: combinations of words come first. Cost: the topologies.
    ///
    /// # Errors
    /// `bind-above-map`, `rank-needs-object`, `pe-exceeds-object`.
    pub fn judge_cores(&self, topologies: &Topologies) -> Result<(), MapError> {
        match &self.resolved.by_cores {
            Some(by_cores) => by_cores.judge(topologies),
            None => Ok(()),
        }
    }

    /// Reads the files: hostfiles of all apps, then the sequence file or rankfile of each, in the order of the apps.
    ///
    /// # Errors
    /// `bad-hostfile`, `bad-seqfile`, `bad-rankfile`, `duplicate-rank`, with file and line.
    pub fn read_files(mut self, files: &dyn Files) -> Result<Resolved, MapError> {
        self.read_hosts(files)?;
        let mut known: HashMap<(FileUse, String), ListingId> = HashMap::new();
        let affinity = self.affinity.take().map(|listing| {
            self.resolved.hosts.lsf_pool = pool_of(&listing);
            self.resolved.apps.listings.push(listing)
        });
        for (app, file) in self.files.iter() {
            let apps = &mut self.resolved.apps;
            let listing = match file {
                None if apps
                    .policy(app)
                    .is_some_and(|policy| policy.map == MapBy::Lsf) =>
                {
                    affinity.map(|id| (id, Numbering::Job))
                }
                None => None,
                Some((as_what, path, numbering)) => {
                    let id = match known.get(&(*as_what, path.clone())) {
                        Some(&id) => id,
                        None => {
                            let other = match as_what {
                                FileUse::Sequence => FileUse::Rankfile,
                                FileUse::Rankfile => FileUse::Sequence,
                            };
                            let read = match read_listing(*as_what, path, files) {
                                Err(error) if known.contains_key(&(other, path.clone())) => {
                                    self.resolved.deferred.push((app, error));
                                    Listing::default()
                                }
                                read => read?,
                            };
                            let id = apps.listings.push(read);
                            known.insert((*as_what, path.clone()), id);
                            id
                        }
                    };
                    Some((id, *numbering))
                }
            };
            apps.listing.push(listing);
        }
        Ok(self.resolved)
    }

    fn read_hosts(&mut self, files: &dyn Files) -> Result<(), MapError> {
        let mut read: HashMap<String, HostfileId> = HashMap::new();
        // Texts go by number here: nobody chooses these.
        let mut lists: ById<u64, Option<HostListId>> = ById::default();
        let mut unions: ById<u64, Vec<HostfileId>> = ById::default();
        let hosts = &mut self.resolved.hosts;
        let mut owned = self.request.attributes().apps().peekable();
        for app in self.request.apps().ids() {
            let own = owned.next_if(|(number, _)| owner(app).app() == Some(*number));
            let Some((_, own)) = own else {
                hosts.list.push(None);
                hosts.files.push(Vec::new());
                continue;
            };
            // The list was judged when it was set, and again when it was unpacked.
            let list = own.string_id(keys::APP_DASH_HOST).and_then(|text| {
                *lists.entry(text).or_insert_with(|| {
                    let list = read_hosts(own.string(keys::APP_DASH_HOST)?).ok()?;
                    Some(hosts.lists.push(list))
                })
            });
            hosts.list.push(list);
            let union = match own.string_id(keys::APP_HOSTFILE) {
                None => Vec::new(),
                Some(paths) => match unions.get(&paths) {
                    Some(union) => union.clone(),
                    None => {
                        let paths_text = own.string(keys::APP_HOSTFILE).unwrap_or_default();
                        let union = read_union(paths_text, files, &mut read, hosts)?;
                        unions.insert(paths, union.clone());
                        union
                    }
                },
            };
            hosts.files.push(union);
        }
        Ok(())
    }
}

/// Reads the hostfiles that an app names, those that nobody named before.
fn read_union(
    paths: &str,
    files: &dyn Files,
    read: &mut HashMap<String, HostfileId>,
    hosts: &mut Hosts,
) -> Result<Vec<HostfileId>, MapError> {
    let mut ids = Vec::new();
    for path in paths.split(',') {
        let id = match read.get(path) {
            Some(&id) => id,
            None => {
                let bytes = files.read(path).map_err(|reason| SpecError::BadHostfile {
                    at: file_at(path),
                    fault: FileFault::Unreadable(reason),
                })?;
                let id = hosts.hostfiles.push(read_hostfile(path, &bytes)?);
                read.insert(path.to_owned(), id);
                id
            }
        };
        ids.push(id);
    }
    Ok(ids)
}

/// The options as a row of the policy table.
fn policy(
    options: &Options,
    oversubscribe: Oversubscribe,
    lists: &mut HashMap<String, ListId>,
    apps: &mut AppTable,
) -> Policy {
    let map = match options.kind {
        _ if options.lsf => MapBy::Lsf,
        MapKind::Slot => MapBy::Slot,
        MapKind::Node => MapBy::Node,
        MapKind::Object(kind) => MapBy::Object(kind),
        MapKind::Ppr => {
            let (per, on) = options.pattern.unwrap_or((1, PprObject::Node));
            MapBy::Ppr { per, on }
        }
        MapKind::Seq => MapBy::Seq,
        MapKind::Rankfile => MapBy::Rankfile,
        MapKind::PeList => MapBy::PeList,
        MapKind::Dist => MapBy::Dist,
        MapKind::Mpibind => MapBy::Mpibind(options.mpibind),
    };
    let list = options
        .list
        .as_ref()
        .filter(|_| map == MapBy::PeList)
        .map(|text| match lists.get(text) {
            Some(&id) => id,
            None => {
                let id = apps.lists.push(whole_ranges(text).unwrap_or_default());
                lists.insert(text.clone(), id);
                id
            }
        });
    let span = options.flags.has(Flags::SPAN) && map != MapBy::Lsf;
    let ordered = options.flags.has(Flags::ORDERED) && map == MapBy::PeList;
    Policy {
        map,
        span: if span { Span::Yes } else { Span::No },
        ordered: if ordered { Ordered::Yes } else { Ordered::No },
        nolocal: if options.flags.has(Flags::NOLOCAL) {
            NoLocal::Yes
        } else {
            NoLocal::No
        },
        pe: options.pe.map_or(1, |pe| pe.cpus),
        list,
        mode: options.mode,
        rank: options.rank,
        bind: options.bind,
        strength: options.strength,
        if_supported: if options.bind_flags.has(Flags::IF_SUPPORTED) {
            IfSupported::Yes
        } else {
            IfSupported::No
        },
        overload: if options.bind_flags.has(Flags::ALLOW_OVERLOAD) {
            Overload::Allowed
        } else {
            Overload::Refused
        },
        limit: options.limit,
        gpus: options.gpus.map(|(gpus, _)| gpus),
        oversubscribe,
    }
}
