//! One app's options: the job's, overridden by the app's attributes. Pure and idempotent. Source: `per-app` 6, R1 to R13. A default
//! binding that depends on the size of the job is decided in `size.rs`.

use crate::error::spec::Owner;
use crate::policy::{BindStrength, BindTo, CpuMode, GpuShare, MapBy, Mpibind, ObjKind};
use crate::policy::{PprObject, RankBy};
use crate::spawn::inherit::{Inherited, SaidBy};
use crate::spawn::keys::{self, key_of};
use crate::spawn::policy::Flags;
use crate::spawn::request::SpawnRequest;
use crate::table::origins::{Origin, Origins, Rule};
use crate::text::device::read_device;
use crate::text::mapping::read_pattern;
use crate::text::mpibind::read_options;

/// Whether LSF's affinity file has entries for apps that name no policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lsf {
    /// It has entries.
    Given,
    /// There is none, or it is empty.
    Absent,
}

/// Whether an app may take the job's PE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobPe {
    /// Yes, if it can use it.
    Offered,
    /// No: the objects of the app's nodes are too small for it.
    Withheld,
}

/// Who said a word. No app number, so that apps with equal options have equal rows.
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
    /// The map policy by its word alone; [`Options::map`] adds its parameters and LSF.
    pub map_word: MapBy,
    /// Whether LSF's file places the app.
    pub lsf: bool,
    /// Whether the app or the job named a policy.
    pub named: bool,
    /// Whether the app has a mapping directive.
    pub own_map: bool,
    /// SPAN, ORDERED, NOLOCAL.
    pub flags: Flags,
    /// The pattern of `ppr`.
    pub pattern: Option<(u32, PprObject)>,
    /// The list of `pe-list`, as text.
    pub list: Option<String>,
    /// The file of seq or rankfile.
    pub file: Option<String>,
    /// Whether the file numbers the job's ranks.
    pub job_numbering: bool,
    /// The device of dist.
    pub device: Option<String>,
    /// The cpu mode that follows from the words alone.
    pub word_mode: CpuMode,
    /// The cpu mode in force.
    pub mode: CpuMode,
    /// Cpus per process, if anybody said it.
    pub pe: Option<Pe>,
    /// Whether the app has a map, target, pattern or mode of its own. Such an app drops the job's PE if it cannot use it.
    pub checks_pe: bool,
    /// Whether the job said a PE that this app cannot use.
    pub pe_unused: bool,
    /// The order of ranks.
    pub rank: RankBy,
    /// The rank word in force and who said it, if anybody did.
    pub rank_said: Option<(RankBy, DecidedBy)>,
    /// The bind target.
    pub bind: BindTo,
    /// The bind word in force and who said it, if anybody did.
    pub bind_said: Option<(BindTo, DecidedBy)>,
    /// Whether the binding was asked for or is a default.
    pub strength: BindStrength,
    /// Qualifiers of the bind directive.
    pub bind_flags: Flags,
    /// LIMIT.
    pub limit: Option<u16>,
    /// How processes get GPUs and who said it, if anybody did.
    pub gpus: Option<(GpuShare, DecidedBy)>,
    /// The options of `mpibind`.
    pub mpibind: Mpibind,
    /// Where the policies come from.
    pub origins: Origins,
}

/// The default ranking of a map: by node for node, by span for objects with SPAN, by fill for other objects, as listed for files,
/// by slot for all other maps.
#[must_use]
pub(crate) fn derive_ranking(map: MapBy, flags: Flags) -> RankBy {
    match map {
        MapBy::Node => RankBy::Node,
        MapBy::Seq | MapBy::Rankfile | MapBy::Lsf => RankBy::Listed,
        MapBy::Object(_) | MapBy::Dist | MapBy::Device(_) => {
            flags.choose(Flags::SPAN, RankBy::Span, RankBy::Fill)
        }
        MapBy::Slot | MapBy::Ppr { .. } | MapBy::PeList | MapBy::Mpibind(_) | MapBy::Given => {
            RankBy::Slot
        }
    }
}

