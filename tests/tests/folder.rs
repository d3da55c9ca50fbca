//! Reading a folder: every file that cannot be read has its own words, and nothing hangs.

// clippy.toml allows this in tests, which does not reach their helpers.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use space_core::diagnostic::render::{Colour, human};
use space_core::diagnostic::sort;
use space_core::gates::check_folder;
use space_core::parse::folder::{self, Folder};

const BASE: &str = "[meta]\nname = \"lamp\"\n";

/// Findings as `CODE path:line:column message`, one a line.
fn listed(folder: &Folder) -> String {
    let mut found = folder.diagnostics.clone();
    sort(&mut found, &folder.sources);
    let lines = found.iter().map(|one| {
        let source = folder.sources.get(one.span.file).unwrap();
        let (line, column) = source.position(one.span.start);
        let help = one.help.as_deref().map(|help| format!(" ({help})"));
        format!(
            "{} {}:{line}:{column} {}{}\n",
            one.code,
            source.path,
            one.message,
            help.unwrap_or_default()
        )
    });
    lines.collect()
}

/// What is found in `domain/`, which `make` fills.
fn check(make: impl FnOnce(&Path), expected: &str) {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("domain");
    fs::create_dir(&dir).unwrap();
    make(&dir);
    let folder = folder::read(root.path(), "domain");
    assert_eq!(listed(&folder), expected);
    // Nothing that is printed says where the folder is.
    let printed = human(&folder.diagnostics, &folder.sources, Colour::Never);
    assert!(
        !printed.contains(root.path().to_str().unwrap()),
        "{printed}"
    );
}

fn write(dir: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    fs::write(dir.join(name), bytes).unwrap();
}

/// A file that cannot be read, next to a domain file that can.
fn check_file(make: impl FnOnce(&Path), expected: &str) {
    check(
        |dir| {
            write(dir, "lamp_domain.toml", BASE);
            make(&dir.join("lamp_base.toml"));
        },
        expected,
    );
}

#[test]
fn text_that_is_none_is_refused_at_its_place() {
    check_file(
        |path| fs::write(path, b"[meta]\nname = \"l\xe4mp\"\n").unwrap(),
        "S0107 domain/lamp_base.toml:2:10 the file is not UTF-8\n",
    );
    check_file(
        |path| fs::write(path, b"[meta]\nname\0\xff").unwrap(),
        "S0107 domain/lamp_base.toml:2:5 the file is binary: it has a NUL byte\n",
    );
    check_file(
        |path| fs::write(path, vec![b'#'; space_core::parse::MAX_BYTES + 1]).unwrap(),
        "S0107 domain/lamp_base.toml:1:1 the file is larger than 16 MiB\n",
    );
    // A byte order mark is no part of the text.
    check_file(
        |path| fs::write(path, format!("\u{feff}{BASE}")).unwrap(),
        "",
    );
}

#[test]
fn a_folder_is_no_file() {
    check_file(
        |path| fs::create_dir(path).unwrap(),
        "S0107 domain/lamp_base.toml:1:1 not a regular file\n",
    );
}

#[cfg(unix)]
#[test]
fn links_and_pipes_do_not_hold_the_reader() {
    use std::os::unix::fs::symlink;

    let looped = |path: &Path| symlink(path, path).unwrap();
    let root = tempfile::tempdir().unwrap();
    looped(&root.path().join("lamp_base.toml"));
    let found = folder::read(root.path(), ".");
    // The system has its own words for a loop.
    let text = listed(&found);
    let head = "S0107 lamp_base.toml:1:1 cannot read the file: ";
    assert!(text.starts_with(head), "{text}");
    assert_eq!(found.diagnostics.len(), 1);

    check_file(
        |path| symlink("nowhere", path).unwrap(),
        "S0107 domain/lamp_base.toml:1:1 cannot read the file: it does not exist\n",
    );
    check_file(
        |path| symlink("/dev/zero", path).unwrap(),
        "S0107 domain/lamp_base.toml:1:1 not a regular file\n",
    );
    check_file(
        |path| {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        },
        "S0107 domain/lamp_base.toml:1:1 not a regular file\n",
    );
    // A folder that contains itself is not entered; a link to a good file is followed.
    check(
        |dir| {
            symlink(".", dir.join("again")).unwrap();
            write(dir, "elsewhere.toml", BASE);
            symlink("elsewhere.toml", dir.join("lamp_base.toml")).unwrap();
            symlink("elsewhere.toml", dir.join("lamp_domain.toml")).unwrap();
        },
        "",
    );
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;

    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("lamp_base.toml");
    write(root.path(), "lamp_base.toml", BASE);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let expected = if fs::read(&path).is_ok() {
        // Permissions do not hold for the super-user.
        "S0109 lamp_base.toml:2:8 lamp_domain.toml is missing (add lamp_domain.toml, or remove this file)\n"
    } else {
        "S0107 lamp_base.toml:1:1 cannot read the file: permission denied\n"
    };
    assert_eq!(listed(&folder::read(root.path(), "")), expected);
}

