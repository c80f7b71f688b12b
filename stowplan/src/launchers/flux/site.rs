//! `--site policy=…`: the scheduler of a Flux instance. Source: `lines/flux/spec.md` 2.

use crate::launchers::line::{LineAsked, LineRefused};

/// A scheduler's way to choose nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Policy {
    /// flux-core's own.
    Simple,
    /// Fluxion on machines that give out whole nodes.
    Lonodex,
    /// Fluxion's own default.
    First,
}

impl Policy {
    pub(super) const ALL: [Self; 3] = [Self::Simple, Self::Lonodex, Self::First];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Lonodex => "lonodex",
            Self::First => "first",
        }
    }

    /// The scheduler, for the page.
    pub(super) const fn scheduler(self) -> &'static str {
        match self {
            Self::Simple => "sched-simple",
            Self::Lonodex => "Fluxion, lonodex",
            Self::First => "Fluxion, first",
        }
    }
}

/// The policy that `--site` says; `None`: it says none.
///
/// # Errors
/// `not-modelled` for another policy of Fluxion; `bad-value` for a setting that Flux has not.
pub(super) fn policy(asked: &LineAsked<'_>) -> Result<Option<Policy>, LineRefused> {
    let Some(site) = asked.site else {
        return Ok(None);
    };
    let text = match site.contains('=') {
        true => site.to_owned(),
        false => {
            let bytes = asked.files.read(site).map_err(|why| {
                LineRefused::new("bad-value", format!("--site {site}: cannot be read: {why}"))
            })?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
    };
    let mut policy = None;
    for setting in text.split([',', '\n']) {
        let setting = setting.trim();
        if setting.is_empty() || setting.starts_with('#') {
            continue;
        }
        let Some(("policy", value)) = setting.split_once('=') else {
            let sentence = format!("--site {setting}: for Flux it is policy=simple|lonodex|first");
            return Err(LineRefused::new("bad-value", sentence));
        };
        let known = Policy::ALL.into_iter().find(|own| own.word() == value);
        policy = Some(known.ok_or_else(|| {
            let sentence = format!(
                "--site policy={value}: of Flux's schedulers only simple, lonodex and first are known here"
            );
            LineRefused::new("not-modelled", sentence)
        })?);
    }
    Ok(policy)
}
