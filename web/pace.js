// How fast virtual time passes: as fast as the speaker plays, or as the clock says while it is silent.

/** Samples a second: those of `--wav`, so that what is heard here is what is written there. */
export const RATE = 48_000;
/** Milliseconds of sound that wait to be played, and the most that a turn makes up for. */
const AHEAD = 60, LONGEST = 100;

export class Pace {
  #port = null;
  #sent = 0;
  /** What the speaker told last: samples it had played, and when it told. */
  #played = 0;
  #told = null;
  #last = 0;

  /** Samples go to a port from now on; from there comes how many have been played. */
  listen(port) {
    this.#port = port;
    port.onmessage = ({ data }) => {
      if (this.#told === null) this.#sent = data;
      [this.#played, this.#told] = [data, performance.now()];
    };
  }

  /** Time begins anew: what has not passed until now never will. */
  begin() {
    this.#last = performance.now();
    this.#told = null;
  }

  /** Milliseconds of virtual time that are due. */
  due(now) {
    const passed = now - this.#last;
    this.#last = now;
    // A speaker that has told nothing for a while does not play.
    if (this.#told === null || now - this.#told > 200) return Math.min(passed, LONGEST);
    const waiting = this.#sent - this.#played - (now - this.#told) * (RATE / 1000);
    return Math.min(AHEAD - waiting / (RATE / 1000), LONGEST);
  }

  send(samples) {
    this.#sent += samples.length;
    if (this.#port && samples.length) this.#port.postMessage(samples, [samples.buffer]);
  }
}
