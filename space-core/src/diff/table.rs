//! Rows of two versions, matched by name.

use std::collections::BTreeMap;

use crate::contract::Spanned;

/// The rows of one declaration table in both versions.
pub(super) struct Matched<'a, T> {
    /// In the order of the new version.
    pub(super) both: Vec<(&'a T, &'a T)>,
    /// Only in the old version, in its order.
    pub(super) gone: Vec<&'a T>,
    /// Only in the new version, in its order.
    pub(super) fresh: Vec<&'a T>,
    /// Whether the rows that both have are in one order.
    pub(super) same_order: bool,
}

pub(super) fn matched<'a, T>(
    old: &'a [T],
    new: &'a [T],
    name: impl Fn(&T) -> &Spanned<String>,
) -> Matched<'a, T> {
    let at = |rows: &'a [T]| -> BTreeMap<&'a str, usize> {
        let rows = rows.iter().enumerate();
        rows.map(|(at, row)| (name_of(row, &name), at)).collect()
    };
    let (in_old, in_new) = (at(old), at(new));
    let known = |names: &BTreeMap<&str, usize>, row: &T| names.contains_key(name(row).as_str());
    let places = new.iter().filter_map(|row| in_old.get(name(row).as_str()));
    Matched {
        both: new
            .iter()
            .filter_map(|row| Some((&old[*in_old.get(name(row).as_str())?], row)))
            .collect(),
        gone: old.iter().filter(|row| !known(&in_new, row)).collect(),
        fresh: new.iter().filter(|row| !known(&in_old, row)).collect(),
        same_order: places.is_sorted(),
    }
}

fn name_of<'a, T>(row: &'a T, name: &impl Fn(&T) -> &Spanned<String>) -> &'a str {
    name(row).as_str()
}
