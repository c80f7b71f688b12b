//! One app's options: the job's, overridden by the app's attributes. Pure and idempotent. Source: `per-app` 6, R1 to R13.

use crate::error::spec::Owner;
use crate::policy::MapKind;
use crate::policy::{BindStrength, BindTo, CpuMode, GpuShare, Mpibind, ObjKind, PprObject, RankBy};
use crate::spawn::attributes::Owned;
use crate::spawn::inherit::Inherited;
use crate::spawn::keys;
use crate::spawn::policy::{BindPolicy, Flags, MapPolicy, RankPolicy};
use crate::spawn::request::SpawnRequest;
use crate::table::origins::{Origin, Rule};
use crate::text::mapping::read_pattern;
use crate::text::mpibind::read_options;
use crate::text::words::{BindWord, RankWord};

/// Whether LSF's affinity file has entries to serve those who name no policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lsf {
    /// It has.
    Given,
    /// There is none, or it is empty.
    Absent,
}

/// Whether an app may take the job's PE where it can use it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobPe {
    /// Yes.
    Offered,
    /// No: the objects of the app's nodes are too small for it.
    Withheld,
}

/// Who said a word: no number, so that apps of equal options are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecidedBy {
    /// The job.
    Job,
    /// The app itself.
    App,
}

/// Cpus per process, and who said it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pe {
    /// Cpus.
    pub cpus: u16,
    /// Who said it.
    pub by: DecidedBy,
}

/// The options of the job, or of one app, before they are interned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Where processes go.
    pub kind: MapKind,
    /// LSF's file serves the app.
    pub lsf: bool,
    /// A policy was named, by app or job.
    pub named: bool,
    /// The app has a mapping directive.
    pub own_map: bool,
    /// SPAN, ORDERED, NOLOCAL.
    pub flags: Flags,
    /// `ppr`'s.
    pub pattern: Option<(u32, PprObject)>,
    /// `pe-list`'s, as text.
    pub list: Option<String>,
    /// The file of seq and rankfile.
    pub file: Option<String>,
    /// The file numbers the job's ranks.
    pub job_numbering: bool,
    /// The device of dist.
    pub device: Option<String>,
    /// The cpu mode of the words alone.
    pub word_mode: CpuMode,
    /// The cpu mode.
    pub mode: CpuMode,
    /// Cpus per process, if said.
    pub pe: Option<Pe>,
    /// The app has a map, target, pattern or mode of its own: it does without the job's PE where it cannot use it.
    pub judges_pe: bool,
    /// The job said a PE that this app cannot use.
    pub pe_unused: bool,
    /// Order of ranks.
    pub rank: RankBy,
    /// The rank word in force, if one was said, and by whom.
    pub rank_said: Option<(RankWord, DecidedBy)>,
    /// Bind target.
    pub bind: BindTo,
    /// The bind word in force, if one was said, and by whom.
    pub bind_said: Option<(BindWord, DecidedBy)>,
    /// Asked for or default.
    pub strength: BindStrength,
    /// Overload flags.
    pub bind_flags: Flags,
    /// LIMIT.
    pub limit: Option<u16>,
    /// How processes get GPUs, if said, and by whom.
    pub gpus: Option<(GpuShare, DecidedBy)>,
    /// `mpibind`'s.
    pub mpibind: Mpibind,
    /// Origins of map, rank and bind.
    pub origins: [Origin; 3],
}

const MAP: usize = 0;
const RANK: usize = 1;
const BIND: usize = 2;

/// The default ranking of a map: node by node, slot by slot, SPAN by span, objects by fill, the rest by slot.
#[must_use]
pub(crate) fn derive_ranking(map: MapKind, flags: Flags) -> RankBy {
    let objects = matches!(map, MapKind::Object(_) | MapKind::Dist);
    if map == MapKind::Node {
        RankBy::Node
    } else if map.is_listed() {
        RankBy::Listed
    } else if objects && flags.has(Flags::SPAN) {
        RankBy::Span
    } else if objects {
        RankBy::Fill
    } else {
        RankBy::Slot
    }
}

/// The default target of a map: the mapped kind, a cpu for PE and where there is no object.
#[must_use]
pub(crate) fn derive_binding(
    map: MapKind,
    pattern: Option<PprObject>,
    pe: Option<Pe>,
    mode: CpuMode,
) -> (ObjKind, Rule) {
    if pe.is_some() {
        return (cpu(mode), Rule::BindForPe);
    }
    match mapped_kind(map, pattern) {
        Some(kind) => (kind, Rule::BindAsMapped),
        None if map == MapKind::PeList => (cpu(mode), Rule::BindPeList),
        None => (cpu(mode), Rule::BindOwnMap),
    }
}

