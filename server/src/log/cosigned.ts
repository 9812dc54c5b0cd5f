// Chooses the checkpoint that readers get, by the cosignatures of witnesses.
import {
  formatVerifierKey,
  hasQuorum,
  type Note,
  type NoteSignature,
  type Policy,
  parseCheckpoint,
  parseNote,
} from '@waybill/transparency-log'
import type { Database } from '../db/database.ts'
import type { SignedCheckpoint } from './advance.ts'
import {
  findCosigned,
  findFork,
  findNewestWithQuorum,
  type StoredWitness,
  type WitnessState,
} from './witness-store.ts'

export interface SeenWitness {
  name: string
  vkey: string
  size: number
  cosigned_at: Date | null
  state: WitnessState
  message: string
}

/** The witnesses of the policy, including those never asked. */
export function describeWitnesses(
  policy: Policy | undefined,
  stored: readonly StoredWitness[],
): SeenWitness[] {
  return (policy?.witnesses ?? []).map(({ name, key }) => {
    const vkey = formatVerifierKey(key)
    const found = stored.find(row => row.vkey === vkey)
    if (found) return { ...found, name, state: found.state as WitnessState }
    return {
      name,
      vkey,
      size: 0,
      cosigned_at: null,
      state: 'behind',
      message: 'The witness has not been asked yet',
    }
  })
}

/** Adds signatures to a note. A newer one replaces an older one of the same key. */
export function addSignatures({ text, signatures }: Note, added: readonly NoteSignature[]): Note {
  const isReplaced = ({ name, id }: NoteSignature) => added.some(one => one.name === name && one.id === id)
  return { text, signatures: [...signatures.filter(signature => !isReplaced(signature)), ...added] }
}

/** Whether the cosignatures in the note meet the quorum. They must have been verified. */
export function meetsQuorum(policy: Policy, { signatures }: Note): boolean {
  const witnesses = policy.witnesses.filter(({ key }) =>
    signatures.some(({ name, id }) => name === key.name && id === key.id),
  )
  return hasQuorum(policy, new Set(witnesses.map(({ name }) => name)))
}

/**
 * The checkpoint that readers get: the newest one with the policy's quorum. If the policy requires no cosignatures,
 * or if no checkpoint has enough of them yet, the newest one of all.
 */
export async function chooseCheckpoint(
  db: Database,
  policy: Policy | undefined,
  org_id: string,
  newest: SignedCheckpoint,
): Promise<SignedCheckpoint> {
  if (!policy) return newest
  if (hasQuorum(policy, new Set())) return addCosignatures(db, policy, org_id, newest)
  const { epoch } = newest
  const note = await db.withTransaction({ org_id }, tx => findNewestWithQuorum(tx, org_id, epoch))
  const chosen = note === undefined ? newest : readCosigned(newest, note)
  // After a fork it could have more leaves than the log.
  return chosen.size > newest.size ? newest : chosen
}

/** The checkpoint with its stored cosignatures. */
export async function addCosignatures(
  db: Database,
  policy: Policy | undefined,
  org_id: string,
  checkpoint: SignedCheckpoint,
): Promise<SignedCheckpoint> {
  if (!policy) return checkpoint
  const { epoch, size } = checkpoint
  const note = await db.withTransaction({ org_id }, tx => findCosigned(tx, org_id, epoch, size))
  return note === undefined ? checkpoint : readCosigned(checkpoint, note)
}

function readCosigned({ epoch, origin }: SignedCheckpoint, text: string): SignedCheckpoint {
  const note = parseNote(text)
  const { size, root } = parseCheckpoint(note.text)
  return { epoch, origin, size, root, note }
}

/** The operator's witnesses, by their names in the policy. */
export function listPolicyWitnesses(policy: Policy | undefined): { name: string; vkey: string }[] {
  return (policy?.witnesses ?? []).map(({ name, key }) => ({ name, vkey: formatVerifierKey(key) }))
}

/** For the operator: a log of which a witness has seen another version; undefined if there is none. */
export async function describeFork(db: Database, policy: Policy | undefined): Promise<string | undefined> {
  const vkeys = listPolicyWitnesses(policy).map(({ vkey }) => vkey)
  if (vkeys.length === 0) return undefined
  const found = await findFork(db, vkeys)
  return found && `log of organization ${found.org_id}: ${found.message}`
}
