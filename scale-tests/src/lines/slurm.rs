//! Random lines of srun: a job of a few small nodes, its words, and the words of a line in it.

use crate::choices::Choices;
use stowplan_reference::lines::slurm::{
    CpuBind, Distribution, Extra, First, Flag, GpuBind, Hint, Level, Node, Packing, Parameter,
    Second, Selects, Share, Site, Slurm, Version, Words,
};

const VERSIONS: [(Version, &str); 6] = [
    (2205, "22.05"),
    (2302, "23.02"),
    (2311, "23.11"),
    (2405, "24.05"),
    (2411, "24.11"),
    (2605, "26.05"),
];

/// Sockets, cores, threads.
const SHAPES: [(usize, usize, usize); 8] = [
    (2, 4, 2),
    (2, 4, 1),
    (1, 4, 2),
    (2, 2, 1),
    (2, 3, 2),
    (3, 2, 2),
    (1, 4, 1),
    (2, 2, 4),
];

/// A line as the plain model reads it, and as it is typed.
pub(super) fn line(choices: &mut Choices<'_>) -> (Slurm, Vec<String>) {
    let mut words = Vec::new();
    let (version, text) = *choices.pick(&VERSIONS);
    words.extend(["--as".to_owned(), format!("slurm@{text}")]);
    let mut nodes = nodes(choices, &mut words);
    // The rules of GPUs hold for equal nodes.
    let alike = nodes
        .iter()
        .all(|node| node.os == nodes[0].os && node.cores == nodes[0].cores);
    let gpus = version >= 2411 && alike && choices.once_in(3);
    if gpus {
        give_gpus(choices, &mut nodes, &mut words);
    }
    let site = site(choices, &mut nodes, &mut words);
    let own = !gpus && choices.once_in(6);
    let parts = !own && !gpus && site.selects != Selects::Linear && choices.once_in(4);
    let count = nodes.len();
    let job = (!own).then(|| {
        let mut said = vec![format!("-N {count}")];
        if !parts {
            said.push("--exclusive".to_owned());
        }
        let asked = gpus.then(|| job_gpus(choices, &nodes, &mut said));
        let job = job_words(choices, &mut said, asked.unwrap_or_default());
        words.extend(["--alloc".to_owned(), said.join(" ")]);
        job
    });
    if parts {
        grant(choices, &mut nodes, &mut words);
    }
    words.push("srun".to_owned());
    let line = line_words(choices, &nodes, version, &mut words);
    words.push("./a".to_owned());
    let share = if parts { Share::Parts } else { Share::Whole };
    let asked = Slurm {
        version,
        nodes,
        share,
        job,
        line,
        site,
    };
    (asked, words)
}

/// The nodes, of one shape or two.
fn nodes(choices: &mut Choices<'_>, words: &mut Vec<String>) -> Vec<Node> {
    let count = choices.within(1, 4);
    let even = choices.once_in(2);
    let first = *choices.pick(&SHAPES);
    let mut nodes = Vec::new();
    for number in 0..count {
        let shape = if even { first } else { *choices.pick(&SHAPES) };
        let (sockets, cores, threads) = shape;
        let all = sockets * cores;
        // The threads of a core are numbered apart, as most machines have it.
        let os = (0..all * threads).map(|cpu| cpu / threads + cpu % threads * all);
        words.extend([
            "--topo".to_owned(),
            format!("n{number}=package:{sockets} core:{cores} pu:{threads}(indexes={threads}*{all}:1*{threads})"),
        ]);
        nodes.push(Node {
            name: format!("n{number}"),
            sockets,
            cores,
            threads,
            counted: threads,
            os: os.map(|cpu| u32::try_from(cpu).unwrap_or(0)).collect(),
            has: vec![true; all],
            gpus: Vec::new(),
        });
    }
    words.extend(["-H".to_owned(), format!("n[0-{}]", count - 1)]);
    nodes
}

/// GPUs near each socket.
fn give_gpus(choices: &mut Choices<'_>, nodes: &mut [Node], words: &mut Vec<String>) {
    let each = choices.within(1, 2) as usize;
    words.extend(["--devices".to_owned(), format!("gpu=package:{each}")]);
    for node in nodes {
        for socket in 0..node.sockets {
            let near: Vec<usize> = (socket * node.cores..(socket + 1) * node.cores).collect();
            node.gpus.extend((0..each).map(|_| near.clone()));
        }
    }
}

