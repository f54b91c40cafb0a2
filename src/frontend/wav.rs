//! Writes the speaker to a file: 16 bits, mono, 48 kHz, from power-on to the end of the run and of
//! its sound. The same run gives the same bytes.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use hound::{SampleFormat, WavSpec};

use oxbox::atomic_file::AtomicFile;
use oxbox::hardware::speaker::{Response, Segment, Synth, to_i16};

/// Samples per second in a WAV file.
pub(crate) const RATE: u32 = 48_000;

/// The most samples of a WAV file, whose lengths have 32 bits: twelve hours at [`RATE`].
const MOST_SAMPLES: u32 = 0x7FFF_F000;

pub(crate) struct WavWriter {
    synth: Synth,
    writer: hound::WavWriter<BufWriter<File>>,
    whole: AtomicFile,
}

impl WavWriter {
    /// Starts a file whose first sample is at power-on. Fails if the file cannot be created.
    pub(crate) fn create(path: &Path, response: Response) -> io::Result<WavWriter> {
        WavWriter::starting_at(path, 0, response)
    }

    /// Starts a file whose first sample is at a timer tick. Fails if it cannot be created.
    pub(crate) fn starting_at(path: &Path, tick: u64, response: Response) -> io::Result<WavWriter> {
        let spec =
            WavSpec { channels: 1, sample_rate: RATE, bits_per_sample: 16, sample_format: SampleFormat::Int };
        let whole = AtomicFile::create(path)?;
        let writer = hound::WavWriter::new(BufWriter::new(whole.file().try_clone()?), spec);
        let writer = writer.map_err(of_host)?;
        Ok(WavWriter { synth: Synth::starting_at(RATE, tick).through(response), writer, whole })
    }

    /// Writes the speaker's record since the last call. Fails if the disk is full, or the file has
    /// reached the 4 GiB limit of WAV files.
    pub(crate) fn write(&mut self, segments: &[Segment]) -> io::Result<()> {
        let WavWriter { synth, writer, .. } = self;
        synth.render_each(segments, |samples| put(writer, samples))
    }

    /// Continues at another tick of the timer: the machine has jumped in time.
    pub(crate) fn continue_at(&mut self, tick: u64) {
        self.synth.continue_at(tick);
    }

    /// Writes the rest and completes the file. Fails like [`WavWriter::write`].
    pub(crate) fn finish(mut self) -> io::Result<()> {
        for samples in [self.synth.finish(), self.synth.die_away()] {
            put(&mut self.writer, &samples)?;
        }
        self.writer.finalize().map_err(of_host)?;
        self.whole.commit()
    }
}

fn put(writer: &mut hound::WavWriter<BufWriter<File>>, samples: &[f32]) -> io::Result<()> {
    if writer.len() >= MOST_SAMPLES - samples.len() as u32 {
        return Err(io::Error::other("it is full, after twelve hours"));
    }
    samples.iter().try_for_each(|&sample| writer.write_sample(to_i16(sample))).map_err(of_host)
}

fn of_host(error: hound::Error) -> io::Error {
    match error {
        hound::Error::IoError(error) => error,
        other => io::Error::other(other),
    }
}
