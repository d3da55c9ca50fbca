//! `agent space explore`: what can be reached.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};
use space_core::contract::Sources;
use space_core::diagnostic::Trace;
use space_core::diagnostic::render::trace;
use space_core::explore::{
    ComposedNet, Engine, Found, Goal, Limits, Natural, Progress, Report, Shape, explore as search,
    find_run_known, shape, trace as run_of,
};
use space_core::graph::{Composed, Model};

use super::super::args::{ExploreArgs, VerdictFormat};
use super::super::{Plain, print};
use super::named::{Named, named};
use super::read;

/// Exit status of an exploration that a bound stopped.
const BOUND: u8 = 3;

/// Explores a space or a composition; 3 when the memory did not suffice.
pub(super) fn explore(args: &ExploreArgs) -> Result<u8, Plain> {
    let folder = read(&args.dir)?;
    match named(&folder, &args.name)? {
        Named::Space {
            model, loopbacks, ..
        } => {
            alone(&model, &loopbacks, &folder.sources, args.format);
            Ok(0)
        }
        Named::Composition(composed) => product(&composed, &folder.sources, args),
    }
}

fn alone(model: &Model, loopbacks: &[(usize, usize)], sources: &Sources, format: VerdictFormat) {
    let shape = shape(model, loopbacks);
    let state = |at: &usize| model.states[*at].name.clone();
    let names = |states: &[usize]| states.iter().map(state).collect::<Vec<_>>();
    match format {
        VerdictFormat::Json => {
            let dead: Vec<_> = shape
                .dead_ends
                .iter()
                .map(|(at, run)| {
                    let run = value(&trace::json(&run_of(model, run), sources));
                    json!({ "state": state(at), "run": run })
                })
                .collect();
            let cycles: Vec<_> = shape.cycles.iter().map(|part| names(part)).collect();
            print(
                &json!({
                    "space": model.name,
                    "states": model.states.len(),
                    "rules": model.rules.len(),
                    "rules_used": shape.rules,
                    "configurations": shape.configurations,
                    "depth": shape.depth,
                    "ends": names(&shape.ends),
                    "cycles": cycles,
                    "dead_ends": dead,
                    "unreachable": names(&shape.unreachable),
                })
                .to_string(),
            );
        }
        VerdictFormat::Human => print(alone_in_words(model, &shape, sources).trim_end()),
    }
}

