//! `retrieval` for smlang.

smlang::statemachine! {
    transitions: {
        *Idle + Question [has_question] / search = Searching,
        Searching + PassagesFound = Found,
        Searching + NothingMatched = NothingFound,
        Searching + SearchFailed = Failed,
        // EDIT Failed + Question / search = Searching,
        Idle + Cancel / halt = Cancelled,
        Searching + Cancel / halt = Cancelled,
    }
}

pub struct Context;

impl StateMachineContext for Context {
    fn has_question(&self) -> Result<bool, ()> {
        Ok(true)
    }

    fn search(&mut self) -> Result<(), ()> {
        Ok(())
    }

    fn halt(&mut self) -> Result<(), ()> {
        Ok(())
    }
}
