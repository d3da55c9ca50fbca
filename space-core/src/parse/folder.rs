//! Reads a folder of contracts and pairs its files. The only room of the parser with IO.
//!
//! Paths are given as a root and a path below it; findings show only the latter, with `/`, so
//! that no output depends on where the root is.

#![expect(clippy::disallowed_methods, reason = "the room that reads contracts")]

mod pairing;
mod text;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{nearest, parse_composition, parse_space_base, parse_space_domain};
use crate::contract::{Base, Compositions, Domain, FileId, Sources, Span, Spanned};
use crate::diagnostic::{Code, Diagnostic, sort};
use text::{read_text, said};

/// The contracts of a folder.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// The files, in the order of their names.
    pub sources: Sources,
    /// The base and domain files that belong together, in the order of their stems.
    pub pairs: Vec<Pair>,
    /// The files without a partner, in the order of their names.
    pub unpaired: Vec<Unpaired>,
    /// The findings of all files, by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// What was looked at, the folder first: a build is stale when one of these changes.
    pub inputs: Vec<PathBuf>,
    /// `composition.toml`, when the folder has one.
    pub composition: Option<FileId>,
    /// What it says.
    pub compositions: Compositions,
    /// Whether the gates can say something sensible of it; see [`super::Parsed::sound`].
    pub compositions_sound: bool,
}

/// A base and a domain file of one stem.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The file names without `_base.toml` and `_domain.toml`: the space's name.
    pub stem: String,
    /// The vocabulary. Where its name was wrong, this has the stem, and a finding says so.
    pub base: Base,
    /// The behaviour, its name as in `base`.
    pub domain: Domain,
    /// Whether the gates can say something sensible; see [`super::Parsed::sound`].
    pub sound: bool,
    /// Whether they can of the vocabulary.
    pub base_sound: bool,
}

/// A base or domain file without its partner.
#[derive(Clone, Debug)]
pub struct Unpaired {
    /// The file name without `_base.toml` or `_domain.toml`.
    pub stem: String,
    /// Where its name is written.
    pub span: Span,
    /// The vocabulary, when the file is a base of which the gates can say something sensible.
    pub base: Option<Base>,
    /// The behaviour, when the file is a domain file that could be read.
    pub domain: Option<Domain>,
}

/// Reads the contracts in `folder`, a path below `root`. Folders in it are not entered.
///
/// Never fails: what cannot be read becomes a finding.
pub fn read(root: &Path, folder: &str) -> Folder {
    let dir = root.join(folder);
    let shown = shown(folder);
    let mut reader = Reader::default();
    reader.inputs.push(dir.clone());
    match names(&dir) {
        Ok(names) => {
            for name in names {
                let path = dir.join(&name);
                let name = name.to_string_lossy();
                reader.file(&path, &format!("{shown}{name}"), &name);
            }
        }
        Err(error) => {
            let place = match shown.trim_end_matches('/') {
                "" => ".",
                shown => shown,
            };
            reader.unreadable(
                place,
                "",
                format!("cannot list the folder: {}", said(&error)),
            );
        }
    }
    reader.finish()
}

/// Reads the two files `<stem>_base.toml` and `<stem>_domain.toml`, where `stem` is a path below
/// `root`, for example `domain/reasoning`.
///
/// Never fails: what cannot be read becomes a finding.
pub fn read_pair(root: &Path, stem: &str) -> Folder {
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let dir = root.join(folder);
    let shown = shown(folder);
    let mut reader = Reader::default();
    reader.inputs.push(dir.clone());
    let files = Kind::BOTH.map(|kind| format!("{name}{}", kind.suffix()));
    let mut found = false;
    for file in &files {
        let path = dir.join(file);
        if path.symlink_metadata().is_ok() {
            found = true;
            reader.file(&path, &format!("{shown}{file}"), file);
        } else {
            reader.inputs.push(path);
        }
    }
    if !found {
        let there = names(&dir).unwrap_or_default();
        let there: Vec<_> = there.iter().filter_map(|file| file.to_str()).collect();
        let stems = there.iter().filter_map(|file| Kind::of(file));
        let meant = nearest(name, stems.map(|(_, stem)| stem));
        let message = format!("there is neither {} nor {}", files[0], files[1]);
        let at = reader.unreadable(&format!("{shown}{}", files[0]), "", message);
        if let Some(finding) = reader.diagnostics.get_mut(at) {
            finding.help = Some(match meant {
                Some(meant) => format!("did you mean `{shown}{meant}`?"),
                None => "write both; `agent space new` writes a pair that passes".to_owned(),
            });
        }
    }
    reader.finish()
}

