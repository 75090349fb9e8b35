//! Why two URLs are not compared.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use throng_measure::compare::BLOCKS_MIN;

use crate::commands::run::NothingMeasured;
use crate::failure::{Exit, Failure};
use crate::front::native::values::Shown;

/// Why two URLs are not compared.
#[derive(Debug, thiserror::Error)]
pub(super) enum VersusError {
    /// There are not two.
    #[error("throng versus compares two URLs, and {} given", were(*count))]
    NotTwo { count: usize },
    /// The option is a quick run's, and rounds have another.
    #[error("{option} does not go with throng versus: {why}")]
    NotOfRounds { option: &'static str, why: &'static str, hint: &'static str },
    /// Half a block would be left over.
    #[error("--rounds {given} is odd, and a block A B B A has two rounds of each")]
    OddRounds { given: u64 },
    /// No interval comes of so few.
    #[error("--rounds {given} makes too few blocks: an interval takes {BLOCKS_MIN}")]
    TooFewRounds { given: u64 },
    /// A typing error.
    #[error("--rounds {given} is too many: the most is {limit}")]
    TooManyRounds { given: u64, limit: u64 },
    /// A round that ends at once.
    #[error("--round-duration 0 ends before the first request")]
    NoTime,
    /// Nothing would be left to measure.
    #[error("--warmup {} leaves nothing of a round of {}", Shown(*warmup), Shown(*round))]
    WarmupTooLong { warmup: Duration, round: Duration },
    /// The directory cannot be made or read.
    #[error("--keep {} cannot be used", directory.display())]
    KeepUnusable { directory: PathBuf, source: io::Error },
    /// The directory has something in it.
    #[error("--keep {} is not empty", directory.display())]
    KeepNotEmpty { directory: PathBuf },
    /// A round had nothing to say.
    #[error("{name}, {url}")]
    NothingMeasured { name: String, url: String, source: NothingMeasured },
    /// Ctrl-C came too early.
    #[error("stopped after {blocks} whole blocks of A B B A; an interval takes {BLOCKS_MIN}")]
    Stopped { blocks: usize },
}

fn were(count: usize) -> String {
    match count {
        0 => "none was".to_owned(),
        1 => "only one was".to_owned(),
        count => format!("{count} were"),
    }
}

impl Failure for VersusError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotTwo { .. } => {
                "throng versus http://127.0.0.1:8080/ http://127.0.0.1:8081/".to_owned()
            }
            Self::NotOfRounds { hint, .. } => (*hint).to_owned(),
            Self::OddRounds { given } => {
                format!("give --rounds {}", given.saturating_add(1).max(ROUNDS_MIN))
            }
            Self::TooFewRounds { .. } => format!("give --rounds {ROUNDS_MIN} or more"),
            Self::TooManyRounds { limit, .. } => format!("give --rounds {limit} or less"),
            Self::NoTime => "give a duration such as 2.5s".to_owned(),
            Self::WarmupTooLong { .. } => {
                "give longer rounds with --round-duration, or less warm-up".to_owned()
            }
            Self::KeepUnusable { .. } => "give a directory that you may write to".to_owned(),
            Self::KeepNotEmpty { .. } => "give a new directory".to_owned(),
            Self::NothingMeasured { source, .. } => return source.hint(),
            Self::Stopped { .. } => {
                "let it run longer, or give fewer and shorter --rounds".to_owned()
            }
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::NothingMeasured { .. } | Self::Stopped { .. } => Exit::NothingMeasured,
            _ => Exit::Usage,
        }
    }
}

/// Rounds of each that an interval takes.
pub(super) const ROUNDS_MIN: u64 = 2 * BLOCKS_MIN as u64;
