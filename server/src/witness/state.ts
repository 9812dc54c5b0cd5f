// The state that a witness must never forget: its key, and the newest checkpoint that it has cosigned of each log.
// Everything is on disk before it is used. One process at a time.
import { createPrivateKey, hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockDataDirectory } from '@waybill/embedded-postgres'
import {
  formatNote,
  generateKey,
  LogProblem,
  type Note,
  parseCheckpoint,
  parseNote,
  readPrivateKey,
  type SignerKey,
} from '@waybill/transparency-log'
import { makeFolderDurably, writeDurably, writeOnceDurably } from '../lib/durable-files.ts'
import { WitnessProblem } from './problem.ts'

export interface WitnessState {
  key: SignerKey
  /** The newest checkpoint of a log; undefined if there was none. */
  find(origin: string): Promise<Note | undefined>
  /** Resolves once it is on disk. */
  store(checkpoint: Note): Promise<void>
  close(): Promise<void>
}

/** `name` is needed the first time, and cannot change later. */
export async function openWitnessState(folder: string, name: string | undefined): Promise<WitnessState> {
  const lock = await lockDataDirectory(folder).catch((error: Error) => {
    throw new WitnessProblem(
      error.name === 'DataDirectoryInUse'
        ? `The folder ${folder} is in use by another witness`
        : error.message,
    )
  })
  try {
    const key = await readOrMakeKey(join(folder, 'key'), name)
    const logs = join(folder, 'logs')
    await makeFolderDurably(logs)
    const nameFile = (origin: string) => join(logs, hash('sha256', origin, 'hex'))
    return {
      key,
      find: origin => readCheckpoint(nameFile(origin), origin),
      store: note => writeDurably(nameFile(parseCheckpoint(note.text).origin), formatNote(note)),
      close: lock.release,
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The first line of the file is the name of the key, the rest is the key in PEM. */
async function readOrMakeKey(file: string, name: string | undefined): Promise<SignerKey> {
  if (!existsSync(file)) {
    if (name === undefined) throw new WitnessProblem('A new witness needs a name: --name witness.example/w1')
    const made = makeKey(name)
    await writeOnceDurably(file, `${name}\n${made.private_key.export({ format: 'pem', type: 'pkcs8' })}`)
  }
  const content = await readFile(file, 'utf8')
  const end = content.indexOf('\n')
  const key = parseKey(file, content.slice(0, end), content.slice(end + 1))
  if (name !== undefined && name !== key.name)
    throw new WitnessProblem(`The witness in this folder is named ${key.name}, not ${name}`)
  return key
}

function makeKey(name: string): SignerKey {
  try {
    return generateKey(name, 'cosignature')
  } catch (error) {
    throw error instanceof LogProblem ? new WitnessProblem(error.message) : error
  }
}

function parseKey(file: string, name: string, pem: string): SignerKey {
  try {
    return readPrivateKey(name, 'cosignature', createPrivateKey(pem))
  } catch {
    throw new WitnessProblem(`${file} is damaged; restore it, or begin with an empty folder as a new witness`)
  }
}

/** Throws for a damaged file: a witness that forgets what it has seen would cosign a fork. */
async function readCheckpoint(file: string, origin: string): Promise<Note | undefined> {
  let content: string
  try {
    content = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const note = parseNote(content)
    if (parseCheckpoint(note.text).origin === origin) return note
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
  }
  throw new WitnessProblem(`${file} is damaged: it is not a checkpoint of ${origin}`)
}
