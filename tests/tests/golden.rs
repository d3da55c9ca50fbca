//! Golden products: written where they changed, verified without a trace.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use space_core::build::{Access, Failure, Job, Mode, Report, run};
use space_core::emit::Settings;
use tempfile::TempDir;

struct Project {
    folder: TempDir,
    job: Job,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let job = Job {
            root: folder.path().to_owned(),
            domain: "domain".to_owned(),
            out: "out".to_owned(),
            krate: "out".to_owned(),
            settings: Settings::default(),
        };
        let project = Self { folder, job };
        fs::create_dir(project.path("domain")).unwrap();
        project.adopt("reasoning");
        project
    }

    fn path(&self, below: &str) -> std::path::PathBuf {
        self.folder.path().join(below)
    }

    /// Copies a contract of this repository.
    fn adopt(&self, name: &str) {
        let domain = Path::new(env!("CARGO_MANIFEST_DIR")).join("../domain");
        for kind in ["base", "domain"] {
            let file = format!("{name}_{kind}.toml");
            fs::copy(domain.join(&file), self.path("domain").join(&file)).unwrap();
        }
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(file)).unwrap();
        assert!(text.contains(from));
        fs::write(self.path(file), text.replacen(from, to, 1)).unwrap();
    }

    fn write(&self) -> Report {
        run(&self.job, Mode::Write).unwrap_or_else(|failure| panic!("{failure}"))
    }

    fn files(&self) -> BTreeMap<String, (String, SystemTime)> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.path("out")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let time = path.metadata().unwrap().modified().unwrap();
                    let name = path.strip_prefix(self.path("out")).unwrap();
                    let name = name.to_str().unwrap().replace('\\', "/");
                    files.insert(name, (fs::read_to_string(&path).unwrap(), time));
                }
            }
        }
        files
    }
}

#[test]
fn writes_what_changed_and_only_that() {
    let project = Project::new();
    let first = project.write();
    assert_eq!(first.written, first.products);
    let before = project.files();
    assert_eq!(before.keys().cloned().collect::<Vec<_>>(), first.products);
    assert_eq!(project.write().written, Vec::<String>::new());

    // A second contract touches the lists of modules, and nothing of the first contract.
    project.adopt("retrieval");
    let second = project.write();
    let touched: Vec<_> = second
        .written
        .iter()
        .filter(|path| !path.contains("retrieval"))
        .collect();
    assert_eq!(
        touched,
        ["src/lib.rs", "tests/properties.rs", "tests/stubs.rs"]
    );
    let after = project.files();
    assert_eq!(
        after["src/reasoning_gen.rs"],
        before["src/reasoning_gen.rs"]
    );
    assert!(after["src/lib.rs"].0.contains("pub mod retrieval;"));
}

#[test]
fn written_files_are_as_old_as_their_newest_input() {
    let project = Project::new();
    let past = SystemTime::now() - Duration::from_secs(1000);
    let file = fs::File::options()
        .append(true)
        .open(project.path("domain/reasoning_base.toml"))
        .unwrap();
    file.set_modified(past + Duration::from_secs(10)).unwrap();
    let file = fs::File::options()
        .append(true)
        .open(project.path("domain/reasoning_domain.toml"))
        .unwrap();
    file.set_modified(past).unwrap();
    project.write();
    for (name, (_, time)) in project.files() {
        assert_eq!(time, past + Duration::from_secs(10), "{name}");
    }
}

#[test]
fn a_hand_may_write_its_own_file_only() {
    let project = Project::new();
    project.write();
    fs::write(project.path("out/src/stubs.rs"), "// mine").unwrap();
    fs::write(project.path("out/src/reasoning_gen.rs"), "// mine").unwrap();
    assert_eq!(project.write().written, ["src/reasoning_gen.rs"]);
    assert_eq!(project.files()["src/stubs.rs"].0, "// mine");
}

#[test]
fn verify_tells_the_difference_and_writes_nothing() {
    let project = Project::new();
    let Err(Failure::Stale { changes, .. }) = run(&project.job, Mode::Verify) else {
        panic!("nothing is there yet");
    };
    assert!(changes.len() > 8);
    assert!(!project.path("out").exists());
    project.write();
    let before = project.files();
    run(&project.job, Mode::Verify).unwrap();

    project.edit(
        "domain/reasoning_domain.toml",
        "guard = \"has_prompt\"\n",
        "",
    );
    let Err(failure) = run(&project.job, Mode::Verify) else {
        panic!("the contract changed");
    };
    let text = failure.to_string();
    assert!(text.contains("--- a/out/src/reasoning_gen.rs\n+++ b/out/src/reasoning_gen.rs\n"));
    assert!(
        text.contains("\n-                    Step::refused(event, 0)\n"),
        "{text}"
    );
    assert_eq!(project.files(), before);
}

