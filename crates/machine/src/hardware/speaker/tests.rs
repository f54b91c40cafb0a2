//! Spectra, pitches and lengths, measured on the samples.

use super::*;
use crate::hardware::Hardware;
use crate::hardware::clock::PIT_HZ;
use crate::hardware::pit::Pit;
use oxbox_cpu::{Bus, Width};

const RATE: u32 = 48_000;

/// Transform length: 1.4 seconds, bins of 0.73 Hz.
const SIZE: usize = 1 << 16;

fn square(divisor: u32) -> Wave {
    Wave::Pulses { period: divisor, high: divisor.div_ceil(2), phase: 0 }
}

fn rendered(wave: Wave, seconds: u64) -> Vec<f32> {
    let mut synth = Synth::new(RATE);
    let mut samples = synth.render(&[Segment { from: 0, to: PIT_HZ * seconds, wave, tone: None }]);
    samples.extend(synth.finish());
    samples
}

/// Returns each bin's power in dB under a four-term Blackman-Harris window (lobes below -92 dB).
fn spectrum(samples: &[f32]) -> Vec<f64> {
    let window = |n: usize| {
        let angle = std::f64::consts::TAU * n as f64 / SIZE as f64;
        0.35875 - 0.48829 * angle.cos() + 0.14128 * (2.0 * angle).cos() - 0.01168 * (3.0 * angle).cos()
    };
    let mut data: Vec<(f64, f64)> = (0..SIZE).map(|n| (f64::from(samples[n]) * window(n), 0.0)).collect();
    fft(&mut data);
    data[..SIZE / 2].iter().map(|(re, im)| 10.0 * (re * re + im * im + 1e-30).log10()).collect()
}

/// Radix 2, decimation in time.
fn fft(data: &mut [(f64, f64)]) {
    if data.len() == 1 {
        return;
    }
    let (mut even, mut odd): (Vec<_>, Vec<_>) = data.chunks(2).map(|pair| (pair[0], pair[1])).unzip();
    fft(&mut even);
    fft(&mut odd);
    let half = data.len() / 2;
    for k in 0..half {
        let angle = -std::f64::consts::PI * k as f64 / half as f64;
        let (re, im) = odd[k];
        let turned = (re * angle.cos() - im * angle.sin(), re * angle.sin() + im * angle.cos());
        data[k] = (even[k].0 + turned.0, even[k].1 + turned.1);
        data[k + half] = (even[k].0 - turned.0, even[k].1 - turned.1);
    }
}

/// Returns power and frequency of the strongest bin near `hz`, by a parabola through three bins.
fn peak(spectrum: &[f64], hz: f64) -> (f64, f64) {
    let centre = (hz * SIZE as f64 / f64::from(RATE)) as usize;
    let bin = (centre.saturating_sub(8).max(1)..centre + 8)
        .max_by(|&a, &b| spectrum[a].total_cmp(&spectrum[b]))
        .unwrap();
    let (left, middle, right) = (spectrum[bin - 1], spectrum[bin], spectrum[bin + 1]);
    let offset = (left - right) / (2.0 * (left - 2.0 * middle + right));
    ((bin as f64 + offset) * f64::from(RATE) / SIZE as f64, middle - (left - right) * offset / 4.0)
}

#[test]
fn a_square_wave_has_its_harmonics_and_nothing_else() {
    // Divisors from 50 Hz to 19.2 kHz. Tones with an even divisor have only odd harmonics.
    for divisor in [23_864, 6108, 4550, 2711, 1355, 996, 677, 456, 298, 240, 151, 120, 85, 62] {
        let samples = rendered(square(divisor), 2);
        let spectrum = spectrum(&samples[RATE as usize / 2..]);
        let hz = PIT_HZ as f64 / f64::from(divisor);
        let (measured, fundamental) = peak(&spectrum, hz);
        assert!((measured / hz - 1.0).abs() < 0.001, "{divisor}: {measured} Hz for {hz}");
        for (bin, &power) in spectrum.iter().enumerate().skip(6) {
            let harmonic = bin as f64 * f64::from(RATE) / SIZE as f64 / hz;
            let step = if divisor % 2 == 0 { 2.0 } else { 1.0 };
            let nearest = ((harmonic - 1.0) / step).round().max(0.0) * step + 1.0;
            let bins_off = (harmonic - nearest).abs() * hz * SIZE as f64 / f64::from(RATE);
            if bins_off > 5.0 {
                assert!(
                    power < fundamental - 60.0,
                    "{divisor}: {:.1} dB at harmonic {harmonic:.3}",
                    power - fundamental
                );
            }
        }
    }
}

