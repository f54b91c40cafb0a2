// The WebAssembly module: requests and answers in JSON and bytes.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Loads the module, and returns the function for requests. The bytes of an answer are a view that
 * is valid until the next request.
 */
export async function load(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} cannot be loaded: ${response.status} ${response.statusText}`);
  // Also works with servers that do not know the file's MIME type.
  const streams = response.headers.get("content-type")?.startsWith("application/wasm");
  const made = streams ? WebAssembly.instantiateStreaming(response) : WebAssembly.instantiate(await response.arrayBuffer());
  const { exports } = (await made).instance;
  const view = (at, length) => new Uint8Array(exports.memory.buffer, at, length);

  return function ask(request, bytes = new Uint8Array()) {
    const text = encoder.encode(JSON.stringify(request));
    const room = exports.oxbox_alloc(text.length + bytes.length);
    view(room, text.length).set(text);
    view(room + text.length, bytes.length).set(bytes);
    exports.oxbox_ask(text.length);
    const value = JSON.parse(decoder.decode(view(exports.oxbox_text(), exports.oxbox_text_length())));
    if (value?.error) throw new Error(value.error);
    return { value, bytes: view(exports.oxbox_bytes(), exports.oxbox_bytes_length()) };
  };
}
