// Parses a command line: the command it names, its arguments, and the text of each flag. Refuses a value that
// looks like a flag unless it is written with `=`: it is nearly always an empty shell variable.
import { parseArgs } from 'node:util'
import type { Entry } from './catalogue.ts'
import type { Command } from './command.ts'
import type { Flag, Flags } from './flags.ts'
import { findNearest } from './nearest.ts'
import { failUsage } from './problem.ts'

export interface ParsedLine {
  positionals: string[]
  /** The texts of each flag in order. */
  given: Map<string, string[]>
}

/** Returns undefined if the line names no command. */
export function findCommand<E extends Entry>(
  args: readonly string[],
  commands: readonly E[],
  globals: Flags,
): E | undefined {
  const words = readTokens(args, globals).flatMap(token => (token.kind === 'positional' ? [token.value] : []))
  if (words.length === 0) return undefined
  for (const length of [3, 2, 1]) {
    const some = words.slice(0, length)
    // `flow create` is the same as `create flow`.
    const found = findByWords(commands, some) ?? findByWords(commands, some.toReversed())
    if (found !== undefined) return found
  }
  return failUnknownCommand(words.slice(0, 2), commands)
}

export function findByWords<E extends Entry>(
  commands: readonly E[],
  words: readonly string[],
): E | undefined {
  const wanted = words.join(' ')
  return commands.find(command => listNames(command).includes(wanted))
}

export function listNames({ words, also = [] }: Entry): string[] {
  return [words, ...also].map(each => each.join(' '))
}

function failUnknownCommand(words: readonly string[], commands: readonly Entry[]): never {
  const typed = words.join(' ')
  const nearest = findNearest(
    typed,
    commands.filter(({ is_hidden }) => !is_hidden).flatMap(command => listNames(command)),
  )
  failUsage(
    `Unknown command "${typed}"`,
    nearest === undefined ? 'waybill help lists the commands.' : `Did you mean "waybill ${nearest}"?`,
  )
}

export function parseLine(args: readonly string[], command: Command, globals: Flags): ParsedLine {
  const flags: Flags = { ...globals, ...command.flags }
  const given = new Map<string, string[]>()
  const positionals: string[] = []
  for (const token of readTokens(args, flags)) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const flag = flags[token.name] ?? failUnknownFlag(token.rawName, command, flags)
    const value = readToken(flag, token)
    given.set(token.name, [...(given.get(token.name) ?? []), value])
  }
  return { positionals: dropWords(positionals, command), given }
}

type Token = ReturnType<typeof readTokens>[number]
type OptionToken = Extract<Token, { kind: 'option' }>

function readTokens(args: readonly string[], flags: Flags) {
  const options = Object.entries(flags).map(([name, { kind, short }]) => {
    const type = kind === 'switch' ? ('boolean' as const) : ('string' as const)
    return [name, { type, multiple: true, ...(short === undefined ? {} : { short }) }]
  })
  return parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens
}

function readToken(flag: Flag, { rawName, value, inlineValue }: OptionToken): string {
  if (flag.kind === 'switch') return value ?? 'true'
  if (value === undefined) failUsage(`${rawName} needs a value`)
  if (value === '')
    failUsage(`${rawName} is empty`, 'An empty value is never accepted: omit the flag instead.')
  if (!inlineValue && /^-./.test(value))
    failUsage(
      `${rawName} needs a value, and "${value}" looks like a flag`,
      `If it is the value, write ${rawName}=${value}`,
    )
  return value
}

function failUnknownFlag(raw_name: string, command: Command, flags: Flags): never {
  const visible = Object.entries(flags).filter(([, { is_hidden }]) => !is_hidden)
  const nearest = findNearest(
    raw_name.replace(/^-+/, ''),
    visible.map(([name]) => name),
  )
  failUsage(
    `Unknown flag ${raw_name} of "waybill ${command.words.join(' ')}"`,
    nearest === undefined
      ? `waybill ${command.words.join(' ')} --help lists its flags.`
      : `Did you mean --${nearest}?`,
  )
}

/** Drops the words of the command, in either order. */
function dropWords(positionals: readonly string[], command: Command): string[] {
  for (const length of [3, 2, 1]) {
    const words = positionals.slice(0, length)
    const names = listNames(command)
    if (words.length < length) continue
    if (names.includes(words.join(' ')) || names.includes(words.toReversed().join(' ')))
      return positionals.slice(length)
  }
  return [...positionals]
}

/** The arguments by name. Fails for missing or extra arguments. */
export function nameArguments(
  positionals: readonly string[],
  { args, words }: Command,
): { args: Record<string, string>; repeated: string[] } {
  const usage = `waybill ${words.join(' ')} ${args.map(formatArgument).join(' ')}`.trim()
  const named: Record<string, string> = {}
  const last = args.at(-1)
  const single = last?.is_repeated ? args.slice(0, -1) : args
  for (const [index, { name, summary, is_required }] of single.entries()) {
    const value = positionals[index]
    if (value === '') failUsage(`The argument ${name} is empty`, `Usage: ${usage}`)
    if (value !== undefined) named[name] = value
    else if (is_required) failUsage(`The argument ${name} is missing: ${summary}`, `Usage: ${usage}`)
  }
  const repeated = positionals.slice(single.length)
  if (last?.is_repeated) {
    if (last.is_required && repeated.length === 0)
      failUsage(`The argument ${last.name} is missing: ${last.summary}`, `Usage: ${usage}`)
    if (repeated.includes('')) failUsage(`An argument ${last.name} is empty`, `Usage: ${usage}`)
    return { args: named, repeated }
  }
  if (repeated.length > 0) failUsage(`Unexpected argument "${repeated[0]}"`, `Usage: ${usage}`)
  return { args: named, repeated: [] }
}

export function formatArgument({ name, is_required, is_repeated }: Command['args'][number]): string {
  const shown = `<${name}>${is_repeated ? '…' : ''}`
  return is_required ? shown : `[${shown}]`
}
