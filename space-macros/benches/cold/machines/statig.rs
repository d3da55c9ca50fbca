//! `retrieval` for statig.

use statig::prelude::*;

#[derive(Default)]
pub struct Retrieval {
    pub asked: bool,
}

pub enum Event {
    Question,
    PassagesFound,
    NothingMatched,
    SearchFailed,
    Cancel,
}

#[state_machine(initial = "State::idle()")]
impl Retrieval {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Question if self.asked => Transition(State::searching()),
            Event::Cancel => Transition(State::cancelled()),
            _ => Super,
        }
    }

    #[state]
    fn searching(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::PassagesFound => Transition(State::found()),
            Event::NothingMatched => Transition(State::nothing_found()),
            Event::SearchFailed => Transition(State::failed()),
            Event::Cancel => Transition(State::cancelled()),
            _ => Super,
        }
    }

    #[state]
    fn found(&mut self, event: &Event) -> Outcome<State> {
        let _ = event;
        Super
    }

    #[state]
    fn nothing_found(&mut self, event: &Event) -> Outcome<State> {
        let _ = event;
        Super
    }

    #[state]
    fn failed(&mut self, event: &Event) -> Outcome<State> {
        match event {
            // EDIT Event::Question => Transition(State::searching()),
            _ => Super,
        }
    }

    #[state]
    fn cancelled(&mut self, event: &Event) -> Outcome<State> {
        let _ = event;
        Super
    }
}
