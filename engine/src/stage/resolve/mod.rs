//! Stage 2: a relayed request and the files it names -> resolved apps.

// One app's options, from its attributes and the job's.
pub mod options;
// The options of all apps; equal options are kept once.
pub(crate) mod dedupe;
// Words that contradict each other.
pub(crate) mod conflicts;
// The same for GPUs and mpibind.
pub(crate) mod gpu_conflicts;
// Words that are worth a note.
pub(crate) mod notes;
// Bindings that the size of the job decides.
pub(crate) mod size;
// The files that a request names.
pub(crate) mod files;

use crate::error::spec::{FileKind, Owner};
use crate::error::{MapError, Note, SpecError};
use crate::policy::{CpuMode, IfSupported, MapBy, NoLocal, Ordered, Overload, Oversubscribe, Span};
use crate::spawn::Spoken;
use crate::spawn::defaults::{Defaults, fill};
use crate::spawn::inherit::{Inherited, Parent, inherit, promote};
use crate::spawn::keys;
use crate::spawn::policy::Flags;
use crate::spawn::request::{SpawnRequest, owner};
use crate::stage::component::Dispatch;
pub use crate::stage::map_all::Threading;
pub use crate::stage::resolve::conflicts::ByCores;
use crate::stage::resolve::conflicts::{check_devices, check_rows};
use crate::stage::resolve::dedupe::AppOptions;
pub use crate::stage::resolve::files::{Files, NoFiles};
use crate::stage::resolve::files::{ListingFile, pool_of, read_file};
use crate::stage::resolve::options::{DecidedBy, JobPe, Lsf, Options, app_options, job_options};
use crate::stage::resolve::size::settle;
use crate::table::apps::{AppId, AppTable, ListId, ListingId, Numbering, Policy};
use crate::table::listings::Listing;
use crate::table::topologies::Topologies;
use crate::text::cursor::whole_ranges;
use crate::text::host_types::{HostListId, HostfileId, Hosts};
use crate::text::hostfile::read_hostfile;
use crate::text::hostlist::read_hosts;
use crate::text::listings::read_affinity;
use crate::text::slotlist::remark;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// What placement needs of a request.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// One row for each app.
    pub apps: AppTable,
    /// Which nodes each app names.
    pub hosts: Hosts,
    /// The notes so far.
    pub notes: Vec<Note>,
    /// Whether components are asked once for the job, or once for each app.
    pub dispatch: Dispatch,
    /// Refusals of words whose meaning depends on whether there are cores.
    pub by_cores: Option<ByCores>,
    /// Files that do not parse as the kind of file that this app takes them for. An earlier app reads the same file as another
    /// kind, so the error is reported when the app's turn comes.
    pub deferred: Vec<(AppId, SpecError)>,
    /// When threads share the work of placing it.
    pub threading: Threading,
    /// The request after promotions and inheritance: components read it.
    pub request: Arc<SpawnRequest>,
}

impl Resolved {
    /// Checks the words whose meaning depends on whether the topologies have cores.
    ///
    /// # Errors
    /// As [`Decided::check_cores`].
    pub(crate) fn check_cores(&self, topologies: &Topologies) -> Result<(), MapError> {
        match &self.by_cores {
            Some(by_cores) => by_cores.check(topologies),
            None => Ok(()),
        }
    }
}

/// A request after promotions and inheritance: what `--show-attributes` shows.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The request.
    pub request: SpawnRequest,
    /// What came from the parent.
    pub inherited: Inherited,
}

/// Does everything that comes before any single app: the job's words, promotions, inheritance.
///
/// # Errors
/// `contradicting-qualifiers` (opposite words of two infos), `app-forbidden-qualifier`, `conflicting-inheritance`.
pub fn prepare(
    request: SpawnRequest,
    parent: Option<&Parent>,
    spoken: &Spoken,
) -> Result<Prepared, MapError> {
    let (prepared, promoted) = prepare_all(request, parent, spoken, &Defaults::default())?;
    promoted?;
    Ok(prepared)
}

