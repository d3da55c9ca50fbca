//! `agent space init` and `new`: the first files of a contract.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use space_core::contract::{is_keyword, lower_snake};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value, value};

use super::super::args::Front;
use super::{Plain, print};

const BASE: &str = include_str!("template_base.toml");
const DOMAIN: &str = include_str!("template_domain.toml");

/// The version of this program's own crates, which a prepared crate asks for.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Writes a commented pair that passes the gates.
pub(super) fn new(dir: &Path, name: &str) -> Result<u8, Plain> {
    if !is_name(name) {
        let better = lower_snake(name).replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        let words: Vec<_> = better.split('_').filter(|word| !word.is_empty()).collect();
        let better = Some(words.join("_")).filter(|better| is_name(better));
        return Err(format!(
            "`{name}` cannot name a space: use lower_snake, as in `{}`",
            better.as_deref().unwrap_or("my_loop")
        )
        .into());
    }
    fs::create_dir_all(dir).map_err(|error| format!("cannot create {}: {error}", dir.display()))?;
    let files = [("base", BASE), ("domain", DOMAIN)].map(|(part, template)| {
        (
            dir.join(format!("{name}_{part}.toml")),
            template.replace("@name@", name),
        )
    });
    // Asked of both before one is written.
    if let Some((taken, _)) = files.iter().find(|(path, _)| path.exists()) {
        return Err(format!("{} is there already", taken.display()).into());
    }
    for (path, text) in &files {
        create(path, text)?;
        print(&format!("wrote {}", path.display()));
    }
    Ok(0)
}

/// Whether a file, a module and a type can be named after it.
fn is_name(name: &str) -> bool {
    let fits = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_');
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(fits)
        && lower_snake(name) == name
        && !is_keyword(name)
}

fn create(path: &Path, text: &str) -> Result<(), Plain> {
    let failed = |error: std::io::Error| format!("cannot write {}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = fs::File::create_new(path).map_err(failed)?;
    Ok(file.write_all(text.as_bytes()).map_err(failed)?)
}

/// Prepares the crate in `dir`. `path` is a checkout of this project, for crates that do not take it
/// from a registry.
pub(super) fn init(dir: &Path, name: &str, front: Front, path: Option<&Path>) -> Result<u8, Plain> {
    // Paths are shown as a person would type them.
    let dir = if dir == Path::new(".") {
        Path::new("")
    } else {
        dir
    };
    let manifest = dir.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(|error| {
        format!(
            "{}: {error}; `cargo init` makes a crate",
            manifest.display()
        )
    })?;
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error| format!("{}: {error}", manifest.display()))?;
    if document.get("package").is_none() {
        return Err(format!("{} is a workspace, not a crate", manifest.display()).into());
    }
    let path = path.map(std::path::absolute).transpose()?;
    // What can be refused is asked before the first file is written.
    match front {
        Front::Attribute => {
            let root = root_module(dir)?;
            new(&dir.join("domain"), name)?;
            let dependencies = table(&mut document, "dependencies");
            depend(
                dependencies,
                "space-core",
                // A loop is there to be run.
                &dependency(path.as_deref(), "space-core", &["runtime"]),
            );
            depend(
                dependencies,
                "space-macros",
                &dependency(path.as_deref(), "space-macros", &[]),
            );
            depend(dependencies, "tokio", &executor());
            let lines = format!(
                "\n#[space_macros::space(domain = \"domain/{name}\")]\npub mod {name} {{}}\n"
            );
            append(&root, &lines)?;
        }
        Front::Build => {
            let out = dir.join("out");
            if out.exists() {
                return Err(format!(
                    "{} is there already: `agent space build` fills it",
                    out.display()
                )
                .into());
            }
            let workspace = table(&mut document, "workspace");
            if workspace.get("members").is_none() {
                workspace["members"] = value(Array::new());
            }
            let members = &mut workspace["members"];
            let members = members
                .as_array_mut()
                .ok_or("`workspace.members` is no list")?;
            new(&dir.join("domain"), name)?;
            golden(&out, path.as_deref())?;
            if !members.iter().any(|member| member.as_str() == Some("out")) {
                members.push("out");
            }
            let mut line = InlineTable::new();
            line.insert("path", "out".into());
            let dependencies = table(&mut document, "dependencies");
            depend(dependencies, "space-out", &line);
            // The copied stubs name it.
            depend(
                dependencies,
                "space-core",
                &dependency(path.as_deref(), "space-core", &["runtime"]),
            );
            depend(dependencies, "tokio", &executor());
        }
    }
    fs::write(&manifest, document.to_string())?;
    print(&format!("changed {}", manifest.display()));
    print(match front {
        Front::Attribute => {
            "next: `cargo build`, then a handler: `cargo doc --open` shows the trait to implement"
        }
        Front::Build => {
            "next: `cargo build` fills out/; out/stub_out has a handler and a mock to copy"
        }
    });
    Ok(0)
}

