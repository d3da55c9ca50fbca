//! What one step costs, in peers and by hand: 12 states × 20 events × 40 rules, 14 of them guarded,
//! one payload.
//!
//! `cargo bench -p space-bench --bench step`. Every implementation leaves the same hash of effects
//! and context. Instructions are callgrind's, where there is a valgrind; times are of this machine
//! and this minute.

#![allow(
    clippy::print_stdout,
    clippy::match_same_arms,
    clippy::unwrap_used,
    clippy::wildcard_imports,
    reason = "a program that prints figures"
)]

mod in_rust_fsm;
mod in_smlang;
mod in_statig;

use std::hint::black_box;

use space_bench::hand::{self, Event};
use space_bench::measure::{fastest, instructions, shown};
use space_bench::streams::{self, Stream};
use space_bench::world::{Ctx, Trace, World};
use space_bench::{station, station_table, wide};
use space_core::machine::Step;
use statig::prelude::IntoStateMachineExt;

/// Runs the events of a stream from the start, so often; gives a hash of effects and context.
type Run = fn(&[Event], usize) -> u64;

const CASES: [(&str, Run); 11] = [
    ("hand, effect returned", by_hand),
    ("hand, effect in place", by_hand_in_place),
    ("space", ours),
    ("space, as a table", ours_as_table),
    ("statig 0.4", statig),
    ("smlang 0.8", smlang),
    ("rust-fsm 0.8", rust_fsm),
    ("hand, never inlined", by_hand_called),
    ("space, never inlined", ours_called),
    ("space, 256 bytes", ours_wide),
    ("hand, 256 bytes by value", by_hand_wide),
];

/// One pass: events of the implementation's own type, already made.
fn passes(count: usize, mut pass: impl FnMut(&mut Trace) -> (i64, i64)) -> u64 {
    let mut trace = Trace::default();
    for _ in 0..count {
        let (level, mark) = pass(&mut trace);
        trace.add(level.cast_unsigned(), mark);
    }
    trace.0
}

/// Performs an effect: what the others do inside.
macro_rules! perform {
    ($trace:ident, $effect:ident, $value:expr) => {{
        use $effect::*;
        match $value {
            Do0 => $trace.add(1, 0),
            Do1 => $trace.add(2, 0),
            Do2 => $trace.add(3, 0),
            Do4 => $trace.add(4, 0),
            Do5 => $trace.add(5, 0),
            Do6 => $trace.add(6, 0),
            Do7 => $trace.add(7, 0),
            Do8 => $trace.add(8, 0),
            Do9 => $trace.add(9, 0),
            Do10 => $trace.add(10, 0),
            Do11 => $trace.add(11, 0),
            Tell0 { value } => $trace.add(12, value),
            Tell4 { value } => $trace.add(13, value),
            Tell8 { value } => $trace.add(14, value),
            Halt => $trace.add(15, 0),
        }
    }};
}

macro_rules! event {
    ($event:ident, $from:expr) => {{
        use $event::*;
        match $from {
            Event::E0 => E0,
            Event::E1 => E1,
            Event::E2 => E2,
            Event::E3 => E3,
            Event::E4 => E4,
            Event::E5 => E5,
            Event::E6 => E6,
            Event::E7 => E7,
            Event::E8 => E8,
            Event::E9 => E9,
            Event::E10 => E10,
            Event::E11 => E11,
            Event::E12 => E12,
            Event::E13 => E13,
            Event::E14 => E14,
            Event::G0 => G0,
            Event::G1 => G1,
            Event::G2 => G2,
            Event::G3 => G3,
            Event::Set { value } => Set { value: *value },
            Event::Close => Close,
        }
    }};
}

macro_rules! by_hand {
    ($name:ident, $step:expr) => {
        fn $name(events: &[Event], count: usize) -> u64 {
            use hand::{Effect, State};
            passes(count, |trace| {
                let (mut state, mut ctx) = (State::S0, Ctx::default());
                for event in events {
                    if let Some((next, effect)) = $step(state, &mut ctx, *event) {
                        state = next;
                        if let Some(effect) = effect {
                            perform!(trace, Effect, effect);
                        }
                    }
                }
                (ctx.level, ctx.mark)
            })
        }
    };
}

