/** Stands at the end of what we write on a forge, unseen by people: by it we know our own again. */
const MARK = /<!-- ralph:([\w:./+-]+) -->/;

export const mark = (what: string): string => `<!-- ralph:${what} -->`;

/** Null: the text is not ours. */
export const readMark = (text: string): string | null => MARK.exec(text)?.[1] ?? null;

/** The loop a pull request was opened for, where the log is lost. */
export const loopMark = (loop: string): string => mark(`loop:${loop}`);
