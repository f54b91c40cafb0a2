//! The ALSA functions that cpal's Linux backend calls, resolved from libasound.so.2 when the program runs.
//!
//! A binary that links libasound neither builds without its development package nor starts without the library. Here every
//! symbol that cpal refers to is defined by us and looks its namesake up with dlopen and dlsym; where the library is missing
//! it answers -ENOSYS, cpal reports that there is no ALSA, and the program goes on in silence.
//! Source of the prototypes: the ALSA project's C library reference (PCM interface).
#![allow(unsafe_code)] // C functions by name: there is no safe way to define or to call them.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_ulong, c_ushort, c_void};
use std::sync::OnceLock;
use std::time::Duration;

use libloading::Library;

/// "Function not implemented", as ALSA reports errors: negative.
const ENOSYS: c_int = -38;
const ENOSYS_LONG: c_long = ENOSYS as c_long;

/// The names under which the library is installed, best first.
const NAMES: [&str; 2] = ["libasound.so.2", "libasound.so"];

/// libasound, opened at the first call and kept until the process ends; None where there is none.
fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    LIBRARY
        .get_or_init(|| {
            // SAFETY: libasound's initialisers only set up its own tables.
            let library = NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok())?;
            silence(&library);
            Some(library)
        })
        .as_ref()
}

/// Whether there is a libasound to pass calls on to.
pub(super) fn is_installed() -> bool {
    library().is_some()
}

/// Takes libasound's own messages off stderr: they would land in the middle of a terminal screen, and what is wrong
/// comes back as an error code anyway.
fn silence(library: &Library) {
    extern "C" fn say_nothing() {}
    // SAFETY: the library calls its handler with C's variadic convention, which on every Linux ABI leaves clearing up to
    // the caller: a function that looks at none of its arguments may stand there.
    unsafe {
        if let Ok(set) =
            library.get::<unsafe extern "C" fn(extern "C" fn()) -> c_int>(c"snd_lib_error_set_handler")
        {
            set(say_nothing);
        }
    }
}

/// The address of a function of libasound.
fn address(name: &CStr) -> Option<*const c_void> {
    // SAFETY: only the address is taken here; the caller knows the prototype.
    let symbol = unsafe { library()?.get::<*const c_void>(name) }.ok()?;
    Some(*symbol)
}

/// Passes a call on to libasound; the value after `=` (nothing, if there is none) where the library or the function is
/// missing.
macro_rules! call {
    ($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty = $missing:expr)?) => {{
        static ADDRESS: OnceLock<Option<usize>> = OnceLock::new();
        const NAME: &CStr = match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
            Ok(name) => name,
            Err(_) => panic!("a name without NUL"),
        };
        match *ADDRESS.get_or_init(|| address(NAME).map(|found| found as usize)) {
            // SAFETY: the prototype is the one of the C library, and the arguments are the caller's.
            Some(found) => unsafe {
                let function: unsafe extern "C" fn($($type),*) $(-> $result)? = std::mem::transmute(found);
                function($($argument),*)
            },
            None => { $($missing)? }
        }
    }};
}

/// Defines functions under their C names that only pass the call on.
macro_rules! forward {
    ($(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty = $missing:expr)?;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
            call!($name($($argument: $type),*) $(-> $result = $missing)?)
        }
    )*};
}

/// How long a thread sleeps that was woken for nothing.
const AFTER_A_FALSE_WAKE: Duration = Duration::from_millis(2);

/// What woke the thread that feeds the card. PipeWire's plug-in leaves its descriptor readable while there is no room for a
/// period yet; cpal would poll it again at once, over and over, and half a processor would go into that.
#[unsafe(no_mangle)]
unsafe extern "C" fn snd_pcm_poll_descriptors_revents(
    pcm: *mut c_void,
    pfds: *mut c_void,
    nfds: c_uint,
    revents: *mut c_ushort,
) -> c_int {
    let result = call!(
        snd_pcm_poll_descriptors_revents(
            pcm: *mut c_void, pfds: *mut c_void, nfds: c_uint, revents: *mut c_ushort
        ) -> c_int = ENOSYS
    );
    // SAFETY: after success the library has written there.
    if result == 0 && unsafe { *revents } == 0 {
        std::thread::sleep(AFTER_A_FALSE_WAKE);
    }
    result
}

/// Four periods a buffer instead of the two that cpal makes. With two the card's thread is woken when half of the buffer is empty: a
/// sound server that takes 13 ms at a time of 40 would run dry if it came 7 ms late.
#[unsafe(no_mangle)]
unsafe extern "C" fn snd_pcm_hw_params_set_period_size_near(
    pcm: *mut c_void,
    params: *mut c_void,
    val: *mut c_ulong,
    dir: *mut c_int,
) -> c_int {
    // SAFETY: cpal passes the address of the size that it wants.
    unsafe { *val /= 2 };
    call!(
        snd_pcm_hw_params_set_period_size_near(
            pcm: *mut c_void, params: *mut c_void, val: *mut c_ulong, dir: *mut c_int
        ) -> c_int = ENOSYS
    )
}

