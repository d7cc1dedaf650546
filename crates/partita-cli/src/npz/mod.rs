//! NPZ archives: arrays by name, as NumPy's `savez` writes and `load` reads them.

mod inflate;
pub mod npy;

use crate::error::Failure;
use crate::input;
use inflate::Inflate;
use npy::Header;
use partita::ir::TensorType;
use partita::value::Tensor;
use rawzip::{
    CompressionMethod, FileReader, RECOMMENDED_BUFFER_SIZE, ReaderAt, ZipArchive, ZipArchiveEntryWayfinder,
    ZipArchiveWriter, ZipLocator,
};
use std::io::{self, Read, Write};
use std::path::Path;

/// Deflate cannot shrink data more than this, whatever the data.
const MOST_DEFLATED: u64 = 1032;

/// The most that is read from standard input, which has to stay in memory.
const LARGEST_STREAM: usize = 1 << 34;

/// An archive that is open for reading. Arrays are read one at a time, straight into their tensors.
pub struct Archive {
    zip: ZipArchive<Box<dyn ReaderAt>>,
    file: String,
    length: u64,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
}

impl Archive {
    /// Opens a file, or reads standard input.
    pub fn open(path: &Path) -> Result<Archive, Failure> {
        let file = input::name(path);
        if input::is_standard(path) {
            let Some(bytes) = input::read_bytes(path, LARGEST_STREAM)? else {
                return Err(Failure::new("npz", "the archive is too large to be read from standard input")
                    .fix("name a file"));
            };
            return Archive::from_bytes(file, bytes);
        }
        let (opened, length) = input::open(path)?;
        Archive::new(file, Box::new(FileReader::from(opened)), length)
    }

    /// Opens an archive that is in memory.
    pub fn from_bytes(file: String, bytes: Vec<u8>) -> Result<Archive, Failure> {
        let length = bytes.len() as u64;
        Archive::new(file, Box::new(bytes), length)
    }