/// The default target of a map: the mapped kind; one cpu if PE is said or the map has no objects.
#[must_use]
pub(crate) fn derive_binding(map: MapBy, pe: Option<Pe>, mode: CpuMode) -> (ObjKind, Rule) {
    match map.object_kind() {
        _ if pe.is_some() => (mode.cpu(), Rule::BindForPe),
        Some(kind) => (kind, Rule::BindAsMapped),
        None if map == MapBy::PeList => (mode.cpu(), Rule::BindPeList),
        None => (mode.cpu(), Rule::BindOwnMap),
    }
}

/// The mode that PE or ORDERED takes from an explicit target, if the target is one cpu.
pub(super) fn target_mode(bind: BindTo) -> Option<CpuMode> {
    [CpuMode::Core, CpuMode::Hwthread]
        .into_iter()
        .find(|mode| bind == BindTo::Object(mode.cpu()))
}

/// The job's options, with every default decided. Source: `semantics` 3.
#[must_use]
pub fn job_options(request: &SpawnRequest, inherited: Inherited, lsf: Lsf) -> Options {
    let mut options = Options::unsaid();
    options.take(request, Owner::Job, inherited);
    if !options.named {
        let (map, rule) = match (options.pe, options.bind_said) {
            (Some(Pe { cpus: 2.., .. }), _) => (MapBy::Slot, Rule::MapSlotForPe),
            (_, Some((BindTo::Object(kind), _))) => (MapBy::Object(kind), Rule::MapAsBound),
            (_, Some(_)) => (MapBy::Slot, Rule::MapAsBound),
            (_, None) => (MapBy::Object(ObjKind::Core), Rule::MapCore),
        };
        options.map_word = map;
        options.origins.map = Origin::Default(rule);
    }
    options.settle_map(lsf);
    options.settle_job_modes(request);
    options.settle_rank();
    options.settle_bind(Defaults::Jobs);
    options
}

/// Which default target a map without objects has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defaults {
    /// The job's default, which depends on its number of processes (3.6).
    Jobs,
    /// The default of an app's own map: a cpu.
    Own,
}

/// The options of one app. An app without attributes has the job's options.
#[must_use]
pub fn app_options(
    request: &SpawnRequest,
    app: Owner,
    job: &Options,
    lsf: Lsf,
    offer: JobPe,
) -> Options {
    let mut options = job.clone();
    let own = request.attributes();
    if own.of(app).is_empty() {
        return options;
    }
    options.take(request, app, Inherited::default());
    options.own_map = own.has(app, keys::APP_MAPBY);
    options.job_numbering = !options.own_map && !own.has(app, keys::APP_MAP_FILE);
    options.settle_map(lsf);
    let threads_said = own.is_set(app, keys::APP_HWT_CPUS);
    let cores_said = own.is_set(app, keys::APP_CORE_CPUS);
    // LSF makes threads the cpus of the apps that it places, not of the other apps.
    let mut words = job.clone();
    if job.lsf && !options.lsf {
        words.lsf = false;
        words.settle_job_modes(request);
    }
    (options.word_mode, options.mode) = if threads_said || options.maps_threads() {
        (CpuMode::Hwthread, CpuMode::Hwthread)
    } else if cores_said {
        (CpuMode::Core, CpuMode::Core)
    } else {
        (words.word_mode, words.mode)
    };
    // An app with a map, target, pattern or mode of its own decides whether it can use the job's PE; all other apps keep it.
    let own_bind = request.binding(app);
    let says_where = options.own_map || own_bind.is_some() || own.has(app, keys::APP_PPR);
    options.checks_pe = says_where || threads_said || cores_said;
    let own_pe = own.has(app, keys::APP_PES_PER_PROC);
    if options.checks_pe && !own_pe {
        options.drop_unusable_pe(own_bind.and_then(|own| own.bind), offer);
    }
    options.settle_rank();
    options.settle_mode();
    if options.own_map {
        options.settle_bind(Defaults::Own);
    } else if own_bind.is_some() || own_pe {
        options.settle_bind(Defaults::Jobs);
    }
    // Otherwise the app keeps the job's binding, even with a pattern of its own.
    options
}

