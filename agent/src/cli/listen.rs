//! What a person says while a run goes on, line by line on standard input.

use std::io::BufRead as _;
use std::thread;

use super::watch::Watch;
use agent::work::supervised::{Unheard, Voice};

/// What may be typed, in one line.
pub(super) const HELP: &str = "a message for the model, /pause, /resume, or /cancel WHY";

/// What a line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Said<'l> {
    Message(&'l str),
    Pause,
    Resume,
    Cancel(&'l str),
    Unknown(&'l str),
}

/// Passes on what is typed, until there is nothing more or the run has ended.
///
/// A thread of its own, since a read of standard input cannot be given up; it ends with the program.
pub(super) fn start(voice: Voice, watch: Watch) -> std::io::Result<()> {
    let ear = move || {
        let mut bytes = Vec::new();
        let mut input = std::io::stdin().lock();
        loop {
            bytes.clear();
            match input.read_until(b'\n', &mut bytes) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let line = String::from_utf8_lossy(&bytes);
            let Some(said) = said(&line) else { continue };
            if let Err(why) = pass_on(&voice, &said) {
                watch.unheard(line.trim(), &why);
            }
        }
    };
    thread::Builder::new().name("listen".into()).spawn(ear)?;
    Ok(())
}

fn pass_on(voice: &Voice, said: &Said<'_>) -> Result<(), String> {
    let passed: Result<(), Unheard> = match *said {
        Said::Message(text) => voice.say(text),
        Said::Pause => voice.pause(),
        Said::Resume => voice.resume(),
        Said::Cancel(why) => voice.cancel(why),
        Said::Unknown(word) => return Err(format!("`{word}` is not known: type {HELP}")),
    };
    passed.map_err(|error| error.to_string())
}

/// None for a blank line.
fn said(line: &str) -> Option<Said<'_>> {
    let line = line.trim();
    if !line.starts_with('/') {
        return (!line.is_empty()).then_some(Said::Message(line));
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim_start();
    Some(match (word, rest) {
        ("/pause", "") => Said::Pause,
        ("/resume", "") => Said::Resume,
        ("/cancel", "") => Said::Cancel("the person asked"),
        ("/cancel", why) => Said::Cancel(why),
        _ => Said::Unknown(line),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_message_or_a_command() {
        for (line, expected) in [
            ("", None),
            (" \t\r\n", None),
            ("use tabs\r\n", Some(Said::Message("use tabs"))),
            ("pause", Some(Said::Message("pause"))),
            ("/pause\n", Some(Said::Pause)),
            (" /resume ", Some(Said::Resume)),
            ("/cancel", Some(Said::Cancel("the person asked"))),
            ("/cancel  too\tslow ", Some(Said::Cancel("too\tslow"))),
            ("/pause now", Some(Said::Unknown("/pause now"))),
            ("/stop", Some(Said::Unknown("/stop"))),
            ("/", Some(Said::Unknown("/"))),
        ] {
            assert_eq!(said(line), expected, "{line:?}");
        }
    }
}
