use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::check::{Aspect, Check, SameAs};
use super::sandbox::{Entry, entries, replace};
use super::side::Side;
use super::text::{Judged, without_lines};
use super::verdict::{Code, Origin, Reason};
use crate::process::Status;

/// Compares the run of a check with the run of its other form.
pub(super) fn compare(check: &Check, this: &Side, other: &Side) -> Vec<Reason> {
    let Some(same_as) = &check.same_as else {
        return Vec::new();
    };
    let reason = |aspect: &Aspect| match aspect {
        Aspect::Exit => compare_exit(same_as, this, other),
        Aspect::Stdout => {
            let text = |side: &Side| neutral(side, &side.stdout);
            compare_text(same_as, other, &Origin::Stdout, &text(this), &text(other))
        }
        Aspect::Stderr => {
            let text =
                |side: &Side| without_lines(&neutral(side, &side.stderr), &same_as.allow_stderr);
            compare_text(same_as, other, &Origin::Stderr, &text(this), &text(other))
        }
        Aspect::Files => compare_files(same_as, this, other),
    };
    same_as.compare.iter().filter_map(reason).collect()
}

fn compare_exit(same_as: &SameAs, this: &Side, other: &Side) -> Option<Reason> {
    if this.status == other.status {
        return None;
    }
    let show = |status: Status| match status {
        Status::Exited(code) => format!("exit status {code}"),
        Status::Signaled(signal) => format!("signal {signal}"),
    };
    let (actual, expected) = (show(this.status), show(other.status));
    let message = format!(
        "it ended with {actual}, but `{}` with {expected}",
        name(other)
    );
    let mut reason = Reason::plain(Code::ParityExit, message, &same_as.place);
    (reason.expected, reason.actual) = (Some(expected), Some(actual));
    Some(reason)
}

fn compare_text(
    same_as: &SameAs,
    other: &Side,
    origin: &Origin,
    this: &[u8],
    that: &[u8],
) -> Option<Reason> {
    if this == that {
        return None;
    }
    let common = this
        .iter()
        .zip(that)
        .take_while(|(left, right)| left == right)
        .count();
    let (judged, that) = (Judged::of(origin, this), Judged::of(origin, that));
    let show = |judged: &Judged<'_>| match judged.line_at(common) {
        _ if common >= judged.bytes.len() => "the end".to_owned(),
        line if line.is_empty() => "the end of the line".to_owned(),
        line => format!("`{line}`"),
    };
    let (actual, expected) = (show(&judged), show(&that));
    let message = format!(
        "{origin} differs from that of `{}` at byte {common}: {actual} here, {expected} there",
        name(other)
    );
    let code = if *origin == Origin::Stdout {
        Code::ParityStdout
    } else {
        Code::ParityStderr
    };
    let mut reason = judged.reason_at(code, common, message, &same_as.place);
    (reason.expected, reason.actual) = (Some(expected), Some(actual));
    Some(reason)
}

fn compare_files(same_as: &SameAs, this: &Side, other: &Side) -> Option<Reason> {
    let (Some(here), Some(there)) = (&this.sandbox, &other.sandbox) else {
        return None;
    };
    let message = match differences(here, there) {
        Ok(differences) if differences.is_empty() => return None,
        Ok(differences) => {
            format!(
                "it leaves other files than `{}`: {}",
                name(other),
                differences.join(", ")
            )
        }
        Err(error) => format!("the files of the two forms cannot be compared: {error}"),
    };
    Some(Reason::plain(Code::ParityFiles, message, &same_as.place))
}

fn differences(here: &Path, there: &Path) -> std::io::Result<Vec<String>> {
    let (ours, theirs) = (entries(here)?, entries(there)?);
    let mut differences = Vec::new();
    for (path, entry) in &ours {
        let shown = path.display();
        match (entry, theirs.get(path)) {
            (_, None) => differences.push(format!("`{shown}` only here")),
            (Entry::File(left), Some(Entry::File(right))) => {
                let same_size = fs::metadata(left)?.len() == fs::metadata(right)?.len();
                if !same_size || fs::read(left)? != fs::read(right)? {
                    differences.push(format!("`{shown}` differs"));
                }
            }
            (left, Some(right)) if left == right => {}
            (_, Some(_)) => differences.push(format!("`{shown}` differs")),
        }
    }
    let missing = theirs.keys().filter(|path| !ours.contains_key(*path));
    differences.extend(missing.map(|path| format!("`{}` only there", path.display())));
    Ok(differences)
}

/// The text with the path of its sandbox, which differs between the sides, made the same.
fn neutral(side: &Side, bytes: &[u8]) -> Vec<u8> {
    match &side.sandbox {
        Some(sandbox) => replace(bytes, sandbox.as_os_str().as_bytes(), b"{sandbox}"),
        None => bytes.to_vec(),
    }
}

fn name(side: &Side) -> String {
    side.record.argv.join(" ")
}
