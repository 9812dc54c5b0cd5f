// Content that proves itself: bytes pass on while they are hashed, and the last of them only once the hash is right.
// Whoever knows the length therefore never receives all of a wrong content.
import { createHash } from 'node:crypto'
import { pipeline, type Readable, Transform } from 'node:stream'

export class WrongContent extends Error {}

export function verifyContent(source: Readable, sha256: string): Readable {
  const check = makeCheck(sha256)
  // The callback is there because pipeline wants one; the reader learns of a failure from the stream itself.
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
