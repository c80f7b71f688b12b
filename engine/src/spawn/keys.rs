//! Attribute keys: number, name, type, and who may have them. Source: `per-app` 2.1, 2.2 (the numbers are PRRTE's).

use crate::error::spec::Owner;

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ValueType {
    /// Present is true.
    Bool,
    /// 16 bits.
    Uint16,
    /// 32 bits.
    Uint32,
    /// Text.
    String,
}

impl ValueType {
    /// The word that requests and listings use.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Uint16 => "uint16",
            Self::Uint32 => "uint32",
            Self::String => "string",
        }
    }
    /// The type with this word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::Bool, Self::Uint16, Self::Uint32, Self::String]
            .into_iter()
            .find(|ty| ty.word() == word)
    }
}

/// Who may have a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyPlace {
    /// Apps only.
    App,
    /// The job only.
    Job,
    /// The job, and an app as a request to the job.
    Promoted,
}

impl KeyPlace {
    /// Whether this owner may have such a key.
    #[must_use]
    pub const fn holds(self, owner: Owner) -> bool {
        match (self, owner) {
            (Self::App, Owner::App(_)) | (Self::Job, Owner::Job) | (Self::Promoted, _) => true,
            (Self::App, Owner::Job) | (Self::Job, Owner::App(_)) => false,
        }
    }
}

/// A key that we know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    /// Its number.
    pub number: u16,
    /// Its name.
    pub name: &'static str,
    /// The type of its value.
    pub ty: ValueType,
    /// Who may have it.
    pub place: KeyPlace,
}