/// The object kind that a map places on, if it does.
#[must_use]
pub(crate) const fn mapped_kind(map: MapKind, pattern: Option<PprObject>) -> Option<ObjKind> {
    if let (MapKind::Object(kind), _) | (MapKind::Ppr, Some(PprObject::Kind(kind))) = (map, pattern)
    {
        return Some(kind);
    }
    if matches!(map, MapKind::Dist) {
        return Some(ObjKind::Numa);
    }
    None
}

/// What a cpu is called in a mode.
#[must_use]
pub const fn cpu(mode: CpuMode) -> ObjKind {
    match mode {
        CpuMode::Core => ObjKind::Core,
        CpuMode::Hwthread => ObjKind::Hwthread,
    }
}

const fn rank_by(word: RankWord) -> RankBy {
    match word {
        RankWord::Slot => RankBy::Slot,
        RankWord::Node => RankBy::Node,
        RankWord::Fill => RankBy::Fill,
        RankWord::Span => RankBy::Span,
    }
}

const fn bind_to(word: BindWord) -> BindTo {
    match word {
        BindWord::Nothing => BindTo::Nothing,
        BindWord::Object(kind) => BindTo::Object(kind),
    }
}

/// The mode that PE or ORDERED take from an explicit target.
const fn target_mode(word: BindWord) -> Option<CpuMode> {
    match word {
        BindWord::Object(ObjKind::Core) => Some(CpuMode::Core),
        BindWord::Object(ObjKind::Hwthread) => Some(CpuMode::Hwthread),
        BindWord::Nothing | BindWord::Object(_) => None,
    }
}

fn pattern_of(own: &Owned<'_>, key: u16) -> Option<(u32, PprObject)> {
    own.string(key).and_then(|text| read_pattern(text).ok())
}

fn gpus_of(own: &Owned<'_>, key: u16) -> Option<GpuShare> {
    own.string(key).and_then(GpuShare::of_text)
}

fn mpibind_of(own: &Owned<'_>, key: u16) -> Option<Mpibind> {
    own.string(key).and_then(|text| read_options(text).ok())
}

/// The job's options: every default decided. Source: `semantics` 3.
#[must_use]
pub fn job_options(request: &SpawnRequest, inherited: Inherited, lsf: Lsf) -> Options {
    let attributes = request.attributes();
    let job = Owner::Job;
    let mapping = request.mapping().unwrap_or_default();
    let binding = request.binding().unwrap_or_default();
    let pe = attributes
        .number(job, keys::JOB_PES_PER_PROC)
        .map(|cpus| Pe {
            cpus,
            by: DecidedBy::Job,
        });
    let said = |taken: bool| if taken { Origin::Parent } else { Origin::Job };
    let (kind, map_origin) = match (mapping.kind, pe, binding.word) {
        (Some(kind), _, _) => (kind, said(inherited.map)),
        (None, Some(Pe { cpus: 2.., .. }), _) => {
            (MapKind::Slot, Origin::Default(Rule::MapSlotForPe))
        }
        (None, _, Some(BindWord::Nothing)) => (MapKind::Slot, Origin::Default(Rule::MapAsBound)),
        (None, _, Some(BindWord::Object(kind))) => {
            (MapKind::Object(kind), Origin::Default(Rule::MapAsBound))
        }
        (None, _, None) => (
            MapKind::Object(ObjKind::Core),
            Origin::Default(Rule::MapCore),
        ),
    };
    let mut options = Options {
        kind,
        lsf: false,
        named: mapping.kind.is_some(),
        own_map: false,
        flags: mapping.flags,
        pattern: pattern_of(&attributes.owned_by(job), keys::JOB_PPR),
        list: attributes.string(job, keys::JOB_CPUSET).map(str::to_owned),
        file: attributes.string(job, keys::JOB_FILE).map(str::to_owned),
        job_numbering: true,
        device: attributes
            .string(job, keys::JOB_DIST_DEVICE)
            .map(str::to_owned),
        word_mode: CpuMode::Core,
        mode: CpuMode::Core,
        pe,
        judges_pe: false,
        pe_unused: false,
        rank: RankBy::Slot,
        rank_said: request
            .ranking()
            .map(|ranking| (ranking.word, DecidedBy::Job)),
        bind: BindTo::BySize,
        bind_said: binding.word.map(|word| (word, DecidedBy::Job)),
        strength: BindStrength::Default,
        bind_flags: binding.flags,
        limit: attributes.number(job, keys::JOB_BINDING_LIMIT),
        gpus: gpus_of(&attributes.owned_by(job), keys::JOB_GPUS).map(|gpus| (gpus, DecidedBy::Job)),
        mpibind: mpibind_of(&attributes.owned_by(job), keys::JOB_MPIBIND).unwrap_or_default(),
        origins: [map_origin, said(inherited.rank), said(inherited.bind)],
    };
    options.settle_kind(lsf);
    options.settle_job_modes(request);
    options.settle_rank();
    options.settle_bind(Defaults::Jobs);
    options
}