/// What runs a loop.
fn executor() -> InlineTable {
    let mut line = InlineTable::new();
    line.insert("version", "1".into());
    let features = ["macros", "rt", "time"];
    line.insert("features", Value::Array(features.into_iter().collect()));
    line
}

/// A crate that keeps the products of `../domain`.
fn golden(out: &Path, path: Option<&Path>) -> Result<(), Plain> {
    let with = |features: &[&str]| {
        let mut line = dependency(path, "space-core", features);
        line.fmt();
        line.to_string()
    };
    let manifest = format!(
        "[package]\nname = \"space-out\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\nspace-core = {}\n\n[build-dependencies]\nspace-core = {}\n\n\
         [dev-dependencies]\nspace-core = {}\n",
        with(&[]),
        with(&["build"]),
        with(&["verify"])
    );
    let script = "//! Writes or verifies the products of `../domain`.\n\n\
                  fn main() {\n    space_core::build::script();\n}\n";
    // The library is empty, so that cargo finds one; the script fills it.
    for (file, text) in [
        ("Cargo.toml", manifest.as_str()),
        ("build.rs", script),
        ("src/lib.rs", ""),
    ] {
        create(&out.join(file), text)?;
        print(&format!("wrote {}", out.join(file).display()));
    }
    Ok(())
}

fn dependency(path: Option<&Path>, name: &str, features: &[&str]) -> InlineTable {
    let mut line = InlineTable::new();
    match path {
        Some(path) => line.insert("path", path.join(name).to_string_lossy().as_ref().into()),
        None => line.insert("version", VERSION.into()),
    };
    if !features.is_empty() {
        line.insert("features", Value::Array(features.iter().copied().collect()));
    }
    line
}

fn table<'a>(document: &'a mut DocumentMut, name: &str) -> &'a mut Item {
    document
        .entry(name)
        .or_insert_with(|| Item::Table(Table::new()))
}

/// Adds a dependency, unless there is one of that name.
fn depend(dependencies: &mut Item, name: &str, line: &InlineTable) {
    if dependencies.get(name).is_none() {
        dependencies[name] = value(line.clone());
    }
}

fn root_module(dir: &Path) -> Result<PathBuf, Plain> {
    let candidates = ["src/lib.rs", "src/main.rs"].map(|file| dir.join(file));
    let found = candidates.iter().find(|path| path.is_file()).cloned();
    Ok(found.ok_or_else(|| {
        format!(
            "neither {} is there: `cargo init` makes a crate",
            candidates
                .map(|path| path.display().to_string())
                .join(" nor ")
        )
    })?)
}

fn append(path: &Path, lines: &str) -> Result<(), Plain> {
    let mut text = fs::read_to_string(path)?;
    if text.contains(lines.trim()) {
        return Ok(());
    }
    text.push_str(lines);
    fs::write(path, text)?;
    print(&format!("changed {}", path.display()));
    Ok(())
}