/// Like [`prepare`], but returns some errors beside the request: those of classes that come after contradictions.
fn prepare_all(
    mut request: SpawnRequest,
    parent: Option<&Parent>,
    spoken: &Spoken,
    defaults: &Defaults,
) -> Result<(Prepared, Result<(), SpecError>), MapError> {
    spoken.check_opposites()?;
    let forbidden = spoken.check_forbidden();
    let promoted = forbidden.and_then(|()| promote(&mut request));
    let mut inherited = inherit(&mut request, parent, defaults.inherit);
    fill(&mut request, defaults, &mut inherited);
    Ok((Prepared { request, inherited }, promoted))
}

/// Apps whose options are all decided, and the request whose files must still be read.
#[derive(Clone, Debug)]
pub struct Decided {
    resolved: Resolved,
    request: SpawnRequest,
    options: AppOptions,
    affinity: Option<Listing>,
}

/// What resolving needs besides the request.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The parent job's row, if a running job spawned this one.
    pub parent: Option<&'a Parent>,
    /// The words as the user said them, for messages.
    pub spoken: &'a Spoken,
    /// LSF's affinity file.
    pub affinity: Option<&'a str>,
    /// Reads files.
    pub files: &'a dyn Files,
}

/// Resolves a relayed request to one row for each app: [`decide`], then [`Decided::read_files`].
///
/// # Errors
/// The first error of the request, in the order of errors "Which class".
///
/// Cost: linear in the request and the files; apps with equal options share one policy.
pub fn resolve(request: SpawnRequest, context: Context<'_>) -> Result<Resolved, MapError> {
    decide(request, context)?.read_files(context.files)
}

/// Decides every option of every app from the words alone.
///
/// # Errors
/// Contradictions and wrong combinations, class by class, and within a class app by app. Errors in LSF's file, because that
/// file decides which component takes an app.
pub fn decide(request: SpawnRequest, context: Context<'_>) -> Result<Decided, MapError> {
    decide_with(request, context, &Defaults::default())
}

/// As [`decide`], with defaults for what neither the job nor its parent says.
///
/// # Errors
/// As [`decide`].
pub fn decide_with(
    request: SpawnRequest,
    context: Context<'_>,
    defaults: &Defaults,
) -> Result<Decided, MapError> {
    let (prepared, promoted) = prepare_all(request, context.parent, context.spoken, defaults)?;
    let Prepared { request, inherited } = prepared;
    let affinity = context.affinity.map(|path| {
        let bytes = read_file(context.files, FileKind::Affinity, path)?;
        read_affinity(path, &bytes)
    });
    let affinity = affinity.transpose()?;
    let affinity = affinity.filter(|listing| !listing.entries.is_empty());
    let lsf = if affinity.is_some() {
        Lsf::Given
    } else {
        Lsf::Absent
    };
    let job = job_options(&request, inherited, lsf);
    request.check_counts()?;
    let options = AppOptions::new(&request, &job, lsf);
    check_devices(&options)?;
    let by_cores = check_rows(&request, &options, context.spoken, promoted)?;
    let dispatch = if request.has_own_directives() {
        Dispatch::PerApp
    } else {
        Dispatch::Single
    };
    let resolved = Resolved {
        by_cores,
        dispatch,
        notes: notes::remarks(&request, &options, &job),
        ..Resolved::default()
    };
    let mut decided = Decided {
        resolved,
        request,
        options,
        affinity,
    };
    decided.intern(&job, lsf);
    Ok(decided)
}

