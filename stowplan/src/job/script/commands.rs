//! Tokens as commands, and the blocks in which they stand.

use super::lexer::{Kind, Token};
use crate::job::batch::text::{Span, Text};
use stowplan_engine::error::SpecError;
use stowplan_engine::limit::SCRIPT_DEPTH_MAX;

/// What a block does to the variables that are set in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Block {
    /// `{ … }`: nothing.
    Group,
    /// `( … )`: they are as before behind it.
    Subshell,
    /// `if`, `case`: it may run or not.
    Choice,
    /// `for`, `while`, `until`: it may run any number of times.
    Loop,
    /// A function: it runs where it is called.
    Function,
}

/// A command.
#[derive(Clone, Debug)]
pub(super) struct Command {
    /// Its words, assignments before them included.
    pub(super) words: Vec<Span>,
    pub(super) joined: Joined,
}

/// How a command stands beside others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Joined {
    /// It runs, and what it sets stays.
    Alone,
    /// It runs if another one succeeded or failed.
    Maybe,
    /// It runs beside others: what it sets is lost.
    Apart,
}

/// A step through a script.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// A block begins.
    Enter(Block),
    /// A loop over words begins: its variable, and the words.
    Over(Span, Vec<Span>),
    /// Another branch of the block begins.
    Next,
    /// The innermost block ends.
    Leave,
    /// A command.
    Command(Command),
}

/// What closes an open block, and the word that opened it.
#[derive(Clone, Copy, Debug)]
struct Opened {
    closes: Closes,
    at: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Closes {
    Fi,
    Done,
    Esac,
    Brace,
    Bracket,
}

impl Closes {
    const fn word(self) -> &'static str {
        match self {
            Self::Fi => "fi",
            Self::Done => "done",
            Self::Esac => "esac",
            Self::Brace => "}",
            Self::Bracket => ")",
        }
    }
}

struct Parser<'t> {
    text: &'t Text<'t>,
    tokens: &'t [Token],
    at: usize,
    items: Vec<Item>,
    open: Vec<Opened>,
    /// The words of the command that is being read.
    words: Vec<Span>,
    /// How the next command stands beside the one before it.
    joined: Joined,
    /// Whether the next compound command is the body of a function.
    body: Body,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Body {
    OfFunction,
    None,
}

/// The steps of a script.
///
/// # Errors
/// `bad-script` for a block that is not closed, or closed twice.
pub(super) fn items(text: &Text<'_>, tokens: &[Token]) -> Result<Vec<Item>, SpecError> {
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        items: Vec::new(),
        open: Vec::new(),
        words: Vec::new(),
        joined: Joined::Alone,
        body: Body::None,
    };
    while let Some(token) = tokens.get(parser.at) {
        parser.token(*token)?;
    }
    parser.end(Joined::Alone);
    match parser.open.last() {
        None => Ok(parser.items),
        Some(opened) => {
            let what = format!("this is not closed: {} is missing", opened.closes.word());
            Err(text.bad(opened.at, &what))
        }
    }
}