by_hand!(by_hand, hand::step::<0>);
by_hand!(by_hand_called, by_hand_not_inlined);

#[inline(never)]
fn by_hand_not_inlined(
    state: hand::State,
    ctx: &mut Ctx,
    event: Event,
) -> Option<(hand::State, Option<hand::Effect>)> {
    hand::step::<1>(state, ctx, event)
}

fn by_hand_in_place(events: &[Event], count: usize) -> u64 {
    passes(count, |trace| {
        let mut state = hand::State::S0;
        let mut world = World {
            trace: *trace,
            ..World::default()
        };
        for event in events {
            hand::handle(&mut state, &mut world, event);
        }
        *trace = world.trace;
        (world.ctx.level, world.ctx.mark)
    })
}

/// A context of 256 bytes that is handed in and out by value, as a pure step may be written.
fn by_hand_wide(events: &[Event], count: usize) -> u64 {
    use hand::Effect;
    #[derive(Clone, Copy)]
    struct Wide {
        level: i64,
        mark: i64,
        rest: [i64; 30],
    }
    #[inline]
    fn step(
        state: hand::State,
        ctx: Wide,
        event: Event,
    ) -> Option<(hand::State, Wide, Option<Effect>)> {
        let mut inner = Ctx {
            level: ctx.level,
            mark: ctx.mark,
        };
        let (state, effect) = hand::step::<2>(state, &mut inner, event)?;
        let ctx = Wide {
            level: inner.level,
            mark: inner.mark,
            ..ctx
        };
        Some((state, ctx, effect))
    }
    passes(count, |trace| {
        let mut state = hand::State::S0;
        let mut ctx = Wide {
            level: 0,
            mark: 0,
            rest: black_box([0; 30]),
        };
        for event in events {
            if let Some((next, after, effect)) = step(state, ctx, *event) {
                (state, ctx) = (next, after);
                if let Some(effect) = effect {
                    perform!(trace, Effect, effect);
                }
            }
        }
        black_box(ctx.rest);
        (ctx.level, ctx.mark)
    })
}

/// Each user of a step has a guard type of its own: what a program calls in one place is inlined there.
struct Guards<const USER: u8>;

macro_rules! guards {
    ($($guards:path: $ctx:path, $event:path;)*) => { $(
        impl<const USER: u8> $guards for Guards<USER> {
            fn level_is_odd(&self, ctx: &$ctx, _: &$event) -> bool {
                ctx.level & 1 == 1
            }

            fn level_is_high(&self, ctx: &$ctx, _: &$event) -> bool {
                ctx.level >= 512
            }

            fn mark_is_behind(&self, ctx: &$ctx, _: &$event) -> bool {
                ctx.mark < ctx.level
            }
        }
    )* };
}

guards! {
    station::StationGuards: station::StationCtx, station::StationEvent;
    station_table::StationGuards: station_table::StationCtx, station_table::StationEvent;
    wide::WideGuards: wide::WideCtx, wide::WideEvent;
}

macro_rules! stepped {
    ($name:ident, $module:ident, $state:ident, $ctx:ident, $event:ident, $effect:ident, $step:expr) => {
        fn $name(events: &[Event], count: usize) -> u64 {
            use $module::{$ctx, $effect, $event, $state};
            let events: Vec<$event> = events.iter().map(|event| event!($event, event)).collect();
            passes(count, |trace| {
                let (mut state, mut ctx) = ($state::S0, $ctx::default());
                for event in &events {
                    if let Step::Handled {
                        state: next,
                        effect,
                    } = $step(state, &mut ctx, event.clone(), &Guards)
                    {
                        state = next;
                        if let Some(effect) = effect {
                            perform!(trace, $effect, effect);
                        }
                    }
                }
                (ctx.level, ctx.mark)
            })
        }
    };
}

stepped!(
    ours,
    station,
    StationState,
    StationCtx,
    StationEvent,
    StationEffect,
    station::step::<Guards<0>>
);
stepped!(
    ours_as_table,
    station_table,
    StationState,
    StationCtx,
    StationEvent,
    StationEffect,
    station_table::step::<Guards<0>>
);
stepped!(
    ours_wide,
    wide,
    WideState,
    WideCtx,
    WideEvent,
    WideEffect,
    wide::step::<Guards<0>>
);
stepped!(
    ours_called,
    station,
    StationState,
    StationCtx,
    StationEvent,
    StationEffect,
    called
);

