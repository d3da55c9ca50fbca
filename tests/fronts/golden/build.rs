//! Writes or verifies the products of `../domain`.

fn main() {
    space_core::build::script();
}