fn site(choices: &mut Choices<'_>, nodes: &mut [Node], words: &mut Vec<String>) -> Site {
    let mut site = Site {
        selects: Selects::Core,
        parameters: Vec::new(),
        autobind: None,
    };
    if !choices.once_in(3) {
        return site;
    }
    let mut said = Vec::new();
    let mut parameters = vec!["CR_Core"];
    match choices.below(8) {
        0 => {
            site.selects = Selects::Linear;
            said.push("SelectType=select/linear".to_owned());
        }
        1 => (site.selects, parameters) = (Selects::Socket, vec!["CR_Socket"]),
        2 => (site.selects, parameters) = (Selects::Cpu, vec!["CR_CPU"]),
        _ => {}
    }
    for (parameter, word) in [
        (Parameter::DefaultBlock, "CR_CORE_DEFAULT_DIST_BLOCK"),
        (Parameter::OneTaskPerCore, "CR_ONE_TASK_PER_CORE"),
        (Parameter::PackNodes, "CR_PACK_NODES"),
    ] {
        if choices.once_in(4) {
            site.parameters.push(parameter);
            parameters.push(word);
        }
    }
    said.push(format!("SelectTypeParameters={}", parameters.join(",")));
    if choices.once_in(4) {
        let (level, word) = level(choices);
        site.autobind = Some(level);
        said.push(format!("TaskPluginParam=autobind={word}"));
    }
    let same = nodes.iter().all(|node| node.all() == nodes[0].all());
    if same && choices.once_in(6) {
        said.push(format!("CPUs={}", nodes[0].all()));
        nodes.iter_mut().for_each(|node| node.counted = 1);
    }
    words.extend(["--site".to_owned(), said.join(",")]);
    site
}

/// Parts of the nodes.
fn grant(choices: &mut Choices<'_>, nodes: &mut [Node], words: &mut Vec<String>) {
    let mut said = Vec::new();
    for node in nodes {
        for core in &mut node.has {
            *core = !choices.once_in(3);
        }
        node.has[0] |= node.has.iter().all(|core| !core);
        let cores = (0..node.all()).filter(|&core| node.has[core]);
        let cpus = cores.map(|core| {
            let first = core * node.threads;
            format!("{first}-{}", first + node.threads - 1)
        });
        let cpus: Vec<String> = cpus.collect();
        said.push(format!("{}={}", node.name, cpus.join(",")));
    }
    words.extend(["--granted".to_owned(), said.join(",")]);
}

fn level(choices: &mut Choices<'_>) -> (Level, &'static str) {
    *choices.pick(&[
        (Level::Threads, "threads"),
        (Level::Cores, "cores"),
        (Level::Sockets, "sockets"),
    ])
}

/// Words are said, and what they mean is kept.
struct Said<'s, 'b, 'w> {
    choices: &'s mut Choices<'b>,
    words: &'w mut Vec<String>,
}

impl Said<'_, '_, '_> {
    /// A number once in so many times.
    fn number(&mut self, word: &str, once_in: u32, most: u32) -> Option<usize> {
        if !self.choices.once_in(once_in) {
            return None;
        }
        let number = self.choices.within(1, most);
        let sign = if word.starts_with("--") { "=" } else { "" };
        self.words.push(format!("{word}{sign}{number}"));
        Some(number as usize)
    }

    /// A number that may be none, behind a word with its sign.
    fn count(&mut self, word: &str, most: u32) -> usize {
        let number = self.choices.within(0, most);
        self.words.push(format!("{word}{number}"));
        number as usize
    }

    fn hint(&mut self) -> Option<Hint> {
        if !self.choices.once_in(8) {
            return None;
        }
        let (hint, word) = *self.choices.pick(&[
            (Hint::Compute, "compute_bound"),
            (Hint::Memory, "memory_bound"),
            (Hint::Multithread, "multithread"),
            (Hint::NoMultithread, "nomultithread"),
        ]);
        self.words.push(format!("--hint={word}"));
        Some(hint)
    }

    fn distribution(&mut self) -> Option<Distribution> {
        if !self.choices.once_in(3) {
            return None;
        }
        let plain = |first| Distribution {
            first,
            second: None,
            packing: None,
        };
        if self.choices.once_in(5) {
            let size = self.choices.within(1, 5);
            self.words.push(format!("--distribution=plane={size}"));
            return Some(plain(First::Plane(size as usize)));
        }
        let (first, mut word) = match self.choices.below(2) {
            0 => (First::Block, "block".to_owned()),
            _ => (First::Cyclic, "cyclic".to_owned()),
        };
        let mut own = plain(first);
        if self.choices.once_in(2) {
            let (second, text) = *self.choices.pick(&[
                (Second::Block, "block"),
                (Second::Cyclic, "cyclic"),
                (Second::Fcyclic, "fcyclic"),
            ]);
            own.second = Some(second);
            word = format!("{word}:{text}");
        }
        if self.choices.once_in(4) {
            let (packing, text) = *self
                .choices
                .pick(&[(Packing::Pack, "pack"), (Packing::NoPack, "nopack")]);
            own.packing = Some(packing);
            word = format!("{word},{text}");
        }
        self.words.push(format!("--distribution={word}"));
        Some(own)
    }
}

