//! Hosts of ours before a launcher's line.

use stowplan::job::line::allocation::{NAME, take};
use stowplan::job::words::CommandLine;

#[test]
fn hosts_of_ours_become_an_allocation_where_the_line_names_hosts() {
    let read = |words: &str| {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        words
    };
    let mut ours = CommandLine::read(&read("-H n[1-2,4]:8,m,k:auto,m:2"));
    let text = take(&mut ours, &read("-np 2 -H m ./a")).expect("both name hosts");
    assert_eq!(text, "n[1-2,4] slots=8\nm slots=3\nk\n");
    assert_eq!(ours.to_words(), ["--hostfile", NAME]);
    let mut ours = CommandLine::read(&read("-H a:2"));
    assert_eq!(take(&mut ours, &read("-np 2 ./a -H m")), None);
    assert_eq!(ours.to_words(), ["-H", "a:2"]);
}
