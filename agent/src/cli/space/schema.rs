//! `agent space schema`: the JSON Schemas of the contract's forms.

use std::fs;
use std::path::Path;

use space_core::build::Mode;
use space_core::schema::{FORMS, form, schema as text};

use super::super::args::SchemaArgs;
use super::super::{Plain, eprint, print};

/// Prints a schema, or writes or verifies all of them; 1 when one is not what it should be.
pub(super) fn schema(args: &SchemaArgs) -> Result<u8, Plain> {
    let names = || FORMS.map(|form| form.name).join(", ");
    match (&args.form, &args.dir, args.write) {
        (Some(name), ..) => {
            let form = form(name)
                .ok_or_else(|| format!("there is no form `{name}`; there are {}", names()))?;
            print(text(form).trim_end());
            Ok(0)
        }
        (None, None, false) => {
            for form in FORMS {
                print(&format!("{:<12} {}", form.name, form.title));
            }
            Ok(0)
        }
        (None, dir, write) => {
            let mode = if write {
                Mode::Write
            } else {
                Mode::from_env()?
            };
            keep(dir.as_deref().unwrap_or(Path::new("schema")), mode)
        }
    }
}

fn keep(dir: &Path, mode: Mode) -> Result<u8, Plain> {
    let mut stale = 0;
    for form in FORMS {
        let (path, wanted) = (dir.join(form.file()), text(form));
        let found = fs::read_to_string(&path).unwrap_or_default();
        if found.replace("\r\n", "\n") == wanted {
            continue;
        }
        let shown = path.display();
        match mode {
            Mode::Write => {
                fs::create_dir_all(dir)?;
                fs::write(&path, wanted).map_err(|error| format!("{shown}: {error}"))?;
                print(&format!("wrote {shown}"));
            }
            Mode::Verify => {
                eprint(&format!("{shown} is not what the format says"));
                stale += 1;
            }
        }
    }
    if stale > 0 {
        eprint(&format!(
            "refresh with: agent space schema --write --dir {}",
            dir.display()
        ));
    }
    Ok(u8::from(stale > 0))
}
