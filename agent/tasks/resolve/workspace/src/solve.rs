//! The choice: newest versions first, going back where requirements clash.

use std::collections::BTreeMap;

use crate::index::{Index, Need};
use crate::version::Version;

/// What came of it.
#[derive(Debug)]
pub enum Outcome {
    Success(BTreeMap<String, Version>),
    Failure(String),
}

impl Outcome {
    /// One JSON object on one line.
    pub fn to_json(&self) -> String {
        match self {
            Self::Success(chosen) => {
                let chosen: Vec<_> = chosen
                    .iter()
                    .map(|(name, version)| format!("{}:\"{version}\"", quote(name)))
                    .collect();
                format!("{{\"ok\":true,\"chosen\":{{{}}}}}", chosen.join(","))
            }
            Self::Failure(error) => format!("{{\"ok\":false,\"error\":{}}}", quote(error)),
        }
    }
}

fn quote(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Chooses a version of every package that the application needs.
pub fn solve(index: &Index) -> Outcome {
    let mut search = Search { index, clash: None };
    let open: Vec<_> = index.app.iter().map(|need| ("app".to_owned(), need.clone())).collect();
    match search.choose(BTreeMap::new(), open) {
        Some(chosen) => Outcome::Success(chosen),
        None => Outcome::Failure(search.clash.unwrap_or_default()),
    }
}

struct Search<'a> {
    index: &'a Index,
    /// The first clash on the way of the newest versions: the one that people ask about.
    clash: Option<String>,
}

type Chosen = BTreeMap<String, Version>;

impl Search<'_> {
    /// `open` are the needs so far, each with who needs it.
    fn choose(&mut self, chosen: Chosen, open: Vec<(String, Need)>) -> Option<Chosen> {
        let meets = |package: &str, version: Version| {
            open.iter()
                .filter(|(_, need)| need.package == package)
                .all(|(_, need)| need.requirements.iter().all(|one| one.meets(version)))
        };
        if let Some((package, _)) = chosen.iter().find(|(name, version)| !meets(name, **version)) {
            self.clash.get_or_insert_with(|| clash(package, &open));
            return None;
        }
        let Some((_, next)) = open.iter().find(|(_, need)| !chosen.contains_key(&need.package))
        else {
            return Some(chosen);
        };
        let package = next.package.clone();
        let Some(versions) = self.index.packages.get(&package) else {
            self.clash.get_or_insert_with(|| format!("there is no package {package}"));
            return None;
        };
        for (version, needs) in versions.iter().rev() {
            if !meets(&package, *version) {
                continue;
            }
            let mut chosen = chosen.clone();
            chosen.insert(package.clone(), *version);
            let who = format!("{package} {version}");
            let mut open = open.clone();
            open.extend(needs.iter().map(|need| (who.clone(), need.clone())));
            if let Some(chosen) = self.choose(chosen, open) {
                return Some(chosen);
            }
        }
        self.clash.get_or_insert_with(|| clash(&package, &open));
        None
    }
}

fn clash(package: &str, open: &[(String, Need)]) -> String {
    let wanted: Vec<_> = open
        .iter()
        .filter(|(_, need)| need.package == package)
        .flat_map(|(who, need)| {
            need.requirements.iter().map(move |one| format!("{} ({who})", one.text))
        })
        .collect();
    format!("no version of {package} meets {}", wanted.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(input: &str) -> String {
        solve(&Index::parse(input).unwrap()).to_json()
    }

    #[test]
    fn newest_that_fits() {
        let input = "package a 1.0.0\npackage a 1.4.0\npackage a 2.0.0\napp needs a ^1";
        assert_eq!(json(input), r#"{"ok":true,"chosen":{"a":"1.4.0"}}"#);
    }

    #[test]
    fn goes_back() {
        let input = "package a 2.0.0 needs b ^2\npackage a 1.0.0 needs b ^1\npackage b 1.0.0\n\
                     app needs a *\napp needs b *";
        assert_eq!(json(input), r#"{"ok":true,"chosen":{"a":"1.0.0","b":"1.0.0"}}"#);
    }

    #[test]
    fn names_the_clash() {
        let input = "package a 1.0.0 needs b ^2\npackage b 1.0.0\napp needs a *";
        assert_eq!(
            json(input),
            r#"{"ok":false,"error":"no version of b meets ^2 (a 1.0.0)"}"#
        );
    }
}
