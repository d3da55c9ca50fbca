//! The whole of `agent ask` on a real server with a real model. What a model of this size says means
//! nothing; that nothing but sources that hold makes an answer, whatever it says, is the test.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]
#![allow(clippy::print_stderr, reason = "a skipped test says why")]

#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/asked.rs"]
mod asked;
#[path = "common/llama.rs"]
mod llama;
#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/scene.rs"]
mod scene;

use asked::{Asked, Repository};

#[tokio::test]
async fn a_real_model_answers_with_sources_or_not_at_all() {
    let Some(server) = llama::Llama::start().await else {
        return;
    };
    let url = server.base_url.clone();
    let work = move || {
        let repository = Repository::new();
        let question = ["ask", "How long is the backoff of a retry?", "--json"];
        let model = [
            "--provider",
            "llama.cpp",
            "--model",
            "smollm2",
            "--base-url",
            &url,
        ];
        // Nothing but the clock ends a reply that goes on and on.
        let limits = ["--max-rounds", "1", "--timeout", "45s"];
        Asked::of(&repository.agent(&[&question[..], &model, &limits].concat()))
    };
    let asked = tokio::task::spawn_blocking(work).await.unwrap();

    assert_eq!(asked.lines[0]["model"], "llama.cpp/smollm2");
    assert_eq!(asked.lines[0]["scripted"], false);
    assert_eq!(asked.sources(0)[0], "src/retry.rs:1-5");
    assert!(!asked.all("asking").is_empty());
    for reply in asked.all("replied") {
        let usage = &reply["usage"];
        assert_eq!(usage["estimated"], false, "{reply}");
        assert!(usage["input"].as_u64() > Some(100) && usage["output"].as_u64() > Some(0));
    }
    let termination = asked.ended()["termination"].as_str().unwrap();
    let verdicts = asked.verdicts();
    match asked.status {
        Some(0) => {
            assert_eq!(verdicts.last(), Some(&"answered"));
            let shown = asked.sources(asked.all("searched").len() - 1);
            for citation in asked.ended()["citations"].as_array().unwrap() {
                let path = citation.as_str().unwrap().rsplit_once(':').unwrap().0;
                assert!(
                    shown.iter().any(|source| source.starts_with(path)),
                    "{citation}"
                );
            }
        }
        Some(1) if verdicts.last() == Some(&"unusable") => {
            assert!(termination.ends_with("reasoning.Failed`"), "{termination}");
        }
        Some(1) => {
            assert_eq!(verdicts.len(), 2, "{verdicts:?}");
            assert!(
                termination.starts_with("feedback exhausted: `ask` after 1 rounds"),
                "{termination}"
            );
        }
        status => {
            assert_eq!(status, Some(3), "{:#?}", asked.lines);
            assert!(termination.starts_with("limit: "), "{termination}");
        }
    }
    assert!(asked.status == Some(0) || asked.ended()["answer"].is_null());
}
