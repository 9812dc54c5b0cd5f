// Generates help texts from the commands.
import type { Entry } from './catalogue.ts'
import type { Command } from './command.ts'
import { EXIT_CODES, EXIT_SUMMARIES, type Exit } from './exit-codes.ts'
import type { Flag, Flags } from './flags.ts'
import { formatArgument } from './parse.ts'

const WIDTH = 100

export function describeProgram(commands: readonly Entry[], server_commands: readonly Listed[]): string {
  const listed = [
    ...commands
      .filter(({ is_hidden }) => !is_hidden)
      .map(({ words, summary }) => ({ name: words.join(' '), summary })),
    ...server_commands,
  ].toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return [
    'waybill: record evidence from pipelines, report what runs, ask what is compliant',
    '',
    'Usage: waybill <command> [arguments] [flags]',
    '',
    ...formatList(listed),
    '',
    'Exit codes:',
    ...listExitCodes(),
    '',
    'Each flag can be set by a variable: --flow is WAYBILL_FLOW.',
    '"waybill help <command>" shows the flags of a command.',
  ].join('\n')
}

export interface Listed {
  name: string
  summary: string
}

export function describeCommand(command: Command, globals: Flags): string {
  const { words, args, summary, details, flags, examples } = command
  const usage = ['waybill', ...words, ...args.map(formatArgument), '[flags]'].join(' ')
  return [
    summary,
    '',
    `Usage: ${usage}`,
    ...(details === undefined ? [] : ['', ...wrap(details, WIDTH)]),
    ...describeSection(
      'Arguments',
      args.map(({ name, summary: what }) => ({ name: `<${name}>`, summary: what })),
    ),
    ...describeSection('Flags', listFlags(flags)),
    ...describeSection('Flags of every command', listFlags(globals)),
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...examples.flatMap(formatExample)]),
  ].join('\n')
}

function describeSection(title: string, listed: readonly Listed[]): string[] {
  return listed.length === 0 ? [] : ['', `${title}:`, ...formatList(listed)]
}

export function listFlags(flags: Flags): Listed[] {
  return Object.entries(flags)
    .filter(([, { is_hidden }]) => !is_hidden)
    .map(([name, flag]) => ({
      name: formatFlag(name, flag),
      summary: `${flag.summary}${describeRules(flag)}`,
    }))
}

function formatFlag(name: string, flag: Flag): string {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `
  const placeholder = flag.placeholder ?? (flag.kind === 'pairs' ? '<name=value>' : '<value>')
  return `${short}--${name}${flag.kind === 'switch' ? '' : ` ${placeholder}`}`
}

function describeRules(flag: Flag): string {
  const rules: string[] = []
  if ('is_required' in flag && flag.is_required) rules.push('required')
  if (flag.kind === 'text' && flag.choices !== undefined) rules.push(flag.choices.join(', '))
  if (flag.kind === 'list' || flag.kind === 'pairs') rules.push('repeatable')
  if ('fallback' in flag && flag.fallback !== undefined && flag.fallback !== false)
    rules.push(`default ${flag.fallback}`)
  if (flag.from_ci !== undefined) rules.push('known in CI')
  return rules.length === 0 ? '' : ` (${rules.join('; ')})`
}

function listExitCodes(): string[] {
  return (Object.keys(EXIT_CODES) as Exit[]).map(
    exit => `  ${String(EXIT_CODES[exit]).padStart(3)}  ${EXIT_SUMMARIES[exit]}`,
  )
}

function formatList(listed: readonly Listed[]): string[] {
  const width = Math.min(40, Math.max(...listed.map(({ name }) => name.length)) + 2)
  return listed.flatMap(({ name, summary }) => {
    const [first = '', ...others] = wrap(summary, WIDTH - width - 2)
    const head =
      name.length < width
        ? [`  ${name.padEnd(width)}${first}`]
        : [`  ${name}`, `  ${' '.repeat(width)}${first}`]
    return [...head, ...others.map(line => `  ${' '.repeat(width)}${line}`)]
  })
}

/** A long example continues on the next line, with a backslash. */
function formatExample(example: string): string[] {
  const [first = '', ...others] = `waybill ${example}`.split(/ (?=--)/)
  const lines = [`  ${first}`]
  for (const part of others) {
    const last = lines.at(-1) ?? ''
    // Leaves room for the backslash.
    if (last.length + part.length + 3 <= WIDTH) lines[lines.length - 1] = `${last} ${part}`
    else lines.push(`      ${part}`)
  }
  return lines.map((line, index) => (index === lines.length - 1 ? line : `${line} \\`))
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    let line = ''
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + word.length + 1 > width) {
        lines.push(line)
        line = word
      } else line = line === '' ? word : `${line} ${word}`
    }
    lines.push(line)
  }
  return lines
}
