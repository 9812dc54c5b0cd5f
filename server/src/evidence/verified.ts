// Verifies content while it is streamed: bytes are passed on while they are hashed, but the last chunk only if the
// hash matches. So a reader that knows the length never receives damaged content in full.
import { createHash } from 'node:crypto'
import { pipeline, type Readable, Transform } from 'node:stream'
import { EvidenceDamaged } from '../lib/errors.ts'

/** `explain` turns a failure of the source into the error that the reader gets. */
export function verifyContent(
  source: Readable,
  sha256: string,
  explain: (failure: Error) => Error,
): Readable {
  let failure: Error | undefined
  source.once('error', error => {
    failure = error
  })
  // A reader that fails destroys the stream too, with its own error.
  const check = makeCheck(sha256, error => (error === failure ? explain(error) : error))
  // `pipeline` requires the callback; the reader gets errors from the stream.
  pipeline(source, check, () => undefined)
  return check
}

function makeCheck(sha256: string, explain: (error: Error) => Error): Transform {
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
      else done(new EvidenceDamaged(sha256, `its content has the hash ${found}`))
    },
    destroy(error, done) {
      done(error && explain(error))
    },
  })
}
