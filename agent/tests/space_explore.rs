//! `agent space explore` and `agent space trace`, from outside.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/scene.rs"]
mod scene;
#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/space.rs"]
mod space;

use std::fs;
use std::path::Path;

use serde_json::Value;
use space::{done, fails, folder, space};
use tempfile::TempDir;

/// A lamp and a door, which break together: of nine pairs of states five can be reached.
fn house() -> TempDir {
    let folder = folder();
    let domain = folder.path().join("domain");
    fs::create_dir(&domain).unwrap();
    for (name, states, press) in [
        ("lamp", ["Off", "On", "Broken"], "Press"),
        ("door", ["Shut", "Open", "Gone"], "Push"),
    ] {
        let [first, second, last] = states;
        let base = format!(
            "[meta]\nname = \"{name}\"\n\
             [[states]]\nname = \"{first}\"\nis_initial = true\n\
             [[states]]\nname = \"{second}\"\n[[states]]\nname = \"{last}\"\n\
             [[events]]\nname = \"{press}\"\nexternal = true\n\
             [[events]]\nname = \"Break\"\nexternal = true\n"
        );
        let rules = format!(
            "[meta]\nname = \"{name}\"\n\
             [[transitions]]\nfrom = \"{first}\"\non = \"{press}\"\nto = \"{second}\"\n\
             [[transitions]]\nfrom = \"{second}\"\non = \"{press}\"\nto = \"{first}\"\n\
             [[transitions]]\nfrom = \"*\"\non = \"Break\"\nto = \"{last}\"\n"
        );
        fs::write(domain.join(format!("{name}_base.toml")), base).unwrap();
        fs::write(domain.join(format!("{name}_domain.toml")), rules).unwrap();
    }
    let composition =
        "[[parallel]]\nname = \"house\"\nspaces = [\"lamp\", \"door\"]\nsync = [\"Break\"]\n";
    fs::write(domain.join("composition.toml"), composition).unwrap();
    folder
}

fn json(root: &Path, arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--format", "json"]].concat();
    serde_json::from_str(&done(root, &arguments)).unwrap()
}

#[test]
fn the_shape_of_a_space_is_told() {
    let folder = house();
    let root = folder.path();
    let said = done(root, &["explore", "lamp"]);
    for line in [
        "lamp\n",
        "  states          3\n",
        "  rules           4\n",
        "  depth           2 steps to the farthest\n",
        "  ends            Broken\n",
        "  cycles          Off, On\n",
        "  dead ends       none\n",
        "  unreachable     none\n",
    ] {
        assert!(said.contains(line), "{line:?} is not in {said}");
    }
    let found = json(root, &["explore", "lamp"]);
    assert_eq!(found["states"], 3);
    assert_eq!(found["rules_used"], 4);
    // The start, and the three states without an effect.
    assert_eq!(found["configurations"], 4);
    assert_eq!(found["cycles"], serde_json::json!([["Off", "On"]]));
    assert_eq!(found["unreachable"], serde_json::json!([]));
}

#[test]
fn the_reachable_product_of_a_composition_is_counted() {
    let folder = house();
    let root = folder.path();
    let found = json(root, &["explore", "house"]);
    assert_eq!(found["states"], "5");
    // Press, push and break in four states; nothing after a break.
    assert_eq!(found["transitions"], "12");
    assert_eq!(found["depth"], 2);
    assert_eq!(found["dead_ends"], "1");
    assert_eq!(found["deadlocks"], "0");
    assert_eq!(found["product"], "9");
    assert_eq!(found["unreachable"], serde_json::json!([]));
    assert_eq!(found["bound"], Value::Null);
    assert!((found["pruned"].as_f64().unwrap() - 4.0 / 9.0).abs() < 1e-12);
    assert!(found["states_per_second"].as_f64().unwrap() > 0.0);

    let said = done(root, &["explore", "house", "--dir", "domain"]);
    for part in [
        "states       5\n",
        "dead ends    1, all of them ends\n",
        "pruned       44.44 % of 9\n",
        " states/s\n",
    ] {
        assert!(said.contains(part), "{part:?} is not in {said}");
    }
}

