// The browser's store of saved states, by program.

const STORE = "states";

function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("oxbox", 2);
    request.onupgradeneeded = () => {
      const { result } = request;
      for (const old of [...result.objectStoreNames]) result.deleteObjectStore(old);
      result.createObjectStore(STORE, { keyPath: "id", autoIncrement: true }).createIndex("program", "program");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function within(mode, act) {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const request = act(database.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } finally {
    database.close();
  }
}

/** Stores a state: its description, bytes and picture. */
export const keep = (state) => within("readwrite", (store) => store.add(state));

/** Returns the states of a program, the latest first; none if the browser stores nothing. */
export async function kept(program) {
  const all = await within("readonly", (store) => store.index("program").getAll(program)).catch(() => []);
  return all.reverse();
}

export const forget = (id) => within("readwrite", (store) => store.delete(id));
