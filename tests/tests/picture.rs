//! Pictures: nothing covers anything else, nothing is cut off, everything is there.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

use std::fmt::Write as _;
use std::path::Path;

use space_core::contract::FileId;
use space_core::emit::{ComposedDrawing, Drawing, MOST_STATES};
use space_core::gates::check_folder;
use space_core::graph::Model;
use space_core::parse::folder::{self, Folder};
use space_core::parse::{parse_space_base, parse_space_domain};

/// A rectangle of a picture: left, top, right, bottom.
type Rect = [f64; 4];

fn attribute(tag: &str, name: &str) -> f64 {
    let key = format!(" {name}=\"");
    let at = tag.find(&key).unwrap() + key.len();
    tag[at..].split('"').next().unwrap().parse().unwrap()
}

/// The frame of a picture, and the boxes of states and labels in it.
fn rects(svg: &str) -> (Rect, Vec<Rect>) {
    let rect = |tag: &str, x: f64, y: f64| {
        let (wide, high) = (attribute(tag, "width"), attribute(tag, "height"));
        [x, y, x + wide, y + high]
    };
    let tags: Vec<&str> = svg
        .lines()
        .filter(|line| line.starts_with("<rect"))
        .collect();
    let placed = tags[1..].iter().map(|tag| {
        let (x, y) = (attribute(tag, "x"), attribute(tag, "y"));
        rect(tag, x, y)
    });
    // The second line of a terminal state's border is inside the first.
    let placed: Vec<Rect> = placed.collect();
    let inner = |one: &Rect| {
        placed.iter().any(|other| {
            other[0] < one[0] && other[1] < one[1] && other[2] > one[2] && other[3] > one[3]
        })
    };
    let outer = placed.iter().filter(|one| !inner(one)).copied().collect();
    (rect(tags[0], 0.0, 0.0), outer)
}

fn check(name: &str, svg: &str) {
    let (frame, boxes) = rects(svg);
    for (at, one) in boxes.iter().enumerate() {
        let inside = one[0] >= 0.0 && one[1] >= 0.0 && one[2] <= frame[2] && one[3] <= frame[3];
        assert!(inside, "{name}: {one:?} is cut off by {frame:?}");
        for other in &boxes[..at] {
            let apart = one[0] >= other[2]
                || other[0] >= one[2]
                || one[1] >= other[3]
                || other[1] >= one[3];
            assert!(apart, "{name}: {one:?} covers {other:?}\n{svg}");
        }
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
    assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    assert_eq!(
        svg.matches("<tspan").count(),
        svg.matches("</tspan>").count()
    );
    assert!(svg.lines().all(|line| !line.trim().is_empty()), "{name}");
}

fn contracts() -> Folder {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    folder::read(&root, "domain")
}

#[test]
fn the_pictures_of_the_repository_are_readable() {
    let folder = contracts();
    assert!(folder.pairs.len() >= 4);
    for pair in &folder.pairs {
        let model = Model::resolve(&pair.base, &pair.domain).unwrap();
        let drawing = Drawing::of(&model).invariants(&pair.domain.invariants);
        let svg = drawing.svg().unwrap();
        check(&pair.stem, &svg);
        assert_eq!(svg, drawing.svg().unwrap());
        let states = model.states.iter().map(|row| &row.name);
        let events = model.rules.iter().map(|rule| &model.events[rule.on].name);
        let guards = model.rules.iter().filter_map(|rule| rule.guard);
        let guards = guards.map(|(guard, _)| &model.guards[guard].name);
        let promises = pair.domain.invariants.iter().map(|one| &one.name.value);
        for name in states.chain(events).chain(guards).chain(promises) {
            assert!(svg.contains(name), "{}: {name}", pair.stem);
        }
        for effect in model.rules.iter().filter_map(|rule| rule.effect) {
            let row = &model.effects[effect];
            assert!(
                svg.contains(&format!("/ {}</tspan>", row.name)),
                "{}",
                row.name
            );
            assert!(svg.contains(&format!(" {}</tspan>", row.semantics)));
        }
    }
}

#[test]
fn the_pictures_of_compositions_are_readable() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut drawn = 0;
    for (root, dir) in [
        (root.join(".."), "domain"),
        (root.join("machines"), "philosophers"),
        (root.join("machines"), "two_phase_commit"),
    ] {
        let folder = folder::read(&root, dir);
        for composed in check_folder(&folder).composed {
            drawn += 1;
            let drawing = ComposedDrawing::of(&composed).promises(&folder.compositions);
            let svg = drawing.svg().unwrap();
            check(&composed.name, &svg);
            assert_eq!(svg, drawing.svg().unwrap());
            let (mermaid, dot) = (drawing.mermaid(), drawing.dot());
            let mut words: Vec<&String> = Vec::new();
            for one in &composed.components {
                words.push(&one.name);
                words.extend(one.model.states.iter().map(|row| &row.name));
                words.extend(
                    one.model
                        .rules
                        .iter()
                        .map(|rule| &one.model.events[rule.on].name),
                );
                let effects = one.model.rules.iter().filter_map(|rule| rule.effect);
                words.extend(effects.map(|at| &one.model.effects[at].name));
                let guards = one.model.rules.iter().filter_map(|rule| rule.guard);
                words.extend(guards.map(|(at, _)| &one.model.guards[at].name));
            }
            words.extend(composed.syncs.iter().map(|row| &row.name));
            words.extend(drawing.invariants.iter().map(|one| &one.name.value));
            for word in words {
                for text in [&svg, &mermaid, &dot] {
                    assert!(text.contains(word.as_str()), "{word} is not in {text}");
                }
            }
            // Each bridge and hold is drawn between panels, and each meets its states inside.
            let between = composed.bridges.len() + composed.holds.len();
            let dashed = svg.matches("stroke-dasharray=\"6 4\"").count();
            assert!(dashed >= 2 * between, "{dashed} of {between}");
        }
    }
    assert!(drawn >= 5, "{drawn}");
}

