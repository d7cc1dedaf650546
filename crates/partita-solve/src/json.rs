//! A JSON reader that calls back for what it finds, and builds nothing.

/// Deeper nesting is refused: skipping a value recurses.
const DEEPEST: u32 = 100;

/// What is wrong with a text, and where.
#[derive(Debug)]
pub struct Fault {
    pub message: String,
    pub position: usize,
}

impl Fault {
    pub fn new(message: impl Into<String>, position: usize) -> Fault {
        Fault { message: message.into(), position }
    }
}

/// Reads values one after the other.
pub struct Reader<'t> {
    text: &'t [u8],
    position: usize,
    depth: u32,
}

impl<'t> Reader<'t> {
    /// A reader at the start of a text.
    pub fn new(text: &'t [u8]) -> Reader<'t> {
        Reader { text, position: 0, depth: 0 }
    }

    /// Where the reader stands, in bytes.
    pub fn position(&self) -> usize {
        self.position
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.text.get(self.position) {
            self.position += 1;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.space();
        self.text.get(self.position).copied()
    }

    fn found(&self, expected: &str) -> Fault {
        let found = match self.text.get(self.position) {
            None => "the end of the text".to_string(),
            Some(&byte) if byte.is_ascii_graphic() => format!("`{}`", char::from(byte)),
            Some(byte) => format!("byte 0x{byte:02x}"),
        };
        Fault::new(format!("expected {expected}, found {found}"), self.position)
    }

    fn take(&mut self, byte: u8, expected: &str) -> Result<(), Fault> {
        if self.peek() == Some(byte) {
            self.position += 1;
            return Ok(());
        }
        Err(self.found(expected))
    }

    /// A list of values, separated and ended by the given byte.
    fn list(&mut self, close: u8, mut each: impl FnMut(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Fault::new(format!("more than {DEEPEST} lists in each other"), self.position));
        }
        if self.peek() == Some(close) {
            self.position += 1;
        } else {
            loop {
                each(self)?;
                match self.peek() {
                    Some(b',') => self.position += 1,
                    Some(byte) if byte == close => {
                        self.position += 1;
                        break;
                    }
                    _ => return Err(self.found(&format!("`,` or `{}`", char::from(close)))),
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// An array; the callback reads each element.
    pub fn array(&mut self, each: impl FnMut(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        self.take(b'[', "a list")?;
        self.list(b']', each)
    }

    /// An object; the callback reads the value of each key. Keys are as written, escapes and all.
    pub fn object(
        &mut self,
        mut each: impl FnMut(&mut Self, &'t [u8]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.take(b'{', "an object")?;
        self.list(b'}', |reader| {
            let key = reader.string()?;
            reader.take(b':', "`:`")?;
            each(reader, key)
        })
    }

    fn string(&mut self) -> Result<&'t [u8], Fault> {
        self.take(b'"', "a string")?;
        let start = self.position;
        loop {
            match self.text.get(self.position) {
                Some(b'"') => break,
                Some(b'\\') => self.position += 2,
                Some(_) => self.position += 1,
                None => return Err(Fault::new("this string has no end", start - 1)),
            }
        }
        self.position += 1;
        Ok(&self.text[start..self.position - 1])
    }

    /// A whole number that fits 64 bits.
    pub fn integer(&mut self) -> Result<i64, Fault> {
        let negative = self.peek() == Some(b'-');
        let start = self.position;
        self.position += usize::from(negative);
        let digits = self.position;
        let mut value: u64 = 0;
        while let Some(digit @ b'0'..=b'9') = self.text.get(self.position) {
            // Nineteen digits always fit; more are refused below.
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.position += 1;
        }
        let count = self.position - digits;
        if count == 0 {
            return Err(self.found("a whole number"));
        }
        if let Some(b'.' | b'e' | b'E') = self.text.get(self.position) {
            return Err(Fault::new("expected a whole number, found one with a fraction or exponent", start));
        }
        match i64::try_from(value) {
            Ok(value) if count <= 19 => Ok(if negative { -value } else { value }),
            _ => Err(Fault::new("this number does not fit 64 bits", start)),
        }
    }

    /// Any value, which nobody wants.
    pub fn skip(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'{') => self.object(|reader, _| reader.skip()),
            Some(b'[') => self.array(Reader::skip),
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9' | b'a'..=b'z') => {
                while let Some(b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E') =
                    self.text.get(self.position)
                {
                    self.position += 1;
                }
                Ok(())
            }
            _ => Err(self.found("a value")),
        }
    }

    /// The end of the text.
    pub fn end(&mut self) -> Result<(), Fault> {
        if self.peek().is_none() { Ok(()) } else { Err(self.found("the end of the text")) }
    }
}
