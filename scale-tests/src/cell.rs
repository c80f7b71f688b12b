//! Policy × qualifier × ranking × binding: what the first app of a job asks for. Coverage is counted by cell.

use crate::choices::Choices;
use std::sync::LazyLock;
use stowplan_engine::policy::ObjKind;

/// Policies as words; the empty one is the default.
pub const POLICIES: [&str; 19] = [
    "slot",
    "node",
    "hwthread",
    "core",
    "l1cache",
    "l2cache",
    "l3cache",
    "numa",
    "package",
    "ppr:node",
    "ppr:package",
    "ppr:core",
    "ppr:numa",
    "ppr:hwthread",
    "ppr:l3cache",
    "pe-list",
    "seq",
    "rankfile",
    "",
];
/// Qualifiers of mapping.
pub const QUALIFIERS: [&str; 10] = [
    "",
    "pe",
    "span",
    "oversubscribe",
    "nolocal",
    "hwtcpus",
    "corecpus",
    "ordered",
    "pe:hwtcpus",
    "oversubscribe:span",
];
/// Rankings.
pub const RANKINGS: [&str; 5] = ["", "slot", "node", "fill", "span"];
/// Bindings.
pub const BINDINGS: [&str; 14] = [
    "",
    "none",
    "hwthread",
    "core",
    "l2cache",
    "l3cache",
    "numa",
    "package",
    "+overload-allowed",
    "core+overload-allowed",
    "core+if-supported",
    "numa+limit",
    "package+limit+overload-allowed",
    "none+overload-allowed",
];

/// One combination.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// Row of [`POLICIES`].
    pub policy: usize,
    /// Row of [`QUALIFIERS`].
    pub qualifier: usize,
    /// Row of [`RANKINGS`].
    pub ranking: usize,
    /// Row of [`BINDINGS`].
    pub binding: usize,
}

/// How many cells there are.
pub const CELLS: usize = POLICIES.len() * QUALIFIERS.len() * RANKINGS.len() * BINDINGS.len();

