//! What one info of the job or an app says: reads its directives, finds contradictions, makes attributes.

use super::attributes::{Attribute, Attributes, Scope, Source, Value, key_name};
use super::keys::{self, app_key, key_of};
use super::policy::{BindPolicy, Flags, MapPolicy, RankPolicy};
use super::request::Unknown;
use crate::error::spec::Owner;
use crate::policy::{BindTo, MapBy, RankBy};
use crate::text::cursor::ranges_text;
use crate::text::device::device_text;
use crate::text::directive::{DirectiveError, read_bind, read_rank};
use crate::text::mapping::{MapForm, pattern_text, read_map};
use crate::text::mpibind::options_text;
use crate::text::said::{
    Argument, Conflict, Directive, INHERITANCE, MODES, MapChoice, TWO_VALUES, TextPlace,
};
use crate::text::words::Qualifier;

/// Qualifiers that only the job may use, in the order in which they are refused on an app.
const JOB_ONLY: [Qualifier; 5] = [
    Qualifier::Oversubscribe,
    Qualifier::NoOversubscribe,
    Qualifier::Inherit,
    Qualifier::NoInherit,
    Qualifier::Report,
];

/// Qualifiers that become flags of a policy.
const FLAGS: [(Qualifier, Flags); 8] = [
    (Qualifier::NoLocal, Flags::NOLOCAL),
    (Qualifier::Span, Flags::SPAN),
    (Qualifier::Ordered, Flags::ORDERED),
    (Qualifier::Oversubscribe, Flags::OVERSUBSCRIBE),
    (Qualifier::NoOversubscribe, Flags::NOOVERSUBSCRIBE),
    (Qualifier::IfSupported, Flags::IF_SUPPORTED),
    (
        Qualifier::OverloadAllowed,
        Flags::ALLOW_OVERLOAD.with(Flags::OVERLOAD_GIVEN),
    ),
    (Qualifier::NoOverload, Flags::OVERLOAD_GIVEN),
];

/// Qualifiers that become attributes, with the app's key.
const KEYS: [(Qualifier, Source, u16); 7] = [
    (Qualifier::Pe, Source::Map, keys::APP_PES_PER_PROC),
    (Qualifier::File, Source::Map, keys::APP_MAP_FILE),
    (Qualifier::HwtCpus, Source::Map, keys::APP_HWT_CPUS),
    (Qualifier::CoreCpus, Source::Map, keys::APP_CORE_CPUS),
    (Qualifier::Inherit, Source::Map, keys::JOB_INHERIT),
    (Qualifier::NoInherit, Source::Map, keys::JOB_NOINHERIT),
    (Qualifier::Limit, Source::Bind, keys::APP_BINDING_LIMIT),
];

/// Keys that an app's mapping directive replaces: set by their own names beside a directive, they have no effect.
const SUPERSEDED: [u16; 2] = [keys::APP_PES_PER_PROC, keys::APP_PPR];

/// The app's keys that both a directive and a single value can set, in the order in which they are judged.
const SAID_TWICE: [u16; 6] = [
    keys::APP_MAP_FILE,
    keys::APP_CPUSET,
    keys::APP_DIST_DEVICE,
    keys::APP_PPR,
    keys::APP_PES_PER_PROC,
    keys::APP_BINDING_LIMIT,
];

/// A value that was set by its own name or in a directive.
#[derive(Clone, Debug)]
pub(super) struct SaidValue {
    /// For a value from a directive: the app's key.
    pub(super) key: u16,
    pub(super) value: Value,
    pub(super) scope: Scope,
    pub(super) source: Source,
    pub(super) place: TextPlace,
}

impl SaidValue {
    pub(super) fn attribute(&self, owner: Owner) -> Attribute {
        Attribute {
            owner,
            key: key_of(owner, self.key),
            value: self.value.clone(),
            scope: self.scope,
            source: self.source,
        }
    }
}

/// Which directive a text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DirectiveForm {
    /// A mapping, in this form.
    Map(MapForm),
    /// A ranking.
    Rank,
    /// A binding.
    Bind,
}

/// What one info says.
#[derive(Clone, Debug, Default)]
pub(super) struct Info {
    pub(super) map: Directive<MapChoice>,
    pub(super) rank: Directive<RankBy>,
    pub(super) bind: Directive<BindTo>,
    /// Attributes that were set by their own names.
    pub(super) singles: Vec<SaidValue>,
    pub(super) unknown: Vec<Unknown>,
}

impl Info {
    /// Adds what a text says. `row`: the row of the text.
    ///
    /// # Errors
    /// The first wrong word.
    pub(super) fn read(
        &mut self,
        form: DirectiveForm,
        text: &str,
        row: u32,
        scope: Scope,
    ) -> Result<(), DirectiveError> {
        match form {
            DirectiveForm::Map(form) => {
                self.map.scope = scope;
                read_map(&mut self.map, form, text, row)
            }
            DirectiveForm::Rank => {
                self.rank.scope = scope;
                read_rank(&mut self.rank, text, row)
            }
            DirectiveForm::Bind => {
                self.bind.scope = scope;
                read_bind(&mut self.bind, text, row)
            }
        }
    }

    /// The place of a qualifier in a directive.
    pub(super) fn place(&self, qualifier: Qualifier) -> Option<TextPlace> {
        let map = self.map.place(qualifier);
        map.or_else(|| self.bind.place(qualifier))
    }

    /// The first word that only the job may use.
    pub(super) fn job_only(&self) -> Option<(Qualifier, TextPlace)> {
        JOB_ONLY
            .into_iter()
            .find_map(|qualifier| Some((qualifier, self.place(qualifier)?)))
    }

