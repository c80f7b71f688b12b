//! `stowplan-manager LOG TOPOLOGY HOSTS [ADDRESS]`: serves jobs on these hosts, and prints the address on which it listens.

use std::net::TcpListener;
use std::path::Path;
use stowplan::{Machine, Topology};
use stowplan_manager::{Manager, serve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [log, topology, hosts, rest @ ..] = words.as_slice() else {
        return Err("usage: stowplan-manager LOG TOPOLOGY HOSTS [ADDRESS]".into());
    };
    let machine = Machine::uniform(Topology::parse(topology)?);
    let pool = format!("-H {hosts} -n 1 pool");
    let manager = Manager::open(Path::new(log), machine, &pool)?;
    let address = rest.first().map_or("127.0.0.1:0", String::as_str);
    let listener = TcpListener::bind(address)?;
    println!("{}", listener.local_addr()?);
    Ok(serve(&listener, manager)?)
}
