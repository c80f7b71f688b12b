//! The options of the job alone, as subcommands take them that have their job elsewhere.

use super::reader::Reader;
use super::{JobArgs, with_network, with_sessions};
use crate::job::options::OptionOf;
use stowplan_engine::error::SpecError;
use stowplan_engine::error::spec::OptionFault;
use stowplan_engine::spawn::argv::normalize_argv;
use stowplan_engine::spawn::request::Label;

/// Reads the options of the job alone, as `spawn` takes them. Also returns the arguments that are not options.
///
/// # Errors
/// `bad-option` for options of apps and for unknown options; `bad-value`.
pub fn job_args(args: &[String]) -> Result<(Vec<String>, JobArgs), SpecError> {
    let mut renamed = args.to_vec();
    normalize_argv(&mut renamed);
    let mut reader = Reader::new(&renamed, args);
    // Options of apps are read before they are refused, and reading them needs an app.
    reader.intake.push_app(Label::default());
    let mut words = Vec::new();
    while let Some(argument) = reader.args.get(reader.at) {
        if argument != "-" && argument.starts_with('-') {
            let mut seen = Vec::new();
            let (row, given) = reader.option(&mut seen)?;
            if !matches!(row.of, OptionOf::Job | OptionOf::Outer) {
                return Err(SpecError::BadOption {
                    option: given,
                    app: 0,
                    fault: OptionFault::Misplaced,
                });
            }
        } else {
            words.push(argument.clone());
            reader.at += 1;
        }
    }
    reader.check_columns()?;
    with_sessions(&reader.job, reader.outer)?;
    with_network(&reader.job)?;
    Ok((words, reader.job))
}
