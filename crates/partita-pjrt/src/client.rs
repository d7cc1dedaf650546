//! A plug-in's devices.

use crate::api::{self, Plugin};
use crate::error::{Error, ErrorKind};
use crate::raw::{self, Opaque};
use std::sync::Arc;

/// A platform whose devices are virtual, as many as an option says.
struct Virtual {
    platform: &'static str,
    /// The name of the option.
    count: &'static str,
    /// The variable of the environment that says how many threads all its devices have together.
    threads: &'static str,
}

const VIRTUAL: [Virtual; 1] = [Virtual { platform: "cpu", count: "cpu_device_count", threads: "PJRT_NPROC" }];

/// The running devices of a plug-in.
pub struct Client {
    pub(crate) handle: Arc<Handle>,
    platform: String,
    devices: Vec<Device>,
}

/// What buffers and executables keep alive.
pub(crate) struct Handle {
    pub(crate) plugin: Arc<Plugin>,
    pub(crate) client: Opaque,
}

// SAFETY: clients and what belongs to them may be used from any thread.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

/// A device of a client.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    pub(crate) device: Opaque,
    /// The number by which a device assignment names it.
    pub id: i64,
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut destroy = raw::ClientDestroy::new();
        destroy.client = self.client;
        self.plugin.release(destroy);
    }
}

impl Client {
    /// Starts a client that has at least this many devices.
    ///
    /// A platform with devices of its own has those it has. One whose devices are virtual is asked for as many as are needed.
    pub fn new(plugin: &Arc<Plugin>, devices: usize) -> Result<Client, Error> {
        let client = Client::with_option(plugin, None)?;
        if client.devices.len() >= devices {
            return Ok(client);
        }
        if let Some(kind) = VIRTUAL.iter().find(|kind| kind.platform == client.platform) {
            drop(client);
            kind.make_room(devices);
            let client = Client::with_option(plugin, Some((kind.count, devices as i64)))?;
            return client.with_enough(devices);
        }
        client.with_enough(devices)
    }

    fn with_enough(self, devices: usize) -> Result<Client, Error> {
        if self.devices.len() >= devices {
            return Ok(self);
        }
        let message = format!(
            "the program is for {devices} devices; the platform `{}` has {} here",
            self.platform,
            self.devices.len()
        );
        Err(Error::new(ErrorKind::Devices, message).fix("use a smaller mesh"))
    }

    fn with_option(plugin: &Arc<Plugin>, option: Option<(&str, i64)>) -> Result<Client, Error> {
        let options: Vec<raw::NamedValue> = option
            .into_iter()
            .map(|(name, value)| {
                let mut named = raw::NamedValue::new();
                named.name = name.as_ptr().cast();
                named.name_size = name.len();
                named.kind = raw::NAMED_INTEGER;
                named.value = value;
                named.value_size = 1;
                named
            })
            .collect();
        let mut create = raw::ClientCreate::new();
        create.create_options = options.as_ptr();
        create.num_options = options.len();
        let client = plugin.call(create)?.client;
        let handle = Arc::new(Handle { plugin: Arc::clone(plugin), client });

        let mut ask = raw::ClientPlatformName::new();
        ask.client = client;
        let name = plugin.call(ask)?;
        // SAFETY: the plug-in gave the text, which lives as long as the client.
        let platform = unsafe { api::text(name.name, name.name_size) };
        let mut ask = raw::ClientAddressableDevices::new();
        ask.client = client;
        let list = plugin.call(ask)?;
        let devices = if list.devices.is_null() {
            &[]
        } else {
            // SAFETY: the plug-in gave the list, which lives as long as the client.
            unsafe { std::slice::from_raw_parts(list.devices, list.num_devices) }
        };
        let mut devices =
            devices.iter().map(|&device| Device::describe(plugin, device)).collect::<Result<Vec<_>, _>>()?;
        devices.sort_by_key(|device| device.id);
        Ok(Client { handle, platform, devices })
    }

    /// The platform's name, such as `cpu`.
    pub fn platform(&self) -> &str {
        &self.platform
    }

    /// The devices this process can use, by number.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }
}

impl Virtual {
    /// Sees to it that so many devices have threads enough, unless the user says how many there are. A device that waits for others at a collective keeps a thread, and where
    /// all threads wait, the program never ends: beside one for each device there must be others that compute.
    fn make_room(&self, devices: usize) {
        if std::env::var_os(self.threads).is_some() {
            return;
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // SAFETY: no thread of a client is there that could read the environment meanwhile; threads of this program only do so through Rust, which has a lock.
        unsafe { std::env::set_var(self.threads, (devices + cores).to_string()) };
    }
}

impl Device {
    fn describe(plugin: &Plugin, device: Opaque) -> Result<Device, Error> {
        let mut ask = raw::DeviceGetDescription::new();
        ask.device = device;
        let description = plugin.call(ask)?.description;
        let mut ask = raw::DeviceDescriptionId::new();
        ask.description = description;
        Ok(Device { device, id: i64::from(plugin.call(ask)?.id) })
    }
}
