//! Cargo sees every edit of a contract, and nothing else, through both fronts.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Project(PathBuf);

impl Project {
    /// A workspace with one crate for each front, over one contract folder.
    fn new() -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.join("../../..");
        let project = Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join("rebuild"));
        for folder in ["domain", "by_attribute/src", "by_script/src"] {
            fs::create_dir_all(project.0.join(folder)).unwrap();
        }
        let core = root.join("space-core");
        let core = core.display();
        let macros = root.join("space-macros");
        let package = |name: &str| {
            format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n")
        };
        for (file, text) in [
            (
                "Cargo.toml",
                "[workspace]\nresolver = \"3\"\nmembers = [\"by_attribute\", \"by_script\"]\n\n\
                 [profile.dev]\ndebug = false\n"
                    .to_owned(),
            ),
            (
                "by_attribute/Cargo.toml",
                format!(
                    "{}\n[dependencies]\nspace-core = {{ path = \"{core}\" }}\nspace-macros = {{ path = \"{}\" }}\n",
                    package("by_attribute"),
                    macros.display()
                ),
            ),
            (
                "by_attribute/src/lib.rs",
                "#[space_macros::space(domain = \"../domain/door\")]\npub mod door {}\n\
                 pub const COUNT: usize = door::RULES.states.len();\n"
                    .to_owned(),
            ),
            (
                "by_script/Cargo.toml",
                format!(
                    "{}\n[dependencies]\nspace-core = {{ path = \"{core}\" }}\n\n\
                     [build-dependencies]\nspace-core = {{ path = \"{core}\", features = [\"build\"] }}\n",
                    package("by_script")
                ),
            ),
            (
                "by_script/build.rs",
                "fn main() {\n    space_core::build::script();\n}\n".to_owned(),
            ),
        ] {
            fs::write(project.0.join(file), text).unwrap();
        }
        // The products of an earlier run of this test would hide whether this one writes them.
        let _ = fs::remove_file(project.0.join("by_script/src/door_gen.rs"));
        fs::write(project.0.join("by_script/src/lib.rs"), "").unwrap();
        for kind in ["base", "domain"] {
            let file = format!("door_{kind}.toml");
            let from = here.join("tests/ui/contracts").join(&file);
            fs::write(
                project.0.join("domain").join(&file),
                fs::read(from).unwrap(),
            )
            .unwrap();
        }
        fs::copy(root.join("Cargo.lock"), project.0.join("Cargo.lock")).unwrap();
        project
    }

    fn edit(&self, from: &str, to: &str) {
        let path = self.0.join("domain/door_domain.toml");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from));
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
    }

    /// Builds, and says whether it went well, and what cargo said.
    fn build(&self, package: &str, mode: &str) -> (bool, String) {
        let output = Command::new(env!("CARGO"))
            .args(["build", "--offline", "-p", package])
            .current_dir(&self.0)
            .env("SPACE_GOLDEN", mode)
            .env("CARGO_TARGET_DIR", self.0.join("target"))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.success(), said)
    }
}

#[test]
fn every_edit_and_nothing_else() {
    let project = Project::new();
    for package in ["by_attribute", "by_script"] {
        let (built, said) = project.build(package, "write");
        assert!(built, "{said}");
        let (_, said) = project.build(package, "write");
        assert!(!said.contains("Compiling"), "the second build: {said}");

        project.edit("to = \"Ajar\"", "to = \"Ajr\"");
        for _ in 0..2 {
            let (built, said) = project.build(package, "write");
            assert!(!built);
            assert!(
                said.contains("S0303") && said.contains("door_domain.toml:7:6"),
                "{said}"
            );
            assert_eq!(said.matches("unknown state `Ajr`").count(), 1, "{said}");
            // Both fronts show the place, and the way out.
            assert!(said.contains("^^^^^"), "{said}");
            assert!(said.contains("help: did you mean `Ajar`?"), "{said}");
            assert!(!said.contains("cargo::"), "{said}");
        }

        project.edit("to = \"Ajr\"", "to = \"Ajar\"\ndoc = \"Mended.\"");
        let (built, said) = project.build(package, "write");
        assert!(built, "{said}");
        project.edit("\ndoc = \"Mended.\"", "");
        let (built, said) = project.build(package, "write");
        assert!(built && said.contains("Compiling"), "{said}");
    }

    // A product that somebody edited is seen: written again, or told apart.
    let product = project.0.join("by_script/src/door_gen.rs");
    let golden = fs::read_to_string(&product).unwrap();
    fs::write(&product, "// an edit by hand\n").unwrap();
    let (built, said) = project.build("by_script", "verify");
    assert!(!built);
    assert!(said.contains("+++ b/by_script/src/door_gen.rs\n"), "{said}");
    assert!(
        said.contains("SPACE_GOLDEN=write cargo build -p by_script"),
        "{said}"
    );
    let (built, said) = project.build("by_script", "write");
    assert!(built, "{said}");
    assert_eq!(fs::read_to_string(&product).unwrap(), golden);

    // So is one that no contract asks for, and the same command is enough.
    let orphan = project.0.join("by_script/src/gone_gen.rs");
    fs::write(&orphan, &golden).unwrap();
    fs::write(&product, &golden).unwrap();
    let (built, said) = project.build("by_script", "verify");
    assert!(!built);
    let line = "by_script/src/gone_gen.rs: no contract asks for it any more";
    assert!(said.contains(line), "{said}");
    let (built, said) = project.build("by_script", "write");
    assert!(built && said.contains(&format!("removed {line}")), "{said}");
    assert!(!orphan.exists());
    let (built, said) = project.build("by_script", "verify");
    assert!(built, "{said}");
}
