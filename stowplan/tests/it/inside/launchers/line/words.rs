//! How launchers read their words.

use stowplan::launchers::line::words::{Case, Class, Reading, Takes, Word, WordTable};

const WORDS: &[Word] = &[
    Word::new(&["-n", "--ntasks"], Takes::Value, Class::Placing, ""),
    Word::new(&["-K", "--kill"], Takes::Maybe, Class::Harmless, ""),
    Word::new(&["-sl"], Takes::Value, Class::Placing, ""),
    Word::new(&["-s"], Takes::Nothing, Class::Harmless, ""),
    Word::new(&["--genv"], Takes::Pair, Class::Harmless, ""),
    Word::new(&["--ntasks-per-core"], Takes::Value, Class::Placing, ""),
    Word::new(&["-h", "--help"], Takes::Nothing, Class::Ends, "help"),
    Word::new(&["-G"], Takes::Value, Class::NotModelled, "which GPUs"),
];

fn read(reading: Reading, line: &str) -> Result<String, String> {
    let table = WordTable {
        command: "x",
        reading,
        words: WORDS,
    };
    let line: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let read = table.read(&line, 0).map_err(|refused| {
        format!(
            "{} {:?}",
            refused.class,
            refused.at.expect("words have a place")
        )
    })?;
    let said = read
        .said
        .iter()
        .map(|said| format!("{}={}{} ", said.name(), said.value, said.second));
    Ok(format!(
        "{}{}",
        said.collect::<String>(),
        line[read.program.min(line.len())..].join(" ")
    ))
}

#[test]
fn getopt_bundles_letters_and_cuts_words() {
    let read = |line| read(Reading::Getopt, line);
    assert_eq!(
        read("-sn4 ./a -n 2"),
        Ok("-s= --ntasks=4 ./a -n 2".to_owned())
    );
    assert_eq!(
        read("--ntasks-per=2 -- -n"),
        Ok("--ntasks-per-core=2 -n".to_owned())
    );
    assert_eq!(read("-K 1 --kill=2"), Ok("--kill= 1 --kill=2".to_owned()));
    assert_eq!(read("--nt=2"), Err("bad-option (0, 0..4)".to_owned()));
    assert_eq!(read("-s -snq"), Ok("-s= -s= --ntasks=q ".to_owned()));
    assert_eq!(read("-sq"), Err("bad-option (0, 0..3)".to_owned()));
    assert_eq!(read("-n"), Err("launcher-refuses (0, 0..2)".to_owned()));
    assert_eq!(
        read("--help -G 1"),
        Err("launcher-refuses (0, 0..6)".to_owned())
    );
    assert_eq!(
        read("-G 1 --helpme"),
        Err("bad-option (2, 0..8)".to_owned())
    );
}

#[test]
fn argparse_cuts_no_words_and_takes_no_option_for_a_value() {
    let read = |line| read(Reading::Argparse, line);
    assert_eq!(
        read("-n=4 -n -4 ./a"),
        Ok("--ntasks=4 --ntasks=-4 ./a".to_owned())
    );
    assert_eq!(read("--ntask 4"), Err("bad-option (0, 0..7)".to_owned()));
    assert_eq!(
        read("-n --kill"),
        Err("launcher-refuses (0, 0..2)".to_owned())
    );
}

#[test]
fn any_number_of_dashes_in_any_case() {
    let read = |case, line| read(Reading::AnyDash(case), line);
    let pairs = "-genv A B --GENV A=B -n=4 ./a";
    assert_eq!(
        read(Case::Any, pairs),
        Ok("--genv=AB --genv=AB --ntasks=4 ./a".to_owned())
    );
    assert_eq!(
        read(Case::Exact, "-KILL ./a"),
        Err("bad-option (0, 0..5)".to_owned())
    );
    assert_eq!(
        read(Case::Exact, "-n4 ./a"),
        Err("bad-option (0, 0..3)".to_owned())
    );
}

#[test]
fn long_words_come_first_for_aprun() {
    let read = |line| read(Reading::LongFirst, line);
    assert_eq!(
        read("-sl 0,1 -s -n4 ./a"),
        Ok("-sl=0,1 -s= --ntasks=4 ./a".to_owned())
    );
}
