/** How one run of the agent ended, as we saw it. */
export type IterationOutcome =
  /** It came to its own end and the last thing said was the completion signal. */
  | 'claimed'
  /** It came to its own end without the signal, or was stopped by its turn cap or budget. */
  | 'worked'
  /** It broke, or ended without the word that ends a run. */
  | 'failed'
  /** It said nothing for too long, or too much, and was stopped. */
  | 'stalled'
  /** The account's usage limit is reached; counts for nothing. */
  | 'limited'
  /** Too many requests, or the service is overloaded; counts for nothing. */
  | 'throttled'
  /** Not logged in, or the key is refused; counts for nothing. */
  | 'refused'
  /** Stopped by the loop's runtime limit. */
  | 'timed-out'
  /** Stopped because the host stops; counts for nothing. */
  | 'interrupted'
  /** The process vanished without an exit code. */
  | 'lost';
