//! Sound on Linux: loads the ALSA library at run time, and a thread feeds its default device.
//!
//! A binary linked with libasound needs its development package to build, and the library to start.
//! Only six functions are needed; without the library sound is off, and a line says why.
//! Source of the prototypes: the ALSA project's C library reference (PCM interface).
#![allow(unsafe_code)] // C functions by name: there is no safe way to call them.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use libloading::Library;

use super::callback::Callback;
use super::{PERIOD_MS, Shared};

/// The names of the installed library, best first.
const NAMES: [&str; 2] = ["libasound.so.2", "libasound.so"];

/// Samples per second. The device converts to the card's rate.
const RATE: u32 = 48_000;
const CHANNELS: u32 = 2;

/// The device in the user's configuration, with conversions: PulseAudio's or PipeWire's if they
/// run.
const DEVICE: &CStr = c"default";
const PLAYBACK: c_int = 0;
const NONBLOCK: c_int = 1;
/// 16 bits, signed, little endian.
const S16_LE: c_int = 2;
const INTERLEAVED: c_int = 3;
/// The card has run out of samples.
const EPIPE: c_long = -32;

/// Time between two checks for space in the card's buffer.
const NAP: Duration = Duration::from_millis(5);

type Pcm = *mut c_void;

struct Functions {
    open: unsafe extern "C" fn(*mut Pcm, *const c_char, c_int, c_int) -> c_int,
    set_params: unsafe extern "C" fn(Pcm, c_int, c_int, c_uint, c_uint, c_int, c_uint) -> c_int,
    avail_update: unsafe extern "C" fn(Pcm) -> c_long,
    writei: unsafe extern "C" fn(Pcm, *const c_void, c_ulong) -> c_long,
    recover: unsafe extern "C" fn(Pcm, c_int, c_int) -> c_int,
    close: unsafe extern "C" fn(Pcm) -> c_int,
    /// Keeps the library loaded as long as there are pointers into it.
    _library: Library,
}

impl Functions {
    fn load() -> Option<Functions> {
        // SAFETY: loading runs the library's start code, and dropping `Library` its end code, and those of what it loads. We trust the
        // installed libasound, and the file under that name to be it.
        let library = NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok())?;
        silence(&library);
        // SAFETY: the type of each field is the prototype of the function of that name in the reference, where C's enums are `int`. The
        // pointers stay in this struct, which owns the library.
        unsafe {
            Some(Functions {
                open: *library.get(c"snd_pcm_open").ok()?,
                set_params: *library.get(c"snd_pcm_set_params").ok()?,
                avail_update: *library.get(c"snd_pcm_avail_update").ok()?,
                writei: *library.get(c"snd_pcm_writei").ok()?,
                recover: *library.get(c"snd_pcm_recover").ok()?,
                close: *library.get(c"snd_pcm_close").ok()?,
                _library: library,
            })
        }
    }
}

/// Removes libasound's own messages from stderr: they would appear in the middle of a terminal
/// screen, and errors are returned as codes anyway.
fn silence(library: &Library) {
    extern "C" fn say_nothing() {}
    // SAFETY: the library calls the handler with five arguments and more, and ours takes none. Neither C nor Rust promises that this
    // works; the calling conventions of the Linux targets do, since the caller alone removes arguments. Our function is never unloaded.
    // The handler is a global of the library: two threads that set it at once set it to the same value.
    unsafe {
        if let Ok(set) =
            library.get::<unsafe extern "C" fn(extern "C" fn()) -> c_int>(c"snd_lib_error_set_handler")
        {
            set(say_nothing);
        }
    }
}

/// An open device. `pcm` is open: [`Card::open`] alone makes a card, and dropping it alone closes it.
pub(super) struct Card {
    functions: Functions,
    pcm: Pcm,
}

// SAFETY: the library lets any thread use a PCM, if not two at once (since 1.1.2 it even locks). `Card` alone holds the handle, and is
// not `Sync`, so one thread uses it at a time. The functions are plain addresses.
unsafe impl Send for Card {}

