//! Reading the one-line form of a rule, and Shardy's form of it.

use crate::ir::OpRef;
use crate::ops::OpError;
use crate::ops::rule::{
    Access, Affine, Combine, DimMap, Factor, FactorId, Kind, MAX_FACTORS, Rule, TensorMap, Window,
};
use smallvec::{SmallVec, smallvec};

type Result<T> = std::result::Result<T, OpError>;

impl Rule {
    /// The rule of an op, from its text: the form that a rule is printed in, or that of `#sdy.op_sharding_rule<…>`.
    /// Sizes may be left out where the types of the op give them.
    pub fn parse(text: &str, op: OpRef<'_>) -> Result<Rule> {
        let parsed = Parser::new(text).rule()?;
        let shape = |t: &crate::ir::Type| t.as_tensor().map(|t| t.shape.clone()).unwrap_or_default();
        let operands: Vec<_> = op.operand_types().map(shape).collect();
        let results: Vec<_> = op.result_types().map(shape).collect();
        parsed.with_shapes(&operands, &results)
    }

    /// Whether a text has the form of a rule.
    pub fn check_text(text: &str) -> Result<()> {
        Parser::new(text).rule().map(|_| ())
    }
}

/// A rule of which some sizes are not known yet.
struct Parsed {
    rule: Rule,
    names: Vec<String>,
}

impl Parsed {
    /// Of the two factors of an affine access, the one that is summed over is the window.
    fn tell_windows(&mut self) {
        let Rule { factors, operands, results } = &mut self.rule;
        let summed = |id: FactorId| matches!(factors[usize::from(id.0)].kind, Kind::Reduce(_));
        for map in operands.iter_mut().chain(results).flatten() {
            if let Access::Affine(a) = &mut map.access
                && let Window::Factor(second) = a.window
                && summed(a.outer)
                && !summed(second)
            {
                (a.window, a.outer) = (Window::Factor(a.outer), second);
                std::mem::swap(&mut a.stride, &mut a.dilation);
            }
        }
    }

    /// The factors in the order in which their sizes are given; those without a size stand behind.
    fn ordered(self, order: Vec<FactorId>) -> Parsed {
        let Parsed { rule: Rule { mut factors, mut operands, mut results }, mut names } = self;
        let mut place: Vec<Option<u8>> = vec![None; factors.len()];
        let all = (0..factors.len()).map(|i| FactorId(i as u8));
        let mut from = Vec::with_capacity(factors.len());
        for id in order.into_iter().chain(all) {
            if place[usize::from(id.0)].is_none() {
                place[usize::from(id.0)] = Some(from.len() as u8);
                from.push(usize::from(id.0));
            }
        }
        let renumber = |id: &mut FactorId| id.0 = place[usize::from(id.0)].unwrap_or(id.0);
        for map in operands.iter_mut().chain(&mut results).flatten() {
            map.factors.iter_mut().for_each(renumber);
            if let Access::Affine(a) = &mut map.access {
                renumber(&mut a.outer);
                if let Window::Factor(id) = &mut a.window {
                    renumber(id);
                }
            }
        }
        factors = from.iter().map(|i| factors[*i].clone()).collect();
        names = from.iter().map(|i| names[*i].clone()).collect();
        Parsed { rule: Rule { factors, operands, results }, names }
    }

    fn with_shapes(
        mut self,
        operands: &[SmallVec<[i64; 4]>],
        results: &[SmallVec<[i64; 4]>],
    ) -> Result<Rule> {
        let sides = [("operand", &self.rule.operands, operands), ("result", &self.rule.results, results)];
        let mut sizes: Vec<i64> = self.rule.factors.iter().map(|f| f.size).collect();
        for (what, maps, shapes) in sides {
            if maps.len() != shapes.len() {
                return Err(OpError::new(format!(
                    "the sharding rule has {} {what}s, but the op has {}",
                    maps.len(),
                    shapes.len()
                )));
            }
            for (n, (map, shape)) in maps.iter().zip(shapes).enumerate() {
                if map.len() != shape.len() {
                    return Err(OpError::new(format!(
                        "the sharding rule has {} dimensions for {what} {n}, which has {}",
                        map.len(),
                        shape.len()
                    )));
                }
                for (dim, size) in map.iter().zip(shape) {
                    if let (&[factor], Access::Direct) = (&dim.factors[..], dim.access)
                        && sizes[usize::from(factor.0)] < 0
                    {
                        sizes[usize::from(factor.0)] = *size;
                    }
                }
            }
        }
        for (i, (factor, size)) in self.rule.factors.iter_mut().zip(sizes).enumerate() {
            if size < 0 {
                return Err(OpError::new(format!("the size of the factor `{}` is not known", self.names[i]))
                    .fix(format!("write it behind the rule: {{{}=8}}", self.names[i])));
            }
            factor.size = size;
        }
        Ok(self.rule)
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    names: Vec<String>,
    factors: Vec<Factor>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Parser { text, at: 0, names: Vec::new(), factors: Vec::new() }
    }

