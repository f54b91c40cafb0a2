// Sound output of the browser, at our own sample rate. Browsers allow it after the first click or
// key.

import { RATE } from "./pace.js";

export class Sound {
  #context = null;
  #gain = null;
  #volume = 0.6;
  #muted = false;

  /**
   * Opens the output, and calls `connect` with the port for samples. Must be called from a user
   * event.
   */
  async open(connect) {
    if (this.#context) return this.#context.resume();
    this.#context = new AudioContext({ sampleRate: RATE, latencyHint: "interactive" });
    await this.#context.audioWorklet.addModule("speaker.js");
    const node = new AudioWorkletNode(this.#context, "speaker", { numberOfInputs: 0, outputChannelCount: [1] });
    this.#gain = new GainNode(this.#context);
    this.#set();
    node.connect(this.#gain).connect(this.#context.destination);
    const { port1, port2 } = new MessageChannel();
    node.port.postMessage(port1, [port1]);
    connect(port2);
  }

  set volume(value) { this.#volume = value; this.#set(); }
  set muted(value) { this.#muted = value; this.#set(); }

  #set() {
    // A square wave at full scale is too loud, and hearing is logarithmic.
    this.#gain?.gain.setTargetAtTime(this.#muted ? 0 : this.#volume ** 2, this.#context.currentTime, 0.01);
  }
}