forward! {
    fn snd_pcm_avail_delay(pcm: *mut c_void, availp: *mut c_long, delayp: *mut c_long) -> c_int = ENOSYS;
    fn snd_pcm_sw_params_set_avail_min(pcm: *mut c_void, params: *mut c_void, val: c_ulong) -> c_int = ENOSYS;
    fn snd_config_update() -> c_int = ENOSYS;
    fn snd_config_update_free_global() -> c_int = ENOSYS;
    fn snd_pcm_bytes_to_frames(pcm: *mut c_void, bytes: isize) -> c_long = ENOSYS_LONG;
    fn snd_pcm_close(pcm: *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_format_physical_width(format: c_int) -> c_int = ENOSYS;
    fn snd_pcm_get_params(pcm: *mut c_void, buffer_size: *mut c_ulong, period_size: *mut c_ulong) -> c_int = ENOSYS;
    fn snd_pcm_hw_params(pcm: *mut c_void, params: *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_any(pcm: *mut c_void, params: *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_can_pause(params: *const c_void) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_can_resume(params: *const c_void) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_copy(dst: *mut c_void, src: *const c_void);
    fn snd_pcm_hw_params_current(pcm: *mut c_void, params: *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_free(obj: *mut c_void);
    fn snd_pcm_hw_params_get_buffer_size_max(params: *const c_void, val: *mut c_ulong) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_get_channels_max(params: *const c_void, val: *mut c_uint) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_get_channels_min(params: *const c_void, val: *mut c_uint) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_get_period_size(params: *const c_void, frames: *mut c_ulong, dir: *mut c_int) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_get_period_size_max(params: *const c_void, frames: *mut c_ulong, dir: *mut c_int) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_get_period_size_min(params: *const c_void, frames: *mut c_ulong, dir: *mut c_int) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_get_rate_max(params: *const c_void, val: *mut c_uint, dir: *mut c_int) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_get_rate_min(params: *const c_void, val: *mut c_uint, dir: *mut c_int) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_malloc(ptr: *mut *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_set_access(pcm: *mut c_void, params: *mut c_void, access: c_int) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_set_buffer_size_near(pcm: *mut c_void, params: *mut c_void, val: *mut c_ulong) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_set_channels(pcm: *mut c_void, params: *mut c_void, val: c_uint) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_set_format(pcm: *mut c_void, params: *mut c_void, val: c_int) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_set_rate(pcm: *mut c_void, params: *mut c_void, val: c_uint, dir: c_int) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_supports_audio_ts_type(params: *const c_void, kind: c_int) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_test_channels(pcm: *mut c_void, params: *mut c_void, val: c_uint) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_test_format(pcm: *mut c_void, params: *mut c_void, val: c_int) -> c_int = ENOSYS;
    fn snd_pcm_hw_params_test_rate(pcm: *mut c_void, params: *mut c_void, val: c_uint, dir: c_int) -> c_int = ENOSYS;
    fn snd_pcm_info(pcm: *mut c_void, info: *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_info_free(obj: *mut c_void);
    fn snd_pcm_info_get_stream(obj: *const c_void) -> c_int = ENOSYS;
    fn snd_pcm_info_malloc(ptr: *mut *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_open(pcm: *mut *mut c_void, name: *const c_char, stream: c_int, mode: c_int) -> c_int = ENOSYS;
    fn snd_pcm_pause(pcm: *mut c_void, enable: c_int) -> c_int = ENOSYS;
    fn snd_pcm_poll_descriptors(pcm: *mut c_void, pfds: *mut c_void, space: c_uint) -> c_int = ENOSYS;
    fn snd_pcm_poll_descriptors_count(pcm: *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_prepare(pcm: *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_resume(pcm: *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_start(pcm: *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_state(pcm: *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_status(pcm: *mut c_void, status: *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_status_get_audio_htstamp(obj: *const c_void, ptr: *mut c_void);
    fn snd_pcm_status_get_htstamp(obj: *const c_void, ptr: *mut c_void);
    fn snd_pcm_status_get_state(obj: *const c_void) -> c_int = ENOSYS;
    fn snd_pcm_status_get_trigger_htstamp(obj: *const c_void, ptr: *mut c_void);
    fn snd_pcm_status_set_audio_htstamp_config(obj: *mut c_void, audio_tstamp_config: *mut c_void);
    fn snd_pcm_status_sizeof() -> usize = 0;
    fn snd_pcm_sw_params(pcm: *mut c_void, params: *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_sw_params_current(pcm: *mut c_void, params: *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_sw_params_free(obj: *mut c_void);
    fn snd_pcm_sw_params_malloc(ptr: *mut *mut c_void) -> c_int = ENOSYS;
    fn snd_pcm_sw_params_set_start_threshold(pcm: *mut c_void, params: *mut c_void, val: c_ulong) -> c_int = ENOSYS;
    fn snd_pcm_sw_params_set_tstamp_mode(pcm: *mut c_void, params: *mut c_void, val: c_int) -> c_int = ENOSYS;
    fn snd_pcm_sw_params_set_tstamp_type(pcm: *mut c_void, params: *mut c_void, val: c_int) -> c_int = ENOSYS;
    fn snd_pcm_writei(pcm: *mut c_void, buffer: *const c_void, size: c_ulong) -> c_long = ENOSYS_LONG;
}
