use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::check::Check;
use super::execute::{Stage, execute};
use super::load::load;
use super::report::Report;
use super::table::{LoadCode, LoadError, Reader};
use super::verdict::Place;

/// The checks of one or more files, complete and ready to run.
#[derive(Debug, Clone)]
pub struct Suite {
    name: Option<String>,
    checks: Vec<Arc<Check>>,
}

/// How to run a suite.
#[derive(Debug, Clone)]
pub struct Options {
    /// The project: what `{root}` stands for and where a relative program is looked up.
    pub root: PathBuf,
    /// Checks that run at the same time; 0 for as many as there are processors.
    pub jobs: usize,
    /// The folder below which the sandboxes and the whole output are kept. They are removed when
    /// there is none.
    pub keep: Option<PathBuf>,
    /// Bytes of one stream, or of one file, that are judged, and held in memory while they are. A
    /// program that prints more is ended.
    pub output: u64,
}

impl Options {
    /// All processors, nothing kept, 128 MiB of output.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            jobs: 0,
            keep: None,
            output: 128 << 20,
        }
    }
}

impl Suite {
    /// Reads check files, and the files and schemas that they name, all of them, now: what a
    /// program does to them afterwards changes no check. The errors are those of all files, in
    /// their order. No paths at all is an error too.
    pub fn load(paths: &[impl AsRef<Path>]) -> Result<Self, Vec<LoadError>> {
        let mut suite = Self {
            name: None,
            checks: Vec::new(),
        };
        let mut errors = Vec::new();
        if paths.is_empty() {
            errors.push(unreadable(
                "",
                "no check file is named: nothing would be proved".into(),
            ));
        }
        for path in paths {
            let path = path.as_ref();
            let shown = path.display().to_string();
            let read = fs::read_to_string(path)
                .map_err(|error| vec![unreadable(&shown, format!("cannot be read: {error}"))]);
            let folder = path.parent().unwrap_or(Path::new(""));
            match read.and_then(|text| Self::parse(&shown, &text, folder)) {
                Ok(read) => {
                    suite.name = suite.name.or(read.name);
                    suite.checks.extend(read.checks);
                }
                Err(found) => errors.extend(found),
            }
        }
        if errors.is_empty() {
            Ok(suite)
        } else {
            Err(errors)
        }
    }

    /// Reads checks from a text that stands for the file `name` in `folder`.
    pub fn parse(name: &str, text: &str, folder: &Path) -> Result<Self, Vec<LoadError>> {
        let mut reader = Reader::new(name, text);
        let (title, checks) = load(&mut reader, folder);
        let mut names = BTreeSet::new();
        for check in &checks {
            if !check.name.is_empty() && !names.insert(&check.name) {
                let message = format!("there is a check named `{}` already", check.name);
                let place = check.place.clone();
                reader.errors.push(LoadError {
                    place,
                    code: LoadCode::Duplicate,
                    message,
                });
            }
        }
        if reader.errors.is_empty() {
            return Ok(Self {
                name: title,
                checks: checks.into_iter().map(Arc::new).collect(),
            });
        }
        reader.errors.sort();
        reader.errors.dedup();
        Err(reader.errors)
    }

    /// The checks, in the order in which they are reported.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().map(AsRef::as_ref)
    }

    /// Runs all checks, several at a time, and reports them in their order. Dropping the future
    /// ends every program that is running. Fails when the root or the folders cannot be used.
    pub async fn run(&self, options: &Options) -> io::Result<Report> {
        let builder = || {
            let mut builder = tempfile::Builder::new();
            builder.prefix("accept-");
            builder
        };
        let (temporary, folder) = if let Some(keep) = &options.keep {
            fs::create_dir_all(keep)?;
            (None, builder().tempdir_in(keep)?.keep())
        } else {
            let temporary = builder().tempdir()?;
            let folder = temporary.path().to_owned();
            (Some(temporary), folder)
        };
        let stage = Arc::new(Stage {
            root: options.root.canonicalize()?,
            folder: folder.canonicalize()?,
            kept: options.keep.is_some(),
            output: options.output,
        });
        let jobs = match options.jobs {
            0 => std::thread::available_parallelism()?.get(),
            jobs => jobs,
        };

        let slots = Arc::new(Semaphore::new(jobs));
        let mut running = JoinSet::new();
        for (index, check) in self.checks.iter().cloned().enumerate() {
            let (stage, slots) = (stage.clone(), slots.clone());
            running.spawn(async move {
                let _slot = slots.acquire_owned().await;
                (index, execute(check, index, stage).await)
            });
        }
        let mut outcomes = Vec::with_capacity(self.checks.len());
        while let Some(done) = running.join_next().await {
            outcomes.push(done.map_err(io::Error::other)?);
        }
        outcomes.sort_by_key(|(index, _)| *index);

        let outcomes = outcomes.into_iter().map(|(_, outcome)| outcome).collect();
        let kept = stage.kept.then(|| folder.clone());
        drop(temporary);
        Ok(Report {
            suite: self.name.clone(),
            checks: outcomes,
            kept,
        })
    }
}

fn unreadable(file: &str, message: String) -> LoadError {
    let place = Place {
        file: file.to_owned(),
        line: 1,
        column: 1,
    };
    LoadError {
        place,
        code: LoadCode::Unreadable,
        message,
    }
}