impl Card {
    /// Opens the default device. Fails with one line.
    pub(super) fn open() -> Result<Card, String> {
        let functions = Functions::load().ok_or("libasound.so.2 is not installed")?;
        let mut pcm = std::ptr::null_mut();
        // SAFETY: `pcm` is valid for the one write during the call, the name ends with NUL, and the constants are values of C's enums.
        let opened = unsafe { (functions.open)(&raw mut pcm, DEVICE.as_ptr(), PLAYBACK, NONBLOCK) };
        if opened < 0 || pcm.is_null() {
            return Err(format!("no sound card found (ALSA error {opened})"));
        }
        let card = Card { functions, pcm };
        // The device has four periods in a buffer of this length: a server that takes 13 ms of 40
        // at a time may be late.
        let latency_us = 2 * PERIOD_MS * 1000;
        // SAFETY: `pcm` is open (see `Card`).
        let set = unsafe {
            (card.functions.set_params)(card.pcm, S16_LE, INTERLEAVED, CHANNELS, RATE, 1, latency_us)
        };
        if set < 0 {
            return Err(format!(
                "the sound card does not support 16-bit stereo at {RATE} Hz (ALSA error {set})"
            ));
        }
        Ok(card)
    }

    pub(super) fn rate(&self) -> u32 {
        RATE
    }

    /// Starts the thread that feeds the card. Fails if the host has no more threads.
    pub(super) fn start(
        self,
        new_callback: &mut dyn FnMut() -> Callback,
        shared: &Arc<Shared>,
    ) -> Result<Stream, String> {
        let stop = Arc::new(AtomicBool::new(false));
        let (callback, shared, told) = (new_callback(), Arc::clone(shared), Arc::clone(&stop));
        let thread = thread::Builder::new().name("sound".to_owned());
        let thread = thread.spawn(move || self.feed(callback, &shared, &told)).map_err(|e| e.to_string())?;
        Ok(Stream { stop, thread: Some(thread) })
    }

    /// Keeps the card's buffer full. A card that disappears leaves silence.
    fn feed(self, mut callback: Callback, shared: &Shared, stop: &AtomicBool) {
        let most = (RATE * PERIOD_MS / 1000) as usize;
        let mut samples = Vec::with_capacity(most * CHANNELS as usize);
        while !stop.load(Ordering::Relaxed) {
            // SAFETY: `pcm` is open (see `Card`).
            let room = unsafe { (self.functions.avail_update)(self.pcm) };
            let frames = usize::try_from(room).map_or(0, |room| room.min(most));
            if room > 0 {
                samples.clear();
                for _ in 0..frames {
                    let sample = (callback.next_sample().clamp(-1.0, 1.0) * f32::from(i16::MAX)) as i16;
                    samples.extend([sample; CHANNELS as usize]);
                }
            }
            let done = if room > 0 { self.write(&samples) } else { room };
            if done < 0 && !self.recover(done, shared) {
                return;
            }
            if frames < most {
                thread::sleep(NAP);
            }
        }
    }

    /// Writes whole frames. Returns how many were taken, or an error. There was room for all.
    fn write(&self, samples: &[i16]) -> c_long {
        let frames = samples.len() / CHANNELS as usize;
        // SAFETY: a frame is `CHANNELS` values of 16 bits, as `open` has set it, and `samples` holds at least `frames` of them. The library
        // only reads them, and keeps no pointer.
        unsafe { (self.functions.writei)(self.pcm, samples.as_ptr().cast(), frames as c_ulong) }
    }

    /// Makes the card continue after an error. Returns false if it cannot.
    fn recover(&self, error: c_long, shared: &Shared) -> bool {
        if error == EPIPE {
            shared.underruns.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: `pcm` is open (see `Card`).
        unsafe { (self.functions.recover)(self.pcm, error as c_int, 1) >= 0 }
    }
}

impl Drop for Card {
    fn drop(&mut self) {
        // SAFETY: `pcm` is open (see `Card`), and this is its last use. The library is unloaded after it, when `functions` is dropped.
        unsafe { (self.functions.close)(self.pcm) };
    }
}

/// The thread that plays. Dropping it closes the card.
pub(super) struct Stream {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
