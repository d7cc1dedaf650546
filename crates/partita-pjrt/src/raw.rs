//! The part of the PJRT C API that is used: one struct of arguments per function, as the API lays them out.
//!
//! Every function of the API takes a pointer to one such struct, and what it gives back stands in it. A struct begins with
//! its own size, by which the plug-in knows how many fields its caller has; the table of functions begins with its size too, by
//! which the caller knows how many functions there are. Fields and functions are only ever added at the end.

use std::ffi::{c_char, c_int, c_void};

/// The version of the API that the structs here are written after.
pub const MAJOR: c_int = 0;

/// The start of the table of functions. The functions follow it, one pointer each.
#[repr(C)]
pub struct Table {
    pub struct_size: usize,
    pub extension_start: *mut c_void,
    pub version: Version,
}

#[repr(C)]
pub struct Version {
    pub struct_size: usize,
    pub extension_start: *mut c_void,
    pub major: c_int,
    pub minor: c_int,
}

/// Things of the plug-in that are only ever pointed to.
pub type Opaque = *mut c_void;

/// A function of the API, known by the struct it takes.
///
/// # Safety
/// The struct must be the one that the function at this place of the table takes, beginning with its size and a pointer.
pub unsafe trait Function: Sized {
    /// Its place among the functions of the table.
    const PLACE: usize;
    /// Its name, for errors.
    const NAME: &'static str;
}

/// Structs whose fields are integers and pointers, all zero but for the size when new.
macro_rules! structs {
    ($($name:ident { $($field:ident: $ty:ty),* $(,)? })*) => {
        $(
            #[repr(C)]
            pub struct $name {
                pub struct_size: usize,
                pub extension_start: *mut c_void,
                $(pub $field: $ty,)*
            }

            impl $name {
                /// Bytes up to the end of the last field; padding after it does not count.
                #[allow(unused_mut, unused_assignments)]
                const SIZE: usize = {
                    let mut end = std::mem::offset_of!($name, extension_start) + size_of::<*mut c_void>();
                    $(end = std::mem::offset_of!($name, $field) + size_of::<$ty>();)*
                    end
                };

                pub fn new() -> $name {
                    // SAFETY: all fields are integers, floats and pointers, for which zero is a value.
                    let mut new: $name = unsafe { std::mem::zeroed() };
                    new.struct_size = $name::SIZE;
                    new
                }
            }
        )*
    };
}

/// Structs of arguments, each with the place and the name of its function.
macro_rules! functions {
    ($($place:literal $text:literal $name:ident { $($field:ident: $ty:ty),* $(,)? })*) => {
        structs! { $($name { $($field: $ty),* })* }
        $(
            // SAFETY: place and fields are those of the API's header.
            unsafe impl Function for $name {
                const PLACE: usize = $place;
                const NAME: &'static str = $text;
            }
        )*
    };
}

