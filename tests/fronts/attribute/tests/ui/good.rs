//! A stranger's first use, under the strictest lints.
#![deny(warnings, missing_docs, rust_2018_idioms, unused_qualifications)]

/// The space.
#[space_macros::space(domain = "./contracts/door", derive(Eq, Hash))]
pub mod door {
    /// Items of the module's own stay.
    pub const OWN: u8 = 1;
}

use door::{Door, DoorEvent, DoorState, step};
use space_core::machine::{Space, Step};

fn main() {
    let mut ctx = Door.context();
    let step = step(DoorState::Closed, &mut ctx, DoorEvent::Open, &());
    assert!(matches!(step, Step::Handled { state: DoorState::Ajar, .. }));
    assert_eq!(door::OWN, 1);
}
