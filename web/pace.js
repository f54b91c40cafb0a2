// The pace of virtual time: that of the sound output, or of the clock if there is no sound.

/** Samples per second, as in `--wav`. */
export const RATE = 48_000;
/**
 * Milliseconds of sound that are buffered ahead, and the longest delay that a turn catches up with.
 */
const AHEAD = 60, LONGEST = 100;

export class Pace {
  #port = null;
  #sent = 0;
  /** The sound output's last report: samples played, and its time. */
  #played = 0;
  #told = null;
  #last = 0;

  /** Sends samples to a port from now on. The port reports how many have been played. */
  listen(port) {
    this.#port = port;
    port.onmessage = ({ data }) => {
      if (this.#told === null) this.#sent = data;
      [this.#played, this.#told] = [data, performance.now()];
    };
  }

  /** Restarts the clock. Time that is due is dropped. */
  begin() {
    this.#last = performance.now();
    this.#told = null;
  }

  /** Returns the milliseconds of virtual time that are due. */
  due(now) {
    const passed = now - this.#last;
    this.#last = now;
    // An output that has not reported for a while does not play.
    if (this.#told === null || now - this.#told > 200) return Math.min(passed, LONGEST);
    const waiting = this.#sent - this.#played - (now - this.#told) * (RATE / 1000);
    return Math.min(AHEAD - waiting / (RATE / 1000), LONGEST);
  }

  send(samples) {
    this.#sent += samples.length;
    if (this.#port && samples.length) this.#port.postMessage(samples, [samples.buffer]);
  }
}