/// Too little memory is a status of its own, and says how far it came.
#[test]
fn a_bound_stops_an_exploration_clearly() {
    let folder = house();
    let root = folder.path();
    let output = space(root, &["explore", "house", "--memory", "1B"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let line = said
        .lines()
        .find(|line| line.starts_with("bound reached: "));
    let line = line.unwrap_or_else(|| panic!("no bound in {said}"));
    assert!(
        line.contains(" states seen, ") && line.contains(" on the frontier; `--memory`"),
        "{line}"
    );
    let output = space(
        root,
        &["explore", "house", "--memory", "1B", "--format", "json"],
    );
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["bound"]["seen"].as_u64().unwrap() >= 1);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn the_shortest_run_to_a_point_is_printed() {
    let folder = house();
    let root = folder.path();
    assert_eq!(
        done(
            root,
            &["trace", "lamp", "--to", "state:On", "--to", "event:Break"]
        ),
        "state:On: shortest run, 1 step:\n\
         \x20 0         Off\n\
         \x20 1  Press  On   domain/lamp_domain.toml:3\n\
         \n\
         event:Break: shortest run, 1 step:\n\
         \x20 0         Off\n\
         \x20 1  Break  Broken  domain/lamp_domain.toml:11\n"
    );
    // Where a run starts is reached without a step.
    assert!(done(root, &["trace", "lamp", "--to", "state:Off"]).contains("0 steps"));
    let said = done(root, &["trace", "house", "--to", "door.state:Open"]);
    assert!(
        said.contains("0             lamp.Off, door.Shut\n")
            && said.contains("1  door.Push  door.Open            domain/door_domain.toml:3\n"),
        "{said}"
    );
    let found = json(root, &["trace", "house", "--to", "lamp.event:Break"]);
    assert_eq!(found["to"], "lamp.event:Break");
    let line = &found["run"]["lines"][1];
    assert_eq!(line["event"], "Break");
    assert_eq!(line["state"], "lamp.Broken, door.Gone");
    assert_eq!(found["run"]["shortest"], true);
}

#[test]
fn a_point_that_is_never_reached_says_so() {
    let folder = house();
    let root = folder.path();
    let output = space(
        root,
        &[
            "trace",
            "lamp",
            "--to",
            "semantics:commit",
            "--to",
            "state:On",
        ],
    );
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with("semantics:commit: no run of `lamp` leads there\n"),
        "{said}"
    );
    // The other one is told all the same.
    assert!(said.contains("\nstate:On: shortest run"), "{said}");
    let output = space(
        root,
        &[
            "trace",
            "house",
            "--to",
            "door.semantics:stop",
            "--format",
            "json",
        ],
    );
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), &found["run"]),
        (Some(1), &Value::Null)
    );
}

#[test]
fn what_is_mistyped_is_told_with_the_way_out() {
    let folder = house();
    let root = folder.path();
    let trace = |name: &str, to: &str, said: &str| {
        let all = fails(root, &["trace", name, "--to", to], 2);
        assert!(all.contains(said), "{said:?} is not in {all}");
    };
    trace("lamp", "state:Onn", "did you mean `state:On`?");
    trace("lamp", "event:Kick", "there are Press, Break");
    trace("lamp", "On", "`On` is no point: write `state:X`");
    trace("lamp", "door.state:Open", "name a composition of both");
    trace("house", "state:On", "write `lamp.state:On`");
    trace("house", "dor.state:Open", "did you mean `door`?");
    trace("house", "door.state:Opn", "did you mean `door.state:Open`?");
    trace("hose", "door.state:Open", "did you mean `house`?");
    assert!(fails(root, &["trace", "lamp"], 2).contains("--to"));
    assert!(fails(root, &["explore", "nobody"], 2).contains("there are door, lamp, house"));
    assert!(fails(root, &["explore", "house", "--dir", "absent"], 2).contains("no folder absent"));
    assert!(fails(root, &["explore", "a", "b"], 2).contains("unexpected"));
    for memory in ["0", "much", "1XiB", "-1"] {
        let all = fails(root, &["explore", "house", "--memory", memory], 2);
        assert!(all.contains(memory.trim_start_matches('1')), "{all}");
    }
}

/// Nothing is explored of what does not pass its gates, but for promises that are broken: those
/// are what somebody wants to look at.
#[test]
fn broken_contracts_are_not_explored_and_broken_promises_are() {
    let folder = house();
    let root = folder.path();
    let rules = root.join("domain/lamp_domain.toml");
    let good = fs::read_to_string(&rules).unwrap();
    let promise = "[[invariants]]\nname = \"never_on\"\nabsence = { of = \"state:On\" }\n";
    fs::write(&rules, format!("{good}{promise}")).unwrap();
    assert_eq!(space(root, &["check"]).status.code(), Some(1));
    assert!(done(root, &["trace", "lamp", "--to", "state:On"]).contains("1 step"));
    fs::write(&rules, good.replace("to = \"On\"", "to = \"Oon\"")).unwrap();
    for verb in [
        &["explore", "lamp"][..],
        &["trace", "house", "--to", "door.state:Open"],
    ] {
        assert!(fails(root, verb, 2).contains("does not pass its gates: `agent space check`"));
    }
}

/// What the README shows is what the command says.
#[test]
fn the_readme_shows_a_run_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let said = done(&root, &["trace", "agent", "--to", "state:Answered"]);
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains(&format!("```text\n{said}```\n")), "{said}");
    // And the compositions that it names are explored, and without a dead end.
    let found = json(&root, &["explore", "ask"]);
    assert_eq!(found["deadlocks"], "0");
    let said = done(&root, &["trace", "ask", "--to", "reasoning.state:Answered"]);
    assert!(said.contains("reasoning.ContextReady, fed"), "{said}");
}
