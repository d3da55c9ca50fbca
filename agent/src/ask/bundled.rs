//! The question that is asked when there is none: a first run without a key.

use std::fs;
use std::io;
use std::path::Path;

/// What is asked.
pub const QUESTION: &str = "Which release wins when several would fit?";

/// What a scripted model replies: first it misses something, then it answers.
pub const SCRIPT: &str = include_str!("../../tasks/ask/script.toml");

macro_rules! bundled {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../tasks/resolve/workspace/", $path)))),*]
    };
}

/// The repository: the program that the bundled task works on, as it is before.
const FILES: &[(&str, &str)] = bundled![
    "Cargo.toml",
    "README.md",
    "src/index.rs",
    "src/main.rs",
    "src/solve.rs",
    "src/version.rs",
];

/// Writes the repository into a folder.
///
/// # Errors
/// When it cannot be written.
pub fn unpack(folder: &Path) -> io::Result<()> {
    for (path, text) in FILES {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, text)?;
    }
    Ok(())
}
