//! What is read off a program before a search.

use crate::truth::Related;
use partita::Diagnostic;
use partita::complete::Layers;
use partita::complete::Space;
use partita::complete::Subject;
use partita::inline::Inlined;
use partita::sharding::Mesh;

/// What is read off a program once, for a search on a mesh.
pub struct Analysis<'p> {
    /// The program, or a few of its layers.
    pub subject: Subject<'p>,
    /// What there is to decide.
    pub space: Space,
    /// The program with one layer less, where it was read off a few of them.
    pub shorter: Option<Related<'p>>,
}

impl<'p> Analysis<'p> {
    /// Reads a program: a few of its layers where some are given that stand for all of it. Where there are to be decisions for each group of dimensions, and not one for those that are alike, no
    /// layer stands for another.
    pub fn new(
        program: &'p Inlined,
        layers: Option<&'p Layers>,
        mesh: Mesh,
        grouping: bool,
    ) -> Result<Analysis<'p>, Vec<Diagnostic>> {
        if let Some(layers) = layers.filter(|_| grouping) {
            let subject = Subject::of_layers(program, layers, mesh.clone())?;
            let space = Space::new(&subject, grouping);
            if let Some(shorter) = Related::shorter(&subject, &space)? {
                return Ok(Analysis { subject, space, shorter: Some(shorter) });
            }
        }
        let subject = Subject::new(program, mesh)?;
        let space = Space::new(&subject, grouping);
        Ok(Analysis { subject, space, shorter: None })
    }
}
