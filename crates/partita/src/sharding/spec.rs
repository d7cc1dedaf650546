//! Meshes and shardings as users write them on the command line.
//!
//! * `data=2,model=4`: the axes of a mesh, major to minor.
//! * `arg3=_,model`: a tensor and one entry per dimension: `_` not split, `?` open, axes joined by `+`, a part of an
//!   axis as `x:(2)4`, a priority as `model@1`. The name may be a pattern with `*`; one with `=` or `,` stands in
//!   backquotes.

use crate::diagnostic::Diagnostic;
use crate::ir::sdy::{AxisRef, DimSharding, MeshRef, TensorSharding};
use crate::ir::{Span, Strings, Sym};
use std::fmt;

/// The axes of a mesh, major to minor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MeshSpec {
    /// Names and sizes.
    pub axes: Vec<(String, i64)>,
}

impl fmt::Display for MeshSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (name, size)) in self.axes.iter().enumerate() {
            write!(f, "{}{name}={size}", if n > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

/// How one tensor, or all that a pattern matches, are to be split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardSpec {
    /// What the user wrote and where, for messages.
    pub said: String,
    /// The name or pattern.
    pub target: String,
    /// Which tensors the name is looked for among.
    pub scope: Scope,
    /// One entry per dimension.
    pub dims: Vec<DimSpec>,
    /// The effect on values that are neither arguments nor results of the program.
    pub on_value: OnValue,
}

/// Effect of a sharding on a value that is neither an argument nor a result of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnValue {
    /// An `sdy.sharding_constraint` after the value, which all its uses read: it holds, or is refused. `--shard` means this.
    #[default]
    Constraint,
    /// An annotation of the op that makes the value, which propagation starts from. A plan means this: the search that found it evaluated it so.
    Annotation,
}

/// Which tensors a name is looked for among.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Arguments, results and values.
    All,
    /// The arguments of the program.
    Arguments,
    /// The results of the program.
    Results,
    /// Values, `%42`.
    Values,
}

impl Scope {
    /// Whether it takes tensors of a kind.
    pub fn has(self, kind: Scope) -> bool {
        self == Scope::All || self == kind
    }

    /// What one of its tensors is called.
    pub fn noun(self) -> &'static str {
        match self {
            Scope::All => "tensor",
            Scope::Arguments => "argument",
            Scope::Results => "result",
            Scope::Values => "value",
        }
    }
}

/// How one dimension is to be split.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DimSpec {
    /// Axes, each with `(pre, size)` where it is a part of one.
    pub axes: Vec<(String, Option<(i64, i64)>)>,
    /// Whether propagation may add axes.
    pub open: bool,
    /// When propagation looks at it.
    pub priority: Option<i64>,
}

fn error(message: String, fix: &str) -> Diagnostic {
    Diagnostic::new("option", Span::default(), message).fix(fix)
}

impl MeshSpec {
    /// Reads `data=2,model=4`.
    pub fn parse(text: &str) -> Result<MeshSpec, Diagnostic> {
        let fix = "write the mesh as `data=2,model=4`";
        let mut axes: Vec<(String, i64)> = Vec::new();
        for part in text.split(',') {
            let Some((name, size)) = part.split_once('=') else {
                return Err(error(format!("`{part}` in the mesh `{text}` has no size"), fix));
            };
            let name = name.trim();
            let size = size.trim().parse().ok().filter(|n| *n > 0);
            let (Some(size), false) = (size, name.is_empty()) else {
                return Err(error(format!("`{part}` in the mesh `{text}` is not a name and a size"), fix));
            };
            if axes.iter().any(|a| a.0 == name) {
                let message = format!("the mesh `{text}` names the axis \"{name}\" twice");
                return Err(error(message, "give each axis a name of its own").axis(name));
            }
            axes.push((name.to_string(), size));
        }
        Ok(MeshSpec { axes })
    }
}

impl ShardSpec {
    /// Reads `arg3=_,model`.
    pub fn parse(text: &str) -> Result<ShardSpec, Diagnostic> {
        let fix = "write it as `arg3=_,model`: a name, `=`, and one entry per dimension";
        let (target, rest) = match text.strip_prefix('`') {
            Some(quoted) => {
                let Some((name, rest)) = quoted.split_once('`') else {
                    return Err(error(format!("the name in `{text}` has no closing backquote"), fix));
                };
                (name, rest.strip_prefix('='))
            }
            None => match text.split_once('=') {
                Some((name, rest)) => (name, Some(rest)),
                None => (text, None),
            },
        };
        let (Some(rest), false) = (rest, target.trim().is_empty()) else {
            return Err(error(format!("`{text}` does not say how a tensor is split"), fix));
        };
        ShardSpec::new(format!("`--shard {text}`"), target.trim(), Scope::All, rest)
    }