fn alone_in_words(model: &Model, shape: &Shape, sources: &Sources) -> String {
    let list = |states: &[usize]| {
        let names = states.iter().map(|at| model.states[*at].name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let or_none = |text: String| {
        if text.is_empty() {
            "none".to_owned()
        } else {
            text
        }
    };
    let cycles = shape.cycles.iter().map(|part| list(part));
    let rows = [
        (
            "states",
            with_rest(model.states.len(), shape.unreachable.len(), "unreachable"),
        ),
        (
            "rules",
            with_rest(
                model.rules.len(),
                model.rules.len() - shape.rules,
                "never used",
            ),
        ),
        (
            "configurations",
            format!("{}, a state and what it waits for", shape.configurations),
        ),
        ("depth", format!("{} steps to the farthest", shape.depth)),
        ("ends", or_none(list(&shape.ends))),
        ("cycles", or_none(cycles.collect::<Vec<_>>().join("; "))),
        (
            "dead ends",
            or_none(shape.dead_ends.len().to_string()).replace('0', "none"),
        ),
        ("unreachable", or_none(list(&shape.unreachable))),
    ];
    let mut text = table(&model.name, &rows);
    for (state, run) in &shape.dead_ends {
        let run = trace::human(&run_of(model, run), sources);
        let _ = write!(
            text,
            "\nno way on from {}: {run}",
            model.states[*state].name
        );
    }
    text
}

fn with_rest(all: usize, rest: usize, what: &str) -> String {
    match rest {
        0 => all.to_string(),
        rest => format!("{all}, {rest} {what}"),
    }
}

/// What was found of a composition, in the terms of the composition.
struct Explored {
    report: Report,
    /// Component states that no run reaches, as `space.State`.
    unreachable: Vec<String>,
    /// A run to a dead end that is no end.
    dead_end: Option<Trace>,
    took: Duration,
}

impl Explored {
    fn rate(&self) -> f64 {
        self.report.states.to_f64() / self.took.as_secs_f64().max(1e-9)
    }
}

fn product(composed: &Composed, sources: &Sources, args: &ExploreArgs) -> Result<u8, Plain> {
    let net = ComposedNet::new(composed)?;
    let limits = Limits {
        memory: args.memory,
        ..Limits::default()
    };
    let bar = Bar::new(args.format);
    let start = Instant::now();
    let report = search(&net.net, &limits, &mut |progress| bar.show(progress))?;
    let took = start.elapsed();
    bar.done();
    let stuck = report.deadlocks != Natural::default();
    let explored = Explored {
        unreachable: if report.bound.is_some() {
            Vec::new()
        } else {
            let states = net.unreachable(&report).into_iter().map(|(at, state)| {
                let one = &composed.components[at];
                format!("{}.{}", one.name, one.model.states[state].name)
            });
            states.collect()
        },
        dead_end: if stuck {
            dead_end(&net, &limits)?
        } else {
            None
        },
        report,
        took,
    };
    match args.format {
        VerdictFormat::Json => print(&as_json(composed, &explored, sources).to_string()),
        VerdictFormat::Human => print(in_words(composed, &explored, sources).trim_end()),
    }
    Ok(if explored.report.bound.is_some() {
        BOUND
    } else {
        0
    })
}

/// A run to a state from which nothing goes on and that is no end.
fn dead_end(net: &ComposedNet<'_>, limits: &Limits) -> Result<Option<Trace>, Plain> {
    Ok(match find_run_known(&net.net, &Goal::Deadlock, limits)? {
        (Found::Run(run), shortest) => Some(net.trace(&run, shortest)),
        (Found::Never | Found::Bound(_), _) => None,
    })
}

fn engine(engine: Engine) -> &'static str {
    match engine {
        Engine::Dense => "bit set",
        Engine::Hashed => "hash set",
        Engine::Symbolic => "decision diagram",
    }
}

fn as_json(composed: &Composed, explored: &Explored, sources: &Sources) -> Value {
    let report = &explored.report;
    let mut row = Map::new();
    let mut add = |key: &str, value: Value| row.insert(key.to_owned(), value);
    add("composition", json!(composed.name));
    let spaces = composed.components.iter().map(|one| one.name.as_str());
    add("spaces", json!(spaces.collect::<Vec<_>>()));
    add("engine", json!(engine(report.engine)));
    // Text: they may be larger than any number of JSON's readers.
    add("states", json!(report.states.to_string()));
    let transitions = report.transitions.as_ref().map(Natural::to_string);
    add("transitions", json!(transitions));
    add("depth", json!(report.depth));
    add("dead_ends", json!(report.dead_ends.to_string()));
    add("deadlocks", json!(report.deadlocks.to_string()));
    let run = explored.dead_end.as_ref();
    let run = run.map(|run| value(&trace::json(run, sources)));
    add("deadlock_run", run.unwrap_or(Value::Null));
    add("unreachable", json!(explored.unreachable));
    add("product", json!(report.product.to_string()));
    add("pruned", json!(report.pruned()));
    add("bytes", json!(report.bytes));
    add("seconds", json!(explored.took.as_secs_f64()));
    add("states_per_second", json!(explored.rate()));
    let bound = report
        .bound
        .map(|bound| json!({ "seen": bound.seen, "frontier": bound.frontier }));
    add("bound", bound.unwrap_or(Value::Null));
    Value::Object(row)
}

fn in_words(composed: &Composed, explored: &Explored, sources: &Sources) -> String {
    let report = &explored.report;
    let number = |number: &Natural| short(number);
    let unknown = || "unknown".to_owned();
    let spaces = composed.components.len();
    let ends = match number(&report.deadlocks).as_str() {
        "0" => format!("{}, all of them ends", number(&report.dead_ends)),
        stuck => format!("{}, {stuck} of them no end", number(&report.dead_ends)),
    };
    let unreachable = match explored.unreachable.as_slice() {
        _ if report.bound.is_some() => unknown(),
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    let mut rows = vec![
        ("spaces", spaces.to_string()),
        ("states", number(&report.states)),
        (
            "transitions",
            report.transitions.as_ref().map_or_else(unknown, number),
        ),
        (
            "depth",
            report
                .depth
                .map_or_else(unknown, |depth| format!("{depth} steps to the farthest")),
        ),
        ("dead ends", ends),
        ("unreachable", unreachable),
        (
            "pruned",
            format!(
                "{} of {}",
                percent(report.pruned()),
                number(&report.product)
            ),
        ),
        (
            "engine",
            format!(
                "{}, {}, {:.3} s, {} states/s",
                engine(report.engine),
                bytes(report.bytes),
                explored.took.as_secs_f64(),
                rate(explored.rate()),
            ),
        ),
    ];
    if let Some(uncounted) = uncounted(composed) {
        rows.push(("loops", uncounted));
    }
    let mut text = table(&composed.name, &rows);
    if let Some(run) = &explored.dead_end {
        let _ = write!(
            text,
            "\nno way on, and no end: {}",
            trace::human(run, sources)
        );
    }
    if let Some(bound) = report.bound {
        let _ = writeln!(text, "\n{bound}; `--memory` gives it more");
    }
    text
}

/// The loops whose limits are left out: which states there are does not tell how often a loop was gone
/// through.
fn uncounted(composed: &Composed) -> Option<String> {
    let names = composed.loops.iter().map(|row| row.name.as_str());
    let names: Vec<_> = names.collect();
    (!names.is_empty()).then(|| format!("{}, as if never used up", names.join(", ")))
}

fn table(title: &str, rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let rows = rows
        .iter()
        .map(|(name, text)| format!("  {name:<width$}  {text}\n"));
    format!("{title}\n{}", rows.collect::<String>())
}

/// A number in full while a person can read it, then its first digits and how many there are.
fn short(number: &Natural) -> String {
    let digits = number.to_string();
    match digits.len() {
        0..=15 => digits,
        length => format!("{}.{}e{}", &digits[..1], &digits[1..4], length - 1),
    }
}

/// Never a round hundred while something is reachable.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 99.99 {
        return "more than 99.99 %".to_owned();
    }
    format!("{percent:.2} %")
}

