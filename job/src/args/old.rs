//! Old spellings of directives: each is exactly the new one.

use super::reader::{Once, Reader};
use crate::options::Old;
use stowplan_engine::error::SpecError;
use stowplan_engine::policy::{CpuMode, MapKind, ObjKind, PprObject};
use stowplan_engine::text::mapping::MapForm;
use stowplan_engine::text::said::MapChoice;
use stowplan_engine::text::words::MapQualifier;

impl Reader<'_> {
    /// Takes an old spelling.
    pub(super) fn old(
        &mut self,
        old: Old,
        given: &str,
        value: &str,
        seen: &mut Vec<(Once, String)>,
    ) -> Result<(), SpecError> {
        let owner = self.owner();
        let text = self.text(given, value);
        let form = match old {
            Old::PerNode => Some(MapForm::PprOn(PprObject::Node)),
            Old::PerPackage => Some(MapForm::PprOn(PprObject::Kind(ObjKind::Package))),
            Old::Ppr => Some(MapForm::Ppr),
            Old::CpuSet => Some(MapForm::PeList),
            Old::CpusPerProc => return self.intake.map(owner, MapForm::Pe, text, None),
            Old::OnePerNode
            | Old::ByNode
            | Old::ByCore
            | Old::BySlot
            | Old::Rankfile
            | Old::Oversubscribe
            | Old::NoOversubscribe
            | Old::NoLocal
            | Old::HwtCpus
            | Old::BindToCore
            | Old::BindToPackage => None,
        };
        if let Some(form) = form {
            self.once(seen, Once::Map, given)?;
            return self.intake.map(owner, form, text, None);
        }
        let choice = match old {
            Old::OnePerNode => MapChoice::pattern(1, PprObject::Node),
            Old::ByNode => MapKind::Node.into(),
            Old::ByCore => MapKind::Object(ObjKind::Core).into(),
            Old::BySlot => MapKind::Slot.into(),
            Old::Rankfile => {
                self.once(seen, Once::Map, given)?;
                let whole = self.text(given, &format!("rankfile:file={value}"));
                return self.intake.map(owner, MapForm::Whole, whole, None);
            }
            Old::BindToCore | Old::BindToPackage => {
                self.once(seen, Once::Bind, given)?;
                let target = if old == Old::BindToCore {
                    "core"
                } else {
                    "package"
                };
                let whole = self.text(given, target);
                return self.intake.bind(owner, whole, None);
            }
            Old::Oversubscribe => return self.qualifier(MapQualifier::Oversubscribe, text),
            Old::NoOversubscribe => return self.qualifier(MapQualifier::NoOversubscribe, text),
            Old::NoLocal => return self.qualifier(MapQualifier::NoLocal, text),
            Old::HwtCpus => {
                self.job.slots_by = CpuMode::Hwthread;
                return self.qualifier(MapQualifier::HwtCpus, text);
            }
            Old::PerNode | Old::PerPackage | Old::Ppr | Old::CpuSet | Old::CpusPerProc => {
                return Ok(());
            }
        };
        self.once(seen, Once::Map, given)?;
        self.intake.map_choice(owner, choice, text);
        Ok(())
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "as the other ways to take an option"
    )]
    fn qualifier(&mut self, qualifier: MapQualifier, text: u32) -> Result<(), SpecError> {
        self.intake.map_flag(self.owner(), qualifier, text, None);
        Ok(())
    }
}