    /// A sharding of the tensors with a name, from its text: one entry per dimension. Values are constrained.
    pub fn new(said: String, target: &str, scope: Scope, dims: &str) -> Result<ShardSpec, Diagnostic> {
        let parts = (!dims.trim().is_empty()).then(|| dims.split(','));
        let dims = parts.into_iter().flatten().map(|part| DimSpec::parse(part.trim(), &said));
        let dims = dims.collect::<Result<_, _>>()?;
        Ok(ShardSpec { said, target: target.to_string(), scope, dims, on_value: OnValue::default() })
    }

    /// The sharding over a mesh.
    pub(super) fn sharding(&self, strings: &mut Strings, mesh: Sym) -> TensorSharding {
        let mut axis =
            |(name, part): &(String, Option<(i64, i64)>)| AxisRef { name: strings.intern(name), part: *part };
        let mut dim = |d: &DimSpec| DimSharding {
            axes: d.axes.iter().map(&mut axis).collect(),
            open: d.open,
            priority: d.priority,
        };
        let dims = self.dims.iter().map(&mut dim).collect();
        let mesh = MeshRef::Symbol(mesh);
        TensorSharding { mesh, dims, replicated: Vec::new(), unreduced: Vec::new() }
    }
}

impl DimSpec {
    fn parse(part: &str, said: &str) -> Result<DimSpec, Diagnostic> {
        let bad = || {
            let fix = "an entry is `_`, `?`, or axes such as `data+model`, `x:(2)4`, `model@1`";
            error(format!("`{part}` in {said} does not say how a dimension is split"), fix)
        };
        let mut dim = DimSpec::default();
        let mut axes = part;
        if let Some((before, priority)) = part.rsplit_once('@') {
            dim.priority = Some(priority.parse().ok().filter(|p| *p >= 0).ok_or_else(bad)?);
            axes = before;
        }
        if axes == "_" {
            return Ok(dim);
        }
        for axis in axes.split('+').map(str::trim) {
            match axis {
                "?" => dim.open = true,
                "" | "_" => return Err(bad()),
                _ => {
                    let (name, part) = match axis.split_once(":(") {
                        Some((name, rest)) => {
                            let (pre, size) = rest.split_once(')').ok_or_else(bad)?;
                            let number = |n: &str| n.parse::<i64>().ok().filter(|n| *n > 0).ok_or_else(bad);
                            (name, Some((number(pre)?, number(size)?)))
                        }
                        None => (axis, None),
                    };
                    dim.axes.push((name.to_string(), part));
                }
            }
        }
        Ok(dim)
    }
}

/// Whether a name matches a pattern, in which `*` stands for any text and `?` for any one character.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where to go on when the last `*` has to take one character more.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p + 1, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((after, taken)) => {
                    star = Some((after, taken + 1));
                    p = after;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_are_read() {
        assert_eq!(
            MeshSpec::parse("data=2, model=4").unwrap().axes,
            [("data".into(), 2), ("model".into(), 4)]
        );
        let spec = ShardSpec::parse("params['wq']=data+x:(2)4,_,?,model+?@1").unwrap();
        assert_eq!(spec.target, "params['wq']");
        let axis = |name: &str| (name.to_string(), None);
        assert_eq!(spec.dims[0].axes, [axis("data"), ("x".to_string(), Some((2, 4)))]);
        assert_eq!(spec.dims[1], DimSpec::default());
        assert_eq!(spec.dims[2], DimSpec { open: true, ..DimSpec::default() });
        assert_eq!(spec.dims[3], DimSpec { axes: vec![axis("model")], open: true, priority: Some(1) });
        assert_eq!(ShardSpec::parse("`a=b,c`=_").unwrap().target, "a=b,c");
        assert!(ShardSpec::parse("arg0=").unwrap().dims.is_empty());
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["data", "data=0", "=2", "x=2,x=4", "x=two", ""] {
            assert!(MeshSpec::parse(text).is_err(), "{text}");
        }
        for text in ["arg0", "=x", "`a=x", "arg0=x+", "arg0=x:(2", "arg0=x:(0)2", "arg0=x@", "arg0=_+x"] {
            assert!(ShardSpec::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn patterns_match_names() {
        for (pattern, name, fits) in [
            ("params['*']['wq']", "params['layer_0']['wq']", true),
            ("params['*']['wq']", "params['layer_0']['wk']", false),
            ("arg?", "arg3", true),
            ("arg?", "arg31", false),
            ("*", "", true),
            ("a*b*c", "axxbxbxc", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
