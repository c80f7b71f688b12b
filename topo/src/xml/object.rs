//! Reads the attributes of one `<object>`, and settles its kind.

use super::dialect::Dialect;
use super::sets::{Set, Sets};
use super::tree::{GroupKind, Merging};
use crate::classes::KnownAs;
use crate::error::{XmlFault, whole};
use crate::kind::{self, Holds, Kind};
use quick_xml::escape::unescape;

/// What the `type` of an object says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    /// Not said.
    Unsaid,
    /// A kind.
    Kind(Kind),
    /// `Cache`, whose kind its depth and cache type give (dialect 1).
    AnyCache,
    /// `System`, a machine if it is the outermost object (dialect 1).
    System,
}

/// The group kind of groups that are dies.
const GROUP_OF_DIE: u64 = 104;

/// Types of OS devices: the number, the bit, what it is. An OpenFabrics device is a network device too.
const OS_TYPES: &[(u64, u64, KnownAs)] = &[
    (3, 1 << 5, KnownAs::OpenFabrics),
    (2, 1 << 4, KnownAs::Network),
    (0, 1, KnownAs::Block),
];

/// An object as its attributes describe it.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) kind: Type,
    pub(super) os: Option<u32>,
    pub(super) cpuset: Option<Set>,
    pub(super) complete_cpuset: Option<Set>,
    pub(super) nodeset: Option<Set>,
    /// Only whether it is given matters.
    pub(super) complete_nodeset: Option<()>,
    pub(super) allowed_cpuset: Option<Set>,
    pub(super) allowed_nodeset: Option<Set>,
    pub(super) name: Option<String>,
    pub(super) subtype: Option<String>,
    /// Where a PCI device is plugged in.
    pub(super) pci: Option<u64>,
    /// The number of an OS device's type.
    os_type: Option<u64>,
    cache_depth: u64,
    cache_type: u64,
    pub(super) group: GroupKind,
}

impl Object {
    pub(super) fn new() -> Self {
        Self {
            kind: Type::Unsaid,
            os: None,
            cpuset: None,
            complete_cpuset: None,
            nodeset: None,
            complete_nodeset: None,
            allowed_cpuset: None,
            allowed_nodeset: None,
            name: None,
            subtype: None,
            pci: None,
            os_type: None,
            cache_depth: 0,
            cache_type: 0,
            group: GroupKind::default(),
        }
    }

