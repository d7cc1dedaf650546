//! Arrays on a device.

use crate::client::{Client, Device, Handle};
use crate::element;
use crate::error::{Error, ErrorKind};
use crate::raw::{self, Opaque};
use partita::ir::TensorType;
use partita::value::Tensor;
use std::borrow::Cow;
use std::sync::Arc;

/// An array on a device.
pub struct Buffer {
    pub(crate) handle: Arc<Handle>,
    pub(crate) buffer: Opaque,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut destroy = raw::BufferDestroy::new();
        destroy.buffer = self.buffer;
        self.handle.plugin.release(destroy);
    }
}

impl Client {
    /// Copies a tensor to a device.
    pub fn upload(&self, tensor: &Tensor, device: Device) -> Result<Buffer, Error> {
        let Some(element_type) = element::number(tensor.elem()) else {
            let message = format!("PJRT has no element type for `{}`", tensor.ty());
            return Err(Error::new(ErrorKind::Run, message));
        };
        let bytes = match tensor.dense_bytes() {
            Some(bytes) => Cow::Borrowed(bytes),
            None => Cow::Owned(tensor.to_bytes()),
        };
        let mut copy = raw::BufferFromHostBuffer::new();
        copy.client = self.handle.client;
        copy.data = bytes.as_ptr().cast();
        copy.element_type = element_type;
        copy.dims = tensor.shape().as_ptr();
        copy.num_dims = tensor.shape().len();
        copy.host_buffer_semantics = raw::COPIED_DURING_CALL;
        copy.device = device.device;
        let copied = self.handle.plugin.call(copy)?;
        let buffer = Buffer { handle: Arc::clone(&self.handle), buffer: copied.buffer };
        self.handle.plugin.wait(copied.done_with_host_buffer)?;
        Ok(buffer)
    }
}

impl Buffer {
    /// Copies the array to the host; it must be of this type.
    pub fn download(&self, ty: &TensorType) -> Result<Tensor, Error> {
        // Row-major, whatever order the device keeps it in.
        let minor_to_major: Vec<i64> = (0..ty.rank() as i64).rev().collect();
        let mut layout = raw::MemoryLayout::new();
        layout.kind = raw::LAYOUT_TILED;
        layout.tiled = raw::TiledLayout::new();
        layout.tiled.minor_to_major = minor_to_major.as_ptr();
        layout.tiled.minor_to_major_size = minor_to_major.len();
        let ask = || {
            let mut ask = raw::BufferToHostBuffer::new();
            ask.src = self.buffer;
            ask.host_layout = &layout;
            ask
        };
        let plugin = &self.handle.plugin;
        let size = plugin.call(ask())?.dst_size;
        let mut bytes = vec![0u8; size];
        let mut copy = ask();
        copy.dst = bytes.as_mut_ptr().cast();
        copy.dst_size = size;
        let event = plugin.call(copy)?.event;
        plugin.wait(event)?;
        Tensor::from_bytes(ty.clone(), &bytes).ok_or_else(|| {
            let message = format!("the plug-in gave {size} bytes for a result of type `{ty}`");
            Error::new(ErrorKind::Run, message)
        })
    }
}
