//! Named matrices as text: a line `name rows columns`, then a line of numbers for each row. Lines that start with `#` say something else.

/// Matrices by name.
pub(super) struct Matrices<'t> {
    list: Vec<(&'t str, usize, Vec<f32>)>,
}

impl<'t> Matrices<'t> {
    /// Reads matrices; nothing if the text is not such, or ends early.
    pub(super) fn parse(text: &'t str) -> Option<Matrices<'t>> {
        let mut list = Vec::new();
        let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        while let Some(head) = lines.next() {
            let mut words = head.split_whitespace();
            let name = words.next()?;
            let rows: usize = words.next()?.parse().ok()?;
            let columns: usize = words.next()?.parse().ok()?;
            let mut numbers = Vec::new();
            for row in lines.by_ref().take(rows) {
                for word in row.split_whitespace() {
                    numbers.push(word.parse().ok()?);
                }
            }
            if numbers.len() != rows.checked_mul(columns)? {
                return None;
            }
            list.push((name, columns, numbers));
        }
        Some(Matrices { list })
    }

    /// The numbers of a matrix that has so many rows and columns, row by row.
    pub(super) fn of_size(&self, name: &str, rows: usize, columns: usize) -> Option<Vec<f32>> {
        let (_, width, numbers) = self.list.iter().find(|m| m.0 == name)?;
        (*width == columns && numbers.len() == rows * columns).then(|| numbers.clone())
    }

    /// The rows of a matrix.
    #[cfg(test)]
    pub(super) fn rows(&self, name: &str) -> Option<impl Iterator<Item = &[f32]>> {
        let (_, width, numbers) = self.list.iter().find(|m| m.0 == name)?;
        Some(numbers.chunks(*width))
    }
}
