/** Folders in which agents keep what they note for themselves: scratchpad, events, memories. Of a loop, and in no commit. */
export const NOTE_FOLDERS = ['.ralph', '.agent'] as const;

/** The page by which agents that know no command of ours read and write memories. */
export const MEMORIES_PAGE = '.agent/memories.md';