impl Options {
    /// Nothing said, and no default decided.
    fn unsaid() -> Self {
        let nobody = Origin::Default(Rule::MapCore);
        Self {
            map_word: MapBy::Object(ObjKind::Core),
            lsf: false,
            named: false,
            own_map: false,
            flags: Flags::none(),
            pattern: None,
            list: None,
            file: None,
            job_numbering: true,
            device: None,
            word_mode: CpuMode::Core,
            mode: CpuMode::Core,
            pe: None,
            checks_pe: false,
            pe_unused: false,
            rank: RankBy::Slot,
            rank_said: None,
            bind: BindTo::BySize,
            bind_said: None,
            strength: BindStrength::Default,
            bind_flags: Flags::none(),
            limit: None,
            gpus: None,
            mpibind: Mpibind::default(),
            origins: Origins {
                map: nobody,
                rank: nobody,
                bind: nobody,
            },
        }
    }

    /// The policy in force, with its parameters.
    #[must_use]
    pub fn map(&self) -> MapBy {
        if self.lsf {
            return MapBy::Lsf;
        }
        match (self.map_word, self.pattern) {
            (MapBy::Ppr { .. }, Some((per, on))) => MapBy::Ppr { per, on },
            (MapBy::Mpibind(_), _) => MapBy::Mpibind(self.mpibind),
            (MapBy::Device(_), _) => {
                let text = self.device.as_deref().unwrap_or_default();
                MapBy::Device(read_device(text, 0).unwrap_or_default())
            }
            (word, _) => word,
        }
    }

    /// Whether the map itself makes threads the cpus.
    fn maps_threads(&self) -> bool {
        self.lsf || self.map().object_kind() == Some(ObjKind::Hwthread)
    }

    /// Decides the cpu modes from the words of the job.
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

    fn settle_map(&mut self, lsf: Lsf) {
        self.lsf = lsf == Lsf::Given && !self.named && !self.flags.has(Flags::ORDERED);
    }

    /// Takes the words of an owner in place of earlier ones. `inherited`: what the job has from its parent.
    fn take(&mut self, request: &SpawnRequest, owner: Owner, inherited: Inherited) {
        let by = match owner {
            Owner::Job => DecidedBy::Job,
            Owner::App(_) => DecidedBy::App,
        };
        let origin = |said, rule| match (by, said) {
            (DecidedBy::Job, SaidBy::Parent) => Origin::Parent,
            (DecidedBy::Job, SaidBy::Parameter) => Origin::Default(rule),
            (DecidedBy::Job, SaidBy::Own) => Origin::Job,
            (DecidedBy::App, _) => Origin::App,
        };
        if let Some(mapping) = request.mapping(owner) {
            self.flags = mapping.flags;
            // The job's rank and bind words belong to the job's own map.
            (self.rank_said, self.bind_said) = (None, None);
            if let Some(word) = mapping.map {
                self.map_word = word;
                self.named = true;
                self.origins.map = origin(inherited.map, Rule::MapParameter);
            }
        }
        if let Some(ranking) = request.ranking(owner) {
            self.rank_said = Some((ranking.rank, by));
            self.origins.rank = origin(inherited.rank, Rule::RankParameter);
        }
        if let Some(binding) = request.binding(owner) {
            self.bind_said = binding.bind.map(|bind| (bind, by));
            self.bind_flags = binding.flags;
            self.origins.bind = origin(inherited.bind, Rule::BindParameter);
        }
        let attributes = request.attributes();
        let text = |key| attributes.string(owner, key_of(owner, key));
        let number = |key| attributes.number(owner, key_of(owner, key));
        if let Some(cpus) = number(keys::APP_PES_PER_PROC) {
            self.pe = Some(Pe { cpus, by });
        }
        if let Some(pattern) = text(keys::APP_PPR) {
            self.pattern = read_pattern(pattern, 0).ok().or(self.pattern);
        }
        if let Some(list) = text(keys::APP_CPUSET) {
            self.list = Some(list.to_owned());
        }
        if let Some(file) = text(keys::APP_MAP_FILE) {
            self.file = Some(file.to_owned());
        }
        if let Some(device) = text(keys::APP_DIST_DEVICE) {
            self.device = Some(device.to_owned());
        }
        if let Some(gpus) = text(keys::APP_GPUS).and_then(GpuShare::of_text) {
            self.gpus = Some((gpus, by));
        }
        if let Some(options) = text(keys::APP_MPIBIND) {
            self.mpibind = read_options(options, 0).unwrap_or(self.mpibind);
        }
        self.limit = number(keys::APP_BINDING_LIMIT).or(self.limit);
    }

