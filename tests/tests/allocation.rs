//! A step allocates for a value that it uses twice, and for nothing else.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use space_core::machine::{Space, Step};

#[space_macros::space(domain = "../domain/agent")]
mod agent {}

use agent::{Agent, AgentCtx, AgentEvent, AgentGuards, AgentState, step};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

#[expect(
    unsafe_code,
    reason = "the trait is unsafe; every call is the system's"
)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) };
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

struct Guards;

impl AgentGuards for Guards {
    fn has_goal(&self, _ctx: &AgentCtx, event: &AgentEvent) -> bool {
        matches!(event, AgentEvent::GoalGiven { goal } if !goal.is_empty())
    }
}

/// Allocations of one step, and what it came to.
fn cost(
    state: AgentState,
    ctx: &mut AgentCtx,
    event: AgentEvent,
) -> (usize, Step<AgentState, AgentEvent, agent::AgentEffect>) {
    let before = ALLOCATIONS.get();
    let step = step(state, ctx, event, &Guards);
    (ALLOCATIONS.get() - before, step)
}

#[test]
fn only_a_value_used_twice_is_cloned() {
    let text = || "a text that is too long to be anything but on the heap".to_owned();
    let mut ctx = Agent.context();

    // Refused, rejected and ignored: nothing.
    let (count, step) = cost(
        AgentState::Idle,
        &mut ctx,
        AgentEvent::GoalGiven {
            goal: String::new(),
        },
    );
    assert!(matches!(step, Step::Rejected { .. }));
    assert_eq!(count, 0);
    let (count, step) = cost(
        AgentState::Idle,
        &mut ctx,
        AgentEvent::Steer { message: text() },
    );
    assert!(matches!(step, Step::Ignored { .. }));
    assert_eq!(count, 0);
    let (count, step) = cost(
        AgentState::Proving,
        &mut ctx,
        AgentEvent::ProofPassed { report: text() },
    );
    assert!(matches!(step, Step::Rejected { .. }), "the answer is empty");
    assert_eq!(count, 0);

    // Into the effect and into the context: one clone.
    let (count, _) = cost(
        AgentState::Idle,
        &mut ctx,
        AgentEvent::GoalGiven { goal: text() },
    );
    assert_eq!(count, 1);
    let (count, _) = cost(
        AgentState::Thinking,
        &mut ctx,
        AgentEvent::ModelFinal { answer: text() },
    );
    assert_eq!(count, 1);

    // Into the effect alone: moved.
    let (count, _) = cost(
        AgentState::Thinking,
        &mut ctx,
        AgentEvent::ModelCutOff { text: text() },
    );
    assert_eq!(count, 0);

    // Answer from the context, which keeps it, and report into both: one each.
    let (count, step) = cost(
        AgentState::Proving,
        &mut ctx,
        AgentEvent::ProofPassed { report: text() },
    );
    assert!(matches!(step, Step::Handled { .. }));
    assert_eq!(count, 2);
}
