//! The loop that the README shows, word for word.

#[space_macros::space(domain = "domain/triage")] // triage_base.toml and triage_domain.toml
pub mod triage {}

use std::sync::Arc;
use std::time::Duration;

use space_core::runtime::{Fault, Limits, Refused, Runner, Termination};
use triage::{
    CheckOutcome, ReworkOutcome, Triage, TriageCtx, TriageEvent, TriageGuards, TriageHandler,
    WorkOutcome,
};

/// Finds out who is to look at a report.
#[derive(Debug)]
pub struct Desk {
    /// Who is there.
    pub on_duty: Vec<&'static str>,
}

impl TriageHandler for Desk {
    async fn work(&mut self, request: &str) -> Result<WorkOutcome, Fault> {
        // A fault becomes the sentinel, here `WorkFailed`.
        let topic = request
            .split_once(':')
            .ok_or_else(|| Fault::domain("a report without a topic"))?
            .0;
        Ok(WorkOutcome::WorkDone {
            result: topic.to_owned(),
        })
    }

    async fn rework(&mut self, _request: &str, _reason: &str) -> Result<ReworkOutcome, Fault> {
        Ok(ReworkOutcome::WorkDone {
            result: "everything".to_owned(),
        })
    }

    async fn check(&mut self, result: &str) -> Result<CheckOutcome, Fault> {
        if self.on_duty.contains(&result) {
            return Ok(CheckOutcome::CheckPassed);
        }
        Ok(CheckOutcome::CheckFailed {
            reason: format!("nobody looks at {result}"),
        })
    }

    async fn stop(&mut self, _reason: &str) -> Result<(), Fault> {
        Ok(())
    }
}

/// What must hold before an event is taken.
#[derive(Debug)]
pub struct Rules;

impl TriageGuards for Rules {
    fn has_request(&self, _ctx: &TriageCtx, event: &TriageEvent) -> bool {
        matches!(event, TriageEvent::WorkGiven { request } if !request.trim().is_empty())
    }
}

/// Takes one report in.
pub async fn take_in(report: &str, desk: Desk) -> Result<Termination, Refused> {
    let finished = Runner::new(Triage, Arc::new(Rules), desk)
        .limits(Limits::new().rounds(50).clock(Duration::from_mins(10)))
        .run(TriageEvent::WorkGiven {
            request: report.to_owned(),
        })
        .await?;
    Ok(finished.termination)
}
