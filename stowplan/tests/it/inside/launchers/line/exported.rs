//! Variables that a line sets.

use stowplan::launchers::line::Launcher;
use stowplan::launchers::line::exported::{Exported, exported};

fn of(launcher: Launcher, line: &str, programs: &[&str]) -> Vec<Vec<Exported>> {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
    let programs: Vec<Vec<String>> = programs.iter().map(|text| words(text)).collect();
    exported(launcher, &words(line), &programs)
}

fn set(name: &str, value: &str) -> Exported {
    Exported::Set(name.to_owned(), value.to_owned())
}

#[test]
fn each_launcher_sets_variables_in_its_own_words() {
    use Launcher::{Aprun, Flux, Hydra, Jsrun, Pals, Slurm};
    let one = [[set("A", "1")]];
    assert_eq!(
        of(Hydra, "-genv A 1 -n 4 ./x -env B 2", &["./x -env B 2"]),
        one
    );
    assert_eq!(of(Pals, "--env A=1 -n 4 ./x", &["./x"]), one);
    assert_eq!(of(Flux, "-N1 --env=A=1 ./x", &["./x"]), one);
    assert_eq!(of(Jsrun, "-n4 -EA=1 ./x", &["./x"]), one);
    assert_eq!(of(Jsrun, "-n4 -E A=1 ./x", &["./x"]), one);
    assert_eq!(of(Aprun, "-e A=1 -n 4 ./x", &["./x"]), one);
    assert_eq!(of(Slurm, "-n4 env A=1 ./x B=2", &["env A=1 ./x B=2"]), one);
    let apps = of(
        Hydra,
        "-genv A 1 -env B 2 -n 1 ./x : -env B 3 -n 1 ./y",
        &["./x", "./y"],
    );
    assert_eq!(
        apps,
        [
            [set("A", "1"), set("B", "2")],
            [set("A", "1"), set("B", "3")]
        ]
    );
    let kept = Exported::Kept("B".to_owned());
    let listed = of(Slurm, "--export A=\"1,2\",B -n4 ./x", &["./x"]);
    assert_eq!(listed, [[Exported::NoOthers, set("A", "1,2"), kept]]);
    assert_eq!(
        of(Slurm, "--export=NONE ./x", &["./x"]),
        [[Exported::NoOthers]]
    );
}
