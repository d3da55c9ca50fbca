//! Compositions in generated types do what the interpreter does where a side refuses, an event waits for long, or a
//! loop ends: what random runs of the repository's own compositions never come to.

use space_core::compose::{ComposedSpace, Product};
use space_core::verify::{
    Oracle, composed_differential, interpreted_composition, same_composition,
};

#[space_macros::space(domain = "fixtures/composed/left")]
pub mod left {}

#[space_macros::space(domain = "fixtures/composed/right")]
pub mod right {}

#[space_macros::space(composition = "fixtures/composed/composition", name = "haggle", spaces = super)]
pub mod haggle {}

#[space_macros::space(composition = "fixtures/composed/composition", name = "hurry", spaces = super)]
pub mod hurry {}

struct Sides(Oracle);

impl left::LeftGuards for Sides {
    fn agrees(&self, ctx: &left::LeftCtx, event: &left::LeftEvent) -> bool {
        self.0.answer(&left::Left, 0, ctx, event)
    }
}

impl right::RightGuards for Sides {
    fn accepts(&self, ctx: &right::RightCtx, event: &right::RightEvent) -> bool {
        self.0.answer(&right::Right, 0, ctx, event)
    }
}

fn interpreted(name: &str) -> Product {
    interpreted_composition(
        name,
        &[
            (
                include_str!("../fixtures/composed/left_base.toml"),
                include_str!("../fixtures/composed/left_domain.toml"),
            ),
            (
                include_str!("../fixtures/composed/right_base.toml"),
                include_str!("../fixtures/composed/right_domain.toml"),
            ),
        ],
        include_str!("../fixtures/composed/composition.toml"),
    )
}

fn same<P: ComposedSpace<Guards: Sized>>(name: &str, typed: &P, guards: fn(Oracle) -> P::Guards) {
    let interpreted = interpreted(name);
    same_composition(typed, &interpreted);
    composed_differential(typed, &interpreted, guards);
}

#[test]
fn rounds_run_out() {
    same("haggle", &haggle::Haggle, |oracle| haggle::HaggleGuards {
        left: Box::new(Sides(oracle)),
        right: Box::new(Sides(oracle)),
    });
}

#[test]
fn time_runs_out() {
    same("hurry", &hurry::Hurry, |oracle| hurry::HurryGuards {
        left: Box::new(Sides(oracle)),
        right: Box::new(Sides(oracle)),
    });
}
