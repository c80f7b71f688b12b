//! Commands of Flux that place no processes themselves. Source: `lines/flux/spec.md` 1.

use crate::launchers::line::{LineAsked, LineRefused};

/// Refuses all commands but `flux run` and `flux submit`.
///
/// # Errors
/// `launcher-refuses` for commands that make an instance, and for a spelling that is gone; `not-modelled` for several jobs.
pub(super) fn refuse(asked: &LineAsked<'_>) -> Result<(), LineRefused> {
    let refused = |class, why: &str| asked.refused(class, format_args!("{why}"));
    match asked.command {
        "flux batch" | "flux alloc" => {
            let why = "it makes an instance and places nothing; the flux run lines inside it do";
            let mut refused = refused("launcher-refuses", why);
            let options = asked.words.iter().take_while(|word| word.starts_with('-'));
            let options: Vec<&str> = options.map(String::as_str).collect();
            refused.help.push(format!(
                "place the line inside: --alloc '{}' flux run -n N ./app",
                options.join(" ")
            ));
            Err(refused)
        }
        "flux mini" => {
            let why = "Flux 0.88 has no flux mini: flux run and flux submit are in its place";
            let mut refused = refused("launcher-refuses", why);
            refused.help.push(format!("flux {}", asked.words.join(" ")));
            Err(refused)
        }
        "flux bulksubmit" | "flux multi-prog" => Err(refused(
            "not-modelled",
            "which jobs it starts is not known here",
        )),
        _ => Ok(()),
    }
}
