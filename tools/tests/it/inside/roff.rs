//! Pages of the manual as plain text.

use stowplan_cli::command::roff::plain;

#[test]
fn a_page_reads_without_its_instructions() {
    let page = ".ie \\n(.g .ds Aq \\(aq\n.TH X 1\n.SH NAME\nx \\- it\\*(Aqs\n.SH \"OPTIONS\"\n.TP\n\\fB\\-\\-to\\fR \\fI<F>\\fR\na\\e b\n";
    assert_eq!(
        plain(page),
        "NAME\n       x - it's\n\nOPTIONS\n       --to <F>\n           a\\ b\n"
    );
}
