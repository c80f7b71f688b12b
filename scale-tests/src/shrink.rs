//! Makes a failing job small: takes away words, apps, nodes and numbers as long as the job still fails in the same way.

use crate::job::{App, Job};

/// The smallest job found for which `fails` is true, starting from a job for which it is true. Cost: a few hundred tries.
pub fn shrink(job: &Job, fails: &mut dyn FnMut(&Job) -> bool) -> Job {
    let mut best = job.clone();
    loop {
        let Some(smaller) = simpler(&best).into_iter().find(|job| fails(job)) else {
            return best;
        };
        best = smaller;
    }
}

/// Jobs that are one step simpler, the largest steps first.
fn simpler(job: &Job) -> Vec<Job> {
    let mut jobs = Vec::new();
    let mut with = |change: &dyn Fn(&mut Job)| {
        let mut other = job.clone();
        change(&mut other);
        other
            .files
            .retain(|(name, _)| other.apps.iter().any(|app| uses(app, name)));
        if other != *job {
            jobs.push(other);
        }
    };
    for at in 0..job.apps.len() {
        if job.apps.len() > 1 {
            with(&|job| drop(job.apps.remove(at)));
        }
    }
    for at in 0..job.others.len() {
        with(&|job| drop(job.others.remove(at)));
    }
    with(&|job| job.head = None);
    with(&|job| job.cpu_list = None);
    for machine in 0..job.machine {
        with(&|job| job.machine = machine);
    }
    for at in 0..job.apps.len() {
        for change in [
            |app: &mut App| app.rank = None,
            |app: &mut App| app.bind = None,
            |app: &mut App| app.map = None,
            |app: &mut App| app.hosts = None,
            |app: &mut App| app.np = None,
        ] {
            with(&|job| change(&mut job.apps[at]));
        }
        if let Some(np) = job.apps[at].np {
            for fewer in [1, np / 2, np - 1] {
                with(&|job| job.apps[at].np = Some(fewer.max(1)));
            }
        }
        for field in [hosts_of, map_of, bind_of] {
            let Some(text) = field(&mut job.apps[at].clone()).clone() else {
                continue;
            };
            for shorter in shorter(&text) {
                with(&|job| *field(&mut job.apps[at]) = Some(shorter.clone()));
            }
        }
    }
    for (at, (_, text)) in job.files.iter().enumerate() {
        let lines: Vec<&str> = text.lines().collect();
        for without in 0..lines.len() {
            let kept: Vec<&str> = lines
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != without)
                .map(|(_, line)| *line)
                .collect();
            with(&|job| job.files[at].1 = kept.join("\n") + "\n");
        }
    }
    jobs
}

fn hosts_of(app: &mut App) -> &mut Option<String> {
    &mut app.hosts
}
fn map_of(app: &mut App) -> &mut Option<String> {
    &mut app.map
}
fn bind_of(app: &mut App) -> &mut Option<String> {
    &mut app.bind
}

fn uses(app: &App, file: &str) -> bool {
    let mapped = app
        .map
        .as_ref()
        .is_some_and(|map| map.ends_with(&format!("file={file}")));
    mapped || app.hostfile.as_deref() == Some(file)
}

/// Texts with one entry or qualifier fewer, or with a smaller number.
fn shorter(text: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for separator in [',', ':'] {
        let parts: Vec<&str> = text.split(separator).collect();
        for without in 0..parts.len() {
            let kept: Vec<&str> = parts
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != without)
                .map(|(_, part)| *part)
                .collect();
            let names_the_list = separator == ',' && text.contains("pe-list") && without == 0;
            if !kept.is_empty() && !names_the_list {
                texts.push(kept.join(&separator.to_string()));
            }
        }
    }
    for (at, byte) in text.bytes().enumerate() {
        if (b'2'..=b'9').contains(&byte) {
            let mut other = text.to_owned();
            other.replace_range(at..=at, &char::from(byte - 1).to_string());
            texts.push(other);
        }
    }
    texts
}
