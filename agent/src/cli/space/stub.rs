//! `agent space stub`: the text that a consumer copies and fills, for crates without golden products.

use std::path::Path;

use space_core::build::format;
use space_core::emit::{Contract, Place, Settings, Together, products};
use space_core::gates::check_folder;

use super::super::args::{StubArgs, StubKind};
use super::super::{Plain, print};
use super::named::named;
use super::{read, slashes};

/// Prints a stub of a space.
pub(super) fn stub(args: &StubArgs) -> Result<u8, Plain> {
    let folder = read(&args.dir)?;
    // Says what is wrong with a name.
    named(&folder, &args.name)?;
    let checked = check_folder(&folder);
    let passed = checked.passed.iter();
    let mut passed = passed.filter(|(pair, _)| pair.stem == args.name);
    let Some((pair, model)) = passed.next() else {
        let declared = folder.pairs.iter().any(|pair| pair.stem == args.name);
        return Err(if declared {
            format!(
                "`{}` does not pass its gates: `agent space check`",
                args.name
            )
        } else {
            format!(
                "`{}` is a composition: its spaces have handlers, `agent space stub SPACE` each",
                args.name
            )
        }
        .into());
    };
    let contract = Contract {
        base: &pair.base,
        domain: &pair.domain,
        model,
    };
    let dir = slashes(&args.dir);
    let place = Place {
        krate: krate(args)?,
        domain: dir.clone(),
        shown: dir,
    };
    let together = Together {
        compositions: &folder.compositions,
        composed: &[],
    };
    let file = match args.kind {
        StubKind::Handler => format!("stub_out/{}_handler_stub.rs", args.name),
        StubKind::Mock => format!("stub_out/{}_mock.rs", args.name),
        StubKind::Properties => format!("stub_out/{}_properties_stub.rs", args.name),
    };
    let all = products(&[contract], together, &Settings::default(), &place, &format);
    let text = all.iter().find(|one| one.path == file);
    let text = text.ok_or_else(|| format!("there is no {file}"))?;
    print(text.text.trim_end());
    Ok(0)
}

/// The crate that has the generated module, as the stub names it: a handler stands in it, what is for
/// tests beside it.
fn krate(args: &StubArgs) -> Result<String, Plain> {
    if let Some(name) = &args.krate {
        return Ok(name.replace('-', "_"));
    }
    let manifest = Path::new("Cargo.toml");
    if matches!(args.kind, StubKind::Handler) || !manifest.is_file() {
        return Ok("crate".to_owned());
    }
    let document: toml_edit::DocumentMut = std::fs::read_to_string(manifest)?
        .parse()
        .map_err(|error| format!("Cargo.toml: {error}"))?;
    let package = document.get("package").and_then(|one| one.get("name"));
    let name = package.and_then(toml_edit::Item::as_str);
    Ok(name.map_or_else(|| "crate".to_owned(), |name| name.replace('-', "_")))
}
