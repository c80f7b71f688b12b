//! Old spellings of directives. Each means exactly the same as the new spelling.

use super::reader::{Reader, Seen};
use crate::job::options::Old;
use stowplan_engine::error::SpecError;
use stowplan_engine::policy::{CpuMode, MapBy, ObjKind, PprObject};
use stowplan_engine::spawn::attributes::Scope;
use stowplan_engine::spawn::intake::DirectiveForm;
use stowplan_engine::text::mapping::MapForm;
use stowplan_engine::text::words::Qualifier;

impl Reader<'_> {
    /// Takes an old spelling.
    pub(super) fn old(
        &mut self,
        old: Old,
        given: &str,
        value: &str,
        seen: &mut Seen,
    ) -> Result<(), SpecError> {
        let form = match old {
            Old::PerNode => MapForm::PprOn(PprObject::Node),
            Old::PerPackage => MapForm::PprOn(PprObject::Kind(ObjKind::Package)),
            Old::Ppr => MapForm::Ppr,
            Old::CpuSet => MapForm::PeList,
            Old::CpusPerProc => MapForm::Pe,
            Old::Rankfile => {
                let whole = format!("rankfile:file={value}");
                return self.directive(DirectiveForm::Map(MapForm::Whole), given, &whole, seen);
            }
            Old::OnePerNode => MapForm::Policy(MapBy::Ppr {
                per: 1,
                on: PprObject::Node,
            }),
            Old::ByNode => MapForm::Policy(MapBy::Node),
            Old::ByCore => MapForm::Policy(MapBy::Object(ObjKind::Core)),
            Old::BySlot => MapForm::Policy(MapBy::Slot),
            Old::Oversubscribe => MapForm::Qualifier(Qualifier::Oversubscribe),
            Old::NoOversubscribe => MapForm::Qualifier(Qualifier::NoOversubscribe),
            Old::NoLocal => MapForm::Qualifier(Qualifier::NoLocal),
            Old::HwtCpus => {
                self.job.slots_by = CpuMode::Hwthread;
                MapForm::Qualifier(Qualifier::HwtCpus)
            }
            Old::ByPackage => MapForm::Policy(MapBy::Object(ObjKind::Package)),
            Old::LoadBalance => {
                self.directive(DirectiveForm::Rank, given, "slot", seen)?;
                MapForm::Policy(MapBy::Node)
            }
            Old::BindToNone => return self.directive(DirectiveForm::Bind, given, "none", seen),
            Old::BindToCore => return self.directive(DirectiveForm::Bind, given, "core", seen),
            Old::BindToPackage => {
                return self.directive(DirectiveForm::Bind, given, "package", seen);
            }
        };
        if !matches!(form, MapForm::Pe | MapForm::Qualifier(_)) {
            return self.directive(DirectiveForm::Map(form), given, value, seen);
        }
        // Qualifiers are added to the app's mapping.
        let text = self.text(given, value);
        self.intake
            .directive(self.owner(), DirectiveForm::Map(form), text, Scope::Global)
    }
}
