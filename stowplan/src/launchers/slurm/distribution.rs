//! `-m`: how tasks go over nodes, and cores and cpus over sockets. It is read here; `tasks_per_node.rs` and `laying.rs` go over nodes
//! by it, `cores.rs` and `binding.rs` over a node.

use super::numbers::positive;

/// How tasks go over nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum First {
    #[default]
    Block,
    Cyclic,
    Arbitrary,
    Plane(u64),
}

/// How cores and cpus of a node are taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Second {
    Block,
    Cyclic,
    Fcyclic,
}

/// Whether nodes are filled one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Packing {
    Pack,
    NoPack,
}

/// `-m`. A second part that is not given is a value of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Distribution {
    pub first: First,
    pub second: Option<Second>,
    pub packing: Option<Packing>,
    /// Whether a third part was given; it does nothing.
    pub(super) third: bool,
}

impl Distribution {
    /// Reads `first[:second[:third]][,pack|nopack]`. `plane` is the size of a plane that has none.
    pub fn read(text: &str, plane: Option<u64>) -> Result<Self, String> {
        let small = text.to_ascii_lowercase();
        let mut own = Self::default();
        let mut parts = None;
        for (place, piece) in small.split(',').enumerate() {
            match piece {
                "pack" => own.packing = Some(Packing::Pack),
                "nopack" => own.packing = Some(Packing::NoPack),
                words if place == 0 => parts = Some(words),
                _ => return Err(format!("{piece:?} is neither pack nor nopack")),
            }
        }
        let Some(parts) = parts else {
            return Ok(own);
        };
        if let Some(size) = parts.strip_prefix("plane") {
            own.first = match (size.strip_prefix('='), plane) {
                (Some(size), _) => {
                    First::Plane(positive(size).ok_or("the size of a plane is a number from 1")?)
                }
                (None, Some(plane)) if size.is_empty() => First::Plane(plane),
                (None, _) => return Err("plane needs a size: plane=K".to_owned()),
            };
            return Ok(own);
        }
        let mut words = parts.split(':');
        own.first = match words.next() {
            Some("block" | "*") => First::Block,
            Some("cyclic") => First::Cyclic,
            Some("arbitrary" | "hostfile") => First::Arbitrary,
            other => return Err(unknown(other, "block, cyclic, arbitrary, plane=K and *")),
        };
        own.second = match words.next() {
            None => None,
            Some("block") => Some(Second::Block),
            Some("cyclic" | "*") => Some(Second::Cyclic),
            Some("fcyclic") => Some(Second::Fcyclic),
            other => return Err(unknown(other, "block, cyclic, fcyclic and *")),
        };
        match (words.next(), words.next()) {
            (None, None) => Ok(own),
            (Some("block" | "cyclic" | "fcyclic" | "*"), None) => Ok(Self { third: true, ..own }),
            (other, _) => Err(unknown(other, "block, cyclic, fcyclic and *")),
        }
    }

    /// As the page says it: `block:cyclic`.
    pub fn text(self) -> String {
        let first = match self.first {
            First::Block => "block".to_owned(),
            First::Cyclic => "cyclic".to_owned(),
            First::Arbitrary => "arbitrary".to_owned(),
            First::Plane(size) => return format!("plane={size}"),
        };
        let second = match self.second {
            None => "",
            Some(Second::Block) => ":block",
            Some(Second::Cyclic) => ":cyclic",
            Some(Second::Fcyclic) => ":fcyclic",
        };
        let packing = match self.packing {
            None => "",
            Some(Packing::Pack) => ",pack",
            Some(Packing::NoPack) => ",nopack",
        };
        format!("{first}{second}{packing}")
    }
}

fn unknown(word: Option<&str>, known: &str) -> String {
    format!("{:?} is none of {known}", word.unwrap_or(""))
}