#[test]
fn files_pair_by_their_stems() {
    check(
        |dir| {
            write(dir, "lamp_base.toml", BASE);
            write(dir, "lapm_domain.toml", BASE.replace("lamp", "lapm"));
            write(dir, "notes.toml", "not = even read");
        },
        "S0109 domain/lamp_base.toml:2:8 lamp_domain.toml is missing (rename lapm_domain.toml to lamp_domain.toml)\n",
    );
    // One file of a pair was renamed, to something like its old name or not.
    for other in ["lapm", "lantern"] {
        check(
            |dir| {
                write(dir, "lamp_base.toml", BASE);
                write(dir, &format!("{other}_domain.toml"), BASE);
            },
            &format!(
                "S0109 domain/lamp_base.toml:2:8 lamp_domain.toml is missing (rename {other}_domain.toml to lamp_domain.toml)\n"
            ),
        );
        check(
            |dir| {
                write(dir, &format!("{other}_base.toml"), BASE);
                write(dir, "lamp_domain.toml", BASE);
            },
            &format!(
                "S0109 domain/lamp_domain.toml:2:8 lamp_base.toml is missing (rename {other}_base.toml to lamp_base.toml)\n"
            ),
        );
    }
    // Two strangers are two mistakes.
    check(
        |dir| {
            write(dir, "lamp_base.toml", BASE);
            write(dir, "bridge_domain.toml", BASE.replace("lamp", "bridge"));
        },
        "S0109 domain/bridge_domain.toml:2:8 bridge_base.toml is missing (add bridge_base.toml, or remove this file)\n\
         S0109 domain/lamp_base.toml:2:8 lamp_domain.toml is missing (add lamp_domain.toml, or remove this file)\n",
    );
    check(
        |dir| {
            write(dir, "lamp_base.toml", BASE);
            write(dir, "lamp_domain.toml", BASE.replace("lamp", "lantern"));
        },
        "S0108 domain/lamp_domain.toml:2:8 lamp_domain.toml declares space `lantern` \
         (write `name = \"lamp\"`, or rename the file to lantern_domain.toml)\n",
    );
    // A copy that comes first in the order of names is still the copy.
    check(
        |dir| {
            for name in [
                "copy_base.toml",
                "copy_domain.toml",
                "lamp_base.toml",
                "lamp_domain.toml",
            ] {
                write(dir, name, BASE);
            }
        },
        "S0110 domain/copy_base.toml:2:8 space `lamp` is declared by a second file (a file named copy_base.toml declares `copy`)\n\
         S0110 domain/copy_domain.toml:2:8 space `lamp` is declared by a second file (a file named copy_domain.toml declares `copy`)\n",
    );
}

#[test]
fn a_vocabulary_is_judged_without_its_behaviour() {
    let judged = |domain: Option<&str>| {
        let root = tempfile::tempdir().unwrap();
        let rest = "[[states]]\nname = \"off\"\nis_initial = true\n";
        write(root.path(), "lamp_base.toml", format!("{BASE}{rest}"));
        if let Some(domain) = domain {
            write(root.path(), "lamp_domain.toml", domain);
        }
        write(
            root.path(),
            "composition.toml",
            "[[feedback]]\nname = \"again\"\nspace = \"lamp\"\nmax_rounds = 1\n",
        );
        let folder = folder::read(root.path(), "");
        let found = check_folder(&folder).diagnostics;
        let codes: Vec<_> = found.iter().map(|one| one.code.0).collect();
        codes
    };
    // The composition's space is there, so that nothing is said of it.
    assert_eq!(judged(None), [109, 204]);
    assert_eq!(judged(Some("not a domain")), [204, 101]);
}

