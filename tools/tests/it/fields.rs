//! Plans in which one byte was changed, one after another, and sealed again: every field of every row is met. No command ends in a
//! fault, and a plan that `check` accepts has the rows of the plan it was made from, unless it says other hardware.

use crate::altered::Chance;
use crate::console::{MadeUp, Said, stowplan, words};
use crate::folder::Folder;
use crate::random_jobs::long;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::Plan;

/// Jobs whose plans have every kind of row.
const JOBS: &[&str] = &[
    "-H a:4,b:2 -n 5 ./x : -n 1 --map-by node --bind-to none ./y z",
    "-H n[0-3]:4 -n 10 --map-by package:pe=2 --rank-by span ./x",
    "-H a:2,b:2,c:1 -n 7 --map-by core:oversubscribe ./x",
    "-H a:4,b:4 -n 4 --map-by pe-list=0-3:ordered --bind-to core ./x",
    "-H a:4,b:4 -n 6 --map-by ppr:3:node --rank-by node ./x",
    "--hostfile hosts -n 5 --map-by seq:file=seq ./x",
    "--hostfile hosts -n 4 --map-by rankfile:file=ranks ./x",
    "-H a:4,b:4 -n 4 --devices gpu=package:2 --map-by gpu ./x",
    "-H a:4,b:4 -n 3 -x OMP_PLACES=cores -x OMP_NUM_THREADS=2 --map-by slot:pe=2 ./x",
];

const COMMANDS: &[&str] = &[
    "show PLAN",
    "show PLAN --format json",
    "show PLAN --format map",
    "show PLAN --format svg",
    "show PLAN --format tsv --columns rank,node,cpus,gpus,object",
    "show PLAN --format taskmap",
    "explain 0 PLAN",
    "explain --node a PLAN",
    "export PLAN",
    "export srun PLAN",
    "export rankfile PLAN",
    "diff PLAN SOUND",
    "diff SOUND PLAN",
    "onto PLAN -H q:4,r:4,s:4,t:4",
    "score --pattern ring PLAN",
    "check PLAN -- JOB",
];

fn files() -> MadeUp {
    let mut made = MadeUp::default();
    for (name, text) in [
        (
            "hosts",
            "a slots=2 max_slots=5\nb slots=2 max_slots=6\nc slots=3\n",
        ),
        ("seq", "a\nb\nb\na\nc\n"),
        (
            "ranks",
            "rank 0=b slot=2\nrank 1=a slot=1\nrank 2=b slot=0\nrank 3=a slot=3\n",
        ),
    ] {
        made.files.insert(name.to_owned(), text.as_bytes().to_vec());
    }
    made
}

fn run(line: &str) -> Said {
    stowplan(&words(line), &files())
}

/// Where each rank is.
fn rows(plan: &Plan) -> Vec<String> {
    let row = |rank| {
        let place = plan.place(Rank(rank)).unwrap();
        let cpus = place.cpus.map(|id| plan.world().cpusets.get(id));
        let given = plan.given_gpus();
        let gpus = given.of(place.node, place.local_rank);
        format!(
            "{:?} {} {:?} {cpus:?} {gpus:?}",
            place.node, place.local_rank, place.object
        )
    };
    (0..plan.ranks()).map(row).collect()
}

/// The hardware of each node: what a place is made of.
fn hardware(plan: &Plan) -> Vec<String> {
    let world = plan.world();
    let each = world.before.iter().map(|(nodes, id)| {
        let state = world.states.get(id);
        let draft = world.topologies.draft(state.topology);
        let [allowed, free] = [state.allowed, state.free].map(|set| world.pusets.get(set));
        format!("{nodes:?} {draft:?} {allowed:?} {free:?}")
    });
    each.collect()
}

/// Writes the checksum that fits the bytes.
fn seal(plan: &mut [u8]) {
    let end = plan.len() - 4;
    let sum = crc32fast::hash(&plan[..end]).to_le_bytes();
    plan[end..].copy_from_slice(&sum);
}

/// Runs every command with a changed plan in the long check, and two of them else.
fn every_command_ends(path: &str, sound: &str, job: &str, chance: &mut Chance, about: &str) {
    let one = |chance: &mut Chance| COMMANDS[chance.below(COMMANDS.len())];
    let commands: Vec<&str> = match long() {
        true => COMMANDS.to_vec(),
        false => vec![one(chance), one(chance)],
    };
    for command in commands {
        let line = command
            .replace("PLAN", path)
            .replace("SOUND", sound)
            .replace("JOB", job);
        let said = run(&line);
        let ended = [0, 1, 2, 3].contains(&said.status);
        assert!(ended, "{about}: {line}: {}", said.err);
        let told = said.status != 2 || said.err.contains("error[");
        assert!(told, "{about}: {line}");
    }
}

#[test]
fn one_changed_byte_is_found_or_changes_no_place() {
    let folder = Folder::new("fields");
    let (path, sound) = (folder.file("plan"), folder.file("sound"));
    let mut chance = Chance(11);
    let (mut read, mut accepted, mut wrong) = (0, 0, Vec::new());
    for job in JOBS {
        let job = format!("--topo 'package:2 core:4 pu:2' {job}");
        let said = run(&format!("map --save {sound} --format taskmap {job}"));
        assert_eq!(said.status, 0, "{job}: {}", said.err);
        let bytes = std::fs::read(&sound).unwrap();
        let honest = Plan::from_bytes(&bytes).unwrap();
        let (places, machine) = (rows(&honest), hardware(&honest));
        for at in 17..bytes.len() - 4 {
            let own = bytes[at];
            for other in [
                own ^ 1,
                own ^ 2,
                own.wrapping_add(2),
                own ^ 4,
                own ^ 0x80,
                0,
                255,
            ] {
                if other == own || (!long() && chance.below(6) > 0) {
                    continue;
                }
                let mut changed = bytes.clone();
                changed[at] = other;
                seal(&mut changed);
                let Ok(plan) = Plan::from_bytes(&changed) else {
                    continue;
                };
                read += 1;
                std::fs::write(&path, &changed).unwrap();
                let about = format!("{job}: byte {at} is {other} and was {own}");
                every_command_ends(&path, &sound, &job, &mut chance, &about);
                let verdict = run(&format!("check {path}"));
                if verdict.status != 0 {
                    assert!(
                        verdict.err.starts_with("error["),
                        "{about}: {}",
                        verdict.err
                    );
                    continue;
                }
                accepted += 1;
                if hardware(&plan) == machine && rows(&plan) != places {
                    wrong.push(about);
                }
            }
        }
    }
    println!("{read} plans with one other byte are read, {accepted} of them accepted");
    assert!(accepted > 0 && read > accepted);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
