//! Partitions a StableHLO program over a mesh and prints what every device runs, after what it sends.
//!
//!     cargo run -p partita --example partition -- program.mlir data=2,model=4 'arg0=data,_' 'arg1=_,model'

use partita::sharding::spec::{MeshSpec, ShardSpec};
use partita::{Compiler, Errors};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(file), Some(mesh)) = (args.next(), args.next()) else {
        return Err("usage: partition FILE MESH [TENSOR=DIMS …]".into());
    };
    let program = partita::read(&std::fs::read_to_string(file)?)?;
    let mut compiler = Compiler::new().mesh(MeshSpec::parse(&mesh).map_err(Errors::from)?);
    for shard in args {
        compiler = compiler.shard(ShardSpec::parse(&shard).map_err(Errors::from)?);
    }
    let mut compiled = compiler.compile(&program)?;
    for entry in compiled.ledger().entries {
        println!("// {} bytes sent: {}", entry.ring_bytes, entry.reason);
    }
    compiled.emit();
    print!("{}", compiled.text());
    Ok(())
}
