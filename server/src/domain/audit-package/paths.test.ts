import { describe, expect, it } from 'vitest'
import { isPlainPath, toSafePath } from './paths.ts'

describe('a safe path', () => {
  it.each([
    ['a/../b', 'a/b'],
    ['./a//b/', 'a/b'],
    ['C:\\Users\\x', 'C_/Users/x'],
    ['a\u0000b', 'a_b'],
    ['', 'unnamed'],
    ['...', 'unnamed'],
    ['\ud800x', '_x'],
    ['evidence/1/a/b/c/d/e/f/g/h/log/46.json', 'evidence/1/c/d/e/f/g/h/log/46.json'],
  ])('%j becomes %j', (path, expected) => expect(toSafePath(path)).toBe(expected))
})

describe('a plain path', () => {
  it.each(['log/46.json', 'evidence/1/Prüfung.pdf', '.hidden', 'a b'])('is %j', path =>
    expect(isPlainPath(path)).toBe(true),
  )

  it.each([
    '',
    '/etc/passwd',
    './log/46.json',
    'log//46.json',
    'log/../46.json',
    '../../evil.txt',
    'log/',
    'a\\b',
    'a\u001b[2Jb',
    'a\u202eb',
  ])('is not %j', path => expect(isPlainPath(path)).toBe(false))
})
