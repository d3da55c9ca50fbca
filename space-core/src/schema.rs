//! JSON Schemas of the contract's forms, for completion and checks in editors.
//!
//! One description of each form ([`FORMS`]) says which keys there are, what they hold and what they are
//! for; tests hold it against the parser. The schemas are stricter than the parser in one point: a key
//! that is not part of the format is an error, because a schema has no warnings, and a misspelled key is
//! what an editor is there to show.

mod composition;
mod describe;
mod forms;
mod write;

pub use describe::{Form, Key, Kind, Table};
pub use forms::FORMS;
pub use write::schema;

/// The description of a form, by its name.
pub fn form(name: &str) -> Option<&'static Form> {
    FORMS.iter().copied().find(|form| form.name == name)
}
