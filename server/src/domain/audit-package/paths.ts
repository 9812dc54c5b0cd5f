// The names of files in audit packages: relative, in one form only, and safe on every file system.

const MAX_SEGMENT_BYTES = 200
const MAX_SEGMENTS = 10
/** The folders of a package, which a deep path from a sender must not leave. */
const KEPT_SEGMENTS = 2
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}:*?"<>|]/gu

/** A relative path without `..`, control characters or backslashes, short enough for every file system. */
export function toSafePath(path: string): string {
  const segments = path
    .split(/[/\\]/)
    .map(segment => shortenSegment(segment.replaceAll(UNSAFE, '_').trim()))
    .filter(segment => !/^\.*$/.test(segment))
  const shortened =
    segments.length > MAX_SEGMENTS
      ? [...segments.slice(0, KEPT_SEGMENTS), ...segments.slice(KEPT_SEGMENTS - MAX_SEGMENTS)]
      : segments
  return shortened.join('/') || 'unnamed'
}

/** Cuts in the middle, so that the file extension stays. */
function shortenSegment(segment: string): string {
  const characters = [...segment]
  while (Buffer.byteLength(characters.join('')) > MAX_SEGMENT_BYTES) {
    characters.splice(Math.floor(characters.length * 0.7), 1)
  }
  return characters.join('')
}

/** The name of the nth file of the same path. */
export function numberPath(path: string, n: number): string {
  if (n === 1) return path
  const [, stem = path, extension = ''] = /^(.*[^/])(\.[^./]{1,10})$/s.exec(path) ?? []
  return `${stem}-${n}${extension}`
}

/** Whether a name in an archive can mean only one file, below the folder where the archive is unpacked. */
export function isPlainPath(name: string): boolean {
  return name !== '' && !name.includes('\\') && name.split('/').every(isPlainSegment)
}

function isPlainSegment(segment: string): boolean {
  return (
    segment !== '' &&
    segment !== '.' &&
    segment !== '..' &&
    !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(segment)
  )
}

/** Names with the same key are the same file on some systems. */
export function toFileKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
