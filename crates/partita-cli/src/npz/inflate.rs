//! Reading deflated bytes.

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};
use std::io::{self, Read};

/// How much compressed data is read at a time.
const BUFFER: usize = 1 << 16;

/// A reader of the inflated bytes of another reader.
pub struct Inflate<R> {
    source: R,
    state: Box<InflateState>,
    buffer: Box<[u8]>,
    /// The part of the buffer that is not inflated yet.
    pending: std::ops::Range<usize>,
    source_ended: bool,
    ended: bool,
}

impl<R: Read> Inflate<R> {
    /// Inflates what `source` gives.
    pub fn new(source: R) -> Self {
        Inflate {
            source,
            state: InflateState::new_boxed(DataFormat::Raw),
            buffer: vec![0; BUFFER].into_boxed_slice(),
            pending: 0..0,
            source_ended: false,
            ended: false,
        }
    }
}

impl<R: Read> Read for Inflate<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let corrupt = || io::Error::new(io::ErrorKind::InvalidData, "the compressed data is corrupt");
        while !self.ended && !out.is_empty() {
            if self.pending.is_empty() && !self.source_ended {
                let read = self.source.read(&mut self.buffer)?;
                self.pending = 0..read;
                self.source_ended = read == 0;
            }
            let step = inflate(&mut self.state, &self.buffer[self.pending.clone()], out, MZFlush::None);
            self.pending.start += step.bytes_consumed;
            match step.status {
                Ok(MZStatus::StreamEnd) => self.ended = true,
                Ok(MZStatus::Ok) => {}
                // More input is needed; where there is none the data was cut short.
                Err(MZError::Buf) if !self.source_ended => {}
                _ => return Err(corrupt()),
            }
            if step.bytes_written > 0 {
                return Ok(step.bytes_written);
            }
            if self.source_ended && step.bytes_consumed == 0 && !self.ended {
                return Err(corrupt());
            }
        }
        Ok(0)
    }
}
