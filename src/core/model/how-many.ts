/** `1 commit`, `2 commits`. */
export const howMany = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