/// The word of a job that asks for GPUs, for some of those of its nodes, or for none of them.
fn job_gpus(choices: &mut Choices<'_>, nodes: &[Node], words: &mut Vec<String>) -> Words {
    let most = u32::try_from(nodes[0].gpus.len()).unwrap_or(1);
    let count = u32::try_from(nodes.len()).unwrap_or(1);
    let each = choices.within(0, most);
    let mut own = Words::default();
    match choices.below(4) {
        0 => {
            words.push(format!("--gpus-per-node={each}"));
            own.gpus_per_node = Some(each as usize);
        }
        1 => {
            let all = choices.within(count, count * most);
            words.push(format!("--gpus={all}"));
            own.gpus = Some(all as usize);
        }
        2 => {}
        _ => {
            words.push(format!("--gres=gpu:{each}"));
            own.gres = Some(each as usize);
        }
    }
    own
}

fn job_words(choices: &mut Choices<'_>, words: &mut Vec<String>, own: Words) -> Words {
    let mut say = Said { choices, words };
    Words {
        tasks: say.number("--ntasks", 4, 12),
        cpus: say.number("--cpus-per-task", 6, 4),
        per_node: say.number("--ntasks-per-node", 6, 4),
        per_core: say.number("--ntasks-per-core", 12, 2),
        per_socket: say.number("--ntasks-per-socket", 12, 3),
        threads: say.number("--threads-per-core", 8, 2),
        distribution: say.distribution(),
        hint: say.hint(),
        ..own
    }
}

fn line_words(
    choices: &mut Choices<'_>,
    nodes: &[Node],
    version: Version,
    words: &mut Vec<String>,
) -> Words {
    let count = u32::try_from(nodes.len()).unwrap_or(1);
    let mut say = Said { choices, words };
    let mut own = Words {
        tasks: say.number("-n", 2, 20),
        cpus: say.number("-c", 3, 5),
        per_node: say.number("--ntasks-per-node", 6, 5),
        per_core: say.number("--ntasks-per-core", 10, 3),
        per_socket: say.number("--ntasks-per-socket", 12, 3),
        threads: say.number("--threads-per-core", 8, 3),
        distribution: say.distribution(),
        hint: say.hint(),
        ..Words::default()
    };
    if say.choices.once_in(3) {
        let min = say.choices.within(1, count);
        let max = if say.choices.once_in(3) {
            say.choices.within(min, count)
        } else {
            min
        };
        say.words.push(match min == max {
            true => format!("-N{min}"),
            false => format!("-N{min}-{max}"),
        });
        own.nodes = Some((min as usize, max as usize));
    }
    own.extra = extra(&mut say);
    own.bind = bind(&mut say, nodes);
    lists(&mut say, nodes, &mut own);
    for (flag, word, once) in [
        (Flag::Overcommit, "-O", 10),
        (Flag::Exact, "--exact", 10),
        (Flag::Overlap, "--overlap", 20),
    ] {
        if say.choices.once_in(once) {
            say.words.push(word.to_owned());
            own.flags.push(flag);
        }
    }
    if !nodes[0].gpus.is_empty() {
        of_gpus(&mut say, version, &mut own, count);
    }
    own
}

fn extra(say: &mut Said<'_, '_, '_>) -> Option<Extra> {
    if !say.choices.once_in(14) {
        return None;
    }
    let parts = say.choices.within(1, 3) as usize;
    let mut values = Vec::new();
    let mut texts = Vec::new();
    for _ in 0..parts {
        let value = (!say.choices.once_in(4)).then(|| say.choices.within(1, 2) as usize);
        texts.push(value.map_or_else(|| "*".to_owned(), |value| value.to_string()));
        values.push(value);
    }
    say.words.push(format!("-B{}", texts.join(":")));
    let at = |place: usize| values.get(place).copied().flatten();
    Some(Extra {
        parts,
        sockets: at(0),
        cores: at(1),
        threads: at(2),
    })
}

