//! Words about GPUs, and those of mpibind, that cannot stand together.

use super::conflicts::JudgedOptions;
use super::options::{DecidedBy, mapped_kind};
use crate::error::SpecError;
use crate::error::spec::{Owner, Said};
use crate::policy::MapKind;
use crate::policy::{GpuShare, ObjKind};
use crate::spawn::policy::Flags;
use crate::table::origins::Origin;
use crate::text::words::BindWord;

impl JudgedOptions<'_> {
    fn contradiction(&self, first: Said, second: Said, why: &'static str) -> SpecError {
        SpecError::ContradictingQualifiers {
            owner: Owner::App(self.app),
            first,
            second,
            why,
        }
    }

    /// # Errors
    /// `contradicting-qualifiers`: how GPUs are given beside a map that says it, on one app.
    pub(super) fn judge_gpus(&self) -> Result<(), SpecError> {
        let options = self.options;
        let Some((share, by)) = options.gpus else {
            return Ok(());
        };
        let kind = mapped_kind(options.kind, options.pattern.map(|(_, on)| on));
        let says = kind == Some(ObjKind::Gpu) || options.kind == MapKind::Mpibind;
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
        let said = Said { word, at: None };
        let why = "the map says which GPU each process gets";
        Err(self.contradiction(said, self.said_map(), why))
    }

    /// # Errors
    /// `contradicting-qualifiers`: mpibind decides cpus and binding itself.
    pub(super) fn judge_mpibind(&self) -> Result<(), SpecError> {
        let options = self.options;
        let fail = |said: Said| {
            let why = "mpibind deals cpus by itself";
            Err(self.contradiction(said, self.said_map(), why))
        };
        let said = self.spoken.map(self.map_owner());
        let places = said.map_or([None; 6], |said| {
            [
                said.pe.as_ref().map(|pe| pe.place),
                said.span,
                said.ordered,
                said.hwtcpus,
                said.corecpus,
                said.file.as_ref().map(|file| file.place),
            ]
        });
        let words = ["pe=", "span", "ordered", "hwtcpus", "corecpus", "file="];
        for (word, place) in words.into_iter().zip(places) {
            if place.is_some() {
                return fail(Said {
                    word: word.to_owned(),
                    at: self.at(place),
                });
            }
        }
        let flags = [(Flags::SPAN, "span"), (Flags::ORDERED, "ordered")];
        if let Some((_, word)) = flags.iter().find(|(flag, _)| options.flags.has(*flag)) {
            return fail(Said {
                word: (*word).to_owned(),
                at: None,
            });
        }
        if let Some(pe) = options.pe {
            return fail(Said {
                word: format!("pe={}", pe.cpus),
                at: None,
            });
        }
        if let Some((word @ BindWord::Object(_), by)) = options.bind_said {
            return fail(self.said_bind(word, by));
        }
        let own = options.origins[2] == Origin::App || !options.own_map;
        let qualified = options.bind_flags.bits() & !Flags::GIVEN.bits() != 0;
        if own && (qualified || options.limit.is_some()) {
            return fail(Said {
                word: "a qualifier of bind-to".to_owned(),
                at: None,
            });
        }
        Ok(())
    }
}