#[test]
fn harmonics_have_the_strength_of_a_square_wave() {
    let divisor = 1194;
    let hz = PIT_HZ as f64 / f64::from(divisor);
    let spectrum = spectrum(&rendered(square(divisor), 2)[RATE as usize / 2..]);
    let (_, fundamental) = peak(&spectrum, hz);
    for harmonic in [3.0, 5.0, 7.0, 11.0, 15.0, 19.0] {
        let (_, power) = peak(&spectrum, hz * harmonic);
        let expected = -20.0 * f64::log10(harmonic);
        assert!(
            (power - fundamental - expected).abs() < 0.3,
            "{harmonic}: {} {expected}",
            power - fundamental
        );
    }
}

#[test]
fn no_constant_part_remains_and_nothing_clips() {
    for wave in
        [square(2711), Wave::Pulses { period: 1000, high: 999, phase: 0 }, Wave::Steady(true), square(20)]
    {
        let samples = rendered(wave, 2);
        let end = &samples[samples.len() - RATE as usize / 2..];
        let mean = end.iter().map(|&s| f64::from(s)).sum::<f64>() / end.len() as f64;
        assert!(mean.abs() < 1e-3, "{wave:?} {mean}");
        let loudest = samples.iter().fold(0.0_f32, |loudest, s| loudest.max(s.abs()));
        assert!(loudest < 0.7, "{wave:?} {loudest}");
    }
}

#[test]
fn a_tone_that_nobody_hears_is_its_mean() {
    let loud = rendered(square(20), 1)[24_000..].iter().fold(0.0_f32, |loud, s| loud.max(s.abs()));
    assert!(loud < 1e-4, "{loud}");
}

#[test]
fn cutting_differently_changes_no_bit() {
    let pieces = [
        Segment { from: 0, to: 5000, wave: Wave::Steady(false), tone: None },
        Segment { from: 5000, to: 400_123, wave: square(2711), tone: None },
        Segment { from: 400_123, to: 400_150, wave: Wave::Steady(true), tone: None },
        Segment {
            from: 400_150,
            to: 900_000,
            wave: Wave::Pulses { period: 777, high: 10, phase: 5 },
            tone: None,
        },
    ];
    let mut whole = Synth::new(RATE);
    let mut expected = whole.render(&pieces);
    expected.extend(whole.finish());
    let mut cut = Synth::new(RATE);
    let mut samples = Vec::new();
    for piece in pieces {
        for from in (piece.from..piece.to).step_by(19_886) {
            let to = piece.to.min(from + 19_886);
            let wave = piece.wave.later(from - piece.from);
            samples.extend(cut.render(&[Segment { from, to, wave, tone: None }]));
        }
    }
    samples.extend(cut.finish());
    assert!(samples == expected);
    assert_eq!(samples.len(), 900_000 * 48_000 / 1_193_182 + 1);
}

#[test]
fn the_same_bits_on_every_machine() {
    let samples = rendered(square(2711), 1);
    let hash =
        samples.iter().fold(0_u64, |hash, s| hash.wrapping_mul(0x100_0000_01B3) ^ u64::from(s.to_bits()));
    assert_eq!(format!("{hash:016X}"), "443E8F39F89A29E0");
}

