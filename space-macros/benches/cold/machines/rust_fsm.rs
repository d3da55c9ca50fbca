//! `retrieval` for rust-fsm, which has no guards.

rust_fsm::state_machine! {
    pub retrieval(Idle)

    Idle(Question) => Searching [Search],
    Idle(Cancel) => Cancelled [Halt],
    Searching(PassagesFound) => Found,
    Searching(NothingMatched) => NothingFound,
    Searching(SearchFailed) => Failed,
    // EDIT Failed(Question) => Searching [Search],
    Searching(Cancel) => Cancelled [Halt],
}
