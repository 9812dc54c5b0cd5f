// Stores the newest checkpoint of each log outside of the database: what was signed stays known even if an older
// database replaces this one. Each anchor has its own name, so no process can replace a newer anchor with an older
// one.
import { formatNote, type Note, parseCheckpoint, parseNote } from '@waybill/transparency-log'
import type { AnchorStore } from '../evidence/evidence.ts'
import { evidenceNotKept } from '../lib/errors.ts'

const SIZE_DIGITS = 16
const NAME = /^(\d+)-(\d{16})$/

export interface Anchor {
  name: string
  epoch: number
  size: number
  text: string
}

/** Undefined for foreign names. */
export function parseAnchorName(name: string): Pick<Anchor, 'epoch' | 'size'> | undefined {
  const [, epoch, size] = NAME.exec(name) ?? []
  return size === undefined ? undefined : { epoch: Number(epoch), size: Number(size) }
}

/** A checkpoint that was signed before. The log must still contain its leaves. */
export interface KnownCheckpoint {
  epoch: number
  size: number
  root: Buffer
  note: Note
}

export function nameAnchor({ epoch, size }: { epoch: number; size: number }): string {
  return `${epoch}-${String(size).padStart(SIZE_DIGITS, '0')}`
}

/** Sorted, newest last. */
export async function listAnchors(store: AnchorStore, org_id: string): Promise<Anchor[]> {
  const anchors = [...(await store.list(org_id))].flatMap(([name, text]) => {
    const place = parseAnchorName(name)
    return place ? [{ ...place, name, text }] : []
  })
  return anchors.sort(compareAges)
}

type Place = Pick<Anchor, 'epoch' | 'size'>

/** Sorts the newest last. */
export const compareAges = (a: Place, b: Place): number => a.epoch - b.epoch || a.size - b.size

export function parseAnchor({ epoch, text }: Anchor): KnownCheckpoint {
  const note = parseNote(text)
  const { size, root } = parseCheckpoint(note.text)
  return { epoch, size, root, note }
}

/** Adds an anchor, then removes the older ones. Returns what is stored under its name. */
export async function addAnchor(
  store: AnchorStore,
  org_id: string,
  checkpoint: Omit<KnownCheckpoint, 'root'>,
): Promise<KnownCheckpoint> {
  const name = nameAnchor(checkpoint)
  const { epoch, size } = checkpoint
  const text = await store.add(org_id, name, formatNote(checkpoint.note))
  const found = await listAnchors(store, org_id)
  const newest = found.at(-1)
  // Another process may have replaced it with a newer one.
  if (!newest || compareAges(newest, checkpoint) < 0) throw evidenceNotKept(new Error(`${name} is not there`))
  for (const anchor of found) if (compareAges(anchor, checkpoint) < 0) await store.remove(org_id, anchor.name)
  return parseAnchor({ name, epoch, size, text })
}