    fn new(file: String, reader: Box<dyn ReaderAt>, length: u64) -> Result<Archive, Failure> {
        let broken = |error: rawzip::Error| {
            Failure::new("npz", format!("`{file}` is not an NPZ archive: {error}"))
                .file(&*file)
                .fix("write it with `numpy.savez`")
        };
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let located = ZipLocator::new().locate_in_reader(reader, &mut buffer, length);
        let zip = located.map_err(|(_, error)| broken(error))?;
        let mut entries: Vec<Entry> = Vec::new();
        let mut directory = zip.entries(&mut buffer);
        while let Some(record) = directory.next_entry().map_err(broken)? {
            let path = String::from_utf8_lossy(record.file_path().as_bytes()).into_owned();
            let Some(name) = path.strip_suffix(".npy") else {
                return Err(Failure::new("npz", format!("`{path}` in `{file}` is not an array"))
                    .file(file)
                    .fix("every entry of the archive must be an `.npy` file"));
            };
            if record.flags().is_encrypted() {
                return Err(
                    Failure::new("npz", format!("the array `{name}` in `{file}` is encrypted")).file(file)
                );
            }
            let method = record.compression_method();
            entries.push(Entry { name: name.to_string(), place: record.wayfinder(), method });
        }
        let mut names: Vec<&str> = entries.iter().map(|e| &*e.name).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(
                Failure::new("npz", format!("`{file}` holds two arrays named `{}`", twice[0])).file(&*file)
            );
        }
        Ok(Archive { zip, file, length, entries })
    }

    /// The file, as the user named it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The names of the arrays, in the order of the archive.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.name)
    }

    /// Reads an array as a tensor of a type, or says what the header claims where that is another type.
    ///
    /// Memory is only reserved once the archive is known to have the bytes.
    pub fn read(&self, number: usize, ty: &TensorType) -> Result<Result<Tensor, Header>, Failure> {
        let entry = &self.entries[number];
        self.read_entry(entry, ty).map_err(|message| {
            let message = format!("the array `{}` in `{}` cannot be read: {message}", entry.name, self.file);
            Failure::new("npz", message).file(&*self.file)
        })
    }

    fn read_entry(&self, entry: &Entry, ty: &TensorType) -> Result<Result<Tensor, Header>, String> {
        let found = self.zip.get_entry(entry.place).map_err(|error| error.to_string())?;
        let (start, end) = found.compressed_data_range();
        if end > self.length {
            return Err(format!("it ends at byte {end}, but the archive has only {}", self.length));
        }
        let stored: Box<dyn Read + '_> = match entry.method {
            CompressionMethod::STORE => Box::new(found.reader()),
            CompressionMethod::DEFLATE => Box::new(Inflate::new(found.reader())),
            method => return Err(format!("its compression `{method}` is not known; use `numpy.savez`")),
        };
        let mut bytes = found.verifying_reader(stored);
        let (header, header_length) = Header::read(&mut bytes)?;
        if !header.fits(ty) {
            return Ok(Err(header));
        }
        let claimed = entry.place.uncompressed_size_hint();
        let needed = header_length + ty.bytes() as u64;
        if claimed != needed {
            return Err(format!("it has {claimed} bytes, but its header asks for {needed}"));
        }
        if claimed > (end - start).saturating_mul(MOST_DEFLATED) {
            return Err(format!("it claims {claimed} bytes, more than {} can hold", end - start));
        }
        let tensor = header.read_tensor(ty, &mut bytes).map_err(|error| error.to_string())?;
        // The checksum is compared where the data ends.
        match bytes.read(&mut [0; 1]) {
            Ok(0) => Ok(Ok(tensor)),
            Ok(_) => Err("data stands behind its last element".to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Writes an archive of named tensors. Nothing in it depends on time or place.
pub fn write(out: &mut dyn Write, arrays: &[(String, &Tensor)]) -> io::Result<()> {
    let mut zip = ZipArchiveWriter::new(out);
    for (name, tensor) in arrays {
        let path = format!("{name}.npy");
        let (mut entry, config) = zip.new_file(&*path).start().map_err(io::Error::other)?;
        let mut data = config.wrap(&mut entry);
        npy::write(&mut data, tensor)?;
        let (_, descriptor) = data.finish().map_err(io::Error::other)?;
        entry.finish(descriptor).map_err(io::Error::other)?;
    }
    zip.finish().map_err(io::Error::other)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita::ir::Elem;
    use partita::value::Scalar;

    fn ty() -> TensorType {
        TensorType::new(Elem::F32, [2, 3])
    }

    fn counting() -> Tensor {
        Tensor::from_fn(ty(), |i| Scalar::Float(i as f64))
    }

    fn archive_of(arrays: &[(String, &Tensor)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, arrays).expect("written");
        bytes
    }

    fn open(bytes: Vec<u8>) -> Result<Archive, Failure> {
        Archive::from_bytes("in.npz".to_string(), bytes)
    }

    fn message(failure: &Failure) -> &str {
        &failure.diagnostics[0].message
    }

    /// An archive with one entry, whose bytes and method are given.
    fn entry_of(content: &[u8], method: CompressionMethod, claimed: u64, crc: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut zip = ZipArchiveWriter::new(&mut bytes);
        let (mut entry, _) = zip.new_file("x.npy").compression_method(method).start().expect("entry");
        entry.write_all(content).expect("content");
        entry.finish(rawzip::DataDescriptorOutput::new(crc, claimed)).expect("descriptor");
        zip.finish().expect("directory");
        bytes
    }

    fn npy_bytes(tensor: &Tensor) -> Vec<u8> {
        let mut bytes = Vec::new();
        npy::write(&mut bytes, tensor).expect("written");
        bytes
    }

    #[test]
    fn archives_survive_a_round_trip() {
        let tensor = counting();
        let splat = Tensor::splat(TensorType::new(Elem::BF16, [100, 100]), Scalar::Float(0.5));
        let empty = Tensor::splat(TensorType::new(Elem::C64, [0, 7]), Scalar::zero(Elem::C64));
        let arrays =
            [("out0".to_string(), &tensor), ("params['wq']".to_string(), &splat), ("e".to_string(), &empty)];
        let archive = open(archive_of(&arrays)).expect("opened");
        assert_eq!(archive.names().collect::<Vec<_>>(), ["out0", "params['wq']", "e"]);
        for (number, (_, tensor)) in arrays.iter().enumerate() {
            let read = archive.read(number, tensor.ty()).expect("read").expect("type");
            assert_eq!(&read, *tensor);
        }
    }

    #[test]
    fn deflated_arrays_are_read() {
        let ty = TensorType::new(Elem::Int(32), [300, 300]);
        let tensor = Tensor::from_fn(ty.clone(), |i| Scalar::Int((i * i) as i64 % 1000));
        let plain = npy_bytes(&tensor);
        let deflated = miniz_oxide::deflate::compress_to_vec(&plain, 6);
        let crc = rawzip::crc32(&plain);
        let bytes = entry_of(&deflated, CompressionMethod::DEFLATE, plain.len() as u64, crc);
        let archive = open(bytes).expect("opened");
        assert_eq!(archive.read(0, &ty).expect("read").expect("type"), tensor);

        let cut =
            entry_of(&deflated[..deflated.len() / 2], CompressionMethod::DEFLATE, plain.len() as u64, crc);
        let failure = open(cut).expect("opened").read(0, &ty).expect_err("cut short");
        assert!(message(&failure).contains("corrupt"), "{}", message(&failure));

        let wrong = entry_of(&deflated, CompressionMethod::DEFLATE, plain.len() as u64, crc ^ 1);
        assert!(open(wrong).expect("opened").read(0, &ty).is_err());
    }

    #[test]
    fn another_type_is_told() {
        let tensor = counting();
        let archive = open(archive_of(&[("x".to_string(), &tensor)])).expect("opened");
        let header =
            archive.read(0, &TensorType::new(Elem::F64, [2, 3])).expect("read").expect_err("other type");
        assert_eq!((header.dtype.to_string(), &header.shape[..]), ("float32".to_string(), &[2, 3][..]));
    }

    #[test]
    fn claims_beyond_the_file_are_refused_before_memory_is_reserved() {
        let huge = TensorType::new(Elem::F32, [1 << 40]);
        let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }";
        let mut npy = b"\x93NUMPY\x01\x00".to_vec();
        npy.extend((text.len() as u16).to_le_bytes());
        npy.extend(text.as_bytes());
        let claimed = npy.len() as u64 + (4 << 40);
        for (method, content) in [
            (CompressionMethod::STORE, npy.clone()),
            (CompressionMethod::DEFLATE, miniz_oxide::deflate::compress_to_vec(&npy, 6)),
        ] {
            let failure = open(entry_of(&content, method, claimed, 0)).expect("opened").read(0, &huge);
            assert!(failure.is_err());
            let failure =
                open(entry_of(&content, method, npy.len() as u64, 0)).expect("opened").read(0, &huge);
            assert!(failure.is_err());
        }
    }

    #[test]
    fn long_headers_are_refused() {
        let mut npy = b"\x93NUMPY\x02\x00".to_vec();
        npy.extend(u32::MAX.to_le_bytes());
        npy.extend([b' '; 100]);
        let bytes = entry_of(&npy, CompressionMethod::STORE, npy.len() as u64, rawzip::crc32(&npy));
        let failure = open(bytes).expect("opened").read(0, &ty()).expect_err("refused");
        assert!(message(&failure).contains("header claims"), "{}", message(&failure));
    }

    #[test]
    fn other_files_are_refused() {
        assert!(open(Vec::new()).is_err());
        assert!(open(b"PK\x05\x06".to_vec()).is_err());
        assert!(open(vec![0; 1000]).is_err());
        let twice = [("x".to_string(), &counting()), ("x".to_string(), &counting())];
        assert!(message(&open(archive_of(&twice)).err().expect("refused")).contains("two arrays"));
    }

    #[test]
    fn no_changed_byte_does_harm() {
        let tensor = counting();
        let good = archive_of(&[("x".to_string(), &tensor)]);
        for position in 0..good.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut bytes = good.clone();
                bytes[position] ^= change;
                if let Ok(archive) = open(bytes) {
                    for number in 0..archive.names().count() {
                        let _ = archive.read(number, &ty());
                    }
                }
            }
        }
        for length in 0..good.len() {
            if let Ok(archive) = open(good[..length].to_vec()) {
                for number in 0..archive.names().count() {
                    assert!(archive.read(number, &ty()).is_err());
                }
            }
        }
    }
}
