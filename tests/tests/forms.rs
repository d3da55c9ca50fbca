//! Both forms of a step mean the same: each is the interpreter of the same contract.

macro_rules! held_against_the_interpreter {
    ($space:ident, $guards:ident, $ctx:ident, $event:ident,
     $stem:literal, { $($guard:ident = $at:literal),* }) => {
        use space_core::verify::{self, Oracle};

        struct Answers(Oracle);

        impl $guards for Answers {
            $(fn $guard(&self, ctx: &$ctx, event: &$event) -> bool {
                self.0.answer(&$space, $at, ctx, event)
            })*
        }

        #[test]
        fn the_step_is_the_interpreter() {
            let interpreted = verify::interpreted(
                include_str!(concat!("../", $stem, "_base.toml")),
                include_str!(concat!("../", $stem, "_domain.toml")),
            );
            verify::differential(&$space, &interpreted, |oracle| Box::new(Answers(oracle)));
        }
    };
}

macro_rules! both_forms {
    ($by_match:ident, $by_table:ident, $stem:tt, $($rest:tt)*) => {
        #[space_macros::space(domain = $stem, form = "match")]
        mod $by_match {
            held_against_the_interpreter!($($rest)*);
        }

        #[space_macros::space(domain = $stem, form = "table")]
        mod $by_table {
            held_against_the_interpreter!($($rest)*);
        }
    };
}

both_forms!(
    agent_by_match,
    agent_by_table,
    "../domain/agent",
    Agent,
    AgentGuards,
    AgentCtx,
    AgentEvent,
    "../domain/agent",
    { has_goal = 0 }
);
both_forms!(
    supervisor_by_match,
    supervisor_by_table,
    "../domain/supervisor",
    Supervisor,
    SupervisorGuards,
    SupervisorCtx,
    SupervisorEvent,
    "../domain/supervisor",
    {}
);
both_forms!(odd_by_match, odd_by_table, "fronts/domain/odd",
    Odd, OddGuards, OddCtx, OddEvent, "fronts/domain/odd", { clone = 0, kind = 1 });
