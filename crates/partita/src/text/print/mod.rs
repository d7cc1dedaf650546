//! The printer: a [`Module`] as text that MLIR reads, in the pretty form JAX uses.
//!
//! Values keep the names they were read with; where a name is missing or taken a fresh number stands in.

mod attrs;
mod mesh_axes;
mod names;
mod ops;

pub use ops::OpPrinter;

use super::lexer::escape;
use crate::ir::*;
use names::Names;
use std::fmt::Write;

/// What to print.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrintOptions {
    /// Leave locations out.
    pub no_locations: bool,
    /// Print every operation in the generic form, for readers that do not know all dialects.
    pub generic: bool,
}

/// The text of a module.
pub fn print(module: &Module) -> String {
    print_with(module, PrintOptions::default())
}

/// The text of a module, with options.
pub fn print_with(module: &Module, options: PrintOptions) -> String {
    let locations = !options.no_locations && module.locs.any_known();
    let mut printer = Printer {
        module,
        options,
        locations,
        out: String::with_capacity(module.ops.len() * OP_LENGTH),
        indent: 0,
        names: Names::new(module),
        types: IdVec::filled((0, 0), module.types.len()),
    };
    printer.module();
    printer.out
}

/// About so long is the text of an operation.
const OP_LENGTH: usize = 128;

/// The name that every value of a module is printed with: `%5` or `%5#1`.
pub fn printed_names(module: &Module) -> impl Fn(ValueId) -> String {
    let mut names = Names::new(module);
    for func in module.funcs.iter() {
        if let Some(body) = func.body {
            names.start_function(body);
        }
    }
    move |value| {
        let mut name = String::new();
        names.write(value, &mut name);
        name
    }
}

pub(crate) struct Printer<'m> {
    module: &'m Module,
    options: PrintOptions,
    locations: bool,
    out: String,
    indent: usize,
    names: Names<'m>,
    /// Where in the text each type stands for the first time; nowhere while it is empty. From there it is copied.
    types: IdVec<TypeId, (usize, usize)>,
}

