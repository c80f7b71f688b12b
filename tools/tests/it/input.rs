//! The bodies of the command's own fuzz targets, on inputs found earlier, on valid input, and on damaged input.

use crate::console::{root, stowplan};
use proptest::prelude::*;
use stowplan_cli::fuzz_bodies;

/// A target: its name, its body, and valid input.
type Target = (&'static str, fn(&[u8]), &'static str);

const TARGETS: &[Target] = &[
    (
        "text_argv",
        fuzz_bodies::argv,
        "-H\na:4,b:4\n--map-by\nnode\n-n\n4\nhost\n:\n--map-by\nslot\n--rank-by\nnode\n-np\n4\nhost",
    ),
    (
        "text_line",
        fuzz_bodies::line,
        "\u{1}-N 2\nn0=0-3\nA=b\n\n\nn0\0-np\n4\n-H\nn0:2,n1:2\n--map-by\nnode\n./a\0n0 slots=2\nn1\n",
    ),
    (
        "text_line",
        fuzz_bodies::line,
        "\0-N 2 --exclusive\n\nSLURM_HINT=nomultithread\n\n\0-n5\n-c2\n-m\ncyclic:block\n--cpu-bind=cores\n./a\0",
    ),
    (
        "text_line",
        fuzz_bodies::line,
        "\u{2}\n\nHYDRA_BINDING=core\0-f\nhosts\n-ppn\n2\n-n\n3\n-bind-to\nuser:0-1,4\n-map-by\nsocket:2\n./a\0n0:2 binding=core\nn1\n",
    ),
    (
        "text_line",
        fuzz_bodies::line,
        "\u{4}\n\n\n\npolicy=first\0-N2\n-n4\n-c2\n-o\ncpu-affinity=per-task\n--taskmap=cyclic:2\n./a\0",
    ),
    (
        "text_line",
        fuzz_bodies::line,
        "\u{6}\0-n\n4\n-N\n2\n-d\n2\n-cc\n0-1:2-3\n./a\0",
    ),
    (
        "text_line",
        fuzz_bodies::line,
        "\u{7}\0-n4\n-a2\n-c2\n-r2\n-d\npacked\n-b\npacked:1\n./a\0",
    ),
    (
        "text_line",
        fuzz_bodies::line,
        "\u{8}\n\nPALS_PPN=2\0--cpu-bind\nlist:0,1:2,3\n-n\n4\n--hosts\nn0,n1\n./a\0",
    ),
    (
        "text_line",
        fuzz_bodies::line,
        "\u{9}\n\nI_MPI_PIN_DOMAIN=[0x3,0xc]\nI_MPI_PIN_ORDER=compact\0-ppn\n2\n-n\n4\n-hosts\nn0,n1\n./a\0",
    ),
    (
        "text_script",
        fuzz_bodies::script,
        "#!/bin/bash\n#SBATCH -N 2 --ntasks-per-node=2\nNP=$((2 * SLURM_NNODES))\nif true; then\n\tsrun -n \"$NP\" ${MORE:-} ./a >log &\nfi\n",
    ),
    (
        "text_script",
        fuzz_bodies::script,
        "#PBS -l select=2:ncpus=8:mpiprocs=2\ncase $1 in a) ;; esac\nexport A='b c' D=\"${A:+x}\"\nmpirun -machinefile $PBS_NODEFILE ./a <<X\n$(no)\nX\n",
    ),
    (
        "text_site",
        fuzz_bodies::site,
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nTaskPluginParam=Cores\nNodeName=n[0-3] Sockets=2 CoresPerSocket=4 ThreadsPerCore=2\n",
    ),
    (
        "text_request",
        fuzz_bodies::request,
        r#"{"version":1,"job_info":{"PMIX_MAPBY":"node"},"apps":[{"cmd":"a","argv":["-v"],"maxprocs":4,"info":
        {"PMIX_HOST":"a:4","PMIX_MAPBY":"slot:nolocal","k":{"value":[1,"\u00e9"],"scope":"local"}}},null],"parent":{"tool":true}}"#,
    ),
];

#[test]
fn corpus_of_the_commands_targets_holds() {
    for (name, body, sound) in TARGETS {
        let folder = root().join("scale-tests/fuzz/corpus").join(name);
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            body(&std::fs::read(entry.path()).expect("a file that can be read"));
        }
        body(sound.as_bytes());
    }
}

proptest! {
    #[test]
    fn damaged_input_is_read_or_refused(
        target in prop::sample::select(TARGETS),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let mut bytes = target.2.as_bytes().to_vec();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        (target.1)(&bytes);
    }
}

#[test]
fn a_hundred_thousand_apps_are_read_at_once() {
    let apps = vec![r#"{"maxprocs":1,"info":{"PMIX_MAPBY":"slot"}}"#; 100_000].join(",");
    fuzz_bodies::request(format!(r#"{{"apps":[{apps}]}}"#).as_bytes());
    fuzz_bodies::argv(vec!["-n\n1\na"; 100_000].join("\n:\n").as_bytes());
}

#[test]
fn a_million_random_bytes_are_no_script() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    let random: Vec<u8> = (0..1_000_000).map(|_| byte()).collect();
    let text = random.iter().copied().map(|byte| byte % 95 + 32);
    let signs = random
        .iter()
        .map(|byte| b"$({\"'`|&;<>#\n =ab1)}"[usize::from(byte % 20)]);
    let rows: [Vec<u8>; 3] = [random.clone(), text.collect(), signs.collect()];
    for row in rows {
        let files = crate::console::MadeUp {
            files: [("job.sh".to_owned(), row)].into(),
        };
        let words = ["map", "--topo", "core:4", "--script", "job.sh"].map(str::to_owned);
        let said = stowplan(&words, &files);
        assert_eq!((said.status, said.out.as_str()), (2, ""));
        assert!(
            said.err.starts_with("error[bad-script]: job.sh:"),
            "{}",
            said.err
        );
    }
}
