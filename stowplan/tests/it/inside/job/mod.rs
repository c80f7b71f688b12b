//! From words to a job.

mod allocation;
mod arithmetic;
mod foreign;
mod json;
mod options;
mod sign;
mod simulator;
mod spelled;