    fn rule(mut self) -> Result<Parsed> {
        let operands = self.tensors()?;
        self.expect("->")?;
        let results = self.tensors()?;
        let mut order = Vec::new();
        if self.accept("{") {
            self.list("}", |p| {
                let factor = p.factor()?;
                p.expect("=")?;
                let size = p.number()?;
                p.factors[usize::from(factor.0)].size = size;
                order.push(factor);
                Ok(())
            })?;
        }
        while !self.at_end() {
            self.set()?;
        }
        let Parser { names, factors, .. } = self;
        let mut parsed = Parsed { rule: Rule { factors, operands, results }, names };
        parsed.tell_windows();
        Ok(parsed.ordered(order))
    }

    /// `reduce={k:add}` and its like.
    fn set(&mut self) -> Result<()> {
        if self.accept(",") || self.accept("custom") {
            return Ok(());
        }
        let name = self.word();
        let mark: fn(&mut Factor, Combine) = match name {
            "reduce" | "reduction" => |f, how| f.kind = Kind::Reduce(how),
            "lookup" => |f, _| f.kind = Kind::Lookup,
            // What Shardy calls a permutation moves data between neighbours along the dimension.
            "scan" | "permutation" => |f, _| f.kind = Kind::Scan,
            "whole" | "need_replication" => |f, _| f.kind = Kind::Whole,
            "blocked" | "blocked_propagation" => |f, _| f.blocked = true,
            _ => return Err(self.error("`reduce`, `lookup`, `scan`, `whole` or `blocked`")),
        };
        self.expect("=")?;
        self.expect("{")?;
        self.list("}", |p| {
            let factor = p.factor()?;
            let mut how = Combine::Add;
            if p.accept(":") {
                let name = p.word();
                how = Combine::ALL
                    .into_iter()
                    .find(|c| c.name() == name)
                    .ok_or_else(|| p.error("how partial results are combined, as `add`"))?;
            }
            mark(&mut p.factors[usize::from(factor.0)], how);
            Ok(())
        })
    }

    fn tensors(&mut self) -> Result<Vec<TensorMap>> {
        let mut tensors = Vec::new();
        self.expect("(")?;
        self.list(")", |p| {
            let mut dims = TensorMap::new();
            p.expect("[")?;
            p.list("]", |p| {
                dims.push(p.dim()?);
                Ok(())
            })?;
            tensors.push(dims);
            Ok(())
        })?;
        Ok(tensors)
    }

    /// `1`, `ij`, `2i+k-1`, `2i+<3>`, `(i-3)/2`.
    fn dim(&mut self) -> Result<DimMap> {
        if self.accept("(") {
            let (factors, mut affine) = self.affine()?;
            self.expect(")")?;
            self.expect("/")?;
            affine.base = self.number()?;
            return Ok(DimMap { factors, access: Access::Affine(affine) });
        }
        if !self.letter() {
            let start = self.at;
            if self.accept("1") && matches!(self.peek(), Some(b',' | b']')) {
                return Ok(DimMap { factors: smallvec![], access: Access::Direct });
            }
            self.at = start;
            let (factors, affine) = self.affine()?;
            return Ok(DimMap { factors, access: Access::Affine(affine) });
        }
        let start = self.at;
        let mut factors: SmallVec<[FactorId; 2]> = smallvec![];
        while self.letter() {
            factors.push(self.factor()?);
        }
        if factors.len() == 1 && matches!(self.peek(), Some(b'+' | b'-')) {
            self.at = start;
            let (factors, affine) = self.affine()?;
            return Ok(DimMap { factors, access: Access::Affine(affine) });
        }
        Ok(DimMap { factors, access: Access::Direct })
    }

    /// One or two terms and an offset: `2i+k-1`. The first factor is the outer one for now: which of two is the
    /// window shows when all kinds are known.
    fn affine(&mut self) -> Result<(SmallVec<[FactorId; 2]>, Affine)> {
        let mut factors: SmallVec<[FactorId; 2]> = smallvec![];
        let mut outer = None;
        let mut window = (Window::None, 1);
        let mut offset = 0;
        loop {
            let sign = if self.accept("-") { -1 } else { 1 };
            self.accept("+");
            let scale = if self.digit() { Some(self.number()?) } else { None };
            let bracket = self.accept("<");
            if bracket && self.digit() {
                window = (Window::Size(self.number()?), sign * scale.unwrap_or(1));
            } else if self.letter() {
                let factor = self.factor()?;
                if !bracket {
                    factors.push(factor);
                }
                let scale = sign * scale.unwrap_or(1);
                match (outer, window.0) {
                    (None, _) => outer = Some((factor, scale)),
                    (Some(_), Window::None) => window = (Window::Factor(factor), scale),
                    _ => return Err(self.error("at most two terms and an offset")),
                }
            } else {
                let number = scale.ok_or_else(|| self.error("a number or a factor"))?;
                offset = -sign * number;
            }
            if bracket {
                self.expect(">")?;
            }
            if !matches!(self.peek(), Some(b'+' | b'-')) {
                break;
            }
        }
        let (outer, stride) = outer.ok_or_else(|| self.error("a factor, as `i`"))?;
        let (window, dilation) = window;
        Ok((factors, Affine { outer, window, base: 1, stride, dilation, offset }))
    }

