//! Places written out are those of the pattern.

use stowplan_engine::plan::inside::{Packed, visit, write};
use stowplan_engine::table::patterns::{Patterns, Place, PlaceRun, Segment};

fn run(count: u32, object: u32) -> PlaceRun {
    let place = Place {
        object: Some(object),
        cpus: None,
    };
    PlaceRun { count, place }
}

#[test]
fn what_is_written_out_is_what_the_pattern_says() {
    let mut patterns = Patterns::default();
    let id = patterns.intern(vec![
        Segment {
            procs: 3,
            runs: vec![run(2, 7), run(4, 8)],
            cycle: None,
            shares: Vec::new(),
        },
        Segment {
            procs: u32::MAX - 3,
            runs: vec![run(1, 0), run(1, 1), run(2, 2)],
            cycle: Some(1),
            shares: Vec::new(),
        },
    ]);
    let pattern = patterns.get(id);
    for procs in 1..40 {
        let said: Vec<Packed> = (0..procs).map(|at| pattern.place(at).into()).collect();
        let mut written = vec![Packed::default(); said.len()];
        write(pattern, &mut written);
        assert_eq!(written, said);
        for from in 0..procs {
            let mut visited = Vec::new();
            visit(pattern, from, procs - from, |count, packed| {
                visited.resize(visited.len() + count as usize, packed);
            });
            assert_eq!(visited, said[from as usize..], "{procs} from {from}");
        }
    }
}
