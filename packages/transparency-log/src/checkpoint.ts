// C2SP checkpoints: a signed note with the origin of a log, its size and its root.
import { parseHash, parseSize } from './lines.ts'
import { ensure } from './problem.ts'

export interface Checkpoint {
  /** Identifies the log; also the name of its key. */
  origin: string
  size: number
  root: Buffer
}

/** The text of the note. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  ensure(origin !== '' && !origin.includes('\n'), 'The origin of a checkpoint is one line')
  return `${origin}\n${size}\n${root.toString('base64')}\n`
}

/** Accepts extension lines, which other logs may write. */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size = '', root = '', ...rest] = text.split('\n')
  ensure(rest.pop() === '', 'The checkpoint is malformed: its lines must end with a newline')
  ensure(
    origin !== '' && rest.every(line => line !== ''),
    'The checkpoint is malformed: it has an empty line',
  )
  return {
    origin,
    size: parseSize(size, 'The size of the checkpoint'),
    root: parseHash(root, 'The root of the checkpoint'),
  }
}
