//! One scan of a whole command line, for every front end: renames old spellings and finds the personality.

/// The old, long spellings, and the spellings that replace them.
const RENAMED: [(&str, &str); 4] = [
    ("--map-by", "--mapby"),
    ("--rank-by", "--rankby"),
    ("--bind-to", "--bindto"),
    ("--runtime-options", "--rtos"),
];

/// Renames every occurrence of the four old spellings in place. Returns the row of the argument that holds the last
/// value of `--personality`: the argument behind the option, or the option itself if its value follows a `=`.
///
/// Idempotent. The order and number of arguments stay the same. Cost: one pass. Source: `per-app` 11.1.
/// ```
/// use stowplan_engine::spawn::argv::normalize_argv;
/// let mut argv: Vec<String> = ["--map-by=core", "--personality", "ompi"].map(String::from).to_vec();
/// assert_eq!(normalize_argv(&mut argv), Some(2));
/// assert_eq!(argv[0], "--mapby=core");
/// ```
pub fn normalize_argv(argv: &mut [String]) -> Option<usize> {
    for argument in argv.iter_mut() {
        for (long, short) in RENAMED {
            let Some(rest) = argument.strip_prefix(long) else {
                continue;
            };
            if rest.is_empty() || rest.starts_with('=') {
                *argument = format!("{short}{rest}");
                break;
            }
        }
    }
    let mut personality = None;
    for (row, argument) in argv.iter().enumerate() {
        let found = match argument.strip_prefix("--personality") {
            Some("") => {
                Some(row + 1).filter(|&next| argv.get(next).is_some_and(|value| !value.is_empty()))
            }
            Some(rest) if rest.len() > 1 && rest.starts_with('=') => Some(row),
            Some(_) | None => None,
        };
        personality = found.or(personality);
    }
    personality
}
