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
  | 'ejected'
  | 'tampered'
  /** Another has done its task meanwhile. */
  | 'duplicate'
  | 'discarded'
  /** Another loop goes on with its branch. */
  | 'replaced'
  | 'stopped';
