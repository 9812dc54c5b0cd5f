// Finds the end of a Zstandard frame (RFC 8878) by its headers, in bytes that arrive in chunks. Node
// decompresses only the first frame of its input, ignores what follows, and before version 24 does not report
// a truncated frame.

const FRAME_MAGIC = 0xfd2fb528
/** The last digit of a skippable frame's magic number varies. */
const SKIPPABLE_MAGIC = 0x184d2a50
const DICTIONARY_BYTES = [0, 1, 2, 4] as const
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const
const CHECKSUM_BYTES = 4
const RUN_LENGTH_BLOCK = 1
const RESERVED_BLOCK = 3

export interface ZstdFrame {
  /** The number of bytes that belong to the frame. Throws a plain error for anything but Zstandard. */
  add(chunk: Uint8Array): number
  isComplete(): boolean
  /** Whether decoders skip the frame; known when it is complete. */
  isSkippable(): boolean
}

export function followZstdFrame(): ZstdFrame {
  const steps = walkFrame()
  let step = steps.next()
  let done = 0
  let value = 0
  return {
    add: chunk => {
      let at = 0
      while (!step.done && (at < chunk.length || done === step.value.bytes)) {
        const { bytes, isRead } = step.value
        const taken = Math.min(bytes - done, chunk.length - at)
        if (isRead) for (let i = 0; i < taken; i++) value += (chunk[at + i] ?? 0) * 256 ** (done + i)
        at += taken
        done += taken
        if (done < bytes) break
        step = steps.next(value)
        done = 0
        value = 0
      }
      return at
    },
    isComplete: () => step.done === true,
    isSkippable: () => step.done === true && step.value === 'skippable',
  }
}

/** Bytes to read as a number, or to skip. */
interface Step {
  bytes: number
  isRead: boolean
}

const read = (bytes: number): Step => ({ bytes, isRead: true })
const skip = (bytes: number): Step => ({ bytes, isRead: false })

function* walkFrame(): Generator<Step, 'skippable' | 'content', number> {
  const magic = yield read(4)
  if (magic >>> 4 === SKIPPABLE_MAGIC >>> 4) {
    yield skip(yield read(4))
    return 'skippable'
  }
  if (magic !== FRAME_MAGIC) throw new Error('it contains data that is not Zstandard')
  const descriptor = yield read(1)
  const is_single_segment = (descriptor & 0x20) !== 0
  const size_bytes = CONTENT_SIZE_BYTES[(descriptor >> 6) as 0 | 1 | 2 | 3] || (is_single_segment ? 1 : 0)
  const dictionary_bytes = DICTIONARY_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3]
  yield skip((is_single_segment ? 0 : 1) + dictionary_bytes + size_bytes)
  for (let is_last = false; !is_last; ) {
    const header = yield read(3)
    const type = (header >> 1) & 3
    if (type === RESERVED_BLOCK) throw new Error('a block has an unknown type')
    is_last = (header & 1) === 1
    yield skip(type === RUN_LENGTH_BLOCK ? 1 : header >> 3)
  }
  yield skip((descriptor & 4) === 0 ? 0 : CHECKSUM_BYTES)
  return 'content'
}
