//! The page: a summary, a legend, the strip of all nodes, and each shape.

use super::draw::{Panel, escaped};
use super::{Drawing, Drawn, LEGEND, STYLE};
use stowplan_engine::count::counted;

const PAGE_STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Characters of a host list that are shown at most.
const HOSTS_SHOWN: usize = 400;
/// The width of the network around the nodes.
const NETWORK_WIDTH: u32 = 800;

/// One plan, or two beside each other.
pub(super) fn page(title: &str, sides: &[(&str, Drawing)], lines: &[String]) -> String {
    let summary = sides.first().map_or("", |(_, drawing)| &drawing.summary);
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\"><title>{title}: {summary}</title>\n<style>\n{STYLE}{PAGE_STYLE}</style></head><body>\n<h1>{title}</h1>\n"
    );
    for line in lines.iter().filter(|line| !line.is_empty()) {
        text += &format!("<p>{}</p>\n", escaped(line));
    }
    text += "<p class=\"noprint\" hidden><label>find a rank or a node <input type=\"search\" autocomplete=\"off\"></label> <span id=\"told\" role=\"status\"></span></p>\n";
    if sides.len() > 1 {
        text += "<p class=\"soft\">a thick line and an underlined number: this rank is elsewhere in the other plan</p>\n<div class=\"side\">";
    }
    for (name, drawing) in sides {
        text += "<div>";
        if !name.is_empty() {
            text += &format!("<h2>{name}</h2>");
        }
        side(&mut text, drawing);
        text += "</div>\n";
    }
    if sides.len() > 1 {
        text += "</div>\n";
    }
    text += &format!("<script>\n{SCRIPT}</script>\n</body></html>\n");
    text
}

fn side(text: &mut String, drawing: &Drawing) {
    *text += &format!(
        "<p>{}</p>\n<p>{}</p>\n<ul class=\"legend\">",
        drawing.summary, drawing.sentence
    );
    for (app, words) in drawing.apps.iter().enumerate() {
        *text += &format!(
            "<li><label><input class=\"noprint\" type=\"checkbox\" checked hidden data-app=\"{app}\"> <svg width=\"30\" height=\"18\" aria-hidden=\"true\"><g class=\"p a{}\"><rect x=\"2\" y=\"2\" width=\"26\" height=\"14\"/></g></svg> {}</label></li>",
            app % 6,
            escaped(words)
        );
    }
    if drawing.more_apps > 0 {
        *text += &format!(
            "<li>and {}</li>",
            counted(drawing.more_apps as u64, "more app")
        );
    }
    *text += &format!("<li class=\"soft\">{LEGEND}</li></ul>\n");
    *text += &format!(
        "<p class=\"soft\">{}</p><div class=\"strip\">",
        escaped(&drawing.strip_words)
    );
    for part in &drawing.strip {
        let name = match part.width {
            0..60 if part.name.len() > 2 => "",
            0..20 => "",
            _ => part.name.as_str(),
        };
        *text += &format!(
            "<span class=\"{}\" style=\"flex-grow:{}\" title=\"{}\">{name}</span>",
            part.class,
            part.width,
            escaped(&part.title)
        );
    }
    *text += "</div>\n";
    drawing.drawn.iter().for_each(|drawn| shape(text, drawn));
    if drawing.more.0 > 0 {
        *text += &format!(
            "<p>and {} on {}</p>\n",
            counted(drawing.more.0 as u64, "more shape"),
            counted(drawing.more.1, "node")
        );
    }
    if let Some(switches) = &drawing.switches {
        panel(text, &switches.panel(NETWORK_WIDTH));
    }
    *text += &format!(
        "<script type=\"application/json\">{}</script>\n",
        drawing.ranks
    );
}

fn panel(text: &mut String, own: &Panel) {
    *text += &format!(
        "<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">{2}</svg>",
        own.width, own.height, own.svg
    );
}

fn shape(text: &mut String, drawn: &Drawn) {
    *text += &format!(
        "<section data-shape=\"{}\" data-hosts=\"{}\"",
        drawn.letter,
        escaped(&drawn.hosts)
    );
    if drawn.more_hosts > 0 {
        *text += &format!(" data-hosts-more=\"{}\"", drawn.more_hosts);
    }
    *text += &format!(
        ">\n<h2>{}</h2><p>{}</p><div class=\"panels\">",
        drawn.letter,
        escaped(&drawn.head(HOSTS_SHOWN))
    );
    drawn.panels.iter().for_each(|own| panel(text, own));
    *text += "</div>";
    if let Some(note) = &drawn.note {
        *text += &format!("<p class=\"soft\">{note}</p>");
    }
    *text += "</section>\n";
}