impl Decided {
    /// Whether LSF's affinity file has entries: without them it is as if it were not given.
    #[must_use]
    pub const fn has_affinity(&self) -> bool {
        self.affinity.is_some()
    }
    /// The request after promotion and inheritance.
    #[must_use]
    pub const fn request(&self) -> &SpawnRequest {
        &self.request
    }
    /// The apps with all their options. What files list is not there yet.
    #[must_use]
    pub const fn apps(&self) -> &AppTable {
        &self.resolved.apps
    }
    /// The options of an app, `None` for a hole. A default binding that depends on the size of the job is decided if all apps say how
    /// many processes they have.
    #[must_use]
    pub fn policy(&self, app: AppId) -> Option<Policy> {
        let apps = self.apps();
        let own = *apps.policy(app)?;
        let counts = apps
            .np
            .iter()
            .filter(|(app, _)| apps.policy[*app].is_some());
        let total: Option<u64> = counts.map(|(_, np)| np.map(|np| u64::from(np.0))).sum();
        Some(total.map_or(own, |total| settle(&own, total)))
    }
    /// What the words say that is worth a note.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.resolved.notes
    }

    fn intern(&mut self, job: &Options, lsf: Lsf) {
        let (request, apps) = (&self.request, &mut self.resolved.apps);
        let mapping = request.mapping(Owner::Job).unwrap_or_default();
        let oversubscribe = if mapping.flags.oversubscribes() {
            Oversubscribe::Allowed
        } else {
            Oversubscribe::Refused
        };
        let mut lists: HashMap<String, ListId> = HashMap::new();
        let mut intern = |options: &Options| {
            let policy = policy(options, oversubscribe, &mut lists, apps);
            apps.intern(policy)
        };
        // The policy of each distinct set of options, and its policy for apps that do not use the job's PE.
        let rows = self.options.each(|(app, options)| {
            let policy = intern(options);
            // An app with a map, target, pattern or mode of its own drops the job's PE if its objects are too small for it.
            let pe = options.pe.filter(|_| options.checks_pe);
            let borrowed = pe.is_some_and(|pe| pe.cpus > 1 && pe.by == DecidedBy::Job);
            let without_pe = borrowed.then(|| {
                let withheld = app_options(request, owner(app), job, lsf, JobPe::Withheld);
                intern(&withheld)
            });
            (policy, without_pe)
        });
        for ((app, row), (_, id)) in request.apps().iter().zip(self.options.ids()) {
            apps.np.push(row.np());
            let label = request.label(app);
            if let Some(label) = label {
                apps.set_arguments(app, label.argv.clone());
            }
            let program = label.map(|label| label.cmd.clone());
            apps.label.push(program.unwrap_or_default());
            let options = id.map(|id| self.options.get(id));
            let (policy, without_pe) = id.map(|id| rows[id]).unzip();
            apps.policy.push(policy);
            apps.without_pe.push(without_pe.flatten());
            apps.count_mode
                .push(options.map_or(CpuMode::Core, |options| options.word_mode));
            let by_device = options.filter(|options| options.map() == MapBy::Dist);
            let device = by_device.and_then(|options| options.device.clone());
            apps.device.push(device);
            apps.origins.push(options.map(|options| options.origins));
        }
    }
}

impl Decided {
    /// Checks the words whose meaning depends on whether there are cores, if the topologies are known before the files are read:
    /// errors in combinations of words come first. Cost: the topologies.
    ///
    /// # Errors
    /// `bind-above-map`, `rank-needs-object`, `pe-exceeds-object`.
    pub fn check_cores(&self, topologies: &Topologies) -> Result<(), MapError> {
        self.resolved.check_cores(topologies)
    }

    /// Reads the files: first the hostfiles of all apps, then the sequence file or rankfile of each app, in the order of the apps.
    ///
    /// # Errors
    /// `bad-hostfile`, `bad-seqfile`, `bad-rankfile`, `duplicate-rank`, with file and line.
    pub fn read_files(mut self, files: &dyn Files) -> Result<Resolved, MapError> {
        self.read_hosts(files)?;
        let Self {
            mut resolved,
            options,
            affinity,
            request,
        } = self;
        resolved.request = Arc::new(request);
        let affinity = affinity.map(|listing| {
            resolved.hosts.lsf_pool = pool_of(&listing);
            resolved.apps.listings.push(listing)
        });
        let mut known: HashMap<ListingFile<'_>, ListingId> = HashMap::new();
        for (app, id) in options.ids() {
            let options = id.map(|id| options.get(id));
            let file = options.and_then(|options| Some((ListingFile::of(options)?, options)));
            let listing = match file {
                None => affinity
                    .filter(|_| options.is_some_and(|options| options.lsf))
                    .map(|id| (id, Numbering::Job)),
                Some((file, options)) => {
                    let kinds = [FileKind::Sequence, FileKind::Rankfile];
                    let known_as = |kind| known.contains_key(&ListingFile { kind, ..file });
                    let is_known = kinds.into_iter().any(known_as);
                    let id = match known.entry(file) {
                        Entry::Occupied(known) => *known.get(),
                        Entry::Vacant(new) => {
                            let read = match file.read(files) {
                                // An earlier app takes the file for another kind.
                                Err(error) if is_known => {
                                    resolved.deferred.push((app, error));
                                    Listing::default()
                                }
                                read => read?,
                            };
                            let remarks = read
                                .slot_texts
                                .values()
                                .iter()
                                .filter_map(|text| remark(text));
                            resolved.notes.extend(remarks.map(|text| Note::OfLine {
                                class: "slot-list",
                                text: format!("{}: {text}", file.path),
                            }));
                            *new.insert(resolved.apps.listings.push(read))
                        }
                    };
                    Some((id, file.numbering(options)))
                }
            };
            resolved.apps.listing.push(listing);
        }
        Ok(resolved)
    }