#[inline(never)]
fn called(
    state: station::StationState,
    ctx: &mut station::StationCtx,
    event: station::StationEvent,
    guards: &Guards<1>,
) -> Step<station::StationState, station::StationEvent, station::StationEffect> {
    station::step(state, ctx, event, guards)
}

fn statig(events: &[Event], count: usize) -> u64 {
    passes(count, |trace| {
        let mut world = World {
            trace: *trace,
            ..World::default()
        };
        let machine = in_statig::Station.uninitialized_state_machine();
        let mut machine = machine.init_with_context(&mut world);
        for event in events {
            machine.handle_with_context(event, &mut world);
        }
        *trace = world.trace;
        (world.ctx.level, world.ctx.mark)
    })
}

fn smlang(events: &[Event], count: usize) -> u64 {
    let events: Vec<in_smlang::Events> = events
        .iter()
        .map(|event| {
            use in_smlang::Events;
            match event {
                Event::Set { value } => Events::Set(*value),
                event => {
                    macro_rules! bare {
                        ($($name:ident)*) => {
                            match event { $(Event::$name => Events::$name,)* Event::Set { .. } => unreachable!() }
                        };
                    }
                    bare!(E0 E1 E2 E3 E4 E5 E6 E7 E8 E9 E10 E11 E12 E13 E14 G0 G1 G2 G3 Close)
                }
            }
        })
        .collect();
    passes(count, |trace| {
        let mut machine = in_smlang::StateMachine::new(World {
            trace: *trace,
            ..World::default()
        });
        for event in &events {
            let _ = machine.process_event(in_smlang::copy(event));
        }
        let world = machine.context();
        *trace = world.trace;
        (world.ctx.level, world.ctx.mark)
    })
}

fn rust_fsm(events: &[Event], count: usize) -> u64 {
    passes(count, |trace| {
        let mut world = World {
            trace: *trace,
            ..World::default()
        };
        let mut machine = in_rust_fsm::fsm::StateMachine::new();
        for event in events {
            in_rust_fsm::handle(&mut machine, &mut world, event);
        }
        *trace = world.trace;
        (world.ctx.level, world.ctx.mark)
    })
}

/// Events of the timed runs, and of the counted ones.
const TIMED: usize = 1 << 18;
const COUNTED: usize = 1 << 13;

/// Instructions for one event: the difference of two runs, so that start-up does not count.
fn counted(case: usize, stream: usize) -> Option<f64> {
    let run =
        |passes: usize| instructions(&[case, stream, passes].map(|number| number.to_string()));
    let events = f64::from(u32::try_from(COUNTED).ok()?) * 8.0;
    Some((run(12)? - run(4)?) / events)
}

fn main() {
    let args: Vec<usize> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    if let [case, stream, passes] = args[..] {
        let events = &streams::all(COUNTED)[stream].events;
        black_box(CASES[case].1(events, passes));
        return;
    }
    let streams = streams::all(TIMED);
    let expected: Vec<u64> = streams
        .iter()
        .map(|stream| by_hand(&stream.events, 2))
        .collect();
    for (name, run) in CASES {
        let got: Vec<u64> = streams
            .iter()
            .map(|stream| run(&stream.events, 2))
            .collect();
        assert_eq!(got, expected, "{name} does something else");
    }
    print!("{:26}", "ns (instructions) an event");
    for Stream { name, accepted, .. } in &streams {
        print!("{:>22}", format!("{name} {accepted:.0} %"));
    }
    println!();
    let times = streams.each_ref().map(|stream| {
        fastest(15, &CASES, |(_, run)| {
            black_box(run(black_box(&stream.events), 2));
        })
    });
    for (case, (name, _)) in CASES.iter().enumerate() {
        print!("{name:26}");
        for (stream, times) in times.iter().enumerate() {
            let nanos = times[case].as_secs_f64() * 1e9 / (2.0 * f64::from(1 << 18));
            print!(
                "{:>22}",
                format!("{nanos:.2} ({})", shown(counted(case, stream)))
            );
        }
        println!();
    }
}
