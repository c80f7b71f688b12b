//! Reads the pages that rustdoc writes: of each item its declaration, its own methods, and the traits that it implements.

/// The version of the rustdoc that wrote a page.
pub(super) fn version(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("data-rustdoc-version=\"")?;
    rest.split('"').next()?.split(' ').next()
}

/// The pages that the list of all items names.
pub(super) fn items(all: &str) -> Vec<String> {
    let main = all.split_once("<main").map_or("", |(_, main)| main);
    let links = main.split("<li><a href=\"").skip(1);
    links
        .filter_map(|link| Some(link.split_once('"')?.0.to_owned()))
        .collect()
}

/// The lines of an item's page, each with the path of the item before it.
pub(super) fn lines(name: &str, page: &str) -> Result<Vec<String>, String> {
    let item = path(name).ok_or_else(|| format!("{name} is no page of an item"))?;
    let declared = between(
        page,
        "<pre class=\"rust item-decl\"><code>",
        "</code></pre>",
    );
    let declared = declared.ok_or_else(|| format!("{name} has no declaration"))?;
    let mut lines = vec![format!("{item}: {}", text(declared))];
    if name.contains("trait.") {
        // The declaration of a trait says it all.
        return Ok(lines);
    }
    // What every type has by itself comes after what it was given. Of that only what a type has not is said, such as `!Send`; `Freeze`
    // is the compiler's own.
    let (given, inferred) = page
        .split_once("<h2 id=\"synthetic-implementations\"")
        .unwrap_or((page, ""));
    let (inferred, _) = inferred
        .split_once("<h2 id=\"blanket-implementations\"")
        .unwrap_or((inferred, ""));
    let lacks = headers(inferred).filter(|(_, header)| {
        header.starts_with("impl") && header.contains('!') && !header.contains("!Freeze ")
    });
    lines.extend(lacks.map(|(_, header)| format!("{item}: {header}")));
    let mut of_trait = false;
    for (id, header) in headers(given) {
        let kind = id.split(['-', '.']).next().unwrap_or_default();
        let shown = match kind {
            "impl" => {
                of_trait = header.contains(" for ");
                of_trait && !header.contains(" StructuralPartialEq ")
            }
            "method" | "associatedconstant" => !of_trait,
            "associatedtype" => true,
            // Variants and fields are in the declaration.
            _ => false,
        };
        if shown {
            lines.push(format!("{item}: {header}"));
        }
    }
    Ok(lines)
}

/// The headers of a page, each with the name of its section.
fn headers(page: &str) -> impl Iterator<Item = (&str, String)> {
    page.split("<section id=\"").skip(1).filter_map(|section| {
        let header = between(section, "class=\"code-header\">", "</h")?;
        Some((section.split('"').next()?, text(header)))
    })
}

/// `prte/struct.Request.html` is `stowplan::prte::Request`.
fn path(name: &str) -> Option<String> {
    let (module, file) = name.rsplit_once('/').unwrap_or(("", name));
    let (_, item) = file.strip_suffix(".html")?.split_once('.')?;
    let modules = module.split('/').filter(|module| !module.is_empty());
    let mut path = "stowplan".to_owned();
    for module in modules.chain([item]) {
        path.push_str("::");
        path.push_str(module);
    }
    Some(path)
}

fn between<'t>(text: &'t str, begin: &str, end: &str) -> Option<&'t str> {
    Some(text.split_once(begin)?.1.split_once(end)?.0)
}

/// The text of a piece of a page on one line. A type of a crate other than this one and Rust's own has its whole path.
fn text(html: &str) -> String {
    let mut plain = String::new();
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        plain.push_str(before);
        let Some((tag, after)) = tag.split_once('>') else {
            break;
        };
        rest = after;
        if tag.starts_with("summary") {
            // "Show 12 variants".
            rest = rest
                .split_once("</summary>")
                .map_or(rest, |(_, after)| after);
        } else if let Some(foreign) = foreign(tag) {
            plain.push_str(foreign);
            rest = rest.split_once("</a>").map_or(rest, |(_, after)| after);
        } else if tag == "/div" || tag.starts_with("div") {
            plain.push(' ');
        }
    }
    plain.push_str(rest);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let line = words.join(" ");
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ]
    .into_iter()
    .fold(line, |line, (name, sign)| line.replace(name, sign))
}

/// The path that a link's title names, if it is in another crate. Titles are `struct stowplan::Rank`.
fn foreign(tag: &str) -> Option<&str> {
    let (_, path) = between(tag, " title=\"", "\"")?.rsplit_once(' ')?;
    let home = path.split("::").next()?;
    let ours = ["stowplan", "std", "core", "alloc"].contains(&home);
    (path.contains("::") && !ours).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_its_declaration_its_methods_and_its_traits() {
        let page = concat!(
            r#"<pre class="rust item-decl"><code><div class="code-attribute">#[non_exhaustive]</div>pub struct A(<a class="struct" "#,
            r#"href="x" title="struct other::deep::B">B</a>);</code></pre><section id="impl-A" class="impl"><h3 class="code-header">impl "#,
            r#"A</h3></section><section id="method.get" class="method"><h4 class="code-header">pub fn <a href="x" class="fn">get</a>(&amp;self)"#,
            r#" -&gt; &lt;u8&gt;</h4></section><section id="impl-Clone-for-A"><h3 class="code-header">impl Clone for A</h3></section>"#,
            r#"<section id="method.clone"><h4 class="code-header">fn clone(&amp;self) -&gt; A</h4></section><h2 id="synthetic-implementations""#,
            r#"><section id="impl-Send"><h3 class="code-header">impl !Send for A</h3></section><section id="impl-Sync"><h3 "#,
            r#"class="code-header">impl Sync for A</h3></section><h2 id="blanket-implementations"><section id="impl-Any"><h3 "#,
            r#"class="code-header">impl Any for T</h3></section>"#
        );
        let told = lines("deep/struct.A.html", page).unwrap();
        let expected = [
            "#[non_exhaustive] pub struct A(other::deep::B);",
            "impl !Send for A",
            "pub fn get(&self) -> <u8>",
            "impl Clone for A",
        ];
        assert_eq!(
            told,
            expected.map(|line| format!("stowplan::deep::A: {line}"))
        );
    }
}
