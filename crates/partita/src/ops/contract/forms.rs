//! The pretty forms of contractions.

use crate::diagnostic::Diagnostic;
use crate::ir::attr::{Attr, DotDims, EnumAttr, Precision};
use crate::ir::{Elem, EnumKind, OpRef, Sym, TensorType, names};
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;
use crate::value::{Scalar, Tensor};

type PResult<T> = Result<T, Box<Diagnostic>>;

// --- dot and dot_general ---

/// `%a, %b, precision = [DEFAULT, DEFAULT] : (t, t) -> t`.
pub(super) fn parse_dot(p: &mut OpParser<'_, '_>) -> PResult<()> {
    p.operand()?;
    p.lit(",")?;
    p.operand()?;
    if p.eat(b',') {
        parse_precision(p)?;
    }
    p.attr_dict()?;
    p.lit(":")?;
    p.function_type()
}

pub(super) fn print_dot(p: &mut OpPrinter<'_, '_>) {
    p.text(" ");
    p.operands();
    print_precision(p);
    p.attr_dict_except(shown_precision(p.op));
    p.text(" : ");
    p.function_type();
}

/// `%a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = …, algorithm = … : …`.
pub(super) fn parse_dot_general(p: &mut OpParser<'_, '_>) -> PResult<()> {
    p.operand()?;
    p.lit(",")?;
    p.operand()?;
    p.lit(",")?;
    let mut dims = DotDims::default();
    if p.eat_word("batching_dims") {
        p.lit("=")?;
        (dims.lhs_batch, dims.rhs_batch) = parse_pair(p)?;
        p.lit(",")?;
    }
    p.lit("contracting_dims =")?;
    (dims.lhs_contracting, dims.rhs_contracting) = parse_pair(p)?;
    p.set(names::DOT_DIMENSION_NUMBERS, Attr::Dot(Box::new(dims)));
    let mut more = p.eat(b',');
    if more && !p.eat_word("algorithm") {
        parse_precision(p)?;
        more = p.eat(b',');
        if more {
            p.lit("algorithm")?;
        }
    }
    if more {
        p.lit("=")?;
        let algorithm = p.dot_algorithm()?;
        p.set(names::ALGORITHM, Attr::DotAlgorithm(Box::new(algorithm)));
    }
    p.attr_dict()?;
    p.lit(":")?;
    p.function_type()
}

/// `[0] x [0]`.
fn parse_pair(p: &mut OpParser<'_, '_>) -> PResult<(Vec<i64>, Vec<i64>)> {
    let lhs = p.integer_list()?;
    p.lit("x")?;
    Ok((lhs, p.integer_list()?))
}

pub(super) fn print_dot_general(p: &mut OpPrinter<'_, '_>) {
    p.text(" ");
    p.operands();
    let mut shown = shown_precision(p.op).to_vec();
    if let Some(dims) = p.op.dot_dims() {
        if !dims.lhs_batch.is_empty() || !dims.rhs_batch.is_empty() {
            p.text(", batching_dims = ");
            print_pair(p, &dims.lhs_batch, &dims.rhs_batch);
        }
        p.text(", contracting_dims = ");
        print_pair(p, &dims.lhs_contracting, &dims.rhs_contracting);
        shown.push(names::DOT_DIMENSION_NUMBERS);
    }
    print_precision(p);
    if let Some(Attr::DotAlgorithm(algorithm)) = p.op.attr(names::ALGORITHM) {
        p.text(", algorithm = ");
        p.dot_algorithm(algorithm);
        shown.push(names::ALGORITHM);
    }
    p.attr_dict_except(&shown);
    p.text(" : ");
    p.function_type();
}

fn print_pair(p: &mut OpPrinter<'_, '_>, lhs: &[i64], rhs: &[i64]) {
    p.integers(lhs);
    p.text(" x ");
    p.integers(rhs);
}

/// `precision = [DEFAULT, HIGH]`.
fn parse_precision(p: &mut OpParser<'_, '_>) -> PResult<()> {
    p.lit("precision = [")?;
    let mut list = Vec::new();
    p.list_until(b']', |p| {
        let expected = format!("one of {}", EnumKind::Precision.names().join(", "));
        let word = p.word(&expected)?;
        let Some(precision) = Precision::from_name(word) else {
            return Err(p.error(format!("the precision `{word}` is not {expected}")));
        };
        list.push(Attr::from(precision));
        Ok(())
    })?;
    p.set(names::PRECISION_CONFIG, Attr::Array(list.into()));
    Ok(())
}

/// The precisions, where the attribute is a list of them.
fn precisions(op: OpRef<'_>) -> Option<Vec<Precision>> {
    let Some(Attr::Array(list)) = op.attr(names::PRECISION_CONFIG) else { return None };
    let precision = |attr: &Attr| match attr {
        Attr::Enum(EnumAttr::Precision(precision)) => Some(*precision),
        _ => None,
    };
    list.iter().map(precision).collect()
}