#[test]
fn orphans_that_say_so_are_removed_and_nothing_else() {
    let project = Project::new();
    project.adopt("retrieval");
    project.write();
    for kind in ["base", "domain"] {
        fs::remove_file(project.path(&format!("domain/retrieval_{kind}.toml"))).unwrap();
    }
    let by_hand = [
        "fixtures/lamp_sample.json",
        "graph/lamp.dot",
        "src/lamp_gen.rs",
    ];
    for path in by_hand {
        fs::write(project.path(&format!("out/{path}")), "// mine").unwrap();
    }
    // A copy of a stub keeps its mark, and whoever made it has filled it in.
    let copies = [
        "src/by_hand.rs",
        "src/my_mock.rs",
        "tests/retrieval_mock.rs",
    ];
    let stub = project.files()["stub_out/retrieval_mock.rs"].0.clone();
    for copy in copies {
        fs::write(project.path(&format!("out/{copy}")), &stub).unwrap();
    }
    let orphans = [
        "fixtures/retrieval_sample.json",
        "graph/retrieval.dot",
        "graph/retrieval.mmd",
        "graph/retrieval.svg",
        "src/retrieval_gen.rs",
        "stub_out/retrieval_handler_stub.rs",
        "stub_out/retrieval_mock.rs",
        "stub_out/retrieval_properties_stub.rs",
        "tests/properties/retrieval_gen.rs",
    ];
    let Err(failure) = run(&project.job, Mode::Verify) else {
        panic!("there are orphans");
    };
    let text = failure.to_string();
    for path in orphans {
        let line = format!("\nout/{path}: no contract asks for it any more\n");
        assert!(text.contains(&line), "{text}");
    }
    assert!(project.path("out/src/retrieval_gen.rs").exists());

    let report = project.write();
    assert_eq!(report.removed, orphans);
    assert_eq!(report.strays, by_hand);
    let left = project.files();
    for path in orphans {
        assert!(!left.contains_key(path), "{path}");
    }
    for path in by_hand.iter().chain(&copies) {
        assert!(left.contains_key(*path), "{path}");
    }
    // What the refresh command does is enough for the verification.
    let report = run(&project.job, Mode::Verify).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(report.strays, by_hand);
}

#[test]
fn a_wrong_contract_leaves_the_products_alone() {
    let project = Project::new();
    project.write();
    let before = project.files();
    project.edit(
        "domain/reasoning_domain.toml",
        "to = \"Answered\"",
        "to = \"Answred\"",
    );
    let Err(failure) = run(&project.job, Mode::Write) else {
        panic!("the contract is wrong");
    };
    let text = failure.to_string();
    assert!(text.contains("domain/reasoning_domain.toml:18:6"), "{text}");
    assert_eq!(text.matches("error[").count(), 1, "{text}");
    assert_eq!(project.files(), before);
}

#[test]
fn a_place_that_cannot_be_written_is_an_error() {
    let project = Project::new();
    fs::create_dir(project.path("out")).unwrap();
    fs::write(project.path("out/graph"), "in the way").unwrap();
    let failure = run(&project.job, Mode::Write).unwrap_err();
    assert!(matches!(failure, Failure::Io { .. }), "{failure}");
    let text = failure.to_string();
    assert!(text.starts_with("cannot read out/graph: "), "{text}");
    let drafts = project
        .files()
        .into_keys()
        .filter(|name| name.contains("/."));
    assert_eq!(drafts.count(), 0);
}

#[cfg(unix)]
#[test]
fn a_crate_that_is_read_only_says_what_to_do() {
    use std::io;
    use std::os::unix::fs::PermissionsExt as _;

    let denied = Failure::Io {
        access: Access::Write,
        path: "out/src/lib.rs".into(),
        error: io::ErrorKind::PermissionDenied.into(),
    };
    let expected = "cannot write out/src/lib.rs: permission denied; make it writable, or set \
                    SPACE_GOLDEN=verify, which writes nothing";
    assert_eq!(denied.to_string(), expected);

    let project = Project::new();
    project.write();
    project.adopt("retrieval");
    let folder = project.path("out/src");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let failure = run(&project.job, Mode::Write);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    // Permissions do not hold for the super-user.
    if let Err(failure) = failure {
        let text = failure.to_string();
        assert!(text.starts_with("cannot write out/src/"), "{text}");
        assert!(text.contains("SPACE_GOLDEN=verify"), "{text}");
    }
}