impl<'m> Printer<'m> {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    /// The items with commas between them.
    fn commas<T>(&mut self, items: impl IntoIterator<Item = T>, mut print: impl FnMut(&mut Self, T)) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            print(self, item);
        }
    }

    fn integers(&mut self, list: &[i64]) {
        self.text("[");
        self.commas(list, |p, v| p.integer(*v));
        self.text("]");
    }

    fn integer(&mut self, value: i64) {
        if value < 0 {
            self.out.push('-');
        }
        decimal(value.unsigned_abs(), &mut self.out);
    }

    fn symbol(&mut self, sym: Sym) {
        let name = &self.module.strings[sym];
        self.out.push('@');
        let plain = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.' | b'-'));
        if plain { self.out.push_str(name) } else { escape(name.as_bytes(), &mut self.out) }
    }

    fn string(&mut self, sym: Sym) {
        escape(self.module.strings[sym].as_bytes(), &mut self.out);
    }

    fn type_id(&mut self, id: TypeId) {
        let start = self.out.len();
        match self.types[id] {
            (0, 0) => {
                write!(self.out, "{}", self.module.types[id]).unwrap_or_default();
                self.types[id] = (start, self.out.len());
            }
            (start, end) => self.out.extend_from_within(start..end),
        }
    }

    fn value(&mut self, value: ValueId) {
        self.names.write(value, &mut self.out);
    }

    fn loc(&mut self, loc: LocId) {
        if self.locations {
            self.text(" loc(");
            self.loc_alias(loc);
            self.text(")");
        }
    }

    /// `#loc5`; a location is named by its number in the table.
    fn loc_alias(&mut self, loc: LocId) {
        if loc == LocTable::unknown() {
            self.text("#loc");
        } else {
            self.text("#loc");
            decimal(loc.index() as u64, &mut self.out);
        }
    }

    fn module(&mut self) {
        self.text("module");
        if let Some(name) = self.module.name {
            self.text(" ");
            self.symbol(name);
        }
        if !self.module.attrs.is_empty() {
            self.text(" attributes ");
            self.attr_dict(self.module.attrs.iter());
        }
        self.text(" {");
        self.indent += 1;
        let mut meshes = self.module.meshes.iter().peekable();
        for (id, func) in self.module.funcs.enumerate() {
            while let Some(mesh) = meshes.next_if(|m| m.before_func as usize <= id.index()) {
                self.mesh(mesh);
            }
            self.func(func);
        }
        for mesh in meshes {
            self.mesh(mesh);
        }
        self.indent -= 1;
        self.line();
        self.text("}");
        self.loc(self.module.loc.0);
        self.text("\n");
        if self.locations {
            self.loc_definitions();
        }
    }

    fn loc_definitions(&mut self) {
        for (id, loc) in self.module.locs.enumerate() {
            self.loc_alias(id);
            self.text(" = loc(");
            match loc {
                Loc::Unknown => self.text("unknown"),
                Loc::File(file, line, column, end) => {
                    self.string(*file);
                    write!(self.out, ":{line}:{column}").unwrap_or_default();
                    if let Some((end_line, end_column)) = end {
                        self.text(" to ");
                        if end_line != line {
                            write!(self.out, "{end_line}").unwrap_or_default();
                        }
                        write!(self.out, ":{end_column}").unwrap_or_default();
                    }
                }
                Loc::Name(name, child) => {
                    self.string(*name);
                    if *child != LocTable::unknown() {
                        self.text("(");
                        self.loc_alias(*child);
                        self.text(")");
                    }
                }
                Loc::CallSite { callee, caller } => {
                    self.text("callsite(");
                    self.loc_alias(*callee);
                    self.text(" at ");
                    self.loc_alias(*caller);
                    self.text(")");
                }
                Loc::Fused(metadata, parts) => {
                    self.text("fused");
                    if let Some(metadata) = metadata {
                        self.text("<");
                        self.text(metadata);
                        self.text(">");
                    }
                    self.text("[");
                    self.commas(parts.iter(), |p, part| p.loc_alias(*part));
                    self.text("]");
                }
            }
            self.text(")\n");
        }
    }

    fn mesh(&mut self, mesh: &MeshDecl) {
        self.line();
        self.text("sdy.mesh ");
        self.symbol(mesh.name);
        self.text(" = ");
        self.sdy_mesh(&mesh.mesh);
        if !mesh.attrs.is_empty() {
            self.text(" ");
            self.attr_dict(mesh.attrs.iter());
        }
        self.loc(mesh.loc);
    }

    fn func(&mut self, func: &Func) {
        self.line();
        self.text(match func.visibility {
            Visibility::Default => "func.func ",
            Visibility::Public => "func.func public ",
            Visibility::Private => "func.func private ",
            Visibility::Nested => "func.func nested ",
        });
        self.symbol(func.name);
        self.text("(");
        if let Some(body) = func.body {
            self.names.start_function(body);
            let args = self.module.regions[body].args;
            self.commas(args.iter().zip(&func.arg_attrs), |p, (arg, attrs)| {
                p.value(arg);
                p.text(": ");
                p.type_id(p.module.values[arg].ty);
                if !attrs.is_empty() {
                    p.text(" ");
                    p.attr_dict(attrs.iter());
                }
                p.loc(p.module.values[arg].loc);
            });
        } else {
            self.commas(func.inputs.iter().zip(&func.arg_attrs), |p, (ty, attrs)| {
                p.type_id(*ty);
                if !attrs.is_empty() {
                    p.text(" ");
                    p.attr_dict(attrs.iter());
                }
            });
        }
        self.text(")");
        let plain = func.result_attrs.iter().all(Attrs::is_empty);
        match &func.results[..] {
            [] => {}
            [only] if plain => {
                self.text(" -> ");
                self.type_id(*only);
            }
            results => {
                self.text(" -> (");
                self.commas(results.iter().zip(&func.result_attrs), |p, (ty, attrs)| {
                    p.type_id(*ty);
                    if !attrs.is_empty() {
                        p.text(" ");
                        p.attr_dict(attrs.iter());
                    }
                });
                self.text(")");
            }
        }
        if !func.attrs.is_empty() {
            self.text(" attributes ");
            self.attr_dict(func.attrs.iter());
        }
        if let Some(body) = func.body {
            self.text(" {");
            self.region_ops(body);
            self.text("}");
        }
        self.loc(func.loc);
    }

    /// The operations of a region, indented, each on its line; then the indentation of the closing brace.
    fn region_ops(&mut self, region: RegionId) {
        self.indent += 1;
        let module = self.module;
        for &op in &module.regions[region].ops {
            self.line();
            self.operation(op);
        }
        self.indent -= 1;
        self.line();
    }
}

/// Writes a number. Most of a program's text is made of them.
fn decimal(mut number: u64, out: &mut String) {
    let mut digits = [0u8; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.push_str(std::str::from_utf8(&digits[start..]).unwrap_or_default());
}
