//! Options of other launchers, and our words for them: the table behind the help and `docs/coming-from.md`.

/// An option of another launcher with one kind of value.
pub struct Foreign {
    /// Names without dashes.
    pub names: &'static [&'static str],
    /// Its values: words, or one that begins the value (`map_cpu:`), whose rest is V; empty: any, which is N if it is a number.
    pub values: &'static [&'static str],
    /// Our words, with N or V in the place of the value; or a sentence, if no word says the same.
    pub ours: Ours,
}

/// What stands in place of a foreign word.
pub enum Ours {
    /// Words to type.
    Words(&'static str),
    /// A sentence: there is no word to type.
    Says(&'static str),
}

use Ours::{Says, Words};

const fn row(
    names: &'static [&'static str],
    values: &'static [&'static str],
    ours: Ours,
) -> Foreign {
    Foreign {
        names,
        values,
        ours,
    }
}

const BIND: &[&str] = &["cpu-bind", "cpu_bind"];
const DISTRIBUTION: &[&str] = &["distribution", "m"];

/// All rows; the first that fits counts.
#[rustfmt::skip]
pub const FOREIGN: &[Foreign] = &[
    row(&["ntasks-per-node", "tasks-per-node", "ppn", "perhost", "N"], &[], Words("--map-by ppr:N:node")),
    row(&["ntasks-per-socket"], &[], Words("--map-by ppr:N:package")),
    row(&["ntasks-per-core"], &[], Words("--map-by ppr:N:core")),
    row(&["cpus-per-task", "depth", "d", "cores-per-task"], &[], Words("--map-by :pe=N")),
    row(BIND, &["none", "no", "off"], Words("--bind-to none")),
    row(BIND, &["socket", "sockets"], Words("--bind-to package")),
    row(BIND, &["rank_ldom"], Words("--map-by numa")),
    row(BIND, &["map_ldom:", "mask_ldom:"], Says("in this order of their own they are the lines of a rankfile, --map-by rankfile:file=F; in turn: --map-by numa")),
    row(BIND, &["ldom", "ldoms", "numa"], Words("--bind-to numa")),
    row(BIND, &["thread", "threads"], Words("--map-by :hwtcpus --bind-to hwthread")),
    row(BIND, &["map_cpu:"], Words("--map-by pe-list=V:ordered")),
    row(BIND, &["mask_cpu:", "mask:"], Says("masks are the lines of a rankfile: --map-by rankfile:file=F")),
    row(BIND, &["list:"], Says("cpus of each process are the lines of a rankfile: --map-by rankfile:file=F")),
    row(BIND, &["rank"], Words("--map-by core --rank-by slot")),
    row(BIND, &["verbose", "quiet", "v", "q"], Says("leave it out: stowplan shows what each process is bound to")),
    row(BIND, &[], Words("--bind-to core")),
    row(DISTRIBUTION, &["block:block"], Words("--map-by core")),
    row(DISTRIBUTION, &["block:cyclic", "block:fcyclic", "*:cyclic", "*:fcyclic"], Words("--map-by package --rank-by slot")),
    row(DISTRIBUTION, &["block"], Words("--map-by slot")),
    row(DISTRIBUTION, &["cyclic", "cyclic:"], Words("--map-by node")),
    row(DISTRIBUTION, &["arbitrary"], Words("--map-by seq:file=FILE")),
    row(DISTRIBUTION, &["plane="], Says("no word deals planes; the line itself is read: stowplan map srun -m plane=… …")),
    row(DISTRIBUTION, &[], Words("--map-by slot or --map-by node")),
    row(&["hint"], &["nomultithread", "compute_bound"], Says("leave it out: by default a cpu is a core here; --map-by :hwtcpus makes it a hardware thread")),
    row(&["hint"], &["multithread"], Words("--map-by :hwtcpus")),
    row(&["hint"], &["memory_bound"], Says("no word leaves cores out; --map-by ppr:K:numa places K processes near each memory")),
    row(&["threads-per-core", "j"], &["1"], Says("leave it out: by default a cpu is a core here")),
    row(&["threads-per-core", "j"], &[], Words("--map-by :hwtcpus")),
    row(&["ntasks", "nprocs", "tasks", "nrs", "n"], &[], Words("-n N")),
    row(&["nodelist", "w", "hosts"], &["*"], Words("-H V")),
    row(&["f", "hostfile", "machinefile"], &["*"], Words("--hostfile V")),
    row(&["nodes"], &[], Words("-H 'n[1-4]:SLOTS', which names the nodes")),
    row(&["gpus-per-task"], &[], Words("--gpus-per-rank N")),
    row(&["overcommit", "O"], &[], Words("--map-by :oversubscribe")),
    row(&["bynuma"], &[], Words("--map-by numa")),
    row(&["rankmap"], &[], Says("ranks on nodes by a list are --taskmap MAP, or --map-by seq:file=F")),
    row(&["S"], &[], Words("--map-by ppr:N:numa")),
    row(&["cc"], &["none"], Words("--bind-to none")),
    row(&["cc"], &["numa_node"], Words("--bind-to numa")),
    row(&["cc"], &["cpu", "core", "depth", "hwthread"], Words("--bind-to core")),
    row(&["cc"], &["*:*"], Says("cpus of each process are the lines of a rankfile: --map-by rankfile:file=F")),
    row(&["cc"], &["*"], Words("--map-by pe-list=V:ordered")),
    row(&["bind", "b"], &["none"], Words("--bind-to none")),
    row(&["bind", "b"], &["packed:"], Words("--map-by :pe=V")),
    row(&["bind", "b"], &["rs"], Says("cpus of a resource set are no word here; the line itself is read: stowplan map jsrun … --bind rs …")),
    row(&["rs_per_host"], &[], Words("--map-by ppr:N:node")),
    row(&["cpu_per_rs"], &[], Words("--map-by :pe=N")),
    row(&["gpu_per_rs"], &[], Words("--gpus-per-rank N")),
    row(&["tasks_per_rs", "latency_priority", "launch_distribution"], &[], Says("no word here says the same; the line itself is read: stowplan map jsrun …")),
    row(&["gres", "gpus", "gpus-per-node", "gpus-per-socket", "gpu-bind", "mem-bind", "mem_bind", "ntasks-per-gpu", "relative", "exclude", "r"], &[],
        Says("no word here says the same; the line itself is read: stowplan map srun …")),
    row(&["requires", "nslots"], &[], Says("no word here says the same; the line itself is read: stowplan map flux run …")),
    row(&["configfile", "order-nodes"], &[], Says("no word here says the same; the line itself is read: stowplan map mpiexec.hydra …")),
    row(&["genv", "genvall", "genvlist", "genvnone", "envall", "envnone", "envlist", "iface", "launcher", "launcher-exec", "bootstrap", "rmk", "usize",
          "print-rank-map", "print-all-exitcodes", "prepend-rank", "outfile-pattern", "errfile-pattern"], &[],
        Says("it does not place processes in these words: leave it out, or paste the whole line: stowplan map mpiexec.hydra …")),
    row(
        &["mpi", "label", "l", "unbuffered", "u", "export", "time", "t", "partition", "p", "account", "A", "qos", "job-name", "J", "exclusive", "exact",
          "overlap", "kill-on-bad-exit", "K", "mem", "mem-per-cpu", "constraint", "C", "chdir", "D", "propagate", "network", "wait", "W"],
        &[],
        Says("it does not place processes in these words: leave it out, or paste the whole line: stowplan map srun …"),
    ),
    row(&["version", "V"], &[], Says("stowplan --version shows ours")),
];

