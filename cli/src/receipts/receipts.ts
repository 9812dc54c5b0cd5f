// Keeps a receipt of each write of a command. The code for it loads while the first write is on its way, and what was
// known before is read then.
import type { Call, Receipts } from '../http/call.ts'
import { escapeControls } from '../print/table.ts'
import type { KeepParts, Known } from './keep.ts'

/** Asks for everything that a receipt needs. */
const PREFERENCES = 'waybill-proof, waybill-leaf'

interface Parts extends Omit<KeepParts, 'api'> {
  getApi(): KeepParts['api']
}

export function makeReceipts({ getApi, ...parts }: Parts): Receipts {
  let isSaid = false
  const prepared = new WeakMap<Call, Promise<Known>>()
  const prepare = (call: Call) => {
    const known = import('./keep.ts').then(({ readKnown }) => readKnown(call, parts))
    prepared.set(call, known)
    return known
  }
  return {
    headers: { prefer: PREFERENCES },
    // A failure is reported when the receipt is kept.
    prepare: call => void prepare(call).catch(() => undefined),
    keep: async (call, answer) => {
      try {
        const { keepReceipt } = await import('./keep.ts')
        const known = await (prepared.get(call) ?? prepare(call))
        const outcome = await keepReceipt({ call, answer, known }, { ...parts, api: getApi() })
        if (outcome !== 'there is no log' || isSaid) return
        isSaid = true
        parts.say(
          'No receipt: the service has no log, or is too old to prove it. --no-receipts asks for none.',
        )
      } catch (error) {
        // The write is recorded: whatever went wrong with its receipt, such as a full disk, is no reason to fail.
        const why = error instanceof Error ? error.message : String(error)
        parts.say(`No receipt of ${call.method} ${call.path} was kept: ${escapeControls(why)}`)
      }
    },
  }
}