/// Returns the times in milliseconds of the jumps in the samples: where they change fastest.
fn jumps(samples: &[f32]) -> Vec<f64> {
    let changes: Vec<f64> = samples.windows(2).map(|pair| f64::from((pair[1] - pair[0]).abs())).collect();
    let steepest = changes.iter().copied().fold(0.0, f64::max);
    let mut jumps = Vec::new();
    for (n, window) in changes.windows(3).enumerate() {
        let [left, middle, right] = [window[0], window[1], window[2]];
        if middle > steepest / 2.0 && middle >= left && middle > right {
            let offset = (left - right) / (2.0 * (left - 2.0 * middle + right));
            jumps.push((n as f64 + 1.5 + offset) * 1000.0 / f64::from(RATE));
        }
    }
    jumps
}

/// Returns pitch (Hz) and length (ms) of the notes in samples: runs of equal half periods.
fn heard(samples: &[f32]) -> Vec<(f64, f64)> {
    let jumps = jumps(samples);
    let mut notes: Vec<Vec<f64>> = Vec::new();
    for pair in jumps.windows(2) {
        let half = pair[1] - pair[0];
        match notes.last_mut() {
            Some(run) if (half / run[0] - 1.0).abs() < 0.02 => run.push(half),
            _ => notes.push(vec![half]),
        }
    }
    // A single half period between two notes is the rest of the old one.
    notes.retain(|run| run.len() > 2);
    notes
        .iter()
        .map(|run| {
            let length = run.iter().sum::<f64>();
            (500.0 * run.len() as f64 / length, length)
        })
        .collect()
}

#[test]
fn a_game_plays_its_tunes() {
    // Port writes of two tunes of a game (cycle, port, value), at 3,000 cycles per millisecond. 86h
    // is a latch command: it sets no mode.
    let three_notes: &[(u64, u16, u32)] = &[
        (4, 0x61, 0x33),
        (6, 0x43, 0x86),
        (8, 0x42, 0xC6),
        (10, 0x42, 0x11),
        (213_006, 0x42, 0x96),
        (213_008, 0x42, 0x0A),
        (426_004, 0x42, 0x58),
        (426_006, 0x42, 0x0D),
        (639_003, 0x61, 0x30),
    ];
    let two_notes: &[(u64, u16, u32)] = &[
        (4, 0x61, 0x33),
        (6, 0x43, 0x86),
        (8, 0x42, 0x5D),
        (10, 0x42, 0x0D),
        (1_048_588, 0x61, 0x30),
        (1_048_590, 0x43, 0x86),
        (1_048_592, 0x42, 0xE9),
        (1_048_594, 0x42, 0x12),
        (1_048_597, 0x61, 0x33),
        (3_145_751, 0x61, 0x30),
    ];
    // Hz and ms of each note.
    let rows = [
        (three_notes, vec![(262.24, 71.0), (440.29, 71.0), (349.29, 71.0)]),
        (two_notes, vec![(348.78, 349.53), (246.47, 699.05)]),
    ];
    for (writes, expected) in rows {
        let mut hw = Hardware::new(3000);
        for value in [0xB6, 0x33, 0x05] {
            hw.output(if value == 0xB6 { 0x43 } else { 0x42 }, Width::Byte, value, 0);
        }
        for &(cycle, port, value) in writes {
            hw.output(port, Width::Byte, value, cycle);
        }
        hw.advance(writes[writes.len() - 1].0 + 300_000);
        let segments = hw.take_sound();
        let asked_for = notes(&segments);
        let mut synth = Synth::new(RATE);
        let mut samples = synth.render(&segments);
        samples.extend(synth.finish());
        let heard = heard(&samples);
        assert_eq!((asked_for.len(), heard.len()), (expected.len(), expected.len()), "{heard:?}");
        for ((asked_for, heard), (hz, ms)) in asked_for.iter().zip(heard).zip(expected) {
            let asked_for = (asked_for.hertz(), asked_for.length_ms());
            // A new count waits for the end of a half period, and the sound is cut off within one.
            // So the measured length may differ by one half period at either end.
            for (found, tolerance) in [(asked_for, 0.01), (heard, 1000.0 / hz)] {
                assert!((found.0 / hz - 1.0).abs() < 0.001, "{found:?}, not {hz} Hz");
                assert!((found.1 - ms).abs() < tolerance, "{found:?}, not {ms} ms of {hz} Hz");
            }
        }
    }
}

