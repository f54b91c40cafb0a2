// What the browser keeps: a position for each program, as the keys that lead there.

const STORE = "positions";

function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("oxbox", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
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

/** Keeps a position of a program. */
export const keep = (program, position) => within("readwrite", (store) => store.put(position, program));

/** The position of a program that was kept, if there is one, and the browser keeps anything. */
export const kept = (program) => within("readonly", (store) => store.get(program)).catch(() => undefined);
