use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

use tokio::io::{AsyncRead, AsyncReadExt};

/// What a program wrote to one of its streams.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, at most [`Limits::memory`](super::Limits::memory) of them.
    pub head: Vec<u8>,
    /// All bytes that were read, whether or not `head` holds them.
    pub len: u64,
    /// The file that holds the whole stream, when a folder was given and the stream was written.
    pub file: Option<PathBuf>,
}

impl Captured {
    /// Whether `head` is all there was.
    pub fn is_whole(&self) -> bool {
        self.head.len() as u64 == self.len
    }
}

const CHUNK: usize = 64 * 1024;

/// Where a stream is poured: memory up to a cap, and a file without one.
pub(super) struct Sink {
    captured: Captured,
    file: Option<File>,
    /// The file to begin when memory is full.
    overflow: Option<PathBuf>,
    memory: usize,
    limit: u64,
}

/// Why pouring ended before the stream did.
#[derive(Debug)]
pub(super) enum PourError {
    /// More than the limit came.
    OverLimit,
    /// Reading or storing failed.
    Io(io::Error),
}

impl Sink {
    pub(super) fn new(memory: usize, limit: u64) -> Self {
        Self {
            captured: Captured::default(),
            file: None,
            overflow: None,
            memory,
            limit,
        }
    }

    /// Stores the whole stream in this file.
    pub(super) fn in_file(mut self, path: PathBuf) -> io::Result<Self> {
        self.file = Some(File::create(&path)?);
        self.captured.file = Some(path);
        Ok(self)
    }

    /// Stores the whole stream in this file once it does not fit into memory.
    pub(super) fn overflowing_to(mut self, path: PathBuf) -> Self {
        self.overflow = Some(path);
        self
    }

    /// Reads until every writer has closed the stream. Dropping the future keeps what was read.
    pub(super) async fn pour(
        &mut self,
        stream: Option<impl AsyncRead + Unpin>,
    ) -> Result<(), PourError> {
        let Some(mut stream) = stream else {
            return Ok(());
        };
        let mut chunk = vec![0; CHUNK];
        loop {
            let count = stream.read(&mut chunk).await.map_err(PourError::Io)?;
            if count == 0 {
                return Ok(());
            }
            self.push(&chunk[..count]).map_err(PourError::Io)?;
            if self.captured.len > self.limit {
                return Err(PourError::OverLimit);
            }
        }
    }

    pub(super) fn into_captured(self) -> Captured {
        self.captured
    }

    // The write blocks, on purpose: it goes to the page cache a chunk at a time, which costs less
    // than a hop to the blocking pool, and slowing down the program that floods us is right.
    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = self.memory.saturating_sub(self.captured.head.len());
        if let Some(path) = self.overflow.take_if(|_| bytes.len() > room) {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut file = File::create(&path)?;
            file.write_all(&self.captured.head)?;
            self.file = Some(file);
            self.captured.file = Some(path);
        }
        if let Some(file) = &mut self.file {
            file.write_all(bytes)?;
        }
        self.captured
            .head
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.captured.len += bytes.len() as u64;
        Ok(())
    }
}