    fn read_hosts(&mut self, files: &dyn Files) -> Result<(), MapError> {
        let mut lists: HashMap<&str, Option<HostListId>> = HashMap::new();
        let mut hostfiles: HashMap<&str, HostfileId> = HashMap::new();
        let hosts = &mut self.resolved.hosts;
        for app in self.request.apps().ids() {
            let text = |key| self.request.attributes().string(owner(app), key);
            // The list was checked when it was set, and again when it was unpacked.
            let list = text(keys::APP_DASH_HOST).and_then(|text| {
                *lists.entry(text).or_insert_with(|| {
                    let list = read_hosts(text).ok()?;
                    Some(hosts.lists.push(list))
                })
            });
            hosts.list.push(list);
            let paths = text(keys::APP_HOSTFILE).into_iter();
            let mut union = Vec::new();
            for path in paths.flat_map(|paths| paths.split(',')) {
                union.push(match hostfiles.entry(path) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        let bytes = read_file(files, FileKind::Hostfile, path)?;
                        let read = read_hostfile(path, &bytes)?;
                        if read.mark {
                            self.resolved.notes.push(Note::OfLine {
                                class: "byte-order-mark",
                                text: format!(
                                    "hostfile {path}: its byte order mark (U+FEFF) is passed over"
                                ),
                            });
                        }
                        *new.insert(hosts.hostfiles.push(read))
                    }
                });
            }
            hosts.files.push(union);
        }
        Ok(())
    }
}

/// The options as a row of the policy table.
fn policy(
    options: &Options,
    oversubscribe: Oversubscribe,
    lists: &mut HashMap<String, ListId>,
    apps: &mut AppTable,
) -> Policy {
    let (map, flags) = (options.map(), options.flags);
    let list = options.list.as_ref().filter(|_| map == MapBy::PeList);
    let list = list.map(|text| {
        let ranges = || whole_ranges(text).unwrap_or_default();
        let list = lists.entry(text.clone());
        *list.or_insert_with(|| apps.lists.push(ranges()))
    });
    // LSF does not use SPAN, and only lists use ORDERED.
    let span = flags.has(Flags::SPAN) && map != MapBy::Lsf;
    let ordered = flags.has(Flags::ORDERED) && map == MapBy::PeList;
    Policy {
        map,
        span: if span { Span::Yes } else { Span::No },
        ordered: if ordered { Ordered::Yes } else { Ordered::No },
        nolocal: flags.choose(Flags::NOLOCAL, NoLocal::Yes, NoLocal::No),
        pe: options.pe.map_or(1, |pe| pe.cpus),
        list,
        mode: options.mode,
        rank: options.rank,
        bind: options.bind,
        strength: options.strength,
        if_supported: options.bind_flags.choose(
            Flags::IF_SUPPORTED,
            IfSupported::Yes,
            IfSupported::No,
        ),
        overload: options.bind_flags.choose(
            Flags::ALLOW_OVERLOAD,
            Overload::Allowed,
            Overload::Refused,
        ),
        limit: options.limit,
        gpus: options.gpus.map(|(gpus, _)| gpus),
        oversubscribe,
    }
}
