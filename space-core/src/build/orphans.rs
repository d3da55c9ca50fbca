//! Files where products are, that are none.

#![expect(clippy::disallowed_methods, reason = "the room that removes products")]

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use super::golden::{Access, Failure};
use crate::emit::{Product, is_generated};

/// Where products are, and how their names end. A copy of a stub, which keeps the mark of its
/// original, is elsewhere or named otherwise: it is not ours.
const PLACES: &[(&str, &[&str])] = &[
    ("src", &["_gen.rs"]),
    ("tests/properties", &["_gen.rs"]),
    (
        "stub_out",
        &["_handler_stub.rs", "_mock.rs", "_properties_stub.rs"],
    ),
    ("graph", &[".mmd", ".dot", ".svg"]),
    ("fixtures", &["_sample.json"]),
];

/// Files named like products that no contract asks for, in the order of their paths.
pub(super) struct Orphans {
    /// Those that say that they were generated.
    pub(super) marked: Vec<String>,
    /// Those that do not.
    pub(super) strays: Vec<String>,
}

/// Looks through the folders of products in the golden crate `out`.
pub(super) fn find(out: &Path, files: &[Product]) -> Result<Orphans, Failure> {
    let wanted: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let (mut marked, mut strays) = (BTreeSet::new(), BTreeSet::new());
    for (folder, endings) in PLACES {
        let failed = |error| Failure::Io {
            access: Access::Read,
            path: out.join(folder),
            error,
        };
        let entries = match fs::read_dir(out.join(folder)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(error)),
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{folder}/{name}");
            let ours = endings.iter().any(|ending| name.ends_with(ending));
            if !ours || wanted.contains(path.as_str()) || !entry.path().is_file() {
                continue;
            }
            let text = fs::read_to_string(entry.path());
            if text.is_ok_and(|text| is_generated(&text)) {
                marked.insert(path);
            } else {
                strays.insert(path);
            }
        }
    }
    Ok(Orphans {
        marked: marked.into_iter().collect(),
        strays: strays.into_iter().collect(),
    })
}

/// Removes a file that was found to be marked.
pub(super) fn remove(path: &Path) -> Result<(), Failure> {
    fs::remove_file(path).map_err(|error| Failure::Io {
        access: Access::Write,
        path: path.to_owned(),
        error,
    })
}
