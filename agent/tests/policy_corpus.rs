//! The command policy against a corpus of attempts to get around it, and one of everyday commands.
//! Programs are looked up in a folder made for the test, so that the machine does not matter.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use agent::policy::{Command, Decision, Policy, PolicyError, Verdict};
use agent::workspace::Workspace;
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Corpus {
    commands: Vec<Form>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Form {
    Line(String),
    Words(Vec<String>),
}

fn corpus(text: &str) -> Vec<Vec<String>> {
    let corpus: Corpus = toml::from_str(text).unwrap();
    let words = |form| match form {
        Form::Line(line) => line.split_whitespace().map(str::to_owned).collect(),
        Form::Words(words) => words,
    };
    corpus.commands.into_iter().map(words).collect()
}

fn bypass() -> Vec<Vec<String>> {
    corpus(include_str!("policy/bypass.toml"))
}

fn everyday() -> Vec<Vec<String>> {
    corpus(include_str!("policy/everyday.toml"))
}

struct Scene {
    folder: tempfile::TempDir,
    workspace: Workspace,
}

fn program(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        let root = at("work");
        for name in "sh bash dash busybox python3 perl node awk sed vim make env xargs nice nohup \
             timeout time setsid stdbuf sudo find npx npm uvx ssh docker watch flock tar strace rustup less \
             ld-linux-x86-64.so.2 cargo git ls cat head tail wc pwd tree stat du file grep rg diff mkdir \
             touch rm mv cp echo true date uname nproc rustfmt ln chmod curl tee"
            .split_whitespace()
        {
            program(&at("bin").join(name), &format!("\u{7f}ELF {name}"));
        }
        fs::create_dir_all(root.join("src")).unwrap();
        fs::create_dir_all(root.join("checks")).unwrap();
        for file in [
            "src/lib.rs",
            "Cargo.toml",
            "task.toml",
            "checks/sealed.toml",
        ] {
            fs::write(root.join(file), "").unwrap();
        }
        fs::write(at("outside"), "").unwrap();
        program(&at("outside-tool"), "\u{7f}ELF");
        symlink(at("outside"), root.join("leak")).unwrap();
        symlink("..", root.join("up")).unwrap();
        program(&root.join("scratch/git"), "\u{7f}ELF git");
        program(&root.join("scratch/tool"), "\u{7f}ELF tool");
        symlink(at("bin/sh"), root.join("scratch/cargo")).unwrap();
        symlink(at("bin/sh"), root.join("scratch/linked-shell")).unwrap();
        fs::create_dir(root.join("cargo-link")).unwrap();
        symlink(at("bin/cargo"), root.join("cargo-link/cargo")).unwrap();
        program(&root.join("target/debug/tool"), "\u{7f}ELF tool");
        program(&root.join("target/debug/find"), "\u{7f}ELF find");
        program(&root.join("target/release/tool"), "\u{7f}ELF tool");
        for own in [
            "debug/examples/demo",
            "x86_64-unknown-linux-gnu/release/tool",
        ] {
            program(&root.join("target").join(own), "\u{7f}ELF tool");
        }
        for other in ["a/b/c/debug/tool", "debug/deps/examples/tool"] {
            program(&root.join("target").join(other), "\u{7f}ELF tool");
        }
        program(&root.join("target/debug/script"), "#!/bin/sh\n");
        program(&root.join("target/debug/build/x/run"), "\u{7f}ELF");
        program(&root.join("target/tool"), "\u{7f}ELF");
        let workspace = Workspace::open(&root, &[PathBuf::from("checks/sealed.toml")]).unwrap();
        Self { folder, workspace }
    }

    fn path(&self) -> std::ffi::OsString {
        let inside = self.workspace.root().join("scratch");
        std::env::join_paths([
            inside,
            PathBuf::from("relative"),
            self.folder.path().join("bin"),
        ])
        .unwrap()
    }

    fn policy(&self) -> Policy {
        Policy::builtin(&self.workspace, Some(&self.path()))
    }

    fn decide(&self, policy: &Policy, argv: &[String]) -> Decision {
        let command = Command {
            argv,
            cwd: self.workspace.root(),
            kind: None,
            reason: None,
        };
        policy.decide(&command, &self.workspace).unattended()
    }
}

#[test]
fn no_attempt_gets_through() {
    let scene = Scene::new();
    let policy = scene.policy();
    let attempts = bypass();
    assert!(attempts.len() >= 150, "{}", attempts.len());
    let through: Vec<_> = attempts
        .iter()
        .filter(|argv| scene.decide(&policy, argv).verdict != Verdict::Deny)
        .collect();
    assert!(through.is_empty(), "got through: {through:#?}");
}

#[test]
fn no_everyday_command_is_refused() {
    let scene = Scene::new();
    let policy = scene.policy();
    let commands = everyday();
    assert!(commands.len() >= 120, "{}", commands.len());
    let refused: Vec<_> = commands
        .iter()
        .map(|argv| (argv, scene.decide(&policy, argv)))
        .filter(|(_, decision)| decision.verdict != Verdict::Allow)
        .map(|(argv, decision)| (argv, decision.rule, decision.reason))
        .collect();
    assert!(refused.is_empty(), "refused: {refused:#?}");
}

#[test]
fn the_file_to_start_is_the_one_that_was_judged() {
    let scene = Scene::new();
    let policy = scene.policy();
    let argv = ["./cargo-link/cargo".to_owned(), "build".to_owned()];
    let decision = scene.decide(&policy, &argv);
    assert_eq!(
        decision.program,
        Some(scene.folder.path().join("bin/cargo"))
    );
    assert_eq!(decision.rule, "cargo builds and tests");
    assert_eq!(decision.policy, policy.hash());
}

