//! Policies and their origins in the words that people type.

use std::fmt::Write as _;
use stowplan_engine::policy::{
    BindStrength, BindTo, CpuMode, IfSupported, MapBy, NoLocal, ObjKind, Ordered, Overload,
    Oversubscribe, RankBy, Span,
};
use stowplan_engine::table::apps::{AppTable, Policy};
use stowplan_engine::table::origins::{Origin, Rule};
use stowplan_engine::text::device::device_text;
use stowplan_engine::text::mpibind::options_text;

/// The map policy without its qualifiers, as `ppr:2:package`.
#[must_use]
pub fn map(policy: &Policy, table: &AppTable) -> String {
    let word = policy.map.word();
    if let MapBy::Ppr { per, on } = policy.map {
        format!("{word}:{per}:{on}")
    } else if policy.map == MapBy::PeList {
        let ranges = policy.list.map_or(&[][..], |list| &table.lists[list]);
        format!("{word}={}", number_ranges(ranges))
    } else if let MapBy::Device(options) = policy.map {
        format!("{word}={}", device_text(options))
    } else if let MapBy::Mpibind(options) = policy.map
        && options != Default::default()
    {
        format!("{word}:{}", options_text(options))
    } else {
        word.to_owned()
    }
}

/// The qualifiers of a map policy that are not the default, in the order of the help text.
#[must_use]
pub fn map_qualifiers(policy: &Policy) -> Vec<String> {
    let mut words = Vec::new();
    let mut push = |given: bool, word: &str| {
        if given {
            words.push(word.to_owned());
        }
    };
    push(policy.span == Span::Yes, "span");
    push(
        policy.oversubscribe == Oversubscribe::Allowed,
        "oversubscribe",
    );
    push(policy.nolocal == NoLocal::Yes, "nolocal");
    push(policy.ordered == Ordered::Yes, "ordered");
    push(policy.pe > 1, &format!("pe={}", policy.pe));
    let by_thread = policy.map == MapBy::Object(ObjKind::Hwthread);
    push(policy.mode == CpuMode::Hwthread && !by_thread, "hwtcpus");
    words
}

/// The word of the rank policy.
#[must_use]
pub const fn rank(policy: &Policy) -> &'static str {
    match policy.rank {
        RankBy::Slot => "slot",
        RankBy::Node => "node",
        RankBy::Fill => "fill",
        RankBy::Span => "span",
        RankBy::Listed => "listed",
    }
}

/// The word of the bind target.
#[must_use]
pub const fn bind(policy: &Policy) -> &'static str {
    match policy.bind {
        BindTo::Nothing => "none",
        BindTo::Object(kind) => kind.word(),
        // Decided before a plan exists; a plan that somebody else made may still have it.
        BindTo::BySize => "by-size",
    }
}

/// The qualifiers of a bind target that are not the default.
#[must_use]
pub fn bind_qualifiers(policy: &Policy) -> Vec<String> {
    let mut words = Vec::new();
    if policy.if_supported == IfSupported::Yes {
        words.push("if-supported".to_owned());
    }
    if policy.overload == Overload::Allowed {
        words.push("overload-allowed".to_owned());
    }
    if let Some(limit) = policy.limit {
        words.push(format!("limit={limit}"));
    }
    words
}

/// Whether the binding is a default, which may be given up, or was asked for: a word.
#[must_use]
pub const fn strength(policy: &Policy) -> &'static str {
    match policy.strength {
        BindStrength::Default => "default",
        BindStrength::Explicit => "explicit",
    }
}

/// What counts as one cpu.
#[must_use]
pub const fn mode(mode: CpuMode) -> &'static str {
    match mode {
        CpuMode::Core => "core",
        CpuMode::Hwthread => "hwthread",
    }
}

/// Joins a directive and its qualifiers: `core:span:pe=2`.
#[must_use]
pub fn joined(word: &str, qualifiers: &[String]) -> String {
    let mut text = word.to_owned();
    for qualifier in qualifiers {
        text.push(':');
        text.push_str(qualifier);
    }
    text
}

/// Inclusive ranges as a list, in their order.
#[must_use]
pub fn number_ranges(ranges: &[(u32, u32)]) -> String {
    let mut text = String::new();
    for &(first, last) in ranges {
        let comma = if text.is_empty() { "" } else { "," };
        let written = if first == last {
            write!(text, "{comma}{first}")
        } else {
            write!(text, "{comma}{first}-{last}")
        };
        written.expect("a String takes every character");
    }
    text
}

/// The origin of a word: a stable word, and for a default also that of its rule.
#[must_use]
pub const fn origin(origin: Origin) -> (&'static str, Option<&'static str>) {
    match origin {
        Origin::App => ("app", None),
        Origin::Job => ("job", None),
        Origin::Parent => ("parent", None),
        Origin::Default(rule) => ("default", Some(rule_word(rule))),
    }
}

/// The stable word of a rule.
const fn rule_word(rule: Rule) -> &'static str {
    match rule {
        Rule::MapCore => "map-core",
        Rule::MapSlotForPe => "map-slot-for-pe",
        Rule::MapAsBound => "map-as-bound",
        Rule::RankAsMapped => "rank-as-mapped",
        Rule::BindAsMapped => "bind-as-mapped",
        Rule::BindForPe => "bind-for-pe",
        Rule::BindPeList => "bind-pe-list",
        Rule::BindOwnMap => "bind-own-map",
        Rule::BindBySize => "bind-by-size",
        Rule::MapParameter => "mapby",
        Rule::RankParameter => "rankby",
        Rule::BindParameter => "bindto",
    }
}