/// Which default target an object-less map has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defaults {
    /// The job's: by its number of processes (3.6).
    Jobs,
    /// That of an app's own map: a cpu.
    Own,
}

/// The options of one app. An app without attributes gives the job's unchanged.
#[must_use]
pub fn app_options(
    request: &SpawnRequest,
    app: Owner,
    job: &Options,
    lsf: Lsf,
    offer: JobPe,
) -> Options {
    let own = request.attributes().owned_by(app);
    if own.is_empty() {
        return job.clone();
    }
    let own_map = own.number(keys::APP_MAPBY).and_then(MapPolicy::of_bits);
    let own_rank = own.number(keys::APP_RANKBY).and_then(RankPolicy::of_bits);
    let own_bind = own.number(keys::APP_BINDTO).and_then(BindPolicy::of_bits);
    let mut options = job.clone();
    options.own_map = own_map.is_some();
    if let Some(map) = own_map {
        options.kind = map.kind.unwrap_or(job.kind);
        options.named = map.kind.is_some() || job.named;
        options.flags = map.flags;
        options.origins[MAP] = if map.kind.is_some() {
            Origin::App
        } else {
            job.origins[MAP]
        };
    }
    options.settle_kind(lsf);
    options.take_values(&own);
    let own_mode = if own.is_set(keys::APP_HWT_CPUS) || options.maps_threads() {
        Some(CpuMode::Hwthread)
    } else {
        own.is_set(keys::APP_CORE_CPUS).then_some(CpuMode::Core)
    };
    // Threads are the cpus of LSF's apps alone, not of an app beside them.
    let mut words = job.clone();
    if job.lsf && !options.lsf {
        words.lsf = false;
        words.settle_job_modes(request);
    }
    options.word_mode = own_mode.unwrap_or(words.word_mode);
    options.mode = own_mode.unwrap_or(words.mode);
    let own_pe = own.number(keys::APP_PES_PER_PROC).map(|cpus| Pe {
        cpus,
        by: DecidedBy::App,
    });
    // An app of its own map, target, pattern or mode judges for itself whether it can use the job's PE; others are the job.
    let mode_said = own.is_set(keys::APP_HWT_CPUS) || own.is_set(keys::APP_CORE_CPUS);
    let pattern_said = pattern_of(&own, keys::APP_PPR).is_some();
    options.judges_pe = own_map.is_some() || own_bind.is_some() || pattern_said || mode_said;
    if own_pe.is_some() {
        options.pe = own_pe;
    } else if options.judges_pe {
        options.drop_unusable_pe(own_bind, offer);
    }
    // Rank.
    if let Some(ranking) = own_rank {
        options.rank_said = Some((ranking.word, DecidedBy::App));
        options.origins[RANK] = Origin::App;
    } else if own_map.is_some() {
        options.rank_said = None;
    }
    options.settle_rank();
    // Bind.
    match (own_bind, own_map) {
        (Some(bind), _) => {
            options.bind_said = bind.word.map(|word| (word, DecidedBy::App));
            options.bind_flags = bind.flags;
            options.origins[BIND] = Origin::App;
        }
        (None, Some(_)) => options.bind_said = None,
        (None, None) => {}
    }
    options.settle_mode();
    match (own_map, own_bind, own_pe) {
        // What the job is bound to stands as it is, also under a pattern of the app's own.
        (None, None, None) => {}
        (None, _, _) => options.settle_bind(Defaults::Jobs),
        (Some(_), _, _) => options.settle_bind(Defaults::Own),
    }
    options
}

impl Options {
    /// Whether the map itself makes threads the cpus.
    fn maps_threads(&self) -> bool {
        self.lsf
            || mapped_kind(self.kind, self.pattern.map(|(_, on)| on)) == Some(ObjKind::Hwthread)
    }

    /// What the words of the job make its cpus.
    fn settle_job_modes(&mut self, request: &SpawnRequest) {
        let threads = request.attributes().is_set(Owner::Job, keys::JOB_HWT_CPUS);
        self.word_mode = if threads || self.maps_threads() {
            CpuMode::Hwthread
        } else {
            CpuMode::Core
        };
        self.mode = self.word_mode;
        self.settle_mode();
    }

