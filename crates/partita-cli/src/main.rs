//! The `partita` command.

fn main() -> anyhow::Result<()> {
    let path = std::env::args().nth(2).unwrap_or_default();
    let text = std::fs::read_to_string(path)?;
    match partita::text::parse(&text) {
        Ok(m) => print!("{}", partita::text::print(&m)),
        Err(e) => println!("{e:#?}"),
    }
    Ok(())
}
