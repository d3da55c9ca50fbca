#[space_macros::space(domain = "./contracts/lock")]
mod lock {}

struct Guards;

impl lock::LockGuards for Guards {}

fn main() {}