impl Parser<'_> {
    fn word_at(&self, at: usize) -> Option<&str> {
        let token = self.tokens.get(at)?;
        (token.kind == Kind::Word).then(|| self.text.of(token.span))
    }

    /// Ends the command that is being read.
    fn end(&mut self, joined: Joined) {
        let words = std::mem::take(&mut self.words);
        let joined = match (self.joined, joined) {
            (Joined::Apart, _) | (_, Joined::Apart) => Joined::Apart,
            (own, _) => own,
        };
        self.joined = Joined::Alone;
        if !words.is_empty() {
            self.items.push(Item::Command(Command { words, joined }));
        }
    }

    fn token(&mut self, token: Token) -> Result<(), SpecError> {
        // Tests in double brackets have operators of their own.
        let tests = self.words.first().map(|word| self.text.of(*word)) == Some("[[");
        let closed = self.words.last().map(|word| self.text.of(*word)) == Some("]]");
        if tests && !closed && !(token.kind == Kind::End && self.text.of(token.span) == ";") {
            if token.kind != Kind::End {
                self.words.push(token.span);
            }
            self.at += 1;
            return Ok(());
        }
        match token.kind {
            Kind::Word if self.words.is_empty() => return self.first_word(token),
            Kind::Word | Kind::Sums => self.words.push(token.span),
            Kind::End => self.end(Joined::Alone),
            Kind::Either => {
                self.end(Joined::Alone);
                self.joined = Joined::Maybe;
            }
            Kind::Pipe => {
                self.end(Joined::Apart);
                self.joined = Joined::Apart;
            }
            Kind::Behind => self.end(Joined::Apart),
            Kind::Branch => {
                self.end(Joined::Alone);
                self.at += 1;
                return self.pattern(token);
            }
            Kind::Open => return self.bracket(token),
            Kind::Close => {
                self.end(Joined::Alone);
                self.close(Closes::Bracket, token.span)?;
            }
        }
        self.at += 1;
        Ok(())
    }

    /// `(`: a shell below the shell, or the name before it is a function.
    fn bracket(&mut self, token: Token) -> Result<(), SpecError> {
        let closes = self.tokens.get(self.at + 1).map(|next| next.kind) == Some(Kind::Close);
        match self.words.len() {
            0 => {
                self.open(Block::Subshell, Closes::Bracket, token.span)?;
                self.at += 1;
            }
            1 if closes => {
                self.words.clear();
                self.body = Body::OfFunction;
                self.at += 2;
            }
            _ => {
                return Err(self.text.bad(token.span, "a bracket is inside a command"));
            }
        }
        Ok(())
    }

    fn open(&mut self, block: Block, closes: Closes, at: Span) -> Result<(), SpecError> {
        if self.open.len() == SCRIPT_DEPTH_MAX {
            let what = format!("more than {SCRIPT_DEPTH_MAX} blocks in one another");
            return Err(self.text.bad(at, &what));
        }
        let block = match std::mem::replace(&mut self.body, Body::None) {
            Body::OfFunction => Block::Function,
            Body::None => block,
        };
        self.open.push(Opened { closes, at });
        self.items.push(Item::Enter(block));
        Ok(())
    }

    fn close(&mut self, closes: Closes, at: Span) -> Result<(), SpecError> {
        match self.open.pop() {
            Some(opened) if opened.closes == closes => {
                self.items.push(Item::Leave);
                Ok(())
            }
            Some(_) | None => {
                let what = format!("{} closes nothing", closes.word());
                Err(self.text.bad(at, &what))
            }
        }
    }

    /// A word where a command begins: a word of the shell's own grammar, or of the command.
    fn first_word(&mut self, token: Token) -> Result<(), SpecError> {
        self.at += 1;
        let span = token.span;
        match self.text.of(span) {
            "if" => self.open(Block::Choice, Closes::Fi, span),
            "while" | "until" => self.open(Block::Loop, Closes::Done, span),
            "for" | "select" => self.over(span),
            "case" => self.case(span),
            "{" => self.open(Block::Group, Closes::Brace, span),
            "elif" | "else" => {
                self.items.push(Item::Next);
                Ok(())
            }
            "then" | "do" | "!" | "time" => Ok(()),
            "fi" => self.close(Closes::Fi, span),
            "done" => self.close(Closes::Done, span),
            "esac" => self.close(Closes::Esac, span),
            "}" => self.close(Closes::Brace, span),
            "function" => {
                self.at += 1;
                if let [open, close, ..] = &self.tokens[self.at.min(self.tokens.len())..]
                    && (open.kind, close.kind) == (Kind::Open, Kind::Close)
                {
                    self.at += 2;
                }
                self.body = Body::OfFunction;
                Ok(())
            }
            _ => {
                self.words.push(span);
                Ok(())
            }
        }
    }

    /// `for NAME in words`, `for ((…))`.
    fn over(&mut self, at: Span) -> Result<(), SpecError> {
        self.open(Block::Loop, Closes::Done, at)?;
        let Some(name) = self.tokens.get(self.at).copied() else {
            return Ok(());
        };
        self.at += 1;
        if name.kind != Kind::Word {
            return Ok(());
        }
        let mut words = Vec::new();
        if self.word_at(self.at) == Some("in") {
            self.at += 1;
            while let Some(token) = self.tokens.get(self.at)
                && token.kind == Kind::Word
            {
                words.push(token.span);
                self.at += 1;
            }
        }
        self.items.push(Item::Over(name.span, words));
        Ok(())
    }

    /// `case WORD in`.
    fn case(&mut self, at: Span) -> Result<(), SpecError> {
        self.open(Block::Choice, Closes::Esac, at)?;
        while let Some(token) = self.tokens.get(self.at) {
            self.at += 1;
            if token.kind == Kind::Word && self.text.of(token.span) == "in" {
                return self.pattern(*token);
            }
        }
        Ok(())
    }

    /// The pattern before a branch of `case`, or the end of it.
    fn pattern(&mut self, behind: Token) -> Result<(), SpecError> {
        if self.open.last().map(|opened| opened.closes) != Some(Closes::Esac) {
            return Err(self
                .text
                .bad(behind.span, "this ends a branch, and there is no case"));
        }
        self.items.push(Item::Next);
        while let Some(token) = self.tokens.get(self.at)
            && token.kind == Kind::End
        {
            self.at += 1;
        }
        if self.word_at(self.at) == Some("esac") {
            return Ok(());
        }
        while let Some(token) = self.tokens.get(self.at) {
            self.at += 1;
            if token.kind == Kind::Close {
                break;
            }
        }
        Ok(())
    }
}
