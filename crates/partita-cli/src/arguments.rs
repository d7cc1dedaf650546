//! The arguments of a function: arrays of an archive, or values made from a seed.

use crate::error::Failure;
use crate::npz::Archive;
use crate::npz::npy::{Header, dtype_name, shape_text};
use partita::Diagnostic;
use partita::interpret::Value;
use partita::ir::{FuncId, Module, Span, TensorType, Type, ValueId};
use partita::value::{Tensor, sample};
use std::collections::BTreeMap;

/// The arguments of a run, and what is worth telling about where they came from.
pub struct Arguments {
    /// The values, as the function takes them.
    pub values: Vec<Value>,
    /// How many of their tensors were made from the seed.
    pub sampled: usize,
    /// How many tensors there are.
    pub count: usize,
    /// Things the user may not have meant.
    pub notes: Vec<String>,
}

/// An array of the archive that a slot takes.
#[derive(Clone, Copy)]
struct Source {
    array: usize,
    by_order: bool,
}

/// One tensor among the arguments. A tuple has several.
struct Slot<'m> {
    ty: &'m TensorType,
    /// `arg0`, or `arg0.1` inside a tuple.
    name: String,
    /// The name in the text, without the `%`, where it is another.
    text_name: Option<String>,
    /// The name JAX gave the argument.
    jax_name: Option<&'m str>,
    /// The argument as messages name it.
    value: String,
}

/// Gives a function its arguments; where the types of global tensors are given, those that its own arguments are shards of.
pub fn gather(
    module: &Module,
    func: FuncId,
    globals: Option<&[Type]>,
    archive: Option<&Archive>,
    seed: u64,
) -> Result<Arguments, Failure> {
    let types: Vec<&Type> = match globals {
        Some(types) => types.iter().collect(),
        None => module.funcs[func].inputs.iter().map(|&ty| &module.types[ty]).collect(),
    };
    let slots = slots(module, func, &types)?;
    let mut notes = Vec::new();
    let from = match archive {
        Some(archive) => assign(&slots, archive, &mut notes)?,
        None => vec![None; slots.len()],
    };
    let mut tensors = Vec::with_capacity(slots.len());
    for (number, (slot, source)) in slots.iter().zip(&from).enumerate() {
        tensors.push(match (archive, source) {
            (Some(archive), Some(source)) => read(archive, *source, slot)?,
            _ => sample(slot.ty.clone(), seed, number as u64),
        });
    }
    let sampled = from.iter().filter(|source| source.is_none()).count();
    let mut tensors = tensors.into_iter();
    let values: Option<Vec<Value>> = types.into_iter().map(|ty| build(ty, &mut tensors)).collect();
    // The slots were made from the same types, so there is a tensor for each.
    let values = values.ok_or_else(|| Failure::new("argument", "the arguments cannot be made"))?;
    Ok(Arguments { values, sampled, count: slots.len(), notes })
}

/// The tensors that the arguments of a function consist of.
fn slots<'m>(module: &'m Module, func: FuncId, types: &[&'m Type]) -> Result<Vec<Slot<'m>>, Failure> {
    let data = &module.funcs[func];
    let values: Vec<ValueId> =
        data.body.map(|body| module.regions[body].args.iter().collect()).unwrap_or_default();
    let mut slots = Vec::new();
    for (number, &ty) in types.iter().enumerate() {
        let name = format!("arg{number}");
        let value = values.get(number).map(|&v| module.value_name(v));
        let text_name = value.as_deref().map(|v| v.trim_start_matches('%').to_string());
        let jax_name = values.get(number).and_then(|&v| module.locs.name(module.values[v].loc));
        let slot = |ty, suffix: &str| Slot {
            ty,
            name: format!("{name}{suffix}"),
            text_name: text_name
                .as_ref()
                .map(|n| format!("{n}{suffix}"))
                .filter(|n| *n != format!("{name}{suffix}")),
            jax_name: jax_name.map(|sym| &module.strings[sym]).filter(|_| suffix.is_empty()),
            value: value.clone().unwrap_or_else(|| format!("%{name}")),
        };
        leaves(ty, String::new(), &mut |ty, suffix| slots.push(slot(ty, suffix))).map_err(|ty| {
            let message = format!("argument {number} has the type `{ty}`, which has no values from outside");
            let value = value.clone().unwrap_or_else(|| format!("%{name}"));
            Failure::from(Diagnostic::new("argument", Span::default(), message).value(value))
        })?;
    }
    Ok(slots)
}

/// Calls `take` with each tensor type in a type; gives the type that is none.
fn leaves<'t>(
    ty: &'t Type,
    suffix: String,
    take: &mut impl FnMut(&'t TensorType, &str),
) -> Result<(), &'t Type> {
    match ty {
        Type::Tensor(tensor) => take(tensor, &suffix),
        Type::Token => {}
        Type::Tuple(parts) => {
            for (i, part) in parts.iter().enumerate() {
                leaves(part, format!("{suffix}.{i}"), take)?;
            }
        }
        other => return Err(other),
    }
    Ok(())
}

