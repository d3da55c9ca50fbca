mod index;
mod solve;
mod version;

use index::Index;
use solve::{solve, Outcome};

fn main() {
    let input = std::env::args().nth(1).unwrap_or_default();
    let outcome = match Index::parse(&input) {
        Ok(index) => solve(&index),
        Err(error) => Outcome::Failure(error),
    };
    println!("{}", outcome.to_json());
    println!("{outcome:?}");
}
