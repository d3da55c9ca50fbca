//! Workflow commands of GitHub Actions.

use std::fmt::Write as _;

use super::place::Place;
use crate::contract::Sources;
use crate::diagnostic::{Diagnostic, Severity};

/// One workflow command a line, which GitHub Actions shows at the line of the file:
/// `::error file=…,line=…,endLine=…,col=…,endColumn=…,title=S0203::…`.
pub fn github(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut out = String::new();
    for one in diagnostics {
        let place = Place::of(one.span, sources);
        let command = match one.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let mut message = one.message.clone();
        for related in &one.related {
            let at = Place::of(related.span, sources);
            let _ = write!(
                message,
                "\n{}:{}:{}: {}",
                at.path, at.line, at.column, related.message
            );
        }
        if let Some(help) = &one.help {
            let _ = write!(message, "\nhelp: {help}");
        }
        let _ = writeln!(
            out,
            "::{command} file={},line={},endLine={},col={},endColumn={},title={}::{}",
            property(place.path),
            place.line,
            place.end_line,
            place.column,
            place.end_column,
            one.code,
            data(&message)
        );
    }
    out
}

/// The escapes of a command's message.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The escapes of a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