macro_rules! keys {
    ($($(#[$doc:meta])* $const_name:ident = $number:literal, $name:literal, $ty:ident, $place:ident;)*) => {
        $($(#[$doc])* pub const $const_name: u16 = $number;)*
        /// All keys we know, by number.
        pub const KEYS: &[Key] = &[
            $(Key { number: $number, name: $name, ty: ValueType::$ty, place: KeyPlace::$place },)*
        ];
    };
}

keys! {
    /// The app's hostfile.
    APP_HOSTFILE = 1, "PRTE_APP_HOSTFILE", String, App;
    /// The app's `-H` list.
    APP_DASH_HOST = 3, "PRTE_APP_DASH_HOST", String, App;
    /// Cpus per process.
    APP_PES_PER_PROC = 24, "PRTE_APP_PES_PER_PROC", Uint16, App;
    /// `N:object`.
    APP_PPR = 25, "PRTE_APP_PPR", String, App;
    /// The mapping policy and its flags.
    APP_MAPBY = 26, "PRTE_APP_MAPBY", Uint16, App;
    /// The ranking policy and its flags.
    APP_RANKBY = 27, "PRTE_APP_RANKBY", Uint16, App;
    /// The binding policy and its flags.
    APP_BINDTO = 28, "PRTE_APP_BINDTO", Uint16, App;
    /// The sequence file or rankfile.
    APP_MAP_FILE = 29, "PRTE_APP_MAP_FILE", String, App;
    /// The device of dist.
    APP_DIST_DEVICE = 30, "PRTE_APP_DIST_DEVICE", String, App;
    /// Hardware threads are the cpus.
    APP_HWT_CPUS = 31, "PRTE_APP_HWT_CPUS", Bool, App;
    /// Cores are the cpus.
    APP_CORE_CPUS = 32, "PRTE_APP_CORE_CPUS", Bool, App;
    /// The list of pe-list.
    APP_CPUSET = 33, "PRTE_APP_CPUSET", String, App;
    /// Processes per target object.
    APP_BINDING_LIMIT = 34, "PRTE_APP_BINDING_LIMIT", Uint16, App;
    /// How the app's processes get GPUs: `split`, `share`, `none` or a number for each.
    APP_GPUS = 35, "PRTE_APP_GPUS", String, App;
    /// The options of mpibind.
    APP_MPIBIND = 36, "PRTE_APP_MPIBIND", String, App;
    /// The job's list of pe-list.
    JOB_CPUSET = 237, "PRTE_JOB_CPUSET", String, Job;
    /// Show the map.
    JOB_DISPLAY_MAP = 264, "PRTE_JOB_DISPLAY_MAP", Bool, Promoted;
    /// Show the map in detail.
    JOB_DISPLAY_DEVEL_MAP = 265, "PRTE_JOB_DISPLAY_DEVEL_MAP", Bool, Promoted;
    /// Inherit the parent's policies, and hand them down.
    JOB_INHERIT = 276, "PRTE_JOB_INHERIT", Bool, Promoted;
    /// The job's cpus per process.
    JOB_PES_PER_PROC = 277, "PRTE_JOB_PES_PER_PROC", Uint16, Job;
    /// The job's device of dist.
    JOB_DIST_DEVICE = 278, "PRTE_JOB_DIST_DEVICE", String, Job;
    /// Hardware threads are the job's cpus.
    JOB_HWT_CPUS = 279, "PRTE_JOB_HWT_CPUS", Bool, Job;
    /// Cores are the job's cpus.
    JOB_CORE_CPUS = 280, "PRTE_JOB_CORE_CPUS", Bool, Job;
    /// The job's `N:object`.
    JOB_PPR = 281, "PRTE_JOB_PPR", String, Job;
    /// Do not inherit.
    JOB_NOINHERIT = 282, "PRTE_JOB_NOINHERIT", Bool, Promoted;
    /// The job's sequence file or rankfile.
    JOB_FILE = 283, "PRTE_JOB_FILE", String, Job;
    /// The job's processes per target object.
    JOB_BINDING_LIMIT = 315, "PRTE_JOB_BINDING_LIMIT", Uint16, Job;
    /// How the processes of the job get GPUs.
    JOB_GPUS = 316, "PRTE_JOB_GPUS", String, Job;
    /// The job's options of mpibind.
    JOB_MPIBIND = 317, "PRTE_JOB_MPIBIND", String, Job;
}

/// The highest number of an app key; node keys begin there.
pub const APP_KEY_MAX: u16 = 100;

/// Whether this is the key of one of the three policies, which directives set. The job's policies have the same keys as
/// an app's.
#[must_use]
pub fn is_policy(key: u16) -> bool {
    (APP_MAPBY..=APP_BINDTO).contains(&key)
}

/// The key with this number, if we know it.
#[must_use]
pub fn key(number: u16) -> Option<&'static Key> {
    KEYS.binary_search_by_key(&number, |key| key.number)
        .ok()
        .map(|row| &KEYS[row])
}

/// The key with this name, if we know it.
#[must_use]
pub fn key_named(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// App keys, each with the job's key that it falls back to.
const PAIRS: [(u16, u16); 10] = [
    (APP_PES_PER_PROC, JOB_PES_PER_PROC),
    (APP_PPR, JOB_PPR),
    (APP_MAP_FILE, JOB_FILE),
    (APP_DIST_DEVICE, JOB_DIST_DEVICE),
    (APP_HWT_CPUS, JOB_HWT_CPUS),
    (APP_CORE_CPUS, JOB_CORE_CPUS),
    (APP_CPUSET, JOB_CPUSET),
    (APP_BINDING_LIMIT, JOB_BINDING_LIMIT),
    (APP_GPUS, JOB_GPUS),
    (APP_MPIBIND, JOB_MPIBIND),
];

/// The owner's key for what an app has under `app_key`.
#[must_use]
pub(crate) fn key_of(owner: Owner, app_key: u16) -> u16 {
    let pair = PAIRS.iter().find(|pair| pair.0 == app_key);
    match (owner, pair) {
        (Owner::Job, Some(&(_, job_key))) => job_key,
        (Owner::Job, None) | (Owner::App(_), _) => app_key,
    }
}

/// The app's key for what the job has under `key`.
#[must_use]
pub(crate) fn app_key(key: u16) -> u16 {
    let pair = PAIRS.iter().find(|pair| pair.1 == key);
    pair.map_or(key, |pair| pair.0)
}
