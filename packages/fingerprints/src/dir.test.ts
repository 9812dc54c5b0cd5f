import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toBytes } from './byte-paths.ts'
import { fingerprintDirectory } from './dir.ts'
import { parseIgnoreFile } from './ignore-file.ts'
import { expectProblem } from './problem.testing.ts'
import { FingerprintProblem } from './problem.ts'
import { file, folder, link, makePipe, makeScratch, makeTree, readVectors } from './tree.testing.ts'

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const fingerprint = async (path: string, exclude: string[] = []) =>
  (await fingerprintDirectory(path, { exclude, follow_root: false })).fingerprint

describe('the method dir', () => {
  it.each(readVectors('dir.json'))(
    'agrees with the client: $title',
    async ({ root, exclude, entries, ...recorded }) => {
      const path = await makeTree(entries, root)
      if (recorded.fingerprint === null)
        await expect(fingerprint(path, exclude)).rejects.toThrow(FingerprintProblem)
      else expect(await fingerprint(path, exclude)).toBe(recorded.fingerprint)
    },
  )

  it.each([
    ['a folder in a folder, and beside it', [folder('a'), folder('a/b')], [folder('a'), folder('b')]],
    ['a file with a name as its text, and two folders', [file('a', 'b')], [folder('a'), folder('b')]],
    ['an executable file, and one that is not', [file('a', 'x', true)], [file('a', 'x')]],
  ])('still has a known collision: %s', async (_, one, other) => {
    expect(await fingerprint(await makeTree(one))).toBe(await fingerprint(await makeTree(other)))
  })

  it('warns once about each thing it does not cover', async () => {
    const { warnings, entries } = await fingerprintDirectory(await makeTree([file('a'), file('b')]), {
      exclude: [],
      follow_root: false,
    })
    expect(warnings).toEqual([expect.stringMatching(/modes/), expect.stringMatching(/different folders/)])
    expect(entries).toBe(2)
  })

  it('warns of an empty folder', async () => {
    const { warnings } = await fingerprintDirectory(await makeTree([]), { exclude: [], follow_root: false })
    expect(warnings).toContainEqual(expect.stringMatching(/^The folder is empty/))
  })

  it('warns if the ignore file is excluded while its patterns apply', async () => {
    const root = await makeTree([file('a'), file('.kosli_ignore', 'a\n')])
    const { warnings } = await fingerprintDirectory(root, { exclude: ['.kosli_ignore'], follow_root: false })
    expect(warnings).toContainEqual(
      expect.stringMatching(/^\.kosli_ignore is excluded, but its patterns still apply/),
    )
  })

  it('does not depend on how the path of the folder is spelled', async () => {
    const root = await makeTree([folder('a'), file('a/x', '1'), file('b')])
    const expected = await fingerprint(root, ['a/x'])
    for (const path of [`${root}/`, `${root}/.`, `${root}/../tree`]) {
      expect(await fingerprint(path, ['a/x'])).toBe(expected)
    }
  })
})

describe('a root that is a symbolic link', () => {
  it('is refused with the reason, and followed if asked for', async () => {
    const root = await makeTree([file('a', '1')])
    const current = join(await makeScratch(), 'current')
    await symlink(root, current)
    await expectProblem(
      fingerprint(current),
      'invalid',
      /current" is a symbolic link .* all releases look the same.*--follow-root/,
    )
    const followed = await fingerprintDirectory(current, { exclude: [], follow_root: true })
    expect(followed.fingerprint).toBe(await fingerprint(root))
    expect(followed.fingerprint).not.toBe(EMPTY)
    expect(await fingerprint(`${current}/`)).toBe(followed.fingerprint)
    const without = await fingerprintDirectory(current, { exclude: ['a'], follow_root: true })
    expect(without.fingerprint).toBe(EMPTY)
  })
})

describe('no dir fingerprint', () => {
  it('has a folder with a dangling link, which the message names', async () => {
    const root = await makeTree([folder('a'), link('a/broken', 'nowhere')])
    await expectProblem(
      fingerprint(root),
      'invalid',
      `"${root}/a/broken" is a symbolic link that leads nowhere`,
    )
  })

  it('has a folder with a pipe, unless it is excluded', async () => {
    const root = await makeTree([file('a')])
    makePipe(join(root, 'pipe'))
    await expectProblem(fingerprint(root), 'invalid', /pipe" is a pipe/)
    expect(await fingerprint(root, ['pipe'])).toBe(await fingerprint(await makeTree([file('a')])))
  })

  it('has a folder with a link to a device', async () => {
    const root = await makeTree([link('null', '/dev/null')])
    await expectProblem(fingerprint(root), 'invalid', /a link to a device/)
  })

  it('has a file, or a path that does not exist', async () => {
    const root = await makeTree([file('a')])
    await expectProblem(fingerprint(join(root, 'a')), 'invalid', /is a file, not a folder/)
    await expectProblem(fingerprint(join(root, 'b')), 'not_found', /does not exist/)
    await expectProblem(fingerprint(''), 'invalid', /path of the folder is empty/)
  })

  it('has a folder with a malformed pattern, which the message names', async () => {
    const root = await makeTree([file('a')])
    await expectProblem(fingerprint(root, ['a[']), 'invalid', /^The pattern "a\[" is malformed/)
  })

  it('has a folder whose ignore file has a line of 64 KiB', async () => {
    const root = await makeTree([file('a')])
    await writeFile(join(root, '.kosli_ignore'), `${'#'.repeat(65_535)}\na\n`)
    expect(await fingerprint(root)).toMatch(/^[0-9a-f]{64}$/)
    await writeFile(join(root, '.kosli_ignore'), `${'#'.repeat(65_536)}\na\n`)
    await expectProblem(fingerprint(root), 'invalid', /line of 64 KiB/)
  })
})

describe('an ignore file', () => {
  it('has one pattern per line, ignoring comments and whitespace', () => {
    const patterns = parseIgnoreFile(toBytes('a\r\n\u00a0b c\u3000 # why\n#d\n\n \te\u0085'), toBytes('x'))
    expect(patterns).toEqual(['a', 'b c', 'e'])
  })
})
