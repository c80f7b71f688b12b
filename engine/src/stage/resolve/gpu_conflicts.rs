//! GPU words that contradict a map, and words that contradict mpibind.

use super::conflicts::JudgedOptions;
use super::options::DecidedBy;
use crate::error::SpecError;
use crate::error::spec::Said;
use crate::policy::{BindTo, GpuShare, MapBy, ObjKind};
use crate::spawn::policy::Flags;
use crate::table::origins::Origin;
use crate::text::words::Qualifier;

impl JudgedOptions<'_> {
    /// # Errors
    /// `contradicting-qualifiers`: a GPU word for an app whose map decides the GPUs.
    pub(super) fn check_gpus(&self) -> Result<(), SpecError> {
        let options = self.options;
        let Some((share, by)) = options.gpus else {
            return Ok(());
        };
        let map = options.map();
        let says = map.object_kind() == Some(ObjKind::Gpu) || matches!(map, MapBy::Mpibind(_));
        let together = by == DecidedBy::App || !options.own_map;
        let word = match share {
            GpuShare::None | GpuShare::PerRank(1) => return Ok(()),
            GpuShare::Split => "gpus split".to_owned(),
            GpuShare::Share => "gpus share".to_owned(),
            GpuShare::PerRank(each) => format!("gpus-per-rank {each}"),
        };
        if !(says && together) {
            return Ok(());
        }
        let why = "the map says which GPU each process gets";
        self.contradiction(Said { word, at: None }, self.said_map(), why)
    }

    /// # Errors
    /// `contradicting-qualifiers`: a word about cpus or binding, which mpibind decides itself.
    pub(super) fn check_mpibind(&self) -> Result<(), SpecError> {
        match self.beside_mpibind() {
            Some(said) => self.contradiction(said, self.said_map(), "mpibind deals cpus by itself"),
            None => Ok(()),
        }
    }

    /// The first word that contradicts mpibind: first the words of its own directive, then all others in force.
    fn beside_mpibind(&self) -> Option<Said> {
        let options = self.options;
        let said = |word: &str, at| {
            let word = word.to_owned();
            Said { word, at }
        };
        let in_directive = [
            ("pe=", Qualifier::Pe),
            ("span", Qualifier::Span),
            ("ordered", Qualifier::Ordered),
            ("hwtcpus", Qualifier::HwtCpus),
            ("corecpus", Qualifier::CoreCpus),
            ("file=", Qualifier::File),
        ]
        .into_iter()
        .find_map(|(word, qualifier)| {
            let at = self.spoken.place(self.map_owner(), qualifier)?;
            Some(said(word, Some(at)))
        });
        if in_directive.is_some() {
            return in_directive;
        }
        let flags = [(Flags::SPAN, "span"), (Flags::ORDERED, "ordered")];
        if let Some((_, word)) = flags.iter().find(|(flag, _)| options.flags.has(*flag)) {
            return Some(said(word, None));
        }
        if let Some(pe) = options.pe {
            return Some(said(&format!("pe={}", pe.cpus), None));
        }
        if let Some((bind @ BindTo::Object(_), by)) = options.bind_said {
            return Some(self.said_bind(bind, by));
        }
        let own = options.origins.bind == Origin::App || !options.own_map;
        let qualified = options.bind_flags.bits() & !Flags::GIVEN.bits() != 0;
        (own && (qualified || options.limit.is_some()))
            .then(|| said("a qualifier of bind-to", None))
    }
}