/// What to type in place of an option of another launcher with this value: a line of help without its lead.
///
/// `name` has no dashes. A number may directly follow a letter, as in `-N4`.
pub fn help(name: &str, value: Option<&str>) -> Option<String> {
    let (name, hanging) = match name.char_indices().nth(1) {
        Some((at, _)) if name[at..].bytes().all(|byte| byte.is_ascii_digit()) => {
            (&name[..at], Some(&name[at..]))
        }
        _ => (name, None),
    };
    let value = hanging.or(value).unwrap_or("");
    let fits = |row: &&Foreign| {
        let known = row.names.contains(&name);
        known && (row.values.is_empty() || row.values.iter().any(|own| rest(own, value).is_some()))
    };
    let row = FOREIGN.iter().find(fits)?;
    let words = match row.ours {
        Says(sentence) => return Some(sentence.to_owned()),
        Words(words) => words,
    };
    let kept = row.values.iter().find_map(|own| rest(own, value));
    let number =
        !value.is_empty() && value.len() <= 10 && value.bytes().all(|byte| byte.is_ascii_digit());
    let n = if number { value } else { "N" };
    let plain = kept.filter(|kept| {
        let sound = |sign: char| sign.is_ascii_alphanumeric() || "-_.,[]:".contains(sign);
        !kept.is_empty() && !kept.starts_with('-') && kept.len() <= 40 && kept.chars().all(sound)
    });
    let v = plain.unwrap_or("VALUE");
    // N and V stand alone, or behind a colon or an equals sign.
    let words = words.split_inclusive([' ', ':', '=']).map(|word| {
        let bare = word.trim_end_matches([' ', ':', '=']);
        match bare {
            "N" => word.replacen('N', n, 1),
            "V" => word.replacen('V', v, 1),
            _ => word.to_owned(),
        }
    });
    let words: String = words.collect();
    Some(format!("did you mean {words}?"))
}

/// What follows the value of a row; `None`: it is another value. `*` is any value, `*:*` any with a colon.
fn rest<'v>(own: &str, value: &'v str) -> Option<&'v str> {
    match own {
        "*" => return Some(value),
        "*:*" => return value.contains(':').then_some(value),
        _ => {}
    }
    // Several words may stand in one value: `verbose,cores`.
    let value = value
        .strip_prefix("verbose,")
        .or_else(|| value.strip_prefix("quiet,"))
        .unwrap_or(value);
    if own.ends_with([':', '=']) {
        return value.strip_prefix(own);
    }
    (value == own).then_some("")
}
