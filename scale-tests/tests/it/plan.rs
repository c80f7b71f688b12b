//! Plan bytes through the bodies of their fuzz targets.

use proptest::prelude::*;
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan_engine::stage::resolve::Files;
use stowplan_scale_tests::input::plan;

/// The files of the jobs below.
struct Written;

impl Files for Written {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Ok(match path {
            "ranks" => b"rank 0=b slot=2\nrank 1=a slot=1\nrank 2=b slot=0\n".to_vec(),
            "lsf" => b"a 1,9\nb 2\nb 3,4\na 5\n".to_vec(),
            _ => b"a 0\nb\nb 1-2\na\n+n1\n".to_vec(),
        })
    }
}

/// Jobs whose plans have each part that a plan may have.
const JOBS: [&str; 11] = [
    "-n 5 --map-by core",
    "-n 7 --map-by package --rank-by fill --bind-to core",
    "-n 7 --map-by package --rank-by span",
    "-n 6 --map-by node:oversubscribe --rank-by node --bind-to none",
    "-n 11 --map-by package:oversubscribe",
    "-n 4 --map-by seq:file=seq",
    "-n 3 --map-by rankfile:file=ranks",
    "-n 6 --map-by pe-list=0-3:oversubscribe",
    "-n 5 --map-by mpibind --devices gpu=package:2",
    "-n 5 --map-by gpu --devices gpu=package:2",
    "-n 2 --map-by ppr:1:node ./a one two : -H a:4,b:4 -n 2 ./b three",
];

#[test]
fn each_byte_of_a_plan_may_be_any_other() {
    for job in JOBS {
        let words = format!("--topo package:2;core:4;pu:2 -H a:4,b:4 {job}");
        let words = words.split(' ').map(|word| word.replace(';', " "));
        let asked = map_args(&words.collect::<Vec<_>>()).unwrap();
        let mapped = place(asked, &FilesAlone(&Written)).unwrap().mapped;
        plan::each_byte(&mapped.plan);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        plan::bytes(&bytes);
    }

    #[test]
    fn damage_behind_a_fitting_checksum_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..24)) {
        plan::resealed(&bytes);
    }
}
