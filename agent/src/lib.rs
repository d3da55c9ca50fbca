//! The rooms of the `agent` binary, from the ground up: [`workspace`] is the folder and its
//! boundary, [`process`] runs programs, [`policy`] says which, [`accept`] proves what they do,
//! [`provider`] talks to a model, [`tools`] is what the model may use,
//! [`work`] is the task and its proof, [`ask`] looks a question up.

pub mod accept;
pub mod ask;
pub mod policy;
pub mod process;
pub mod provider;
pub mod tools;
pub mod work;
pub mod workspace;