#[test]
fn the_old_count_ends_with_its_half_period() {
    let mut pit = Pit::new();
    let mut speaker = Speaker::new();
    pit.set_sound_gate(true, 0);
    for (port, value) in [(0x43, 0xB6), (0x42, 100), (0x42, 0)] {
        pit.output(port, value, 0);
    }
    speaker.record(pit.sound(), true, 0);
    speaker.record(pit.sound(), true, 1020);
    for value in [200, 0] {
        pit.output(0x42, value, 1020);
    }
    speaker.record(pit.sound(), true, 2000);
    let segments = speaker.take();
    // Loaded at tick 1: at 1,020 it is 19 ticks into the high half, which lasts until 1,051.
    let rows: Vec<_> = segments.iter().map(|s| (s.from, s.to, s.wave.level(0), s.tone)).collect();
    assert_eq!(
        rows,
        [
            (0, 1, true, Some(100)),
            (1, 1020, true, Some(100)),
            (1020, 1051, true, Some(200)),
            (1051, 2000, false, Some(200))
        ]
    );
}

#[test]
fn what_nobody_collects_stays_bounded() {
    let mut pit = Pit::new();
    pit.output(0x43, 0xB6, 0);
    let mut speaker = Speaker::new();
    for tick in 0..200_000 {
        speaker.record(pit.sound(), tick % 2 == 0, tick);
    }
    let segments = speaker.take();
    assert_eq!(segments.len(), CAPACITY);
    assert_eq!(segments.last().map(|s| s.to), Some(199_999));
}

#[test]
fn hours_come_in_pieces() {
    let hour = 3600 * PIT_HZ;
    let segments = [
        Segment { from: 0, to: hour, wave: Wave::Steady(true), tone: None },
        Segment { from: 2 * hour, to: 2 * hour + PIT_HZ, wave: square(2711), tone: None },
    ];
    let (mut count, mut longest) = (0, 0);
    let mut synth = Synth::new(8000);
    let result = synth.render_each(&segments, |samples| {
        count += samples.len();
        longest = longest.max(samples.len());
        Ok::<(), ()>(())
    });
    count += synth.finish().len();
    assert_eq!((result, count), (Ok(()), 7201 * 8000 + 1));
    assert!(longest < 8100, "{longest}");
}

#[test]
fn going_on_elsewhere_in_time_makes_no_click() {
    // Silence, then a jump back to an earlier time, which was silent too.
    let mut synth = Synth::new(RATE);
    let quiet = |from, to| Segment { from, to, wave: Wave::Steady(false), tone: None };
    let mut samples = synth.render(&[quiet(0, PIT_HZ)]);
    synth.continue_at(PIT_HZ / 2);
    samples.extend(synth.render(&[quiet(PIT_HZ / 2, PIT_HZ)]));
    assert!(samples.iter().all(|&sample| sample == 0.0));
    // In the middle of a tone: no difference between samples exceeds those of the tone itself.
    let tone = |from: u64, to| Segment { from, to, wave: square(2711).later(from), tone: None };
    let mut synth = Synth::new(RATE);
    let mut samples = synth.render(&[tone(0, PIT_HZ)]);
    synth.continue_at(PIT_HZ / 3);
    samples.extend(synth.render(&[tone(PIT_HZ / 3, PIT_HZ)]));
    let steepest =
        |samples: &[f32]| samples.windows(2).fold(0.0_f32, |most, pair| most.max((pair[1] - pair[0]).abs()));
    assert!(steepest(&samples) <= steepest(&samples[..40_000]) * 1.01);
}

/// Returns the spectrum of two seconds of a program that writes ports: `writes(n)` at cycle `n *
/// apart` (3,000 cycles per millisecond).
fn spectrum_of_program(
    response: Response,
    set_up: &[(u16, u32)],
    apart: u64,
    writes: impl Fn(u64) -> (u16, u32),
) -> Vec<f64> {
    let mut hw = Hardware::new(3000);
    for &(port, value) in set_up {
        hw.output(port, Width::Byte, value, 0);
    }
    let mut synth = Synth::new(RATE).through(response);
    let mut samples = Vec::new();
    for n in 1..6_000_000 / apart {
        let (port, value) = writes(n);
        hw.output(port, Width::Byte, value, n * apart);
        if n % 256 == 0 {
            let segments = hw.take_sound();
            assert!(notes(&segments).is_empty());
            samples.extend(synth.render(&segments));
        }
    }
    spectrum(&samples[RATE as usize / 4..])
}