fn build(ty: &Type, tensors: &mut impl Iterator<Item = Tensor>) -> Option<Value> {
    Some(match ty {
        Type::Tensor(_) => Value::Tensor(tensors.next()?),
        Type::Tuple(parts) => {
            Value::Tuple(parts.iter().map(|part| build(part, tensors)).collect::<Option<_>>()?)
        }
        Type::Token => Value::Token,
        _ => return None,
    })
}

/// Which array of the archive each slot takes: by name, then by order.
fn assign(
    slots: &[Slot<'_>],
    archive: &Archive,
    notes: &mut Vec<String>,
) -> Result<Vec<Option<Source>>, Failure> {
    let arrays: Vec<&str> = archive.names().collect();
    let by_name: BTreeMap<&str, usize> = arrays.iter().enumerate().map(|(i, name)| (*name, i)).collect();
    let mut taken = vec![false; arrays.len()];
    let mut from = vec![None; slots.len()];
    for (slot, from) in slots.iter().zip(&mut from) {
        let names = [Some(&*slot.name), slot.text_name.as_deref(), slot.jax_name];
        let found = names.into_iter().flatten().find_map(|name| by_name.get(name).filter(|&&i| !taken[i]));
        if let Some(&array) = found {
            taken[array] = true;
            *from = Some(Source { array, by_order: false });
        }
    }
    let mut free = from.iter_mut().zip(slots).filter(|(from, _)| from.is_none());
    // A file that names arguments may hold results beside them; one with results alone feeds them to the next program.
    let names_arguments = taken.contains(&true);
    let passed_over = |name: &str| names_arguments && is_result(name);
    for (array, name) in arrays.iter().enumerate().filter(|(i, name)| !taken[*i] && !passed_over(name)) {
        let Some((from, slot)) = free.next() else {
            let message = format!("the array `{name}` in `{}` matches no argument", archive.file());
            let known: Vec<&str> = slots.iter().take(8).map(|s| s.jax_name.unwrap_or(&s.name)).collect();
            let fix = match slots.len() {
                0 => "the function takes no arguments".to_string(),
                n if n > known.len() => format!("the arguments are {}, … ({n} in all)", known.join(", ")),
                _ => format!("the arguments are {}", known.join(", ")),
            };
            return Err(Failure::new("argument", message).file(archive.file()).fix(fix));
        };
        *from = Some(Source { array, by_order: true });
        // `numpy.savez` gives arrays without a name these; any other may be a mistyped one.
        if !name.starts_with("arr_") {
            notes.push(format!(
                "the array `{name}` matches no argument by name; by order it is `{}`",
                slot.value
            ));
        }
    }
    Ok(from)
}

/// Whether an array is called as results are, `out0`.
fn is_result(name: &str) -> bool {
    name.strip_prefix("out").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn read(archive: &Archive, source: Source, slot: &Slot<'_>) -> Result<Tensor, Failure> {
    archive.read(source.array, slot.ty)?.map_err(|header| mismatch(archive, source, slot, &header))
}

fn mismatch(archive: &Archive, source: Source, slot: &Slot<'_>, header: &Header) -> Failure {
    let name = archive.names().nth(source.array).unwrap_or_default();
    let argument = match slot.jax_name {
        Some(jax_name) => format!("`{}` ({jax_name})", slot.value),
        None => format!("`{}`", slot.value),
    };
    let wanted = format!("{} of shape {}", dtype_name(slot.ty.elem), shape_text(&slot.ty.shape));
    let message = format!(
        "the argument {argument} is `{}`, but the array `{name}` in `{}`{} is {} of shape {}",
        slot.ty,
        archive.file(),
        if source.by_order { ", taken by order," } else { "" },
        header.dtype,
        shape_text(&header.shape)
    );
    let diagnostic = Diagnostic::new("argument", Span::default(), message)
        .fix(format!("save it as {wanted}"))
        .value(&*slot.value);
    Failure::from(diagnostic).file(archive.file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npz;
    use partita::ir::Elem;
    use partita::value::Scalar;

    const PROGRAM: &str = r#"
        func.func @main(%arg0: tensor<2xf32> loc("params['wq']"), %x: tensor<2xf32>, %arg2: tuple<tensor<f32>, tensor<i1>>) {
          return
        }"#;

    fn module() -> Module {
        partita::text::parse(PROGRAM).expect("a program")
    }

    fn pair(value: f64) -> Tensor {
        Tensor::splat(TensorType::new(Elem::F32, [2]), Scalar::Float(value))
    }

    fn gather_from(arrays: &[(&str, &Tensor)]) -> Result<Arguments, Failure> {
        let arrays: Vec<_> = arrays.iter().map(|(name, tensor)| (name.to_string(), *tensor)).collect();
        let mut bytes = Vec::new();
        npz::write(&mut bytes, &arrays).expect("an archive");
        let archive = Archive::from_bytes("in.npz".to_string(), bytes)?;
        let module = module();
        gather(&module, module.func_named("main").expect("main"), None, Some(&archive), 0)
    }

    fn first_two(arguments: &Arguments) -> [f64; 2] {
        [0, 1].map(|i| arguments.values[i].as_tensor().expect("a tensor").item().real())
    }

    #[test]
    fn arrays_are_found_by_any_name_of_an_argument() {
        let (one, two) = (pair(10.0), pair(20.0));
        for names in [["arg0", "arg1"], ["params['wq']", "x"]] {
            // In the other order, which does not matter then.
            let arguments = gather_from(&[(names[1], &two), (names[0], &one)]).expect("arguments");
            assert_eq!(first_two(&arguments), [10.0, 20.0], "{names:?}");
            assert_eq!((arguments.sampled, arguments.count), (2, 4));
            assert!(arguments.notes.is_empty());
        }
    }

    #[test]
    fn other_arrays_are_taken_in_order() {
        let (one, two) = (pair(10.0), pair(20.0));
        let arguments = gather_from(&[("arr_0", &one), ("arr_1", &two)]).expect("arguments");
        assert_eq!((first_two(&arguments), arguments.notes.len()), ([10.0, 20.0], 0));
        let arguments = gather_from(&[("weights", &two), ("arg0", &one)]).expect("arguments");
        assert_eq!(first_two(&arguments), [10.0, 20.0]);
        assert_eq!(arguments.notes, ["the array `weights` matches no argument by name; by order it is `%x`"]);
    }

    #[test]
    fn results_in_the_same_file_are_passed_over() {
        let (one, two) = (pair(10.0), pair(20.0));
        let arguments = gather_from(&[("out0", &two), ("arg0", &one), ("arg1", &two)]).expect("arguments");
        assert_eq!((first_two(&arguments), arguments.notes.len()), ([10.0, 20.0], 0));
        // Results alone are taken in order, as any others.
        let arguments = gather_from(&[("out0", &one), ("out1", &two)]).expect("arguments");
        assert_eq!(first_two(&arguments), [10.0, 20.0]);
    }

    #[test]
    fn parts_of_tuples_have_names() {
        let part = Tensor::scalar(Elem::Bool, Scalar::Bool(true));
        let arguments = gather_from(&[("arg2.1", &part)]).expect("arguments");
        let Value::Tuple(parts) = &arguments.values[2] else { panic!("a tuple") };
        assert_eq!(parts[1].as_tensor(), Some(&part));
    }

    #[test]
    fn arrays_that_fit_nowhere_are_refused() {
        let one = pair(1.0);
        let message = |arrays: &[(&str, &Tensor)]| {
            gather_from(arrays)
                .err()
                .map(|failure| failure.diagnostics[0].message.clone())
                .unwrap_or_default()
        };
        let wrong = Tensor::scalar(Elem::F64, Scalar::Float(0.0));
        assert_eq!(
            message(&[("params['wq']", &wrong)]),
            "the argument `%arg0` (params['wq']) is `tensor<2xf32>`, but the array `params['wq']` in `in.npz` is \
             float64 of shape ()"
        );
        let many = [("a", &one), ("b", &one), ("c", &one), ("d", &one), ("e", &one)];
        assert_eq!(message(&many), "the array `e` in `in.npz` matches no argument");
    }
}
