//! Every edit of `mutations.md` fails as it says, and every invariant is broken by one.
//!
//! A case is a section ``## S0601 `name` `` with three blocks: `find FILE`, text that is in the
//! file once; `replace`, what stands there instead; `text`, what is printed. A finding of the code
//! says `name`. An invariant without a case that breaks it would be one that cannot fail.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use space_core::parse::folder;

use super::{check, files, machines, name};

#[test]
fn every_mutation_fails_as_it_says() {
    let update = std::env::var_os("UPDATE").is_some();
    let mut wrong = Vec::new();
    for machine in machines() {
        let path = machine.join("mutations.md");
        let mut text = fs::read_to_string(&path).unwrap();
        for case in cases(&text) {
            let what = format!("{}: {} `{}`", name(&machine), case.code, case.name);
            let printed = match judge(&machine, &case) {
                Ok(printed) => printed,
                Err(error) => {
                    wrong.push(format!("{what}: {error}"));
                    continue;
                }
            };
            if update {
                text = text.replacen(&case.section, &case.with(&printed), 1);
            } else if printed != case.expected {
                wrong.push(format!(
                    "{what}: expected\n{}\nfound\n{printed}",
                    case.expected
                ));
            }
        }
        if update {
            fs::write(&path, text).unwrap();
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nRun with UPDATE=1 to accept what is printed.",
        wrong.join("\n")
    );
}

#[test]
fn every_invariant_is_broken_by_a_mutation() {
    for machine in machines() {
        let text = fs::read_to_string(machine.join("mutations.md")).unwrap();
        let cases = cases(&text);
        let broken: BTreeSet<&str> = cases
            .iter()
            .filter(|case| case.code == "S0601")
            .map(|case| &*case.name)
            .collect();
        let folder = folder::read(&machine, ".");
        let own = folder.pairs.iter().flat_map(|pair| &pair.domain.invariants);
        let shared = folder
            .compositions
            .invariants
            .iter()
            .map(|row| &row.invariant);
        let declared: BTreeSet<&str> = own.chain(shared).map(|row| row.name.as_str()).collect();
        assert!(!declared.is_empty(), "{}", machine.display());
        assert_eq!(declared, broken, "{}", machine.display());
    }
}

/// What is printed of a machine with this edit, when it fails as the case says.
fn judge(machine: &Path, case: &Case) -> Result<String, String> {
    let mut files = files(machine);
    let text = files
        .get_mut(&case.file)
        .ok_or_else(|| format!("there is no {}", case.file))?;
    match text.matches(&case.find).count() {
        1 => *text = text.replacen(&case.find, &case.replace, 1),
        count => return Err(format!("what is to be found is there {count} times")),
    }
    let (found, printed) = check(&files);
    let said = format!("`{}`", case.name);
    let fails = |one: &space_core::diagnostic::Diagnostic| {
        one.code.to_string() == case.code && one.message.contains(&said)
    };
    if found.iter().any(fails) {
        Ok(printed)
    } else {
        Err(format!("does not fail so, but with\n{printed}"))
    }
}

/// An edit, and what comes of it.
struct Case {
    code: String,
    name: String,
    file: String,
    find: String,
    replace: String,
    expected: String,
    /// The text of the section.
    section: String,
}

impl Case {
    fn read(section: &str) -> Self {
        let (code, rest) = section[3..].split_once(" `").unwrap();
        let mut case = Self {
            code: code.to_owned(),
            name: rest.split_once('`').unwrap().0.to_owned(),
            file: String::new(),
            find: String::new(),
            replace: String::new(),
            expected: String::new(),
            section: section.to_owned(),
        };
        let mut lines = section.lines();
        while let Some(line) = lines.next() {
            let Some(info) = line.strip_prefix("```") else {
                continue;
            };
            let body: String = lines
                .by_ref()
                .take_while(|line| *line != "```")
                .flat_map(|line| [line, "\n"])
                .collect();
            let inner = body.strip_suffix('\n').unwrap_or("").to_owned();
            match info.split_once(' ').unwrap_or((info, "")) {
                ("find", file) => (case.file, case.find) = (file.to_owned(), inner),
                ("replace", "") => case.replace = inner,
                ("text", "") => case.expected = body,
                _ => panic!("a block of no known kind: {line}"),
            }
        }
        assert!(!case.find.is_empty(), "nothing to find: {section}");
        case
    }

    fn with(&self, printed: &str) -> String {
        let old = format!("```text\n{}```", self.expected);
        assert!(self.section.contains(&old), "no text block");
        self.section
            .replacen(&old, &format!("```text\n{printed}```"), 1)
    }
}

fn cases(text: &str) -> Vec<Case> {
    let starts: Vec<usize> = text.match_indices("\n## ").map(|(at, _)| at + 1).collect();
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    let sections = starts.iter().zip(ends).map(|(from, to)| &text[*from..to]);
    sections.map(Case::read).collect()
}
