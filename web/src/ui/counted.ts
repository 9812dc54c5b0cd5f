// A number with its noun: 1 flow, 2 flows, 3 repositories.

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString()} ${count === 1 ? noun : plural(noun)}`
}

export const plural = (noun: string) => (/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`)
