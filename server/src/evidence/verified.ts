// Verifies content while it is streamed: bytes are passed on while they are hashed, but the last chunk only if the
// hash matches. So a reader that knows the length never receives damaged content in full.
import { createHash } from 'node:crypto'
import { pipeline, type Readable, Transform } from 'node:stream'

export class WrongContent extends Error {}

export function verifyContent(source: Readable, sha256: string): Readable {
  const check = makeCheck(sha256)
  // `pipeline` requires the callback; the reader gets errors from the stream.
  pipeline(source, check, () => undefined)
  return check
}

function makeCheck(sha256: string): Transform {
  const hash = createHash('sha256')
  let lastChunk: Buffer | undefined
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      const ready = lastChunk
      lastChunk = chunk
      done(null, ready)
    },
    flush(done) {
      const found = hash.digest('hex')
      if (found === sha256) done(null, lastChunk)
      else done(new WrongContent(`The evidence ${sha256} is damaged: its content has the hash ${found}`))
    },
  })
}
