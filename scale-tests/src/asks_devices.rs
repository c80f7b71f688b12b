//! How apps of random jobs ask for GPUs, network cards and block devices.

use crate::catalogue::Entry;
use crate::choices::Choices;
use crate::job::App;

/// On machines with GPUs half of the apps are mapped to GPUs, and most of the others say how GPUs are given.
pub(crate) fn gpus(choices: &mut Choices<'_>, app: &mut App, number: u32) {
    if choices.once_in(2) {
        let map = *choices.pick(&[
            "gpu",
            "gpu:span",
            "gpu:pe=2",
            "ppr:1:gpu",
            "ppr:2:gpu",
            "mpibind",
            "mpibind:gpu=0",
            "mpibind:greedy=0",
            "mpibind:threads=2",
            "mpibind:smt=1",
        ]);
        let more = number == 0 && choices.once_in(3);
        app.map = Some(format!("{map}{}", if more { ":oversubscribe" } else { "" }));
        app.rank = None;
        if map.starts_with("mpibind") {
            app.bind = choices.once_in(4).then(|| "none".to_owned());
            app.gpus = choices.once_in(6).then(|| "none".to_owned());
            return;
        }
        app.bind = choices
            .pick(&[None, None, Some("none"), Some("core"), Some("hwthread")])
            .map(str::to_owned);
        app.gpus = choices
            .once_in(6)
            .then(|| (*choices.pick(&["none", "1", "share"])).to_owned());
    } else {
        app.gpus = choices
            .pick(&[
                None,
                Some("split"),
                Some("share"),
                Some("1"),
                Some("2"),
                Some("none"),
            ])
            .map(str::to_owned);
    }
}

/// Half of the apps on machines with devices are mapped to devices of a class, or to one by its name.
pub(crate) fn devices(choices: &mut Choices<'_>, app: &mut App, machine: &Entry, number: u32) {
    let there = machine.device_words();
    let of = if choices.once_in(8) {
        choices.pick(&["network", "block", "gpu", "no-such"])
    } else {
        choices.pick(&there).as_str()
    };
    let mut map = match choices.below(5) {
        0 => format!("ppr:1:device={of}"),
        1 => format!("ppr:2:device={of}"),
        _ => format!("device={of}"),
    };
    let pattern = map.starts_with("ppr");
    for (word, in_one_of) in [
        (":interleave", 5),
        (":interleave=numa", 6),
        (":interleave=l3cache", 8),
        (":shared", 2),
        (":ndev=2", 6),
        (":ndev=3", 16),
        (":span", 4),
        (":pe=2", 10),
        (":oversubscribe", 5),
        (":hwtcpus", 10),
        (":nolocal", 16),
    ] {
        let own = matches!(word, ":pe=2" | ":hwtcpus" | ":nolocal" | ":oversubscribe");
        let allowed = (own || !pattern) && (word != ":oversubscribe" || number == 0);
        if allowed && choices.once_in(in_one_of) {
            map.push_str(word);
        }
    }
    app.map = Some(map);
    app.rank = choices
        .pick(&[None, None, Some("fill"), Some("span"), Some("node")])
        .map(str::to_owned);
    app.bind = choices
        .pick(&[
            None,
            None,
            None,
            None,
            Some("none"),
            Some("core"),
            Some("core"),
            Some("hwthread"),
            Some("hwthread"),
            Some("numa"),
            Some("package"),
            Some("core:overload-allowed"),
            Some("core:if-supported"),
            Some("l3cache:limit=1"),
            Some("core:limit=1"),
        ])
        .map(str::to_owned);
    app.gpus = choices
        .once_in(5)
        .then(|| (*choices.pick(&["none", "1", "share", "split"])).to_owned());
}