    /// Drops the job's PE if the app cannot use it. `target`: the bind target that the app itself says.
    fn drop_unusable_pe(&mut self, target: Option<BindTo>, offer: JobPe) {
        let Some(pe) = self.pe else {
            return;
        };
        let map = self.map();
        let no_cpus = matches!(map, MapBy::PeList | MapBy::Mpibind(_)) || map.is_listed();
        let too_small = pe.cpus > 1 && self.one_cpu_objects();
        let other_target = target.is_some_and(|target| target_mode(target).is_none());
        if no_cpus || too_small || other_target || (offer == JobPe::Withheld && pe.cpus > 1) {
            self.pe = None;
            self.pe_unused = true;
        }
    }

    /// Whether an object of the mapped kind has one cpu on every topology.
    #[must_use]
    pub(crate) fn one_cpu_objects(&self) -> bool {
        match self.map().object_kind() {
            Some(ObjKind::Hwthread) => true,
            Some(ObjKind::Core) => self.word_mode == CpuMode::Core,
            Some(_) | None => false,
        }
    }

    /// PE above 1, or ORDERED with a list: the binding counts as explicit, and an explicit target decides the mode.
    fn is_exact(&self) -> bool {
        self.pe.is_some_and(|pe| pe.cpus > 1)
            || (self.map_word == MapBy::PeList && self.flags.has(Flags::ORDERED))
    }

    fn settle_mode(&mut self) {
        let target = self.bind_said.and_then(|(bind, _)| target_mode(bind));
        if let Some(mode) = target.filter(|_| self.is_exact()) {
            self.mode = mode;
        }
    }

    fn settle_rank(&mut self) {
        let said = self.rank_said.filter(|_| !self.map().is_listed());
        match said {
            Some((rank, _)) => self.rank = rank,
            None => {
                self.rank = derive_ranking(self.map(), self.flags);
                self.origins.rank = Origin::Default(Rule::RankAsMapped);
            }
        }
    }

    fn settle_bind(&mut self, defaults: Defaults) {
        if let Some((bind, _)) = self.bind_said {
            self.bind = bind;
            self.strength = BindStrength::Explicit;
            return;
        }
        let map = self.map();
        let mpibind = matches!(map, MapBy::Mpibind(_));
        let (bind, rule) = match derive_binding(map, self.pe, self.mode) {
            _ if mpibind || self.lsf => (BindTo::Object(ObjKind::Hwthread), Rule::BindOwnMap),
            (_, Rule::BindOwnMap) if defaults == Defaults::Jobs => {
                (BindTo::BySize, Rule::BindBySize)
            }
            (kind, rule) => (BindTo::Object(kind), rule),
        };
        self.bind = bind;
        self.strength = if self.is_exact() || mpibind {
            BindStrength::Explicit
        } else {
            BindStrength::Default
        };
        self.origins.bind = Origin::Default(rule);
    }
}
