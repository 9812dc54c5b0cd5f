import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fingerprintDirectory } from './dir.ts'
import { fingerprintListedFiles } from './listed-files.ts'
import { expectProblem } from './problem.testing.ts'
import { makeScratch } from './tree.testing.ts'

type Files = Readonly<Record<string, string>>

function fingerprintList(files: Files): Promise<string> {
  return fingerprintListedFiles({
    files: Object.entries(files).map(([path, content]) => ({
      path,
      hash: async () => createHash('sha256').update(content).digest('hex'),
    })),
    readFile: async path => Buffer.from(files[path] ?? ''),
  })
}

async function fingerprintOnDisk(files: Files): Promise<string> {
  const root = join(await makeScratch(), 'root')
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  return (await fingerprintDirectory(root, { exclude: [], follow_root: false })).fingerprint
}

const NOISE = { 'log/a': '1', 'x/log/b': '2', 'x/y/log/c': '3', 'x/y/d': '4', 'k.bak': '5', 'x/k.bak': '6' }

describe('a list of files', () => {
  it.each<[string, Files]>([
    ['files and folders', { 'b/c': '1', 'b.txt': '2', 'a/b/c/d': '3', 'a/b/e': '4' }],
    ['names that are not ASCII', { 'ü/é': '1', '\u{1f600}': '2', 'z z/%41+': '3' }],
    ['a folder that is ignored', { ...NOISE, '.kosli_ignore': 'log\n' }],
    ['folders that are ignored at any depth', { ...NOISE, '.kosli_ignore': '**/log\n' }],
    ['patterns for names, and comments', { ...NOISE, '.kosli_ignore': '*.bak # old\nx/*/log\n' }],
    ['everything below a folder', { ...NOISE, '.kosli_ignore': 'x/**\n' }],
    ['the file that holds the patterns', { ...NOISE, '.kosli_ignore': '.kosli_ignore\nlog\n' }],
    ['nothing that exists', { ...NOISE, '.kosli_ignore': 'nowhere\nlog/nothing\n' }],
    ['an ignore file that is not in the root', { ...NOISE, 'x/.kosli_ignore': 'k.bak\n' }],
  ])('has the fingerprint of a folder: %s', async (_, files) => {
    expect(await fingerprintList(files)).toBe(await fingerprintOnDisk(files))
  })

  it('ignores empty path segments and single dots', async () => {
    expect(await fingerprintList({ '/a//b': '1', './c': '2' })).toBe(
      await fingerprintList({ 'a/b': '1', c: '2' }),
    )
  })

  it('does not read ignored files', async () => {
    const files = ['a', 'b', '.kosli_ignore'].map(path => ({
      path,
      hash: async () => {
        if (path === 'a') throw new Error('it was read')
        return '0'.repeat(64)
      },
    }))
    await fingerprintListedFiles({ files, readFile: async () => Buffer.from('a') })
  })

  it.each<[string, Files]>([
    ['"a/b" is below a file', { a: '1', 'a/b': '2' }],
    ['"a" is also a folder', { 'a/b': '1', a: '2' }],
    ['"a//b" is there twice', { 'a/b': '1', 'a//b': '2' }],
    ['"a/../b" has a part ".."', { 'a/../b': '1' }],
    ['"//" names no file', { '//': '1' }],
    ['and 2 more', Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`../${index}`, '']))],
  ])('that no folder can hold is refused: %s', async (problem, files) => {
    await expectProblem(fingerprintList(files), 'invalid', new RegExp(problem.replaceAll('.', '\\.')))
  })
})