    fn settle_kind(&mut self, lsf: Lsf) {
        self.lsf = lsf == Lsf::Given && !self.named && !self.flags.has(Flags::ORDERED);
    }

    /// Pattern, list, file, device and limit: the app's, else the job's.
    fn take_values(&mut self, own: &Owned<'_>) {
        let string = |key| own.string(key).map(str::to_owned);
        if let Some(pattern) = pattern_of(own, keys::APP_PPR) {
            self.pattern = Some(pattern);
        }
        if let Some(list) = string(keys::APP_CPUSET) {
            self.list = Some(list);
        }
        self.job_numbering = !self.own_map;
        if let Some(file) = string(keys::APP_MAP_FILE) {
            self.file = Some(file);
            self.job_numbering = false;
        }
        if let Some(device) = string(keys::APP_DIST_DEVICE) {
            self.device = Some(device);
        }
        if let Some(gpus) = gpus_of(own, keys::APP_GPUS) {
            self.gpus = Some((gpus, DecidedBy::App));
        }
        if let Some(options) = mpibind_of(own, keys::APP_MPIBIND) {
            self.mpibind = options;
        }
        if let Some(limit) = own.number(keys::APP_BINDING_LIMIT) {
            self.limit = Some(limit);
        }
    }

    /// Gives up the job's PE where the app cannot use it.
    fn drop_unusable_pe(&mut self, own_bind: Option<BindPolicy>, offer: JobPe) {
        let Some(pe) = self.pe else {
            return;
        };
        let no_cpus = matches!(self.kind, MapKind::PeList | MapKind::Mpibind)
            || self.kind.is_listed()
            || self.lsf;
        let too_small = pe.cpus > 1 && self.one_cpu_objects();
        let other_target = own_bind
            .and_then(|bind| bind.word)
            .is_some_and(|word| target_mode(word).is_none());
        if no_cpus || too_small || other_target || (offer == JobPe::Withheld && pe.cpus > 1) {
            self.pe = None;
            self.pe_unused = true;
        }
    }

    /// Whether an object of the mapped kind has one cpu, whatever the topology.
    #[must_use]
    pub(crate) fn one_cpu_objects(&self) -> bool {
        match mapped_kind(self.kind, self.pattern.map(|(_, on)| on)) {
            Some(ObjKind::Hwthread) => true,
            Some(ObjKind::Core) => self.word_mode == CpuMode::Core,
            Some(_) | None => false,
        }
    }

    /// PE above 1, or ORDERED with a list: the binding is explicit, and an explicit target decides the mode.
    fn is_exact(&self) -> bool {
        self.pe.is_some_and(|pe| pe.cpus > 1)
            || (self.kind == MapKind::PeList && self.flags.has(Flags::ORDERED))
    }

    fn settle_mode(&mut self) {
        let target = self.bind_said.and_then(|(word, _)| target_mode(word));
        if let Some(mode) = target.filter(|_| self.is_exact()) {
            self.mode = mode;
        }
    }

    fn settle_rank(&mut self) {
        let listed = self.lsf || self.kind.is_listed();
        match self.rank_said {
            _ if listed => self.rank = RankBy::Listed,
            Some((word, _)) => self.rank = rank_by(word),
            None => self.rank = derive_ranking(self.kind, self.flags),
        }
        if listed || self.rank_said.is_none() {
            self.origins[RANK] = Origin::Default(Rule::RankAsMapped);
        }
    }

    fn settle_bind(&mut self, defaults: Defaults) {
        if let Some((word, _)) = self.bind_said {
            self.bind = bind_to(word);
            self.strength = BindStrength::Explicit;
            return;
        }
        let (kind, rule) = derive_binding(
            self.kind,
            self.pattern.map(|(_, on)| on),
            self.pe,
            self.mode,
        );
        let by_size = rule == Rule::BindOwnMap && defaults == Defaults::Jobs;
        let (bind, rule) = match (self.lsf, by_size) {
            (true, _) => (BindTo::Object(ObjKind::Hwthread), Rule::BindOwnMap),
            (false, _) if self.kind == MapKind::Mpibind => {
                (BindTo::Object(ObjKind::Hwthread), Rule::BindOwnMap)
            }
            (false, true) => (BindTo::BySize, Rule::BindBySize),
            (false, false) => (BindTo::Object(kind), rule),
        };
        self.bind = bind;
        self.strength = if self.is_exact() || self.kind == MapKind::Mpibind {
            BindStrength::Explicit
        } else {
            BindStrength::Default
        };
        self.origins[BIND] = Origin::Default(rule);
    }
}
