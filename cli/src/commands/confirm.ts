// Asks before something is deleted: on a terminal, or through a pipe that holds the answer. Without an answer nothing is
// deleted.
import { createInterface } from 'node:readline'
import type { Context } from '../program/context.ts'
import { failUsage } from '../program/problem.ts'

/** A pipe that stays open and silent must not block a pipeline for ever. */
const PATIENCE_MS = 10_000

/** Returns whether to go on. "No" is an answer, not a failure. */
export async function confirmDeletion(context: Context, what: string): Promise<boolean> {
  const { assumes_yes, is_dry_run, output, system } = context
  if (assumes_yes || is_dry_run) return true
  output.say(`Delete ${what}? This cannot be undone. [y/N]`)
  const answer = await readLine(system.stdin, system.isTerminal ? undefined : PATIENCE_MS)
  if (answer === undefined && !system.isTerminal)
    failUsage(
      `Not deleted: nobody confirmed to delete ${what}`,
      'Give --assume-yes to delete it without asking.',
    )
  if (/^y(es)?$/i.test(answer?.trim() ?? '')) return true
  output.say(`Cancelled: ${what} was not deleted`)
  return false
}

/** The first line, or undefined if there is none. */
function readLine(stdin: NodeJS.ReadStream, patience_ms: number | undefined): Promise<string | undefined> {
  return new Promise(resolve => {
    const lines = createInterface({ input: stdin })
    const finish = (line: string | undefined) => {
      clearTimeout(timer)
      // Before the end, which would be taken for the lack of an answer.
      resolve(line)
      lines.close()
      stdin.destroy()
    }
    const timer = patience_ms === undefined ? undefined : setTimeout(() => finish(undefined), patience_ms)
    lines.once('line', finish)
    lines.once('close', () => finish(undefined))
  })
}
