export const SHELVES: readonly {
  readonly folder: string;
  readonly order: readonly string[];
  /** How many files may stand beside the shelves. */
  readonly flatMax: number;
}[];