#[allow(clippy::cast_precision_loss, reason = "for people")]
fn bytes(bytes: u64) -> String {
    match bytes {
        0..=0x3ff => format!("{bytes} B"),
        0x400..=0xf_ffff => format!("{:.1} KiB", bytes as f64 / 1024.0),
        0x10_0000..=0x3fff_ffff => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}

fn rate(rate: f64) -> String {
    match rate {
        rate if rate >= 1e15 => format!("{rate:.1e}"),
        rate if rate >= 1e6 => format!("{:.1} M", rate / 1e6),
        rate => format!("{rate:.0}"),
    }
}

fn value(json: &space_core::contract::Json) -> Value {
    serde_json::from_str(&json.to_string()).unwrap_or(Value::Null)
}

/// Shows how far an exploration is, where somebody can see it.
struct Bar(Option<ProgressBar>);

impl Bar {
    fn new(format: VerdictFormat) -> Self {
        let human = matches!(format, VerdictFormat::Human);
        if !human || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(Some(bar))
    }

    fn show(&self, progress: &Progress) {
        if let Some(bar) = &self.0 {
            let Progress {
                states,
                frontier,
                depth,
            } = progress;
            bar.set_message(match (frontier, depth) {
                (0, _) => format!("{states} nodes of the diagram"),
                (_, 0) => format!("{states} states, {frontier} on the frontier"),
                _ => format!("{states} states, {frontier} on the frontier, depth {depth}"),
            });
        }
    }

    fn done(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