fn bind(say: &mut Said<'_, '_, '_>, nodes: &[Node]) -> Option<CpuBind> {
    if !say.choices.once_in(4) {
        return None;
    }
    let (bind, text) = match say.choices.below(8) {
        0 => (CpuBind::Verbose, "verbose".to_owned()),
        1 => (CpuBind::None, "none".to_owned()),
        2 => (CpuBind::Rank, "rank".to_owned()),
        3 => {
            let least = nodes.iter().map(|node| node.os.len()).min().unwrap_or(1);
            let least = u32::try_from(least).unwrap_or(1);
            let count = say.choices.within(1, 4);
            let cpus: Vec<u32> = (0..count).map(|_| say.choices.below(least)).collect();
            let text: Vec<String> = cpus.iter().map(u32::to_string).collect();
            let lists = cpus.iter().map(|&cpu| vec![cpu]).collect();
            (CpuBind::Masks(lists), format!("map_cpu:{}", text.join(",")))
        }
        _ => {
            let (level, word) = level(say.choices);
            (CpuBind::Level(level), word.to_owned())
        }
    };
    say.words.push(format!("--cpu-bind={text}"));
    Some(bind)
}

/// `-w`, `-x`, `-r`, and the list of arbitrary.
fn lists(say: &mut Said<'_, '_, '_>, nodes: &[Node], own: &mut Words) {
    let count = u32::try_from(nodes.len()).unwrap_or(1);
    let name = |list: &[usize]| {
        let names: Vec<&str> = list.iter().map(|&node| nodes[node].name.as_str()).collect();
        names.join(",")
    };
    if say.choices.once_in(12) {
        let length = say.choices.within(1, 6);
        let list: Vec<usize> = (0..length)
            .map(|_| say.choices.below(count) as usize)
            .collect();
        say.words.extend(["-w".to_owned(), name(&list)]);
        say.words.push("--distribution=arbitrary".to_owned());
        own.list = Some(list);
        own.distribution = Some(Distribution {
            first: First::Arbitrary,
            second: None,
            packing: None,
        });
    } else if say.choices.once_in(6) {
        let length = say.choices.within(1, 3);
        let list: Vec<usize> = (0..length)
            .map(|_| say.choices.below(count) as usize)
            .collect();
        say.words.extend(["-w".to_owned(), name(&list)]);
        own.list = Some(list);
    }
    if say.choices.once_in(10) {
        let list = vec![say.choices.below(count) as usize];
        say.words.extend(["-x".to_owned(), name(&list)]);
        own.exclude = Some(list);
    }
    if say.choices.once_in(12) {
        let first = say.choices.below(count);
        say.words.push(format!("-r{first}"));
        own.relative = Some(first as usize);
    }
}

fn of_gpus(say: &mut Said<'_, '_, '_>, version: Version, own: &mut Words, nodes: u32) {
    match say.choices.below(4) {
        0 => own.gpus_per_task = say.number("--gpus-per-task", 1, 2),
        1 => own.per_gpu = say.number("--ntasks-per-gpu", 1, 3),
        _ => {}
    }
    match say.choices.below(6) {
        0 => own.gpus_per_node = Some(say.count("--gpus-per-node=", 3)),
        1 => own.gres = Some(say.count("--gres=gpu:", 3)),
        2 => own.gpus = Some(say.count("--gpus=", 4 * nodes)),
        3 => {
            let each = say.choices.within(1, 2) as usize;
            if own.gpus_per_task.is_none() && own.per_gpu.is_none() {
                say.words.push(format!("--tres-per-task=gres/gpu:{each}"));
                own.gpus_per_task = Some(each);
            }
        }
        _ => {}
    }
    if version < 2411 || !say.choices.once_in(2) {
        return;
    }
    let (bind, text) = match say.choices.below(5) {
        0 => (GpuBind::None, "none".to_owned()),
        1 => (GpuBind::Closest, "closest".to_owned()),
        2 => {
            let count = say.choices.within(1, 2) as usize;
            (GpuBind::PerTask(count), format!("per_task:{count}"))
        }
        3 => {
            let count = say.choices.within(1, 3) as usize;
            (GpuBind::Single(count), format!("single:{count}"))
        }
        _ => {
            let list: Vec<usize> = (0..say.choices.within(1, 3))
                .map(|_| say.choices.below(4) as usize)
                .collect();
            let text: Vec<String> = list.iter().map(usize::to_string).collect();
            (GpuBind::Map(list), format!("map_gpu:{}", text.join(",")))
        }
    };
    say.words.push(format!("--gpu-bind={text}"));
    own.gpu_bind = Some(bind);
}
