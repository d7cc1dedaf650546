//! A plug-in's devices.

use crate::api::{self, Plugin};
use crate::error::{Error, ErrorKind};
use crate::raw::{self, Opaque};
use std::sync::Arc;

/// Platforms whose devices are virtual, as many as an option says: the platform and the name of the option.
const DEVICE_COUNT_OPTIONS: [(&str, &str); 1] = [("cpu", "cpu_device_count")];

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
        let option = DEVICE_COUNT_OPTIONS.iter().find(|(platform, _)| *platform == client.platform);
        if let Some(&(_, option)) = option {
            drop(client);
            let client = Client::with_option(plugin, Some((option, devices as i64)))?;
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
