use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What a program may inherit: where programs are, and where toolchains keep their state.
const INHERITED: &[&str] = &[
    "PATH",
    "HOME",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "MOON_HOME",
    "GOPATH",
    "GOROOT",
    "PYENV_ROOT",
    "NVM_DIR",
    "TMPDIR",
];

/// The small environment in which a program behaves the same everywhere: `PATH`, `HOME`, the
/// toolchains' homes as far as they are set, a fixed locale and time zone. Nothing else of the
/// caller's environment is in it, so no key leaks and no setting of the user changes an outcome.
pub fn base_environment() -> BTreeMap<OsString, OsString> {
    let inherited = INHERITED
        .iter()
        .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
    let fixed = [("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8"), ("TZ", "UTC")];
    inherited
        .chain(fixed.map(|(name, value)| (name.into(), value.into())))
        .collect()
}

/// Where `program` is, as a shell would look it up: a name with a slash is taken relative to
/// `cwd`, a bare name is searched in `path` (the value of `PATH`). `None` when no executable file is there.
pub fn find_program(program: &OsStr, path: Option<&OsStr>, cwd: &Path) -> Option<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Some(cwd.join(program)).filter(|file| is_executable(file));
    }
    if program.is_empty() {
        return None;
    }
    std::env::split_paths(path?)
        .map(|folder| cwd.join(folder).join(program))
        .find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
