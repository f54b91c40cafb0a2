// What the browser keeps: saved states, by the program that they belong to.

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

/** Keeps a state: what the machine tells of it, its bytes and its picture. */
export const keep = (state) => within("readwrite", (store) => store.add(state));

/** The states of a program, the latest first; none where the browser keeps nothing. */
export async function kept(program) {
  const all = await within("readonly", (store) => store.index("program").getAll(program)).catch(() => []);
  return all.reverse();
}

export const forget = (id) => within("readwrite", (store) => store.delete(id));
