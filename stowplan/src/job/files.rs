//! The files that were given together with a job: contents by name.

use std::collections::BTreeMap;
use std::sync::Arc;
use stowplan_engine::stage::resolve::Files;

/// The contents of files, by name. A file of any other name cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GivenFiles {
    texts: BTreeMap<String, Arc<str>>,
}

impl GivenFiles {
    /// Gives a file, in place of any file of that name.
    pub fn give(&mut self, name: &str, text: &str) {
        self.texts.insert(name.to_owned(), text.into());
    }

    /// Names and contents, by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        let files = self.texts.iter();
        files.map(|(name, text)| (name.as_str(), &**text))
    }
}

impl Files for GivenFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match self.texts.get(path) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => Err("no file of that name was given with the job".to_owned()),
        }
    }
}

impl crate::job::outside::Outside for GivenFiles {}
