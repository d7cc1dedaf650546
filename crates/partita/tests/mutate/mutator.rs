//! Small random changes to programs.

/// A stream of numbers that follows from its seed (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 where `n` is 0.
    fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// How many bytes a repetition may add.
const MAX_REPEATED: usize = 16 << 10;

/// Numbers at the edges of what a reader might hold them in.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "2",
    "-2",
    "127",
    "128",
    "255",
    "256",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999999999999999999",
    "-9223372036854775808",
    "0x0",
    "0xFF",
    "0x7FC00001",
    "0xFFFFFFFFFFFFFFFFF",
    "1.0",
    "1e999",
    "-1.5e-400",
    "1000000",
    "3037000500",
];

/// Words and punctuation that change what a reader expects next.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "<{",
    "}>",
    ",",
    ":",
    "::",
    "=",
    "->",
    "?",
    "*",
    "#",
    "@",
    "%",
    "!",
    "^bb0",
    "\"",
    "//",
    "\n",
    " ",
    "\u{e9}",
    "\u{0}",
    "loc(",
    "loc(#loc)",
    "#loc1 = loc(\"a\"(#loc1))\n",
    "dense<",
    "array<i64: ",
    "tensor<",
    "tensor<f32>",
    "tensor<0xf32>",
    "tensor<?xf32>",
    "tensor<4294967296x4294967296x4294967296xi8>",
    "tensor<9223372036854775807xf64>",
    "tensor<!quant.uniform<i8:f32, 1.0>>",
    "tuple<",
    "tuple<>",
    "complex<",
    "index",
    "!stablehlo.token",
    "i1",
    "i2",
    "ui4",
    "f8E4M3FN",
    "f4E2M1FN",
    "bf16",
    "x",
    "unit",
    "true",
    "none",
    "module",
    "module {",
    "func.func",
    "func.func private @f()",
    "return",
    "func.return",
    "stablehlo.return",
    "stablehlo.add",
    "\"stablehlo.add\"",
    "stablehlo.while",
    "stablehlo.case",
    "stablehlo.constant",
    "stablehlo.reduce",
    "stablehlo.custom_call",
    "call @main",
    "applies",
    "across",
    "dimensions",
    "sdy.mesh",
    "sdy.return",
    "sdy.manual_computation",
    "#sdy.sharding<",
    "attributes",
    "{a = 1}",
    "{-#",
    "#-}",
    "%0",
    "%arg0",
    "%0#1",
    "%0:2",
    "@main",
];

/// Makes programs from programs.
pub struct Mutator {
    sources: Vec<String>,
}

impl Mutator {
    pub fn new(sources: Vec<String>) -> Self {
        assert!(!sources.is_empty(), "there are no programs to start from");
        Mutator { sources }
    }

    /// A program with a few changes; always the same for the same random numbers.
    pub fn mutate(&self, random: &mut Random) -> String {
        let mut text = random.pick(&self.sources).clone().into_bytes();
        for _ in 0..=random.below(4) {
            self.change(&mut text, random);
        }
        // The library takes text; bytes that are none are the command's to refuse.
        String::from_utf8_lossy(&text).into_owned()
    }

    /// One change.
    pub fn change(&self, text: &mut Vec<u8>, random: &mut Random) {
        match random.below(16) {
            0 => replace(text, random.below(text.len()), 1, &[random.next() as u8]),
            1 => {
                let (at, length) = span(text, random);
                replace(text, at, length, &[]);
            }
            2 => {
                let (at, length) = span(text, random);
                let copy = text[at..at + length].to_vec();
                replace(text, random.below(text.len()), 0, &copy);
            }
            3 => {
                let other = random.pick(&self.sources).as_bytes();
                let (at, length) = span(other, random);
                replace(text, random.below(text.len()), 0, &other[at..at + length]);
            }
            4..=6 => self.change_number(text, random),
            7 | 8 => {
                let (at, length) = token(text, random);
                replace(text, at, length, random.pick(TOKENS).as_bytes());
            }
            9 => replace(text, random.below(text.len()), 0, random.pick(TOKENS).as_bytes()),
            10 => {
                let (a, a_length) = token(text, random);
                let (b, b_length) = token(text, random);
                let (first, second) = (text[a..a + a_length].to_vec(), text[b..b + b_length].to_vec());
                replace(text, a, a_length, &second);
                replace(text, b.min(text.len()), b_length, &first);
            }
            11 => {
                let (at, length) = token(text, random);
                replace(text, at, length, &[]);
            }
            12 => {
                let (at, length) = line(text, random);
                let copy = text[at..at + length].to_vec();
                if random.below(2) == 0 {
                    replace(text, at, length, &[]);
                }
                let (to, _) = line(text, random);
                replace(text, to, 0, &copy);
            }
            13 => {
                let (at, length) = line(text, random);
                replace(text, at, length, &[]);
            }
            14 => {
                // Deep nesting, of brackets or of whatever stands there.
                let (at, length) = token(text, random);
                let piece = text[at..at + length].to_vec();
                let piece =
                    if random.below(2) == 0 { piece } else { random.pick(TOKENS).as_bytes().to_vec() };
                let times = (1 << random.below(10)).min(MAX_REPEATED / piece.len().max(1));
                replace(text, at, 0, &piece.repeat(times));
            }
            _ => text.truncate(random.below(text.len())),
        }
    }

    fn change_number(&self, text: &mut Vec<u8>, random: &mut Random) {
        let from = random.below(text.len());
        let Some(at) = (from..text.len()).find(|&i| text[i].is_ascii_digit()) else { return };
        let length = text[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        replace(text, at, length, random.pick(NUMBERS).as_bytes());
    }
}

/// Puts bytes in the place of others, as far as there are any.
fn replace(text: &mut Vec<u8>, at: usize, length: usize, with: &[u8]) {
    let at = at.min(text.len());
    let end = (at + length).min(text.len());
    text.splice(at..end, with.iter().copied());
}

/// A random stretch, mostly short.
fn span(text: &[u8], random: &mut Random) -> (usize, usize) {
    let at = random.below(text.len());
    let longest = *random.pick(&[8, 64, 512]);
    (at, random.below(longest).min(text.len() - at))
}

/// The word or the punctuation at a random place.
fn token(text: &[u8], random: &mut Random) -> (usize, usize) {
    let at = random.below(text.len());
    let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'%' | b'@' | b'#' | b'$');
    let start = at - text[..at].iter().rev().take_while(|b| word(b)).count();
    let length = text[start..].iter().take_while(|b| word(b)).count();
    (start, length.max(1).min(text.len() - start))
}

/// The line at a random place, with its end.
fn line(text: &[u8], random: &mut Random) -> (usize, usize) {
    let at = random.below(text.len());
    let start = at - text[..at].iter().rev().take_while(|b| **b != b'\n').count();
    let length = text[start..].iter().take_while(|b| **b != b'\n').count();
    (start, (length + 1).min(text.len() - start))
}