    /// `i`, or `i_1`.
    fn factor(&mut self) -> Result<FactorId> {
        self.space();
        let start = self.at;
        if !self.letter() {
            return Err(self.error("a factor, as `i`"));
        }
        self.at += 1;
        if self.peek_now() == Some(b'_') {
            self.at += 1;
            while self.peek_now().is_some_and(|c| c.is_ascii_digit()) {
                self.at += 1;
            }
        }
        let name = &self.text[start..self.at];
        let known = self.names.iter().position(|n| n == name);
        let index = match known {
            Some(index) => index,
            None if self.names.len() >= MAX_FACTORS => {
                return Err(OpError::new(format!("a sharding rule has at most {MAX_FACTORS} factors")));
            }
            None => {
                self.names.push(name.to_string());
                self.factors.push(Factor { size: -1, kind: Kind::Parallel, blocked: false });
                self.names.len() - 1
            }
        };
        Ok(FactorId(index as u8))
    }

    fn number(&mut self) -> Result<i64> {
        self.space();
        let start = self.at;
        while self.peek_now().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        self.text[start..self.at].parse().map_err(|_| self.error("a number"))
    }

    fn word(&mut self) -> &'t str {
        self.space();
        let start = self.at;
        while self.peek_now().is_some_and(|c| c.is_ascii_lowercase() || c == b'_') {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn list(&mut self, end: &str, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.accept(end) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.accept(end) {
                return Ok(());
            }
            self.expect(",")?;
        }
    }

    fn space(&mut self) {
        while self.peek_now() == Some(b' ') {
            self.at += 1;
        }
    }

    fn peek_now(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn peek(&mut self) -> Option<u8> {
        self.space();
        self.peek_now()
    }

    fn digit(&mut self) -> bool {
        self.peek().is_some_and(|c| c.is_ascii_digit())
    }

    fn letter(&mut self) -> bool {
        self.peek().is_some_and(|c| c.is_ascii_lowercase())
    }

    fn at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    fn accept(&mut self, token: &str) -> bool {
        self.space();
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.accept(token) { Ok(()) } else { Err(self.error(&format!("`{token}`"))) }
    }

    fn error(&self, expected: &str) -> OpError {
        let rest: String = self.text[self.at..].chars().take(12).collect();
        OpError::new(format!("the sharding rule `{}`: expected {expected} at `{rest}`", self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::Parser;
    use smallvec::SmallVec;

    fn round_trip(text: &str, operands: &[&[i64]], results: &[&[i64]]) -> String {
        let shapes = |list: &[&[i64]]| list.iter().map(|s| SmallVec::from_slice(s)).collect::<Vec<_>>();
        let parsed =
            Parser::new(text).rule().and_then(|p| p.with_shapes(&shapes(operands), &shapes(results)));
        match parsed {
            Ok(rule) => rule.to_string(),
            Err(error) => error.message,
        }
    }

    #[test]
    fn reads_what_is_printed() {
        let dot = "([i, k], [k, j])->([i, j]) {i=8, k=16, j=32} reduce={k:add}";
        let names = "([i, j], [j, k])->([i, k]) {i=8, j=16, k=32} reduce={j:add}";
        assert_eq!(round_trip(dot, &[&[8, 16], &[16, 32]], &[&[8, 32]]), names);
        assert_eq!(
            round_trip("([i, j], [j, k])->([i, k]) reduce={j}", &[&[8, 16], &[16, 32]], &[&[8, 32]]),
            names
        );
        for text in [
            "([ij])->([i, j]) {i=2, j=4}",
            "([2i+<3>-1])->([i]) {i=4}",
            "([(i-2)/3])->([i]) {i=16}",
            "([-i+7])->([i]) {i=8}",
            "([i, 1])->([i]) {i=8} whole={i} blocked={i}",
        ] {
            let rank = if text.contains(", 1") { &[8, 1][..] } else { &[8][..] };
            let results: &[i64] = if text.contains("[ij]") { &[2, 4] } else { &[8] };
            assert_eq!(round_trip(text, &[rank], &[results]), text);
        }
    }

    #[test]
    fn reads_what_shardy_prints() {
        let text = "([i, j])->([i, k]) {i=4, j=8, k=2} reduction={j} need_replication={k} blocked_propagation={k}, custom";
        let expected = "([i, j])->([i, k]) {i=4, j=8, k=2} reduce={j:add} whole={k} blocked={k}";
        assert_eq!(round_trip(text, &[&[4, 8]], &[&[4, 2]]), expected);
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, part) in [
            ("([i)->([i])", "expected `,`"),
            ("([i])->([i]) sum={i}", "expected `reduce`"),
            ("([i], [i])->([i])", "2 operands"),
            ("([i, j])->([i])", "2 dimensions for operand 0"),
            ("([ij])->([ij])", "size of the factor `i`"),
            ("([é])->([i])", "a factor"),
        ] {
            let message = round_trip(text, &[&[8]], &[&[8]]);
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
