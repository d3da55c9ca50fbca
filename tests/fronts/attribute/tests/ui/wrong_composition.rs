#[space_macros::space(composition = "./together/composition", name = "raly", spaces = super)]
mod raly {}

#[space_macros::space(composition = "./together/composition")]
mod rally {}

#[space_macros::space(composition = "./together/compositions", name = "rally")]
mod volley {}

use raly::{Raly, RalyEvent, RalyState};

fn main() {
    let _: (Raly, Option<RalyEvent>, Option<RalyState>);
}