    /// The first contradiction inside this info.
    pub(super) fn contradiction(&self, owner: Owner) -> Option<Conflict> {
        // The place of a value set by its own name, or else in a directive.
        let place = |word| {
            let (.., key) = KEYS.iter().find(|row| row.0 == word)?;
            let single = self.single(*key).map(|single| single.place);
            single.or_else(|| self.place(word))
        };
        let in_directives = self.map.contradiction();
        in_directives
            .or_else(|| self.bind.contradiction())
            .or_else(|| MODES.check(place))
            .or_else(|| self.two_values())
            // Requests of apps to the job are judged when they are promoted.
            .or_else(|| INHERITANCE.check(place).filter(|_| owner == Owner::Job))
    }

    /// The value that was set by its own name, by the app's key.
    fn single(&self, key: u16) -> Option<&SaidValue> {
        let mut singles = self.singles.iter();
        singles.find(|single| app_key(single.key) == key)
    }

    /// One key that a directive and a single value set to two values.
    fn two_values(&self) -> Option<Conflict> {
        let in_directives = self.values();
        SAID_TWICE.into_iter().find_map(|key| {
            let first = in_directives.iter().find(|said| said.key == key)?;
            let second = self
                .single(key)
                .filter(|second| second.value != first.value && !self.supersedes(second))?;
            Some(Conflict {
                first: ("the directive".to_owned(), first.place),
                second: (key_name(second.key), second.place),
                why: TWO_VALUES,
            })
        })
    }

    /// Whether the app's mapping directive replaces this value, which was set by its own name.
    pub(super) fn supersedes(&self, single: &SaidValue) -> bool {
        self.map.is_said() && SUPERSEDED.contains(&single.key)
    }

    /// The values that the directives set, besides their policies.
    fn values(&self) -> Vec<SaidValue> {
        let mut values = Vec::new();
        let mut add = |source, key, value, place| {
            let scope = match source {
                Source::Bind => self.bind.scope,
                Source::Map | Source::Rank | Source::Own => self.map.scope,
            };
            values.push(SaidValue {
                key,
                value,
                scope,
                source,
                place,
            });
        };
        if let Some(policy) = &self.map.policy
            && let Some((key, text)) = behind_word(&policy.value)
        {
            add(Source::Map, key, Value::String(text), policy.place);
        }
        for said in self.map.qualifiers.iter().chain(&self.bind.qualifiers) {
            let value = match &said.argument {
                Argument::Nothing => Value::Bool(true),
                Argument::Number(number) => Value::Uint16(*number),
                Argument::Path(path) => Value::String(path.clone()),
            };
            if let Some((_, source, key)) = KEYS.iter().find(|row| row.0 == said.qualifier) {
                add(*source, *key, value, said.place);
            }
        }
        values
    }

    /// Stores what the directives say, after they were judged. It replaces what earlier directives of the same kind
    /// stored. Words that only the job may use are not stored on an app.
    pub(super) fn store(&self, owner: Owner, attributes: &mut Attributes) {
        let app = owner != Owner::Job;
        let Self {
            map, rank, bind, ..
        } = self;
        let mut store = |source, scope, key, bits| {
            attributes.remove_source(owner, source);
            attributes.set(Attribute {
                owner,
                key,
                value: Value::Uint16(bits),
                scope,
                source,
            });
        };
        if map.is_said() {
            let flags = flags_of(map);
            let policy = MapPolicy {
                map: map.policy.as_ref().map(|said| said.value.map.bare()),
                flags: if app {
                    flags.without(Flags::NOOVERSUBSCRIBE)
                } else {
                    flags
                },
            };
            store(Source::Map, map.scope, keys::APP_MAPBY, policy.bits());
        }
        if let Some(policy) = &rank.policy {
            let policy = RankPolicy { rank: policy.value };
            store(Source::Rank, rank.scope, keys::APP_RANKBY, policy.bits());
        }
        if bind.is_said() {
            let policy = BindPolicy {
                bind: bind.policy.as_ref().map(|said| said.value),
                flags: flags_of(bind),
            };
            store(Source::Bind, bind.scope, keys::APP_BINDTO, policy.bits());
        }
        if app && map.is_said() {
            for key in SUPERSEDED {
                attributes.remove(owner, key);
            }
        }
        for value in self.values() {
            let of_job = matches!(value.key, keys::JOB_INHERIT | keys::JOB_NOINHERIT);
            if !(app && of_job) {
                attributes.set(value.attribute(owner));
            }
        }
    }
}

/// The app's key for the value behind a policy's word, and the canonical spelling of that value.
fn behind_word(choice: &MapChoice) -> Option<(u16, String)> {
    match (choice.map, &choice.device) {
        (MapBy::Ppr { per, on }, _) => Some((keys::APP_PPR, pattern_text(per, on))),
        (MapBy::PeList, _) => Some((keys::APP_CPUSET, ranges_text(&choice.list))),
        (MapBy::Dist, Some(device)) => Some((keys::APP_DIST_DEVICE, device.clone())),
        (MapBy::Device(options), _) => Some((keys::APP_DIST_DEVICE, device_text(options))),
        (MapBy::Mpibind(options), _) => Some((keys::APP_MPIBIND, options_text(options))),
        (_, _) => None,
    }
}

fn flags_of<P>(said: &Directive<P>) -> Flags {
    let given = if said.policy.is_some() {
        Flags::GIVEN
    } else {
        Flags::none()
    };
    let flags = FLAGS.iter().filter(|row| said.place(row.0).is_some());
    flags.fold(given, |all, row| all.with(row.1))
}
