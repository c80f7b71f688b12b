//! The classes of errors: what scripts and programs match on.

// The class of each error of placing.
mod of_place;
// All classes.
mod table;

pub use table::Class;

use std::fmt;
use std::str::FromStr;

/// Makes the enum of all classes from a table: variant, number, word, when it is given, and what it names.
macro_rules! classes {
    ($($variant:ident = $number:literal, $word:literal, $when:literal, $names:literal;)*) => {
        /// The class of an error. A class is stable: scripts and programs match on it.
        ///
        /// A class has a word, which the command prints in `error[WORD]`, and a number, for languages in which a number is
        /// easier to compare. Neither is ever given to another class.
        /// ```
        /// use stowplan_engine::error::Class;
        /// let class: Class = "not-enough-slots".parse()?;
        /// assert_eq!(class, Class::NotEnoughSlots);
        /// assert_eq!(Class::of_number(class.number()), Some(class));
        /// assert_eq!((class.word(), class.exit_status()), ("not-enough-slots", 2));
        /// # Ok::<(), stowplan_engine::error::UnknownClass>(())
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        #[repr(u16)]
        pub enum Class {
            $(#[doc = concat!("`", $word, "`: ", $when, ". It names: ", $names, ".")] $variant = $number,)*
        }

        impl Class {
            /// All classes, ascending by number.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word, as in `error[WORD]` and in `docs/errors.md`.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// The number, from 1.
            #[must_use]
            pub const fn number(self) -> u16 {
                match self {
                    $(Self::$variant => $number,)*
                }
            }

            /// When an error has this class, and what its message names: the row of `docs/errors.md`.
            #[must_use]
            pub const fn docs(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($when, ". It names: ", $names, "."),)*
                }
            }
        }
    };
}
use classes;

impl Class {
    /// The class with this word. Cost: a walk over all classes.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|class| class.word() == word)
    }

    /// The class with this number. Cost: a binary search.
    #[must_use]
    pub fn of_number(number: u16) -> Option<Self> {
        let row = Self::ALL.binary_search_by_key(&number, |class| class.number());
        row.ok().map(|row| Self::ALL[row])
    }

    /// The exit status of a command that ends with such an error: 70 for a fault of ours, else 2.
    #[must_use]
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "one class is a fault of ours"
    )]
    pub const fn exit_status(self) -> u8 {
        match self {
            Self::Internal => 70,
            _ => 2,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// No class has this word.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{word:?} is the word of no class of errors")]
pub struct UnknownClass {
    /// The word.
    pub word: String,
}

impl FromStr for Class {
    type Err = UnknownClass;

    fn from_str(word: &str) -> Result<Self, UnknownClass> {
        Self::of_word(word).ok_or_else(|| UnknownClass {
            word: word.to_owned(),
        })
    }
}

impl PartialEq<str> for Class {
    fn eq(&self, word: &str) -> bool {
        self.word() == word
    }
}

impl PartialEq<&str> for Class {
    fn eq(&self, word: &&str) -> bool {
        self.word() == *word
    }
}

impl AsRef<str> for Class {
    fn as_ref(&self) -> &str {
        self.word()
    }
}
