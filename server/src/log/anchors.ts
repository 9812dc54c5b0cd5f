// Stores the newest checkpoint of each log outside of the database: what was signed stays known even if an older
// database replaces this one. Each anchor has its own name, so no process can replace a newer anchor with an older
// one.
import { formatNote, type Note, parseCheckpoint, parseNote } from '@waybill/transparency-log'
import type { AnchorStore } from '../evidence/evidence.ts'

const SIZE_DIGITS = 16
const NAME = /^(\d+)-(\d{16})$/

export interface Anchor {
  name: string
  epoch: number
  size: number
  text: string
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
    const [, epoch, size] = NAME.exec(name) ?? []
    return size === undefined ? [] : [{ name, epoch: Number(epoch), size: Number(size), text }]
  })
  return anchors.sort((a, b) => a.epoch - b.epoch || a.size - b.size)
}

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
  for (const anchor of await listAnchors(store, org_id)) {
    const is_older = anchor.epoch < epoch || (anchor.epoch === epoch && anchor.size < size)
    if (is_older) await store.remove(org_id, anchor.name)
  }
  return parseAnchor({ name, epoch, size, text })
}