#[test]
fn digitised_sound_through_bit_1_alone() {
    // Counter 2 is stopped with OUT high; the program toggles bit 1 every half millisecond.
    let spectrum = spectrum_of_program(Response::Raw, &[(0x43, 0xB6)], 1500, |n| (0x61, (n as u32 & 1) << 1));
    let (hz, fundamental) = peak(&spectrum, 1000.0);
    assert!((hz - 1000.0).abs() < 0.1, "{hz}");
    for (harmonic, expected) in [(3.0, -9.54), (5.0, -13.98)] {
        let (_, power) = peak(&spectrum, 1000.0 * harmonic);
        assert!((power - fundamental - expected).abs() < 0.3, "{harmonic}: {}", power - fundamental);
    }
}

#[test]
fn digitised_sound_through_pulse_widths() {
    // A sine of 500 Hz: 16,000 times per second a one-shot (mode 0, low byte) whose width is the
    // sample, 16 to 56 ticks. Rounding, and the varying width itself, cause harmonics.
    let sine = |n: u64| {
        let angle = std::f64::consts::TAU * 500.0 * n as f64 / 16_000.0;
        (0x42, (36.0 + 20.0 * angle.sin()).round() as u32)
    };
    // A distance of 187.5 cycles would be 16 kHz. At 187 it is 16,043 Hz, and the sine has 501.3
    // Hz.
    let spectrum = spectrum_of_program(Response::Raw, &[(0x61, 0x03), (0x43, 0x90)], 187, sine);
    let hz = 500.0 * 187.5 / 187.0;
    let (found, fundamental) = peak(&spectrum, hz);
    assert!((found / hz - 1.0).abs() < 0.001, "{found}");
    // The band of speech contains the sine and little else; the carrier is above it.
    for harmonic in 2..14 {
        let (_, power) = peak(&spectrum, hz * f64::from(harmonic));
        assert!(power < fundamental - 26.0, "{harmonic}: {}", power - fundamental);
    }
    let (_, carrier) = peak(&spectrum, 32.0 * hz);
    assert!(carrier > fundamental - 10.0, "{}", carrier - fundamental);
    // Through a small loudspeaker the sine remains and the carrier does not.
    let spectrum = spectrum_of_program(Response::Filtered, &[(0x61, 0x03), (0x43, 0x90)], 187, sine);
    let (_, filtered) = peak(&spectrum, hz);
    let (_, gone) = peak(&spectrum, 32.0 * hz);
    assert!((filtered - fundamental).abs() < 3.0, "{}", filtered - fundamental);
    assert!(gone < carrier - 50.0, "{}", gone - carrier);
}

#[test]
fn what_is_cut_off_dies_away() {
    let tone = Segment { from: 0, to: 100_000, wave: square(2711), tone: None };
    let quiet = Segment { from: 100_000, to: 100_000 + 2 * PIT_HZ, wave: Wave::Steady(false), tone: None };
    for response in [Response::Raw, Response::Filtered] {
        let mut synth = Synth::new(RATE).through(response);
        let mut samples = synth.render(&[tone]);
        samples.extend(synth.finish());
        assert_ne!(to_i16(samples[samples.len() - 1]), 0, "{response:?}");
        let end = synth.die_away();
        let steepest = samples.last().into_iter().chain(&end).collect::<Vec<_>>();
        assert!(steepest.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.6), "{response:?}");
        assert_eq!(end.last().map(|&sample| to_i16(sample)), Some(0), "{response:?}");
        assert!(end.len() < RATE as usize / 5, "{response:?}: {}", end.len());
        let mut silent = Synth::new(RATE).through(response);
        silent.render(&[tone, quiet]);
        silent.finish();
        assert!(silent.die_away().is_empty(), "{response:?}");
    }
}
