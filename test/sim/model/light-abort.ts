type Listener = () => void;

/** As much of an abort signal as the engine uses. */
function createLightController(): Pick<AbortController, 'abort'> & { readonly signal: AbortSignal } {
  let aborted = false;
  let listeners: Listener[] = [];
  const signal = {
    get aborted() {
      return aborted;
    },
    addEventListener: (_type: string, listener: Listener) => void listeners.push(listener),
    removeEventListener: (_type: string, listener: Listener) => {
      listeners = listeners.filter((known) => known !== listener);
    },
  };
  return {
    signal: signal as unknown as AbortSignal,
    abort: () => {
      if (aborted) return;
      aborted = true;
      const told = listeners;
      listeners = [];
      for (const listener of told) listener();
    },
  };
}

/** The real ones cost more than everything else of a simulated turn together: thousands of runs need lighter ones. */
export async function withLightAbort<T>(act: () => Promise<T>): Promise<T> {
  const real = globalThis.AbortController;
  globalThis.AbortController = function lightController() {
    return createLightController();
  } as unknown as typeof AbortController;
  try {
    return await act();
  } finally {
    globalThis.AbortController = real;
  }
}
