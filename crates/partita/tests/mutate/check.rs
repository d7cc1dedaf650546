//! What must hold of any text.

use partita::text::{parse, print};
use partita::verify::verify;

/// Reads, verifies, prints and reads again; says whether the program was sound, or what went wrong.
pub fn check(text: &str) -> Result<bool, String> {
    let module = match parse(text) {
        Ok(module) => module,
        Err(errors) => {
            let placed =
                |e: &partita::Diagnostic| e.span.start <= e.span.end && e.span.end as usize <= text.len();
            if errors.is_empty() || !errors.iter().all(placed) {
                return Err("refused without a reason, or with a place outside the text".into());
            }
            return Ok(false);
        }
    };
    if verify(&module).is_err() {
        return Ok(false);
    }
    let printed = print(&module);
    let again = parse(&printed).map_err(|e| format!("printed text is refused: {}", e[0]))?;
    verify(&again).map_err(|e| format!("printed text does not verify: {}", e[0]))?;
    if print(&again) != printed {
        return Err("printing again changes the text".into());
    }
    Ok(true)
}
