//! The attributes of a job and its apps, one JSON line for each. Source: `per-app` 11.2.

use std::io::{self, Write};
use stowplan::answers::json_text;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::id::Id as _;
use stowplan_engine::spawn::attributes::{Attribute, Value, key_name};
use stowplan_engine::spawn::keys;
use stowplan_engine::spawn::policy::{BindPolicy, Flags, MapPolicy, RankPolicy};
use stowplan_engine::spawn::request::{AppRow, SpawnRequest, Unknown, owner};

/// Writes the line of the job, then a line per entry of the apps array.
///
/// # Errors
/// Those of the writer. Cost: linear in the size of the request.
pub fn write(request: &SpawnRequest, out: &mut dyn Write) -> io::Result<()> {
    let mut unknown = request.unknown();
    write!(
        out,
        "{{\"job\":{{\"mapping\":{},\"ranking\":{},\"binding\":{}}},",
        policy(request.mapping(Owner::Job).map(mapping)),
        policy(request.ranking(Owner::Job).map(ranking)),
        policy(request.binding(Owner::Job).map(binding)),
    )?;
    write_attributes(request, Owner::Job, &mut unknown, out)?;
    for (app, row) in request.apps().iter() {
        match row {
            AppRow::Hole => writeln!(out, "{{\"app\":{},\"hole\":true}}", app.row())?,
            AppRow::App { np } => {
                let np = np.map_or_else(|| "null".to_owned(), |np| np.to_string());
                write!(out, "{{\"app\":{},\"np\":{np},", app.row())?;
                write_attributes(request, owner(app), &mut unknown, out)?;
            }
        }
    }
    Ok(())
}

fn write_attributes(
    request: &SpawnRequest,
    owner: Owner,
    unknown: &mut &[Unknown],
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"\"attributes\":[")?;
    let mut comma = "";
    let attributes = request.attributes().of(owner).iter();
    for attribute in attributes.filter(|row| !row.is_policy_of_job()) {
        let name = quoted(&key_name(attribute.key));
        let (key, ty, scope) = (
            attribute.key,
            attribute.value.ty().word(),
            attribute.scope.word(),
        );
        write!(
            out,
            "{comma}{{\"key\":{key},\"name\":{name},\"type\":\"{ty}\",\"value\":"
        )?;
        write!(out, "{},\"scope\":\"{scope}\"}}", value(attribute))?;
        comma = ",";
    }
    // Unknown keys are sorted by owner, as the lines are.
    while let Some((row, rest)) = unknown.split_first().filter(|(row, _)| row.owner == owner) {
        let (name, ty) = (quoted(&row.name), quoted(&row.ty));
        write!(
            out,
            "{comma}{{\"key\":null,\"name\":{name},\"type\":{ty},\"value\":{}",
            row.value
        )?;
        write!(out, ",\"scope\":\"{}\"}}", row.scope.word())?;
        comma = ",";
        *unknown = rest;
    }
    out.write_all(b"]}\n")
}

fn quoted(text: &str) -> String {
    json_text::text(text)
}

fn value(attribute: &Attribute) -> String {
    match (&attribute.value, attribute.key) {
        (Value::Uint16(bits), keys::APP_MAPBY) => policy(MapPolicy::of_bits(*bits).map(mapping)),
        (Value::Uint16(bits), keys::APP_RANKBY) => policy(RankPolicy::of_bits(*bits).map(ranking)),
        (Value::Uint16(bits), keys::APP_BINDTO) => policy(BindPolicy::of_bits(*bits).map(binding)),
        (Value::Bool(value), _) => value.to_string(),
        (Value::Uint16(value), _) => value.to_string(),
        (Value::Uint32(value), _) => value.to_string(),
        (Value::String(text), _) => quoted(text),
    }
}

/// The word of a policy and the words of its flags, in the order in which they are shown.
type Words = (Option<&'static str>, Vec<&'static str>);

fn mapping(policy: MapPolicy) -> Words {
    let flags = [
        (policy.flags.has(Flags::GIVEN), "GIVEN"),
        (policy.flags.has(Flags::SPAN), "SPAN"),
        (policy.flags.has(Flags::ORDERED), "ORDERED"),
        (policy.flags.has(Flags::NOLOCAL), "NOLOCAL"),
        (policy.flags.oversubscribes(), "OVERSUBSCRIBE"),
        (policy.flags.forbids_oversubscription(), "NOOVERSUBSCRIBE"),
    ];
    (policy.map.map(|map| map.word()), said(&flags))
}

fn ranking(policy: RankPolicy) -> Words {
    (Some(policy.rank.word()), vec!["GIVEN"])
}

fn binding(policy: BindPolicy) -> Words {
    let flags = [
        (policy.flags.has(Flags::GIVEN), "GIVEN"),
        (policy.flags.has(Flags::IF_SUPPORTED), "IF_SUPPORTED"),
        (policy.flags.has(Flags::ALLOW_OVERLOAD), "ALLOW_OVERLOAD"),
        (policy.flags.has(Flags::OVERLOAD_GIVEN), "OVERLOAD_GIVEN"),
    ];
    (policy.bind.map(|bind| bind.word()), said(&flags))
}

fn said(flags: &[(bool, &'static str)]) -> Vec<&'static str> {
    flags
        .iter()
        .filter(|(there, _)| *there)
        .map(|(_, word)| *word)
        .collect()
}

fn policy(words: Option<Words>) -> String {
    let Some((word, flags)) = words else {
        return "null".to_owned();
    };
    let word = word.map_or_else(|| "null".to_owned(), quoted);
    let flags: Vec<String> = flags.into_iter().map(quoted).collect();
    format!("{{\"policy\":{word},\"flags\":[{}]}}", flags.join(","))
}