/// Of a stem of which there is no file, the one that was probably meant: a pair named `name`, or the one
/// that is nearest to it.
#[cfg(feature = "emit")]
pub(crate) fn meant(root: &Path, stem: &str, name: &str) -> Option<String> {
    let (folder, own) = stem.rsplit_once('/').unwrap_or(("", stem));
    let there = names(&root.join(folder)).ok()?;
    let stems = there.iter().filter_map(|file| Kind::of(file.to_str()?));
    let stems: Vec<_> = stems.map(|(_, stem)| stem).collect();
    if stems.contains(&own) {
        return None;
    }
    let named = stems.iter().copied().find(|stem| *stem == name);
    Some(
        named
            .or_else(|| nearest(own, stems.iter().copied()))?
            .to_owned(),
    )
}

/// The folder as findings show it: empty, or ending in `/`; never absolute.
fn shown(folder: &str) -> String {
    let path = Path::new(folder);
    let text = if path.is_absolute() {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    } else {
        Some(folder.replace(std::path::MAIN_SEPARATOR, "/"))
    };
    let text = text.unwrap_or_default();
    let text = text.trim_start_matches("./").trim_end_matches('/');
    match text {
        "" | "." => String::new(),
        text => format!("{text}/"),
    }
}

fn names(dir: &Path) -> io::Result<Vec<OsString>> {
    let mut names = fs::read_dir(dir)?
        .map(|entry| Ok(entry?.file_name()))
        .collect::<io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Base,
    Domain,
}

impl Kind {
    const BOTH: [Self; 2] = [Self::Base, Self::Domain];

    const fn suffix(self) -> &'static str {
        match self {
            Self::Base => "_base.toml",
            Self::Domain => "_domain.toml",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Base => Self::Domain,
            Self::Domain => Self::Base,
        }
    }

    /// Kind and stem of a file name.
    fn of(name: &str) -> Option<(Self, &str)> {
        let mut kinds = Self::BOTH.into_iter();
        kinds.find_map(|kind| Some((kind, name.strip_suffix(kind.suffix())?)))
    }
}

/// Stem and kind of a file.
type Key = (String, Kind);

/// One file that was found; the values are those of its kind.
struct Found {
    file: FileId,
    base: Base,
    domain: Domain,
    /// The name it declares itself; empty when it could not be read.
    declared: String,
    sound: bool,
    readable: bool,
}

#[derive(Default)]
struct Reader {
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
    inputs: Vec<PathBuf>,
    composition: Option<FileId>,
    compositions: Compositions,
    compositions_sound: bool,
    found: BTreeMap<Key, Found>,
    other: Vec<String>,
}

impl Reader {
    /// Reads a file if its name is one of ours.
    fn file(&mut self, path: &Path, shown: &str, name: &str) {
        if name == "composition.toml" {
            self.inputs.push(path.to_owned());
            self.composition = self.text(path, shown);
            self.compositions();
            return;
        }
        let Some((kind, stem)) = Kind::of(name) else {
            self.other.push(name.to_owned());
            return;
        };
        self.inputs.push(path.to_owned());
        let text = self.text(path, shown);
        let mut found = Found {
            file: text.unwrap_or_else(|| self.last()),
            base: Base::default(),
            domain: Domain::default(),
            declared: String::new(),
            sound: false,
            readable: text.is_some(),
        };
        if let Some(source) = text.and_then(|file| self.sources.get(file)) {
            match kind {
                Kind::Base => {
                    let parsed = parse_space_base(&source.text, found.file);
                    (found.base, found.sound) = (parsed.value, parsed.sound);
                    self.diagnostics.extend(parsed.diagnostics);
                }
                Kind::Domain => {
                    let parsed = parse_space_domain(&source.text, found.file);
                    (found.domain, found.sound) = (parsed.value, parsed.sound);
                    self.diagnostics.extend(parsed.diagnostics);
                }
            }
        }
        let declared = found.name(kind).value.clone();
        found.declared = declared;
        self.found.insert((stem.to_owned(), kind), found);
    }

    fn compositions(&mut self) {
        let Some((file, source)) = self
            .composition
            .and_then(|id| Some((id, self.sources.get(id)?)))
        else {
            return;
        };
        let parsed = parse_composition(&source.text, file);
        (self.compositions, self.compositions_sound) = (parsed.value, parsed.sound);
        self.diagnostics.extend(parsed.diagnostics);
    }

