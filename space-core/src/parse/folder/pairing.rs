//! Which files belong together, and what is said of one that is alone.

use std::collections::BTreeMap;

use super::{Found, Key, Kind, Reader};
use crate::contract::Span;
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::nearest;

impl Reader {
    /// Files that lost their partner because one of the two was renamed, each with that partner.
    pub(super) fn renamed(&self) -> BTreeMap<Key, Key> {
        let alone = self.found.iter().filter(|((stem, kind), _)| {
            let partner = (stem.clone(), kind.other());
            !self.found.contains_key(&partner)
        });
        let (bases, domains): (Vec<_>, Vec<_>) = alone.partition(|(key, _)| key.1 == Kind::Base);
        let mut renamed = BTreeMap::new();
        for (base, one) in bases {
            // By what they declare, or else by how they are spelt.
            let name = &one.base.meta.name.value;
            let declared = domains.iter().find(|(domain, other)| {
                domain.0 == *name || other.domain.meta.name.value == base.0
            });
            let spelt = || {
                let meant = nearest(&base.0, domains.iter().map(|(domain, _)| &*domain.0))?;
                domains.iter().find(|(domain, _)| domain.0 == meant)
            };
            let mate = declared.or_else(spelt).map(|(domain, _)| (*domain).clone());
            if let Some(mate) = mate.filter(|mate| !renamed.contains_key(mate)) {
                renamed.insert(mate.clone(), base.clone());
                renamed.insert(base.clone(), mate);
            }
        }
        renamed
    }

    /// Each base has its domain file, and the other way round. Where one file was renamed, that is
    /// said once, of the file that kept its name.
    pub(super) fn check_partners(&mut self, renamed: &BTreeMap<Key, Key>) {
        for (key, found) in &self.found {
            let (stem, kind) = key;
            if renamed
                .get(key)
                .is_some_and(|partner| self.kept(partner, key))
            {
                continue;
            }
            let missing = format!("{stem}{}", kind.other().suffix());
            let partner = (stem.clone(), kind.other());
            if self.found.contains_key(&partner) || !found.readable {
                continue;
            }
            // A copy that still has the name of its original: that is said of it.
            let original = (found.declared.clone(), *kind);
            let is_original = |one: &Found| one.declared == original.0;
            if original.0 != *stem && self.found.get(&original).is_some_and(is_original) {
                continue;
            }
            let lonely = |(other, of): &Key| {
                *of == kind.other() && !self.found.contains_key(&(other.clone(), *kind))
            };
            let strangers = self.found.keys().filter(|key| lonely(key));
            let strangers = strangers.map(|(other, of)| format!("{other}{}", of.suffix()));
            let candidates: Vec<_> = strangers.chain(self.other.iter().cloned()).collect();
            let partner = renamed.get(key);
            let partner = partner.map(|(other, of)| format!("{other}{}", of.suffix()));
            let candidates = candidates.iter().map(String::as_str);
            let help = match partner.as_deref().or_else(|| nearest(&missing, candidates)) {
                Some(there) => format!("rename {there} to {missing}"),
                None => format!("add {missing}, or remove this file"),
            };
            let name = found.name(*kind).span;
            let place = Span::new(found.file, name.start, name.end);
            let message = format!("{missing} is missing");
            self.diagnostics
                .push(Diagnostic::new(Code::UNPAIRED, place, message).help(help));
        }
    }

    /// Whether of two files that belong together it is `one` that is right: the one whose file is
    /// named as it declares, and of two such the base. A file that cannot be read has another
    /// finding, which does not speak of names.
    fn kept(&self, one: &Key, other: &Key) -> bool {
        let rank = |key: &Key| {
            let found = &self.found[key];
            (found.readable, found.declared == key.0, key.1 == Kind::Base)
        };
        rank(one) > rank(other)
    }
}
