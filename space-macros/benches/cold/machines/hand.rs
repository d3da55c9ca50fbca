//! `retrieval`, written by hand.

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    Idle,
    Searching,
    Found,
    NothingFound,
    Failed,
    Cancelled,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    Question,
    PassagesFound,
    NothingMatched,
    SearchFailed,
    Cancel,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    Search,
    Halt,
}

pub fn step(state: State, event: Event, has_question: bool) -> Option<(State, Option<Effect>)> {
    Some(match (state, event) {
        (State::Idle, Event::Question) if has_question => (State::Searching, Some(Effect::Search)),
        (State::Searching, Event::PassagesFound) => (State::Found, None),
        (State::Searching, Event::NothingMatched) => (State::NothingFound, None),
        (State::Searching, Event::SearchFailed) => (State::Failed, None),
        // EDIT (State::Failed, Event::Question) => (State::Searching, Some(Effect::Search)),
        (State::Idle | State::Searching, Event::Cancel) => (State::Cancelled, Some(Effect::Halt)),
        _ => return None,
    })
}