    fn last(&self) -> FileId {
        self.sources
            .iter()
            .last()
            .map(|(id, _)| id)
            .unwrap_or_default()
    }

    /// Adds a file's text to the sources.
    fn text(&mut self, path: &Path, shown: &str) -> Option<FileId> {
        match read_text(path) {
            Ok(text) => Some(self.sources.add(shown, text)),
            Err((before, message)) => {
                self.unreadable(shown, &before, message);
                None
            }
        }
    }

    /// Reports a file that cannot be read, at the end of the text before the fault. Gives the
    /// finding's index.
    fn unreadable(&mut self, shown: &str, before: &str, message: String) -> usize {
        let end = u32::try_from(before.len()).unwrap_or(u32::MAX);
        let file = self.sources.add(shown, before);
        let place = Span::new(file, end, end);
        self.diagnostics
            .push(Diagnostic::new(Code::UNREADABLE, place, message));
        self.diagnostics.len() - 1
    }

    fn finish(mut self) -> Folder {
        let renamed = self.renamed();
        self.check_names(&renamed);
        self.check_partners(&renamed);
        let mut pairs = Vec::new();
        let mut unpaired = Vec::new();
        let mut found = self.found.into_iter().peekable();
        while let Some(((stem, kind), first)) = found.next() {
            let partner = (stem, kind.other());
            let second = found.next_if(|(key, _)| *key == partner);
            if let Some((_, domain)) = second {
                pairs.push(Pair {
                    stem: partner.0,
                    base: first.base,
                    domain: domain.domain,
                    sound: first.sound && domain.sound,
                    base_sound: first.sound,
                });
            } else {
                unpaired.push(Unpaired {
                    stem: partner.0,
                    span: first.name(kind).span,
                    base: (kind == Kind::Base && first.sound).then_some(first.base),
                    domain: (kind == Kind::Domain && first.readable).then_some(first.domain),
                });
            }
        }
        sort(&mut self.diagnostics, &self.sources);
        Folder {
            sources: self.sources,
            pairs,
            unpaired,
            diagnostics: self.diagnostics,
            inputs: self.inputs,
            composition: self.composition,
            compositions: self.compositions,
            compositions_sound: self.compositions_sound,
        }
    }

    /// Each file's `meta.name` is its stem. Afterwards it is in any case, so that nothing
    /// follows from a name that was wrong.
    fn check_names(&mut self, renamed: &BTreeMap<Key, Key>) {
        let mut declared = BTreeMap::new();
        for ((stem, kind), found) in &self.found {
            let name = found.name(*kind);
            if name.value == *stem {
                declared.insert((name.value.clone(), *kind), name.span);
            }
        }
        for ((stem, kind), found) in &mut self.found {
            let name = found.name_mut(*kind);
            if name.value == *stem {
                continue;
            }
            let key = (stem.clone(), *kind);
            let partner = renamed.get(&key).map(|partner| partner.0.as_str());
            if !name.value.is_empty() && partner != Some(&*name.value) {
                let file = format!("{stem}{}", kind.suffix());
                let said = super::table::clip(&name.value);
                let key = (name.value.clone(), *kind);
                let finding = if let Some(first) = declared.get(&key) {
                    let message = format!("space `{said}` is declared by a second file");
                    Diagnostic::new(Code::DUPLICATE_SPACE, name.span, message)
                        .related(*first, "first declared here")
                        .help(format!("a file named {file} declares `{stem}`"))
                } else {
                    let suffix = kind.suffix();
                    let message = format!("{file} declares space `{said}`");
                    Diagnostic::new(Code::STEM, name.span, message)
                        .help(format!(
                            "write `name = \"{stem}\"`, or rename the file to {said}{suffix}"
                        ))
                        .edit(name.span, format!("\"{stem}\""))
                };
                self.diagnostics.push(finding);
                declared.entry(key).or_insert(name.span);
            }
            name.value.clone_from(stem);
        }
    }
}

impl Found {
    fn name(&self, kind: Kind) -> &Spanned<String> {
        match kind {
            Kind::Base => &self.base.meta.name,
            Kind::Domain => &self.domain.meta.name,
        }
    }

    fn name_mut(&mut self, kind: Kind) -> &mut Spanned<String> {
        match kind {
            Kind::Base => &mut self.base.meta.name,
            Kind::Domain => &mut self.domain.meta.name,
        }
    }
}