#[test]
fn snapshots_need_a_kind_and_a_reason() {
    let scene = Scene::new();
    let policy = scene.policy();
    let argv = ["cargo", "insta", "accept"].map(str::to_owned);
    let with = |kind, reason| {
        let command = Command {
            argv: &argv,
            cwd: scene.workspace.root(),
            kind,
            reason,
        };
        policy.decide(&command, &scene.workspace)
    };
    assert!(with(None, Some("why")).reason.contains("`kind`"));
    assert!(
        with(Some("intended"), Some(" "))
            .reason
            .contains("`reason`")
    );
    assert_eq!(
        with(Some("intended"), Some("new column")).verdict,
        Verdict::Allow
    );
}

#[test]
fn a_policy_that_does_not_load_denies_everything() {
    let scene = Scene::new();
    let load = |text: &str| Policy::load(&[text], &scene.workspace, Some(&scene.path()));
    let faults = [
        ("", "no rules"),
        ("[[rule]", "well formed"),
        (
            "[[rule]]\nname='a'\nverdict='allow'\nprogram='ls'\nmatch=['ls']\nunknown=1",
            "unknown",
        ),
        (
            "[[rule]]\nname='a'\nverdict='maybe'\nprogram='ls'\nmatch=['ls']",
            "maybe",
        ),
        (
            "[[rule]]\nname='a'\nverdict='allow'\nprogram='ls'\nmatch=[]",
            "no `match`",
        ),
        (
            "[[rule]]\nname='a'\nverdict='allow'\nprogram='ls'\nmatch=['ls x']",
            "does not match",
        ),
        (
            "[[rule]]\nname='a'\nverdict='allow'\nprogram='ls'\nmatch=['ls']\nnot_match=['ls']",
            "matches",
        ),
        (
            "[[rule]]\nname='a'\nverdict='allow'\nprogram='/bin/ls'\nmatch=['/bin/ls']",
            "bare name",
        ),
        (
            "[[rule]]\nname='a'\nverdict='allow'\nprogram='env'\nmatch=['env']",
            "`exact`",
        ),
        (
            "[[rule]]\nname='a'\nverdict='allow'\nprogram='python3'\nmatch=['python3']",
            "`exact`",
        ),
        (
            "[[rule]]\nname='a'\nverdict='allow'\nprogram='ls'\nmatch=['ls']\n\
             [[rule]]\nname='a'\nverdict='deny'\nprogram='rm'\nmatch=['rm']",
            "this name",
        ),
    ];
    for (text, complaint) in faults {
        let error = load(text).unwrap_err();
        assert!(error.to_string().contains(complaint), "{text}: {error}");
        let policy = Policy::broken(&error);
        for argv in everyday() {
            let decision = scene.decide(&policy, &argv);
            assert_eq!(decision.verdict, Verdict::Deny);
            assert_eq!(decision.rule, "(policy does not load)");
        }
    }
    assert_eq!(load("").unwrap_err(), PolicyError::Empty);
}

#[test]
fn the_strictest_rule_counts_and_asking_nobody_is_no() {
    let scene = Scene::new();
    let rule = |name: &str, verdict: &str| {
        format!(
            "[[rule]]\nname='{name}'\nverdict='{verdict}'\nprogram='make'\nexact=['test']\nmatch=['make test']\n"
        )
    };
    let decide = |text: &str| {
        let policy = Policy::load(&[text], &scene.workspace, Some(&scene.path())).unwrap();
        let argv = ["make".to_owned(), "test".to_owned()];
        let command = Command {
            argv: &argv,
            cwd: scene.workspace.root(),
            kind: None,
            reason: None,
        };
        policy.decide(&command, &scene.workspace)
    };
    assert_eq!(decide(&rule("a", "allow")).verdict, Verdict::Allow);
    let ask = decide(&(rule("a", "allow") + &rule("b", "ask")));
    assert_eq!((ask.verdict, ask.rule.as_str()), (Verdict::Ask, "b"));
    assert_eq!(ask.unattended().verdict, Verdict::Deny);
    let deny = decide(&(rule("c", "deny") + &rule("a", "allow") + &rule("b", "ask")));
    assert_eq!((deny.verdict, deny.rule.as_str()), (Verdict::Deny, "c"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_wrapper_never_turns_no_into_yes(index in 0..1000_usize, wrapper in proptest::sample::select(vec![
        "env", "nice", "xargs", "timeout", "sudo", "sh", "bash", "busybox", "python3", "npx", "find",
        "scratch/linked-shell", "scratch/cargo", "scratch/git", "strace", "make", "rustup",
    ]), extra in proptest::option::of(proptest::sample::select(vec!["-c", "--", "-i", "5", "run"]))) {
        let scene = Scene::new();
        let policy = scene.policy();
        let all: Vec<_> = bypass().into_iter().chain(everyday()).collect();
        let mut argv = vec![wrapper.to_owned()];
        argv.extend(extra.map(str::to_owned));
        argv.extend(all[index % all.len()].iter().cloned());
        prop_assert_eq!(scene.decide(&policy, &argv).verdict, Verdict::Deny);
    }

    #[test]
    fn arbitrary_policies_never_panic(text in "\\PC{0,200}", argv in proptest::collection::vec("\\PC{0,8}", 0..4)) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path(), &[]).unwrap();
        let rule = format!("[[rule]]\nname='a'\nverdict='allow'\nprogram='ls'\nmatch=['ls']\n{text}");
        for text in [text, rule] {
            let policy = Policy::load(&[&text], &workspace, Some(OsStr::new("/bin")))
                .unwrap_or_else(|error| Policy::broken(&error));
            let command = Command { argv: &argv, cwd: workspace.root(), kind: None, reason: None };
            policy.decide(&command, &workspace);
        }
    }
}