    /// Takes one attribute. Attributes that say nothing about places are ignored.
    pub(super) fn attribute(
        &mut self,
        key: &str,
        value: &str,
        place: Place,
        sets: &mut Sets,
    ) -> Result<(), XmlFault> {
        if key == "type" {
            let found = type_of(value).ok_or_else(|| bad("type", value, "a kind of object"))?;
            (self.kind, self.group.kind) = found;
            return Ok(());
        }
        if self.kind == Type::Unsaid {
            let what = format!("an object says {} before its type", cut(key));
            return Err(XmlFault::BadObject { what });
        }
        match key {
            "os_index" => self.os = os_number(value)?,
            "cpuset" => self.cpuset = Some(set(sets, "cpuset", value)?),
            "complete_cpuset" => {
                self.complete_cpuset = Some(set(sets, "complete_cpuset", value)?);
            }
            // Only the outermost object can allow and disallow.
            "allowed_cpuset" | "allowed_nodeset" if place == Place::Inside => {}
            "allowed_cpuset" => self.allowed_cpuset = Some(set(sets, "allowed_cpuset", value)?),
            "nodeset" => self.nodeset = Some(set(sets, "nodeset", value)?),
            "complete_nodeset" => self.complete_nodeset = Some(()),
            "allowed_nodeset" => self.allowed_nodeset = Some(set(sets, "allowed_nodeset", value)?),
            "name" => self.name = Some(words("name", value)?),
            "subtype" => self.subtype = Some(words("subtype", value)?),
            "pci_busid" => self.pci = pci_address(value),
            "osdev_type" => self.os_type = value.trim_ascii().parse().ok(),
            "depth" => self.cache_depth = number("depth", value)?,
            "cache_type" => self.cache_type = number("cache_type", value)?,
            "kind" => self.group.kind = number("kind", value)?,
            "subkind" => self.group.subkind = number("subkind", value)?,
            "dont_merge" if number("dont_merge", value)? != 0 => {
                self.group.merging = Merging::Refused;
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes an `<info>` of the object. Dialect 1 keeps the subtype there.
    pub(super) fn info(&mut self, dialect: Dialect, name: &str, value: &str) {
        if dialect == Dialect::One && matches!(name, "Type" | "CoProcType") {
            self.subtype = Some(value.to_owned());
        }
    }

    /// Its kind in the tree. `place`: whether it is the outermost object.
    ///
    /// # Errors
    /// A `System` or `Machine` inside another object if the dialect does not allow it; a cache whose attributes are of another
    /// cache.
    pub(super) fn settle_kind(&self, dialect: Dialect, place: Place) -> Result<Kind, XmlFault> {
        let kind = match (self.kind, place) {
            (Type::Unsaid, _) => return Err(object("an object without type")),
            (Type::System, Place::Outermost) => Kind::Machine,
            (Type::System, Place::Inside) => return Err(object("a System inside another object")),
            (Type::AnyCache, _) if dialect == Dialect::One => self
                .cache()
                .ok_or_else(|| object("a cache of no such depth"))?,
            (Type::AnyCache, _) => {
                return Err(object(
                    "an object of type Cache, which ended with dialect 1",
                ));
            }
            (Type::Kind(Kind::Machine), Place::Inside) if dialect == Dialect::Three => {
                return Err(object("a Machine inside another object"));
            }
            (Type::Kind(Kind::Machine), Place::Inside) => Kind::Group,
            // Dialect 1 also used Misc for groups of cpus.
            (Type::Kind(Kind::Misc), _) if dialect == Dialect::One && self.cpuset.is_some() => {
                Kind::Group
            }
            (Type::Kind(kind), _) => kind,
        };
        let is_die = self.group.kind == GROUP_OF_DIE || self.subtype.as_deref() == Some("Die");
        if kind == Kind::Group && is_die {
            return Ok(Kind::Die);
        }
        if matches!(kind, Kind::Cache(..)) && self.cache() != Some(kind) {
            return Err(object(
                "a cache whose depth and cache_type are of another cache",
            ));
        }
        Ok(kind)
    }

    /// What an OS device is. Dialects 1 and 2 number the types; in dialect 3 each type is a bit.
    pub(super) fn known_as(&self, dialect: Dialect) -> KnownAs {
        let Some(number) = self.os_type else {
            return KnownAs::Other;
        };
        let found = match dialect {
            Dialect::One | Dialect::Two => OS_TYPES.iter().find(|row| row.0 == number),
            Dialect::Three => OS_TYPES.iter().find(|row| number & row.1 != 0),
        };
        found.map_or(KnownAs::Other, |row| row.2)
    }

    /// The cache that its depth and cache type give.
    fn cache(&self) -> Option<Kind> {
        let depth = u8::try_from(self.cache_depth).ok()?;
        let holds = match self.cache_type {
            2 => Holds::Instructions,
            _ => Holds::Data,
        };
        let most = match holds {
            Holds::Instructions => 3,
            Holds::Data => 5,
        };
        (1..=most)
            .contains(&depth)
            .then_some(Kind::Cache(depth, holds))
    }
}

/// Where an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// The first object of the file.
    Outermost,
    /// Below another object.
    Inside,
}

/// The kind that a `type` says, and for a group its group kind.
fn type_of(value: &str) -> Option<(Type, u64)> {
    if let Some(kind) = kind::scan(value.as_bytes()) {
        return Some((Type::Kind(kind), 0));
    }
    let words = [
        ("Cache", Type::AnyCache, 0),
        ("System", Type::System, 0),
        ("Tile", Type::Kind(Kind::Group), 103),
        ("Module", Type::Kind(Kind::Group), 102),
        ("Cluster", Type::Kind(Kind::Group), 222),
    ];
    let found = words
        .iter()
        .find(|(word, ..)| word.eq_ignore_ascii_case(value));
    found.map(|(_, kind, group)| (*kind, *group))
}

/// A fault of an object, as a sentence.
pub(super) fn object(what: &str) -> XmlFault {
    XmlFault::BadObject {
        what: what.to_owned(),
    }
}

/// A fault of a value.
pub(super) fn bad(attribute: &'static str, value: &str, expected: &'static str) -> XmlFault {
    XmlFault::BadValue {
        attribute,
        value: cut(value),
        expected,
    }
}

/// The first 60 bytes, for messages.
fn cut(text: &str) -> String {
    let end = whole(text, 60);
    text[..end].to_owned()
}

fn set(sets: &mut Sets, attribute: &'static str, value: &str) -> Result<Set, XmlFault> {
    let expected = "a set (0x0000000f, or several such words with commas)";
    sets.read(value)
        .ok_or_else(|| bad(attribute, value, expected))
}

/// A number in decimal.
pub(super) fn number(attribute: &'static str, value: &str) -> Result<u64, XmlFault> {
    let digits = value.trim_ascii();
    let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let found = digits.parse().ok().filter(|_| all);
    found.ok_or_else(|| bad(attribute, value, "a number"))
}

/// `0000:c1:00.0` as a number that orders addresses: domain, bus, device, function. `None` if it is not an address.
fn pci_address(value: &str) -> Option<u64> {
    let mut address = 0;
    let parts: Vec<&str> = value.trim_ascii().split([':', '.']).collect();
    let [domain, bus, device, function] = parts[..] else {
        return None;
    };
    for part in [domain, bus, device, function] {
        let number = u32::from_str_radix(part, 16).ok()?;
        address = address << 8 | u64::from(number);
    }
    Some(address)
}

/// An OS number. hwloc writes all ones for none.
fn os_number(value: &str) -> Result<Option<u32>, XmlFault> {
    if matches!(value, "-1" | "4294967295" | "18446744073709551615") {
        return Ok(None);
    }
    let expected = "a number below 2^32";
    let number = number("os_index", value).map_err(|_| bad("os_index", value, expected))?;
    let number = u32::try_from(number).map_err(|_| bad("os_index", value, expected))?;
    Ok(Some(number))
}

/// Words with entities such as `&lt;` replaced.
pub(super) fn words(attribute: &'static str, value: &str) -> Result<String, XmlFault> {
    match unescape(value) {
        Ok(words) => Ok(words.into_owned()),
        Err(_) => Err(bad(attribute, value, "text with known entities")),
    }
}
