// Text tables, the same on a terminal and in a file. Control characters in stored texts are made visible,
// never sent to the terminal.

export type Row = readonly (string | number | boolean | null | undefined)[]

const GAP = '  '

export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map(row => row.map(formatCell))
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map(row => [...(row[column] ?? '').split('\n', 1).join()].length)),
  )
  return cells
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n')
}

/** Prints `Name:  value` for each pair that has a value. */
export function formatFields(pairs: readonly (readonly [string, Row[number]])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length)) + 1
  return pairs
    .map(([name, value]) => {
      const lines = formatText(value).split('\n')
      return lines
        .map((line, index) => `${(index === 0 ? `${name}:` : '').padEnd(width + 1)} ${line}`)
        .join('\n')
    })
    .join('\n')
}

function formatCell(value: Row[number]): string {
  return formatText(value).replaceAll('\n', ' ')
}

function formatText(value: Row[number]): string {
  if (value === undefined || value === null || value === '') return 'N/A'
  return escapeControls(String(value))
}

/** Everything that a terminal could take as a command, except line feeds and tabs. */
export function escapeControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, character =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

export function formatTime(seconds: unknown): string {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return 'N/A'
  return new Date(seconds * 1000)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace('T', ' ')
}

/** `name=value, name=value` */
export function formatPairs(pairs: Readonly<Record<string, unknown>> | null | undefined): string {
  return Object.entries(pairs ?? {})
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ')
}

/** A verdict, which may be unknown. */
export function formatState(state: boolean | null | undefined): string {
  if (state === null || state === undefined) return 'UNKNOWN'
  return state ? 'COMPLIANT' : 'NON-COMPLIANT'
}
