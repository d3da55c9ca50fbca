//! Programs that run other programs, or text as a program.

use std::collections::BTreeSet;
use std::sync::LazyLock;

const WRAPPERS: &str = "
    sh bash dash zsh fish ksh mksh csh tcsh ash rbash nu elvish xonsh pwsh powershell busybox toybox
    env xargs nice nohup timeout time setsid stdbuf ionice chrt taskset numactl flock watch parallel
    find fd fdfind entr script scriptreplay expect unbuffer run-parts start-stop-daemon
    sudo doas su runuser setpriv pkexec chroot unshare nsenter systemd-run systemd-nspawn machinectl
    proot fakeroot fakechroot firejail bwrap docker podman nerdctl kubectl ssh scp sftp rsync
    strace ltrace gdb lldb rr valgrind perf dtrace catchsegv setarch linux32 linux64 prlimit
    python pypy perl ruby node nodejs deno bun lua luajit php tclsh wish expect guile racket
    r rscript julia octave erl elixir iex scala groovy java kotlin swift osascript emacs
    awk gawk mawk nawk sed ed ex vi vim nvim view less more man nano bc dc m4
    npm npx pnpm pnpx yarn corepack bunx uv uvx pip pipx poetry conda mamba rye hatch tox nox pyenv
    gem bundle bundler rake composer mvn gradle ant sbt go rustup rustc rustdoc cargo-watch
    make gmake bmake ninja cmake ctest just task meson bazel buck2 scons tup nix nix-shell guix
    tar zip unzip cpio sqlite3 psql mysql socat nc ncat netcat telnet tmux screen at batch crontab
    eval exec command builtin source coproc trap ld.so ld-linux.so
    dbus-run-session dbus-launch xvfb-run faketime eatmydata chpst softlimit s6-setuidgid runsv
    ccache sccache distcc gcc g++ cc c++ clang ld as gh hub svn hg
";

static NAMES: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| WRAPPERS.split_ascii_whitespace().collect());

/// Whether a program of this file name runs other programs. Versions count as the plain name:
/// `python3.12`, `bash-5.2`, `ld-linux-x86-64.so.2`.
pub fn is_wrapper(file_name: &str) -> bool {
    let name = file_name.to_ascii_lowercase();
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '_'));
    NAMES.contains(name.as_str())
        || NAMES.contains(plain)
        || name.starts_with("ld-linux")
        || name.starts_with("ld-musl")
        || name.starts_with("python")
        || [".sh", ".bash", ".py", ".pl", ".rb", ".js", ".lua"]
            .iter()
            .any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::is_wrapper;

    #[test]
    fn wrappers_are_known_by_any_version() {
        for name in [
            "sh",
            "bash",
            "BASH",
            "python3",
            "python3.12",
            "python2.7-dbg",
            "node",
            "env",
            "xargs",
            "npx",
            "busybox",
            "ld-linux-x86-64.so.2",
            "vim",
            "lua5.4",
            "run.sh",
            "make",
        ] {
            assert!(is_wrapper(name), "{name}");
        }
        for name in [
            "cargo", "git", "ls", "cat", "rg", "rustfmt", "grep", "diff", "my-tool",
        ] {
            assert!(!is_wrapper(name), "{name}");
        }
    }
}
