//! Pictures in other viewers: the same pixels as in Chromium, up to how each of them draws letters.

use crate::{say, with_browser};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};
use stowplan_browser_tests::{Browser, Failed};

/// Lines of pictures that have everything: groups, threads, kept and idle cores, several apps, GPUs, ranks beside those asked for.
const PICTURES: &[&str] = &[
    "--topo builtin:frontier --network|dragonfly group:4 switch:4 node:4 n[0-63]|-H n[0-17]:56 srun -N18 -n140 -c7 --gpus-per-task=1 ./app",
    "--dark --size 16:9 --topo|package:2 numa:2 core:8 pu:2|-H n[0-7]:64 -n 200 --map-by node:hwtcpus --bind-to hwthread ./a : -n 30 ./b",
    "--size 4:3 --topo builtin:aurora -H n[0-3]:104 mpiexec.hydra -n 48 -ppn 12 -bind-to core:4 -genv OMP_NUM_THREADS 4 -genv OMP_PLACES cores ./app",
    "--dark --ranks 3-5 --topo|core:8 pu:1|-H n[0-3]:8 -n 32 ./app",
];

/// The words of a picture; what stands between two bars is one word.
fn words(line: &str) -> Vec<String> {
    let mut words = vec!["map".to_owned(), "--format".to_owned(), "svg".to_owned()];
    for (at, part) in line.split('|').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// A viewer, and its words for a file and the file that it writes.
type Viewer = (&'static str, fn(&Path, &Path) -> Vec<String>);

fn of(words: &[&str], paths: &[&Path]) -> Vec<String> {
    let paths = paths.iter().map(|path| path.display().to_string());
    words
        .iter()
        .map(|&word| word.to_owned())
        .chain(paths)
        .collect()
}

const VIEWERS: &[Viewer] = &[
    ("rsvg-convert", |svg, png| of(&["-o"], &[png, svg])),
    ("cairosvg", |svg, png| of(&["-o"], &[png, svg])),
    ("inkscape", |svg, png| {
        let mut words = of(&["--export-type=png"], &[svg]);
        words.push(format!("--export-filename={}", png.display()));
        words
    }),
    ("soffice", |svg, png| {
        let folder = png.parent().unwrap_or(png);
        let mut words = of(&["--headless", "--convert-to", "png"], &[svg]);
        words.extend(of(&["--outdir"], &[folder]));
        words
    }),
];

/// The image that a viewer makes of a picture; `None`: the viewer is not here.
fn viewed(viewer: &Viewer, svg: &Path) -> Result<Option<Vec<u8>>, Failed> {
    let png = svg.with_extension("png");
    let _ = std::fs::remove_file(&png);
    // What pip installs is not always on the path.
    let program = match (viewer.0, std::env::var("STOWPLAN_CAIROSVG")) {
        ("cairosvg", Ok(path)) => path,
        (name, _) => name.to_owned(),
    };
    let run = Command::new(program)
        .args(viewer.1(svg, &png))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match run {
        Err(_) => Ok(None),
        Ok(status) if status.success() => Ok(Some(std::fs::read(&png)?)),
        Ok(status) => Err(format!("{} ends with {status}", viewer.0).into()),
    }
}

/// The thousandths of squares of eight by eight pixels that differ between two images: by more than an eighth of a colour's range.
fn differing(browser: &Browser, one: &str, other: &str) -> Result<u64, Failed> {
    let script = format!(
        "const done = arguments[0];
         const load = source => new Promise((is, no) => {{ const image = new Image(); image.onload = () => is(image); image.onerror = () => no(source.slice(0, 40)); image.src = source; }});
         (async () => {{
           const images = await Promise.all([{one}, {other}].map(load));
           const [wide, high] = [Math.ceil(images[0].width / 8), Math.ceil(images[0].height / 8)];
           const squares = images.map(image => {{
             const canvas = new OffscreenCanvas(wide, high), pen = canvas.getContext('2d');
             pen.imageSmoothingQuality = 'high';
             pen.drawImage(image, 0, 0, wide, high);
             return pen.getImageData(0, 0, wide, high).data;
           }});
           let unlike = 0;
           for (let at = 0; at < squares[0].length; at += 4)
             if ([0, 1, 2].some(part => Math.abs(squares[0][at + part] - squares[1][at + part]) > 32)) unlike++;
           done(Math.round(unlike * 1000 / (wide * high)));
         }})().catch(error => done(String(error)));",
        one = json!(one),
        other = json!(other)
    );
    let found = browser.told_later(&script)?;
    found.as_u64().ok_or_else(|| found.to_string().into())
}

fn source(svg: &str) -> String {
    format!("data:image/svg+xml;base64,{}", STANDARD.encode(svg))
}

/// A picture without its texts. Viewers choose other fonts, and draw them in other ways.
fn without_letters(svg: &str) -> String {
    let mut parts = svg.split("<text");
    let mut bare = parts.next().unwrap_or("").to_owned();
    for part in parts {
        bare += part.split_once("</text>").map_or("", |(_, rest)| rest);
    }
    bare
}

#[test]
fn other_viewers_draw_what_chromium_draws() {
    if std::env::var_os("STOWPLAN_LONG").is_none() {
        return;
    }
    with_browser("viewers", |browser: &Browser| {
        // A page without rules about what it may load.
        browser.driver.goto("about:blank")?;
        for (at, line) in PICTURES.iter().enumerate() {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let status = stowplan_cli::run(&words(line), &mut out, &mut err);
            assert_eq!(status, 0, "{line}: {}", String::from_utf8_lossy(&err));
            let text = String::from_utf8(out)?;
            let bare = text
                .replace(" fill=\"#c4ddf6\"", " fill=\"none\"")
                .replace(" fill=\"#1d4773\"", " fill=\"none\"");
            let boxes = without_letters(&text);
            // What a viewer would miss that draws no fills, or no letters.
            let fills = differing(browser, &source(&text), &source(&bare))?;
            let letters = differing(browser, &source(&text), &source(&boxes))?;
            assert!(fills > 3 && letters > 50, "{fills} {letters}: {line}");
            for viewer in VIEWERS {
                for (what, svg, most) in [("boxes", &boxes, fills / 2), ("all", &text, letters)] {
                    let path = browser.folder.join(format!("{at}-{what}.svg"));
                    std::fs::write(&path, svg)?;
                    let Some(png) = viewed(viewer, &path)? else {
                        say(&format!(
                            "skipped: pictures in {}: it is not installed",
                            viewer.0
                        ));
                        break;
                    };
                    let png = format!("data:image/png;base64,{}", STANDARD.encode(&png));
                    let unlike = differing(browser, &source(svg), &png)?;
                    say(&format!(
                        "{}, {what} of picture {at}: {unlike} of 1000 squares differ from Chromium's, at most {most} may",
                        viewer.0
                    ));
                    assert!(unlike <= most, "{}: {what} of {line}", viewer.0);
                }
            }
        }
        Ok(())
    });
}