fn shown_precision(op: OpRef<'_>) -> &'static [Sym] {
    if precisions(op).is_some() { &[names::PRECISION_CONFIG] } else { &[] }
}

fn print_precision(p: &mut OpPrinter<'_, '_>) {
    let Some(list) = precisions(p.op) else { return };
    p.text(", precision = [");
    p.commas(list, |p, precision| p.text(precision.name()));
    p.text("]");
}

// --- convolution ---

/// The attributes of a window and how the form calls them.
const WINDOW: [(&str, Sym); 5] = [
    ("stride", names::WINDOW_STRIDES),
    ("pad", names::PADDING),
    ("lhs_dilate", names::LHS_DILATION),
    ("rhs_dilate", names::RHS_DILATION),
    ("reverse", names::WINDOW_REVERSAL),
];

/// `(%a, %b) dim_numbers = …, window = {…} {…} : (t, t) -> t`.
pub(super) fn parse_convolution(p: &mut OpParser<'_, '_>) -> PResult<()> {
    p.lit("(")?;
    p.list_until(b')', |p| p.operand())?;
    p.lit("dim_numbers =")?;
    let dims = p.conv_dims()?;
    p.set(names::DIMENSION_NUMBERS, Attr::Conv(Box::new(dims)));
    p.lit(", window = {")?;
    p.list_until(b'}', parse_window_attr)?;
    p.attr_dict()?;
    p.lit(":")?;
    p.function_type()
}

/// `stride = [1, 2]`, `pad = [[0, 1], [2, 3]]` or `reverse = [false, true]`.
fn parse_window_attr(p: &mut OpParser<'_, '_>) -> PResult<()> {
    let word = p.word("`stride`, `pad`, `lhs_dilate`, `rhs_dilate` or `reverse`")?;
    let Some((_, name)) = WINDOW.iter().find(|(keyword, _)| *keyword == word) else {
        return Err(p.error(format!("a window has no `{word}`")));
    };
    p.lit("=")?;
    let attr = match *name {
        names::PADDING => parse_padding(p)?,
        names::WINDOW_REVERSAL => {
            let mut flags = Vec::new();
            p.lit("[")?;
            p.list_until(b']', |p| {
                flags.push(parse_flag(p)?);
                Ok(())
            })?;
            Attr::Bools(flags.into())
        }
        _ => Attr::i64s(p.integer_list()?),
    };
    p.set(*name, attr);
    Ok(())
}

/// `true`, `false`, or a number that is zero or not.
fn parse_flag(p: &mut OpParser<'_, '_>) -> PResult<bool> {
    if p.eat_word("true") {
        return Ok(true);
    }
    Ok(!p.eat_word("false") && p.integer()? != 0)
}

fn parse_padding(p: &mut OpParser<'_, '_>) -> PResult<Attr> {
    let mut values = Vec::new();
    p.lit("[")?;
    p.list_until(b']', |p| {
        match p.integer_list()?[..] {
            [low, high] => values.extend([low, high]),
            _ => return Err(p.error("the padding of each dimension is two numbers, `[low, high]`")),
        }
        Ok(())
    })?;
    let ty = TensorType::new(Elem::Int(64), [values.len() as i64 / 2, 2]);
    let tensor = match values.first() {
        Some(first) if values.iter().all(|v| v == first) => Tensor::splat(ty, Scalar::Int(*first)),
        _ => Tensor::from_fn(ty, |i| Scalar::Int(values[i])),
    };
    Ok(Attr::Elements(Box::new(tensor)))
}

pub(super) fn print_convolution(p: &mut OpPrinter<'_, '_>) {
    p.text("(");
    p.operands();
    p.text(")");
    let op = p.op;
    let mut shown = Vec::new();
    if let Some(dims) = op.conv_dims() {
        p.text(" dim_numbers = ");
        p.conv_dims(dims);
        shown.push(names::DIMENSION_NUMBERS);
    }
    p.text(", window = {");
    let given = WINDOW.iter().filter_map(|(keyword, name)| Some((*keyword, op.attr(*name)?)));
    p.commas(given, |p, (keyword, attr)| {
        p.text(keyword);
        p.text(" = ");
        match attr {
            Attr::I64s(list) => p.integers(list),
            Attr::Bools(list) => {
                p.text("[");
                p.commas(list.iter(), |p, flag| p.text(if *flag { "true" } else { "false" }));
                p.text("]");
            }
            Attr::Elements(padding) => {
                p.text("[");
                let pairs = padding.to_i64s();
                p.commas(pairs.chunks(2), |p, pair| p.integers(pair));
                p.text("]");
            }
            other => p.attr(other),
        }
    });
    p.text("}");
    shown.extend(WINDOW.iter().map(|(_, name)| *name));
    p.attr_dict_except(&shown);
    p.text(" : ");
    p.function_type();
}
