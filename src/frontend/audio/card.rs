//! Sound on systems with a built-in interface (Windows, macOS): cpal's default device.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{BufferSize, FromSample, SampleFormat, SizedSample, StreamConfig};

use super::callback::Callback;
use super::{PERIOD_MS, Shared};

/// The default device and its own format.
pub(super) struct Card {
    device: cpal::Device,
    supported: cpal::SupportedStreamConfig,
}

/// The playing stream. Dropping it closes the card.
pub(super) struct Stream {
    _stream: cpal::Stream,
}

impl Card {
    /// Opens the default device. Fails with one line.
    pub(super) fn open() -> Result<Card, String> {
        let host_id = *cpal::ALL_HOSTS.first().ok_or("this system has no sound interface")?;
        let host = cpal::host_from_id(host_id).map_err(|e| e.to_string())?;
        let device = host.default_output_device().ok_or("no sound card found")?;
        let supported = device.default_output_config().map_err(|e| e.to_string())?;
        Ok(Card { device, supported })
    }

    pub(super) fn rate(&self) -> u32 {
        self.supported.sample_rate()
    }

    /// Starts to play, with a short buffer if the card supports it. Fails if the card supports
    /// neither.
    pub(super) fn start(
        self,
        new_callback: &mut dyn FnMut() -> Callback,
        shared: &Arc<Shared>,
    ) -> Result<Stream, String> {
        let short = BufferSize::Fixed(self.rate() * PERIOD_MS / 1000);
        let mut failure = String::new();
        for buffer_size in [short, BufferSize::Default] {
            let config = StreamConfig { buffer_size, ..self.supported.config() };
            match self.stream(config, new_callback(), shared) {
                Ok(stream) => {
                    stream.play().map_err(|e| e.to_string())?;
                    return Ok(Stream { _stream: stream });
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Returns a stream in the card's own sample format.
    fn stream(
        &self,
        config: StreamConfig,
        callback: Callback,
        shared: &Arc<Shared>,
    ) -> Result<cpal::Stream, String> {
        match self.supported.sample_format() {
            SampleFormat::F32 => self.stream_of::<f32>(config, callback, shared),
            SampleFormat::F64 => self.stream_of::<f64>(config, callback, shared),
            SampleFormat::I32 => self.stream_of::<i32>(config, callback, shared),
            SampleFormat::I24 => self.stream_of::<cpal::I24>(config, callback, shared),
            SampleFormat::I16 => self.stream_of::<i16>(config, callback, shared),
            SampleFormat::U16 => self.stream_of::<u16>(config, callback, shared),
            SampleFormat::U8 => self.stream_of::<u8>(config, callback, shared),
            other => Err(format!("the sound card needs samples as {other}")),
        }
    }

    fn stream_of<T: SizedSample + FromSample<f32>>(
        &self,
        config: StreamConfig,
        mut callback: Callback,
        shared: &Arc<Shared>,
    ) -> Result<cpal::Stream, String> {
        let channels = usize::from(config.channels.max(1));
        let fill = move |data: &mut [T], _: &cpal::OutputCallbackInfo| {
            for frame in data.chunks_mut(channels) {
                frame.fill(T::from_sample(callback.next_sample()));
            }
        };
        // The card recovers from an underrun; a card that disappears leaves silence.
        let shared = Arc::clone(shared);
        let note = move |error: cpal::Error| {
            if error.kind() == cpal::ErrorKind::Xrun {
                shared.underruns.fetch_add(1, Ordering::Relaxed);
            }
        };
        self.device.build_output_stream(config, fill, note, None).map_err(|e| e.to_string())
    }
}
