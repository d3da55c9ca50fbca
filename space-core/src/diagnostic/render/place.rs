//! A span as people count: path, line and column.

use crate::contract::{Json, Sources, Span};

/// Lines and columns count from 1; columns count characters; the end is one past the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place<'s> {
    pub(crate) path: &'s str,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) end_line: u32,
    pub(crate) end_column: u32,
}

impl<'s> Place<'s> {
    pub(crate) fn of(span: Span, sources: &'s Sources) -> Self {
        let Some(source) = sources.get(span.file) else {
            return Self {
                path: "<unknown>",
                line: 1,
                column: 1,
                end_line: 1,
                end_column: 1,
            };
        };
        let (line, column) = source.position(span.start);
        let (end_line, end_column) = source.position(span.end.max(span.start));
        Self {
            path: &source.path,
            line,
            column,
            end_line,
            end_column,
        }
    }

    /// The members `path`, `line`, `column`, `end_line`, `end_column`.
    pub(crate) fn members(&self) -> Vec<(&'static str, Json)> {
        vec![
            ("path", Json::Text(self.path.to_owned())),
            ("line", Json::Int(self.line.into())),
            ("column", Json::Int(self.column.into())),
            ("end_line", Json::Int(self.end_line.into())),
            ("end_column", Json::Int(self.end_column.into())),
        ]
    }
}
