//! Words of subcommands.

use stowplan_cli::command::COMMANDS;
use stowplan_cli::command::given::Given;

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

#[test]
fn the_words_of_hosts_are_parted_from_the_others() {
    let command = |name| COMMANDS.iter().find(|row| row.words == name).unwrap();
    let parted = |line: &str, command| {
        let words = words(line);
        let given = Given::read(command, &words).unwrap();
        let hosts = given.hosts.map(|hosts| hosts.join(" "));
        let (own, behind) = (given.words, given.behind.map(|behind| behind.join(" ")));
        let own: Vec<&str> = own.into_iter().map(String::as_str).collect();
        (own.join(" "), hosts, behind, given.of_job.join(" "))
    };
    let show = |line: &str| parted(line, command("show"));
    let exec = |line: &str| parted(line, command("exec"));
    let some = |text: &str| Some(text.to_owned());
    let all = |own: &str, hosts, behind, job: &str| (own.to_owned(), hosts, behind, job.to_owned());
    assert_eq!(show("p --onto g0,g1"), all("p", some("-H g0,g1"), None, ""));
    assert_eq!(
        show("p --onto -H g0 -o f --topo t"),
        all("p", some("-H g0 --topo t"), None, "-o f")
    );
    assert_eq!(
        show("p --onto=g0 --here"),
        all("p", some("-H g0 --here"), None, "")
    );
    assert_eq!(show("--onto -H g p"), all("p", some("-H g"), None, ""));
    assert_eq!(
        exec("p --onto --here --omp -- ./x -H 3"),
        all("p", some("--here"), some("./x -H 3"), "")
    );
    assert_eq!(
        exec("p --onto -H g ./x -H 3"),
        all("p", some("-H g"), some("./x -H 3"), "")
    );
    assert_eq!(
        exec("p ./x --onto 3"),
        all("p", None, some("./x --onto 3"), "")
    );
}