#[test]
fn a_wrong_name_is_replaced_by_the_stem() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "lamp_base.toml", "[meta]\nname = \"other\"\n");
    write(root.path(), "lamp_domain.toml", BASE);
    let folder = folder::read(root.path(), ".");
    let pair = &folder.pairs[0];
    assert_eq!((&*pair.stem, pair.sound), ("lamp", true));
    assert_eq!(pair.base.meta.name.value, "lamp");
    assert_eq!(pair.domain.meta.name.value, "lamp");
}

#[test]
fn a_folder_is_read_in_the_order_of_names() {
    let root = tempfile::tempdir().unwrap();
    for stem in ["b", "a_b", "a"] {
        for kind in ["domain", "base"] {
            let text = BASE.replace("lamp", stem);
            write(root.path(), &format!("{stem}_{kind}.toml"), text);
        }
    }
    write(root.path(), "composition.toml", "");
    let folder = folder::read(root.path(), "");
    assert_eq!(folder.diagnostics, []);
    let stems: Vec<_> = folder.pairs.iter().map(|pair| &*pair.stem).collect();
    assert_eq!(stems, ["a", "a_b", "b"]);
    let paths: Vec<_> = folder.sources.iter().map(|(_, one)| &*one.path).collect();
    let expected = [
        "a_b_base.toml",
        "a_b_domain.toml",
        "a_base.toml",
        "a_domain.toml",
        "b_base.toml",
        "b_domain.toml",
        "composition.toml",
    ];
    assert_eq!(paths, expected);
    assert!(folder.composition.is_some());
    let inputs = folder
        .inputs
        .iter()
        .map(|path| path.strip_prefix(root.path()));
    let inputs: Vec<_> = inputs.map(|path| path.unwrap().to_str().unwrap()).collect();
    assert_eq!(inputs[0], "");
    assert_eq!(inputs[1..], expected);
}

#[test]
fn a_folder_that_is_not_there_is_a_finding() {
    let root = tempfile::tempdir().unwrap();
    let found = folder::read(root.path(), "domain");
    let expected = "S0107 domain:1:1 cannot list the folder: it does not exist\n";
    assert_eq!(listed(&found), expected);
    // An absolute path is shown by its last part.
    let path = root.path().join("contracts");
    let found = folder::read(Path::new("."), path.to_str().unwrap());
    let expected = "S0107 contracts:1:1 cannot list the folder: it does not exist\n";
    assert_eq!(listed(&found), expected);
}

#[test]
fn one_pair_is_read_by_its_stem() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("domain");
    fs::create_dir(&dir).unwrap();
    write(&dir, "lamp_base.toml", BASE);
    write(&dir, "lamp_domain.toml", BASE);
    write(&dir, "other_base.toml", "not read = ");
    let folder = folder::read_pair(root.path(), "domain/lamp");
    assert_eq!((listed(&folder), folder.pairs.len()), (String::new(), 1));
    assert_eq!(folder.inputs.len(), 3);
    let found = folder::read_pair(root.path(), "domain/lmap");
    assert_eq!(
        listed(&found),
        "S0107 domain/lmap_base.toml:1:1 there is neither lmap_base.toml nor lmap_domain.toml (did you mean `domain/lamp`?)\n"
    );
    // Both are tracked all the same, so that the build notices when they come.
    assert_eq!(found.inputs.len(), 3);
    let found = folder::read_pair(root.path(), "domain/other");
    assert_eq!(
        listed(&found),
        "S0109 domain/other_base.toml:1:1 other_domain.toml is missing (add other_domain.toml, or remove this file)\n\
         S0101 domain/other_base.toml:1:5 key with no value, expected `=`\n"
    );
}
