// The audio worklet: plays samples, and reports how many it has played.

/** Samples between two reports: about 10 ms. */
const REPORT = 512;

class Speaker extends AudioWorkletProcessor {
  constructor() {
    super();
    this.parts = [];
    this.at = 0;
    this.played = 0;
    this.reported = 0;
    this.level = 0;
    this.port.onmessage = ({ data: feed }) => {
      this.feed = feed;
      feed.onmessage = ({ data }) => this.parts.push(data);
    };
  }

  process(_, [[out]]) {
    for (let i = 0; i < out.length; i++) {
      const part = this.parts[0];
      if (part) {
        this.level = part[this.at++];
        this.played++;
        if (this.at === part.length) {
          this.parts.shift();
          this.at = 0;
        }
      } else {
        // Without samples, the sound fades to avoid a click.
        this.level *= 0.99;
      }
      out[i] = this.level;
    }
    this.reported += out.length;
    if (this.reported >= REPORT) {
      this.reported = 0;
      this.feed?.postMessage(this.played);
    }
    return true;
  }
}

registerProcessor("speaker", Speaker);
