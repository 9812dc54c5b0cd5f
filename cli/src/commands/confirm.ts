// Asks for confirmation before deleting or archiving: on a terminal, or through a pipe that contains the
// answer. Without an answer nothing happens.
import { createInterface } from 'node:readline'
import type { Context } from '../program/context.ts'
import { failUsage } from '../program/problem.ts'

/** A pipe that stays open and silent must not block a pipeline forever. */
const PATIENCE_MS = 10_000

interface Question {
  text: string
  /** Printed after a "no". */
  declined: string
  /** The error message if there is no answer. */
  unanswered: string
}

/** Returns whether to continue. "No" is an answer, not a failure. */
export function confirmDeletion(context: Context, what: string): Promise<boolean> {
  return confirm(context, {
    text: `Delete ${what}? This cannot be undone.`,
    declined: `Cancelled: ${what} was not deleted`,
    unanswered: `Not deleted: nobody confirmed to delete ${what}`,
  })
}

export async function confirm(
  { assumes_yes, is_dry_run, output, system }: Context,
  { text, declined, unanswered }: Question,
): Promise<boolean> {
  if (assumes_yes || is_dry_run) return true
  output.say(`${text} [y/N]`)
  const answer = await readLine(system.getStdin(), system.isTerminal() ? undefined : PATIENCE_MS)
  if (answer === undefined && !system.isTerminal())
    failUsage(unanswered, 'Give --assume-yes to do it without asking.')
  if (/^y(es)?$/i.test(answer?.trim() ?? '')) return true
  output.say(declined)
  return false
}

/** The first line, or undefined if there is none. */
function readLine(stdin: NodeJS.ReadStream, patience_ms: number | undefined): Promise<string | undefined> {
  return new Promise(resolve => {
    const lines = createInterface({ input: stdin })
    const finish = (line: string | undefined) => {
      clearTimeout(timer)
      // Resolve before the end of the stream, which would count as no answer.
      resolve(line)
      lines.close()
      stdin.destroy()
    }
    const timer = patience_ms === undefined ? undefined : setTimeout(() => finish(undefined), patience_ms)
    lines.once('line', finish)
    lines.once('close', () => finish(undefined))
  })
}