impl Cell {
    /// The cell of a number. Four numbers of five go through the cells that can be placed; the fifth goes through all cells.
    #[must_use]
    pub fn numbered(number: u64) -> Self {
        static PLACEABLE: LazyLock<Vec<Cell>> =
            LazyLock::new(|| Cell::all().filter(Cell::may_be_placed).collect());
        if number % 5 == 4 {
            return Self::row(number / 5);
        }
        let round = u64::try_from(PLACEABLE.len()).unwrap_or(u64::MAX);
        // A prime step, so that neighbouring numbers differ in all dimensions.
        let row = (number / 5 * 4 + number % 5) % round * 7919 % round;
        PLACEABLE[usize::try_from(row).unwrap_or(0)]
    }
    /// The cell in this row of the table of all cells. Numbers beyond the end start again.
    fn row(number: u64) -> Self {
        let cells = u64::try_from(CELLS).unwrap_or(u64::MAX);
        let mut rest = usize::try_from(number % cells * 7919 % cells).unwrap_or(0);
        let mut digit = |base: usize| {
            let digit = rest % base;
            rest /= base;
            digit
        };
        Self {
            policy: digit(POLICIES.len()),
            qualifier: digit(QUALIFIERS.len()),
            ranking: digit(RANKINGS.len()),
            binding: digit(BINDINGS.len()),
        }
    }
    /// Any cell.
    #[must_use]
    pub fn drawn(choices: &mut Choices<'_>) -> Self {
        Self::numbered(u64::from(choices.below(1 << 20)))
    }
    /// All cells.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..CELLS as u64).map(Self::row)
    }

    fn policy(&self) -> &'static str {
        POLICIES[self.policy]
    }
    fn has(&self, qualifier: &str) -> bool {
        QUALIFIERS[self.qualifier]
            .split(':')
            .any(|word| word == qualifier)
    }
    /// Whether the cell says NOLOCAL.
    #[must_use]
    pub fn avoids_local(&self) -> bool {
        self.has("nolocal")
    }
    /// Whether the cell says OVERSUBSCRIBE.
    #[must_use]
    pub fn oversubscribes(&self) -> bool {
        self.has("oversubscribe")
    }
    /// Whether the cell makes a job of one app differ from those of other cells: ORDERED has an effect on lists only, CORECPUS
    /// holds anyway, and a ranking has no effect on seq and rankfile.
    #[must_use]
    pub fn says_something(&self) -> bool {
        let listed = matches!(self.policy(), "seq" | "rankfile");
        let ordered = self.has("ordered") && self.policy() != "pe-list";
        !(ordered || self.has("corecpus") || listed && self.ranking > 0)
    }
    /// Whether the policy reads a rankfile.
    #[must_use]
    pub fn reads_ranks(&self) -> bool {
        self.policy() == "rankfile"
    }
    /// Whether the policy may read a sequence.
    #[must_use]
    pub fn reads_sequence(&self) -> bool {
        self.policy() == "seq"
    }
    /// The kind of object that processes are mapped to, or none.
    #[must_use]
    pub fn object(&self) -> Option<ObjKind> {
        let word = self.policy().trim_start_matches("ppr:");
        match word {
            "" => match BINDINGS[self.binding].split('+').next() {
                Some("none") => None,
                _ if self.has("pe") => None,
                Some("") | None => Some(ObjKind::Core),
                Some(target) => kind(target),
            },
            word => kind(word),
        }
    }

    /// The kind of object that processes are bound to, if the cell says one.
    #[must_use]
    pub fn target(&self) -> Option<ObjKind> {
        BINDINGS[self.binding].split('+').next().and_then(kind)
    }

    /// Whether any job with this combination can be placed (`docs/semantics.md` 2, "combinations").
    #[must_use]
    pub fn may_be_placed(&self) -> bool {
        let policy = self.policy();
        let object = self.object();
        let target = BINDINGS[self.binding].split('+').next().unwrap_or_default();
        let pattern = policy.starts_with("ppr:");
        let spans = !pattern && object.is_some();
        let ranked = !matches!(RANKINGS[self.ranking], "fill" | "span")
            || object.is_some()
            || matches!(policy, "seq" | "rankfile");
        let counts = match policy {
            "pe-list" | "rankfile" => false,
            _ => match object {
                Some(ObjKind::Core) => self.has("hwtcpus"),
                Some(ObjKind::Hwthread) => false,
                _ => true,
            },
        };
        let cpu_target = matches!(target, "" | "core" | "hwthread");
        let below = match (object, kind(target)) {
            (Some(object), Some(target)) => target.height() >= object.height(),
            _ => true,
        };
        (!self.has("span") || spans)
            && ranked
            && (!self.has("pe") || counts && cpu_target)
            && (policy != "pe-list" || cpu_target)
            && below
    }

    /// The value of `--map-by`; `None`: the option is not given.
    pub fn map_text(
        &self,
        choices: &mut Choices<'_>,
        file: Option<&str>,
        app: u32,
    ) -> Option<String> {
        let mut text = match self.policy() {
            "pe-list" => format!(
                "pe-list={}",
                choices.pick(&[
                    "0-1", "0-3", "0,1", "3,1", "0", "1-2", "2-5", "0-7", "0,2-3"
                ])
            ),
            word => match word.strip_prefix("ppr:") {
                Some(object) => format!("ppr:{}:{object}", choices.pick(&[1, 2, 1, 3, 4])),
                None => word.to_owned(),
            },
        };
        for qualifier in QUALIFIERS[self.qualifier]
            .split(':')
            .filter(|word| !word.is_empty())
        {
            let jobs = qualifier == "oversubscribe" && app > 0;
            if jobs && !choices.once_in(12) {
                continue;
            }
            text.push(':');
            text.push_str(qualifier);
            if qualifier == "pe" {
                text.push_str(choices.pick::<&str>(&["=2", "=2", "=1", "=3", "=4"]));
            }
        }
        // Further qualifiers beside those of the cell.
        for (word, of) in [
            ("oversubscribe", 8),
            ("nolocal", 12),
            ("hwtcpus", 16),
            ("ordered", 10),
        ] {
            let jobs = word == "oversubscribe" && app > 0;
            if !self.has(word) && !jobs && !self.has("corecpus") && choices.once_in(of) {
                text.push(':');
                text.push_str(word);
            }
        }
        if let Some(file) = file {
            text.push_str(":file=");
            text.push_str(file);
        }
        (!text.is_empty()).then_some(text)
    }
    /// The value of `--rank-by`.
    pub fn rank_text(&self, _: &mut Choices<'_>) -> Option<String> {
        let word = RANKINGS[self.ranking];
        (!word.is_empty()).then(|| word.to_owned())
    }
    /// The value of `--bind-to`.
    pub fn bind_text(&self, choices: &mut Choices<'_>) -> Option<String> {
        let mut words = BINDINGS[self.binding].split('+');
        let mut text = words.next().unwrap_or_default().to_owned();
        for word in words {
            text.push(':');
            text.push_str(word);
            if word == "limit" {
                text.push_str(choices.pick::<&str>(&["=1", "=2", "=3"]));
            }
        }
        if !text.is_empty() && choices.once_in(10) {
            text.push_str(choices.pick::<&str>(&[":if-supported", ":limit=1", ":limit=2"]));
        }
        (!text.is_empty()).then_some(text)
    }
}

fn kind(word: &str) -> Option<ObjKind> {
    ObjKind::ALL.into_iter().find(|kind| kind.word() == word)
}
