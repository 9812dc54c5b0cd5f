// `waybill verify receipts`: whether everything that the receipts are about is still in the log.
import { resolve } from 'node:path'
import { setImmediate as takeTurn } from 'node:timers/promises'
import { LogProblem, parseVerifierKey } from '@waybill/transparency-log'
import { escapeText } from '../../../server/src/verifier/escape.ts'
import { defineCommand, optionalArgument } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import type { Exit } from '../program/exit-codes.ts'
import { text } from '../program/flags.ts'
import { Problem } from '../program/problem.ts'
import { type OpenReceipts, openReceipts } from '../receipts/file.ts'
import { openService } from '../receipts/log-source.ts'
import { outline } from '../receipts/outline.ts'
import type { BrokenLine } from '../receipts/receipt.ts'
import { type Compared, compareWithLog, type Finding } from '../receipts/verify.ts'

/** A long file can be interrupted. */
const LINES_PER_TURN = 100

type Verdict = 'shown' | 'false' | 'unknown'

/** Like those of `waybill verify`: 0, 1 and 2. */
const EXITS: Readonly<Record<Verdict, Exit>> = { shown: 'done', false: 'failure', unknown: 'usage' }

const CONCLUSIONS: Readonly<Record<Verdict, string>> = {
  shown: 'All of this is shown.',
  false: 'Something is false: keep the receipts, they are evidence.',
  unknown: 'Something cannot be judged.',
}

export const verifyReceiptsCommands = [
  defineCommand({
    words: ['verify', 'receipts'],
    summary: 'show that everything the receipts are about is still in the log',
    details:
      'Asks the service for its newest checkpoint and for proofs, and believes neither. Exit code 0: all is shown; 1: something is ' +
      'false, and the receipt is named; 2: it cannot be judged.',
    args: [optionalArgument('file', 'the receipts; by default those of --receipts')],
    flags: {
      vkey: text('the key of the log, from somebody you trust; by default the one in the first receipt', {
        placeholder: '<key>',
      }),
    },
    needs: 'service',
    operations: ['getLogCheckpoint', 'getLogTile', 'getLogBody', 'getLogKeys', 'getLogLeaves'],
    examples: ['verify receipts', 'verify receipts waybill-receipts.jsonl'],
    run: async ({ args, flags, context }) => {
      try {
        const file = resolve(context.system.cwd, args.file ?? context.receipts_file)
        return await verify(file, flags.vkey, context)
      } catch (error) {
        if (!(error instanceof Problem || error instanceof LogProblem)) throw error
        const { message } = error
        await show(
          { json: { verdict: 'unknown', message }, lines: [`It cannot be judged: ${message}`] },
          context,
        )
        return EXITS.unknown
      }
    },
  }),
]

interface Judged {
  count: number
  logs: NonNullable<Compared['log']>[]
  findings: Finding[]
}

async function verify(file: string, vkey: string | undefined, context: Context): Promise<Exit> {
  const { count, logs, findings } = await judge(file, vkey, context)
  const verdict = conclude(findings)
  await show(
    {
      json: { verdict, file, receipts: count, logs, findings },
      lines: [
        `${file}: ${count} ${count === 1 ? 'receipt' : 'receipts'}`,
        ...logs.map(
          ({ origin, size, signed_by }) =>
            `Log ${origin}: ${size} leaves, signed by ${signed_by || 'nobody you trust'}`,
        ),
        ...findings.map(({ level, text }) => `${level === 'note' ? 'note' : level.toUpperCase()}: ${text}`),
        CONCLUSIONS[verdict],
      ],
    },
    context,
  )
  return EXITS[verdict]
}

/** Reads the file twice: a later receipt may say more about the keys of a log. */
async function judge(file: string, vkey: string | undefined, { api, host }: Context): Promise<Judged> {
  const receipts = open(file)
  try {
    const { count, orgs, logs: seen } = outline(receipts.list())
    const key = vkey === undefined ? undefined : parseVerifierKey(vkey)
    const findings: Finding[] = count === 0 ? [{ level: 'unknown', text: 'there are no receipts' }] : []
    const compared = new Map<string, Compared>()
    for (const org of orgs) {
      const named = `the log of ${org} at ${host}`
      compared.set(org, await compareWithLog({ source: openService(api, org), named, host, seen, key }))
    }
    findings.push(...[...compared.values()].flatMap(each => each.findings))
    for (const each of receipts.list()) {
      if (each.line % LINES_PER_TURN === 0) await takeTurn()
      if (each.receipt === undefined) findings.push(explainLine(each))
      else findings.push(...((await compared.get(each.receipt.org)?.judge(each)) ?? []))
    }
    return { count, logs: [...compared.values()].flatMap(({ log }) => log ?? []), findings }
  } finally {
    receipts.close()
  }
}

function open(file: string): OpenReceipts {
  try {
    return openReceipts(file)
  } catch (error) {
    throw new Problem(`${file} cannot be read: ${(error as Error).message}`, { exit: 'usage' })
  }
}

const explainLine = ({ line, is_torn }: BrokenLine): Finding =>
  is_torn
    ? { level: 'note', text: `line ${line} is cut off: a process was killed while it kept a receipt` }
    : { level: 'false', text: `line ${line} is not a receipt` }

function conclude(findings: readonly Finding[]): Verdict {
  if (findings.some(({ level }) => level === 'false')) return 'false'
  return findings.some(({ level }) => level === 'unknown') ? 'unknown' : 'shown'
}

const show = ({ json, lines }: { json: unknown; lines: readonly string[] }, { output }: Context) =>
  output.show({ json, text: lines.map(escapeText).join('\n') })