#[test]
fn a_run_stands_out_in_every_format() {
    let folder = contracts();
    let pair = folder
        .pairs
        .iter()
        .find(|pair| pair.stem == "agent")
        .unwrap();
    let model = Model::resolve(&pair.base, &pair.domain).unwrap();
    let rule = |from: &str, on: &str| {
        let (from, on) = (model.state(from).unwrap(), model.event(on).unwrap());
        let at = model
            .rules
            .iter()
            .position(|rule| (rule.from, rule.on) == (from, on));
        at.unwrap()
    };
    let path = [rule("Idle", "GoalGiven"), rule("Thinking", "Cancel")];
    let drawing = Drawing::of(&model).path(&path);
    let (plain, marked) = (Drawing::of(&model), drawing);
    // One row stands for every state's cancel, and the step is told of it all the same.
    let mermaid = marked.mermaid();
    for line in [
        "(1) GoalGiven [has_goal] / AskModel",
        "several_1 --> Cancelled: (2) Cancel / Decline",
        "class Cancelled taken",
    ] {
        assert!(mermaid.contains(line), "{line} is not in {mermaid}");
    }
    assert!(!mermaid.contains("class Acting taken"));
    let dot = marked.dot();
    assert!(dot.contains("<b>(1) GoalGiven</b>") && dot.contains("<b>(2) Cancel</b>"));
    assert_eq!(dot.matches("penwidth = 2").count(), 5);
    let svg = marked.svg().unwrap();
    check("agent with a run", &svg);
    assert!(svg.contains(">(1) GoalGiven</tspan>") && svg.contains(">(2) Cancel</tspan>"));
    let orange = |text: &str| text.matches("#bc4c00").count();
    // Two arrows with heads and events, three states of which one has two lines.
    assert_eq!((orange(&svg), orange(&plain.svg().unwrap())), (10, 0));
}

/// Machines of many shapes: nothing ever covers anything.
#[test]
fn random_pictures_are_readable() {
    let mut dice = 7u64;
    let mut below = |most: usize| {
        dice = dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(dice >> 33).unwrap() % most
    };
    for case in 0..200 {
        let (states, events) = (2 + below(12), 1 + below(6));
        let mut rules = Vec::new();
        for from in 0..states {
            for on in 0..events {
                if below(3) == 0 {
                    rules.push((from, on, below(states)));
                }
            }
        }
        let model = model(states, events, &rules);
        let drawing = Drawing::of(&model);
        check(&format!("case {case}"), &drawing.svg().unwrap());
    }
}

#[test]
fn what_nobody_could_read_is_not_drawn() {
    let chain = |states: usize| -> Vec<(usize, usize, usize)> {
        (1..states).map(|to| (to - 1, 0, to)).collect()
    };
    assert!(
        Drawing::of(&model(MOST_STATES, 1, &chain(MOST_STATES)))
            .svg()
            .is_some()
    );
    assert!(
        Drawing::of(&model(MOST_STATES + 1, 1, &chain(MOST_STATES + 1)))
            .svg()
            .is_none()
    );
    // Every state of a long chain leads back to the start: too many arrows over too many layers.
    let mut back = chain(MOST_STATES);
    back.extend((1..MOST_STATES).map(|from| (from, from, 0)));
    let model = model(MOST_STATES, MOST_STATES, &back);
    assert!(Drawing::of(&model).svg().is_none());
    assert!(Drawing::of(&model).dot().contains("S119"));
}

fn model(states: usize, events: usize, rules: &[(usize, usize, usize)]) -> Model {
    let mut base = String::from("meta = { name = \"test\" }\nguards = [{ name = \"ok\" }]\n");
    let mut domain = String::from("meta = { name = \"test\" }\ntransitions = [\n");
    let list = |count: usize, prefix: &str| -> String {
        let rows = (0..count).map(|at| {
            let initial = if prefix == "S" && at == 0 {
                ", is_initial = true"
            } else {
                ""
            };
            format!("  {{ name = \"{prefix}{at}\"{initial} }},\n")
        });
        rows.collect()
    };
    write!(
        base,
        "states = [\n{}]\nevents = [\n{}]\n",
        list(states, "S"),
        list(events, "HappenedE")
    )
    .unwrap();
    base.push_str("effects = [{ name = \"Work\", semantics = \"command\" }]\n");
    for (at, (from, on, to)) in rules.iter().enumerate() {
        let more = ["", ", guard = \"ok\"", ", effect = \"Work\""][at % 3];
        writeln!(
            domain,
            "  {{ from = \"S{from}\", on = \"HappenedE{on}\", to = \"S{to}\"{more} }},"
        )
        .unwrap();
    }
    domain.push_str("]\n");
    let base = parse_space_base(&base, FileId(0)).value;
    let domain = parse_space_domain(&domain, FileId(0)).value;
    Model::resolve(&base, &domain).unwrap()
}
