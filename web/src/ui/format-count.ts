// Formats a number with its noun: 1 flow, 2 flows, 3 repositories.

export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString()} ${count === 1 ? noun : pluralize(noun)}`
}

export const pluralize = (noun: string) => (/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`)
