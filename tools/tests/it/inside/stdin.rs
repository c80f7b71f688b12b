//! Standard input is read once.

use stowplan_cli::stdin::judge;

fn twice(line: &str) -> bool {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    judge(&words[0], &words[1..]).is_err()
}

#[test]
fn standard_input_is_read_at_one_place() {
    assert!(twice("map --hostfile - --topo - ./x"));
    assert!(twice("map --hostfile - --map-by rankfile:file=- ./x"));
    assert!(twice("map --topo a=- --topo b=- ./x"));
    assert!(twice("map --hostfile - x : --hostfile - y"));
    assert!(twice("spawn - --topo -"));
    assert!(twice("diff - -"));
    assert!(twice("diff - -- --hostfile - ./x"));
    assert!(twice("check - -- --topo - ./x"));
    assert!(!twice("map --hostfile - ./x - -"));
    assert!(!twice("exec - -- ./x -"));
    assert!(!twice("show -"));
    assert!(!twice("map --host - -n 1 --topo - ./x"));
}
