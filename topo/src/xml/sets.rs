//! hwloc's sets of bits as XML files spell them: 32-bit words in hexadecimal, highest first, `0x00000003,0x0000000f`.
//!
//! All sets of a file are in one vector, because a file has thousands of sets of a few words each.

/// One set: where its words are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Set {
    first: u32,
    words: u32,
    rest: Rest,
}

/// The bits above the words of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rest {
    Clear,
    /// The spelling began with `0xf...f`.
    Full,
}

/// The sets of one file. Words are of 64 bits, lowest first.
#[derive(Default, Debug)]
pub struct Sets {
    words: Vec<u64>,
}

impl Sets {
    /// Reads a set. `None` if the text is not a set. Costs at most four bytes of memory for each byte of text.
    pub fn read(&mut self, text: &str) -> Option<Set> {
        let first = u32::try_from(self.words.len()).ok()?;
        let (rest, text) = match text.strip_prefix("0xf...f") {
            Some("") => {
                let (words, rest) = (0, Rest::Full);
                return Some(Set { first, words, rest });
            }
            Some(rest) => (Rest::Full, rest.strip_prefix(',')?),
            None => (Rest::Clear, text),
        };
        let parts = 1 + text.bytes().filter(|&byte| byte == b',').count();
        if parts == 1 && rest == Rest::Clear {
            self.words.push(hexadecimal(text)?);
            let words = 1;
            return Some(Set { first, words, rest });
        }
        self.words.resize(self.words.len() + parts.div_ceil(2), 0);
        for (part, place) in text.split(',').zip((0..parts).rev()) {
            let word = &mut self.words[first as usize + place / 2];
            *word |= hexadecimal(part)? << (place % 2 * 32);
        }
        if rest == Rest::Full && parts % 2 == 1 {
            self.words[first as usize + parts / 2] |= 0xffff_ffff << 32;
        }
        let words = u32::try_from(parts.div_ceil(2)).ok()?;
        u32::try_from(self.words.len()).ok()?;
        Some(Set { first, words, rest })
    }

    fn of(&self, set: Set) -> &[u64] {
        let first = set.first as usize;
        &self.words[first..first + set.words as usize]
    }

    /// Whether a bit is in the set.
    pub fn has(&self, set: Set, bit: u32) -> bool {
        match self.of(set).get(bit as usize / 64) {
            Some(word) => word >> (bit % 64) & 1 == 1,
            None => set.rest == Rest::Full,
        }
    }

    /// The lowest bit. `None` for the empty set.
    pub fn first(&self, set: Set) -> Option<u64> {
        let words = self.of(set);
        let place = words.iter().position(|&word| word != 0);
        match place {
            Some(place) => Some(place as u64 * 64 + u64::from(words[place].trailing_zeros())),
            None => (set.rest == Rest::Full).then_some(words.len() as u64 * 64),
        }
    }

    /// Whether no bit is in the set.
    pub fn is_empty(&self, set: Set) -> bool {
        self.first(set).is_none()
    }

    /// Whether two sets have the same bits.
    pub fn same(&self, a: Set, b: Set) -> bool {
        let (of_a, of_b) = (self.of(a), self.of(b));
        let shared = of_a.len().min(of_b.len());
        let full = |set: Set| match set.rest {
            Rest::Clear => 0,
            Rest::Full => u64::MAX,
        };
        a.rest == b.rest
            && of_a[..shared] == of_b[..shared]
            && of_a[shared..].iter().all(|&word| word == full(b))
            && of_b[shared..].iter().all(|&word| word == full(a))
    }

    /// Whether the set holds this bit and nothing else, or nothing at all.
    pub fn at_most(&self, set: Set, bit: u32) -> bool {
        let others = self.of(set).iter().zip(0_u32..).all(|(&word, place)| {
            let own = if place == bit / 64 {
                1 << (bit % 64)
            } else {
                0
            };
            word & !own == 0
        });
        others && set.rest == Rest::Clear
    }
}

/// Reads one word of up to 16 digits, with or without `0x`. An empty word is 0.
fn hexadecimal(part: &str) -> Option<u64> {
    let digits = part.strip_prefix("0x").unwrap_or(part).as_bytes();
    if digits.len() > 16 {
        return None;
    }
    let mut word = 0;
    for &digit in digits {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            b'A'..=b'F' => digit - b'A' + 10,
            _ => return None,
        };
        word = word << 4 | u64::from(value);
    }
    Some(word)
}