functions! {
    0 "PJRT_Error_Destroy" ErrorDestroy { error: Opaque }
    1 "PJRT_Error_Message" ErrorMessage { error: Opaque, message: *const c_char, message_size: usize }
    3 "PJRT_Plugin_Initialize" PluginInitialize {}
    5 "PJRT_Event_Destroy" EventDestroy { event: Opaque }
    8 "PJRT_Event_Await" EventAwait { event: Opaque }
    10 "PJRT_Client_Create" ClientCreate {
        create_options: *const NamedValue,
        num_options: usize,
        kv_get_callback: *const c_void,
        kv_get_user_arg: *mut c_void,
        kv_put_callback: *const c_void,
        kv_put_user_arg: *mut c_void,
        client: Opaque,
        kv_try_get_callback: *const c_void,
        kv_try_get_user_arg: *mut c_void,
    }
    11 "PJRT_Client_Destroy" ClientDestroy { client: Opaque }
    12 "PJRT_Client_PlatformName" ClientPlatformName { client: Opaque, name: *const c_char, name_size: usize }
    16 "PJRT_Client_AddressableDevices" ClientAddressableDevices {
        client: Opaque,
        devices: *const Opaque,
        num_devices: usize,
    }
    20 "PJRT_Client_Compile" ClientCompile {
        client: Opaque,
        program: *const Program,
        compile_options: *const c_char,
        compile_options_size: usize,
        executable: Opaque,
    }
    22 "PJRT_Client_BufferFromHostBuffer" BufferFromHostBuffer {
        client: Opaque,
        data: *const c_void,
        element_type: c_int,
        dims: *const i64,
        num_dims: usize,
        byte_strides: *const i64,
        num_byte_strides: usize,
        host_buffer_semantics: c_int,
        device: Opaque,
        memory: Opaque,
        device_layout: *const MemoryLayout,
        done_with_host_buffer: Opaque,
        buffer: Opaque,
    }
    23 "PJRT_DeviceDescription_Id" DeviceDescriptionId { description: Opaque, id: c_int }
    29 "PJRT_Device_GetDescription" DeviceGetDescription { device: Opaque, description: Opaque }
    40 "PJRT_Executable_Destroy" ExecutableDestroy { executable: Opaque }
    44 "PJRT_Executable_NumOutputs" ExecutableNumOutputs { executable: Opaque, num_outputs: usize }
    50 "PJRT_LoadedExecutable_Destroy" LoadedExecutableDestroy { executable: Opaque }
    51 "PJRT_LoadedExecutable_GetExecutable" LoadedExecutableGetExecutable { loaded: Opaque, executable: Opaque }
    55 "PJRT_LoadedExecutable_Execute" LoadedExecutableExecute {
        executable: Opaque,
        options: *const ExecuteOptions,
        argument_lists: *const *const Opaque,
        num_devices: usize,
        num_args: usize,
        output_lists: *const *mut Opaque,
        device_complete_events: *mut Opaque,
        execute_device: Opaque,
    }
    58 "PJRT_Buffer_Destroy" BufferDestroy { buffer: Opaque }
    70 "PJRT_Buffer_ToHostBuffer" BufferToHostBuffer {
        src: Opaque,
        host_layout: *const MemoryLayout,
        dst: *mut c_void,
        dst_size: usize,
        event: Opaque,
    }
    96 "PJRT_Executable_GetCompiledMemoryStats" CompiledMemoryStats {
        executable: Opaque,
        generated_code: i64,
        argument: i64,
        output: i64,
        alias: i64,
        temp: i64,
        host_generated_code: i64,
        host_argument: i64,
        host_output: i64,
        host_alias: i64,
        host_temp: i64,
        peak: i64,
    }
}

structs! {
    Program { code: *const c_char, code_size: usize, format: *const c_char, format_size: usize }
    ExecuteOptions {
        send_callbacks: *mut c_void,
        recv_callbacks: *mut c_void,
        num_send_ops: usize,
        num_recv_ops: usize,
        launch_id: c_int,
        non_donatable_input_indices: *const i64,
        num_non_donatable_input_indices: usize,
        context: Opaque,
        call_location: *const c_char,
        num_tasks: usize,
        task_ids: *const c_int,
        incarnation_ids: *const i64,
    }
    NamedValue {
        name: *const c_char,
        name_size: usize,
        kind: c_int,
        // A union of 8 bytes; an integer is the only one used.
        value: i64,
        value_size: usize,
    }
    TiledLayout {
        minor_to_major: *const i64,
        minor_to_major_size: usize,
        tile_dims: *const i64,
        tile_dim_sizes: *const usize,
        num_tiles: usize,
    }
    MemoryLayout { tiled: TiledLayout, kind: c_int }
}

/// [`NamedValue::kind`] of an integer.
pub const NAMED_INTEGER: c_int = 1;
/// [`BufferFromHostBuffer::host_buffer_semantics`]: the data is copied before the call returns.
pub const COPIED_DURING_CALL: c_int = 0;
/// [`MemoryLayout::kind`] of a [`TiledLayout`].
pub const LAYOUT_TILED: c_int = 0;

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes as a C compiler gives them for the API's header on a 64-bit machine.
    #[test]
    fn structs_are_as_large_as_the_header_has_them() {
        assert_eq!(size_of::<Table>(), 40);
        assert_eq!(DeviceDescriptionId::SIZE, 28);
        assert_eq!(ClientCreate::SIZE, 88);
        assert_eq!(BufferFromHostBuffer::SIZE, 120);
        assert_eq!(LoadedExecutableExecute::SIZE, 80);
        assert_eq!(BufferToHostBuffer::SIZE, 56);
        assert_eq!(NamedValue::SIZE, 56);
        assert_eq!(MemoryLayout::SIZE, 16 + 56 + 4);
        assert_eq!(PluginInitialize::SIZE, 16);
        assert_eq!(ExecuteOptions::SIZE, 112);
        assert_eq!(CompiledMemoryStats::SIZE, 112);
    }
}
