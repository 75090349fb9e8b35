//! Whole runs on the simulated backend: the shipped worker, virtual time, a seed.

mod common;

mod accounting;
mod audit;
mod closed_forms;
mod objectives;
mod repeatability;
mod trouble;
