//! Signs of a launcher on a line.

use stowplan::job::line::sign::signs;
use stowplan::launchers::line::Launcher;

fn of(line: &str) -> Vec<Launcher> {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let signs = signs(&words, &[]).into_iter();
    signs.map(|(launcher, _)| launcher).collect()
}

#[test]
fn signs_stand_before_a_program_and_behind_a_colon() {
    assert_eq!(of("-n 4 -rankmap 0,1 ./x"), [Launcher::Hydra]);
    assert_eq!(of("-n 4 ./x -rankmap 0,1"), []);
    assert_eq!(of("-l ./x --cpu-bind depth"), []);
    assert_eq!(of("-report-bindings ./x -genv I_MPI_PIN=1"), []);
    assert_eq!(of("-n4 ./x : -env I_MPI_PIN 1 ./y"), [Launcher::Intel]);
    assert_eq!(of("-genv A=1 -bind-to rr ./x"), [Launcher::Hydra]);
    assert_eq!(of("-genv A 1 -bind-to rr ./x"), [Launcher::Hydra]);
    assert_eq!(of("--cpu-bind list:0,1 ./x"), []);
    assert_eq!(of("-d 8 --cpu-bind list:0:1 ./x"), [Launcher::Pals; 2]);
}
