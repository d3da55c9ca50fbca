//! The input: what exists, and what is needed.

use std::collections::BTreeMap;

use crate::version::{Requirement, Version};

/// A package that must be present, and how.
#[derive(Clone, Debug)]
pub struct Need {
    pub package: String,
    pub requirements: Vec<Requirement>,
}

/// Everything that the input says.
#[derive(Debug, Default)]
pub struct Index {
    pub packages: BTreeMap<String, BTreeMap<Version, Vec<Need>>>,
    pub app: Vec<Need>,
}

impl Index {
    /// Reads one fact a line; `#` starts a comment.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut index = Self::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            if !line.is_empty() {
                index.fact(line).map_err(|error| format!("line {}: {error}", number + 1))?;
            }
        }
        Ok(index)
    }

    fn fact(&mut self, line: &str) -> Result<(), String> {
        let (head, needs) = match line.split_once(" needs ") {
            Some((head, needs)) => (head, Some(need(needs)?)),
            None => (line, None),
        };
        match head.split_whitespace().collect::<Vec<_>>()[..] {
            ["app"] => self.app.extend(needs),
            ["package", name, version] => {
                let version =
                    Version::parse(version).ok_or(format!("`{version}` is not a version"))?;
                let versions = self.packages.entry(name.to_owned()).or_default();
                versions.entry(version).or_default().extend(needs);
            }
            _ => return Err(format!("`{head}` is neither `app` nor `package NAME VERSION`")),
        }
        Ok(())
    }
}

fn need(text: &str) -> Result<Need, String> {
    let mut words = text.split_whitespace();
    let package = words.next().ok_or("`needs` names no package")?.to_owned();
    let requirements = words
        .map(|word| Requirement::parse(word).ok_or(format!("`{word}` is not a requirement")))
        .collect::<Result<_, _>>()?;
    Ok(Need { package, requirements })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts() {
        let index = Index::parse("package a 1.0.0 needs b ^1 <1.5 # why\n\napp needs a *").unwrap();
        assert_eq!(index.packages["a"].len(), 1);
        assert_eq!(index.app[0].package, "a");
        let error = Index::parse("app needs a *\npackage a one").unwrap_err();
        assert_eq!(error, "line 2: `one` is not a version");
    }
}
