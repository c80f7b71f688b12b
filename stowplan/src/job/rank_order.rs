//! `--rank-order`: the same places, with the ranks in another order.

use crate::job::args::JobArgs;
use crate::job::error::{JobError, told};
use crate::job::outside::Outside;
use crate::score::error::ScoreError;
use crate::score::network::OnNetwork;
use crate::score::order::Order;
use crate::score::tree::Tree;
use stowplan_engine::map::Mapped;
use stowplan_engine::plan::BadOrder;
use stowplan_engine::spawn::SpawnRequest;
use stowplan_engine::spawn::request::AppRow;
use stowplan_engine::table::apps::AppId;

/// The order that a job asks for, if any.
pub(crate) struct RankOrder(Option<Order>);

impl RankOrder {
    /// Reads the order from the words of a job.
    ///
    /// # Errors
    /// `bad-rank-order`; `contradicting-qualifiers` if there are several apps, or if a task map says the node of each rank.
    pub(crate) fn of(job: &JobArgs, request: &SpawnRequest) -> Result<Self, JobError> {
        let Some(word) = &job.rank_order else {
            return Ok(Self(None));
        };
        let order = Order::read(word).map_err(refused)?;
        let is_app = |(_, row): &(AppId, &AppRow)| matches!(row, AppRow::App { .. });
        let apps = request.apps().iter().filter(is_app).count();
        let why = if apps > 1 {
            format!("it orders the ranks of one app, and the job has {apps}")
        } else if job.taskmap.is_some() {
            "--taskmap says the node of each rank already".to_owned()
        } else {
            return Ok(Self(Some(order)));
        };
        Err(contradicting(&order, &why))
    }

    /// Puts the ranks of a plan into this order.
    pub(crate) fn give(
        self,
        mut mapped: Mapped,
        on: Option<&OnNetwork>,
        outside: &dyn Outside,
    ) -> Result<Mapped, JobError> {
        let Some(order) = self.0 else {
            return Ok(mapped);
        };
        let read = |path: &str| outside.read(path);
        let tree = Tree::of(&mapped.plan, on);
        let ranks = order.ranks(&tree, &read).map_err(refused)?;
        mapped.plan = mapped.plan.reordered(&ranks).map_err(|error| match error {
            BadOrder::Apps { .. } | BadOrder::Written { .. } => {
                contradicting(&order, &error.to_string())
            }
            BadOrder::Length { .. } | BadOrder::Beyond { .. } | BadOrder::Twice { .. } => {
                refused(ScoreError::Order {
                    order: order.word(),
                    why: error.to_string(),
                })
            }
        })?;
        Ok(mapped)
    }
}

fn contradicting(order: &Order, why: &str) -> JobError {
    told(
        "contradicting-qualifiers",
        format!("--rank-order {}: {why}", order.word()),
    )
}

fn refused(error: ScoreError) -> JobError {
    told(error.class(), format!("--rank-order {error}"))
}
