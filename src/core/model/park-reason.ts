/** Why a loop was put aside. */
export type ParkReason =
  | 'iterations'
  | 'runtime'
  | 'no-progress'
  | 'failures'
  | 'conflict'
  | 'red'
  | 'base-parked'
  | 'broken'
  | 'reset'
  | 'budget'
  | 'blocked'
  | 'protected'
  /** More new files than a loop lands by itself, or what tools make. */
  | 'too-large'
  | 'ejected'
  | 'tampered'
  /** Another has done its task meanwhile. */
  | 'duplicate'
  | 'discarded'
  /** Another loop goes on with its branch. */
  | 'replaced'
  | 'stopped';
