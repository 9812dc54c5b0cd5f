// The types of entries.mjs.
export interface Entry {
  path: string
  mode?: number
  body?: Buffer
  link?: string
  folder?: boolean
  uid?: number
  gid?: number
}
export function makeFile(path: string, body: string | Buffer, mode?: number): Entry
export function moveInto(folder: string, entries: Entry[]): Entry[]
export function packTar(entries: Entry[], options: { mtime: Date; folders?: boolean }): Promise<Buffer>
export function compress(bytes: Buffer): Promise<Buffer>
export function readTar(bytes: Buffer, options?: { strip?: number }): Promise<Entry[]>
export function readFolder(folder: string, prefix?: string): Entry[]
