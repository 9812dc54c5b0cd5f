import { rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fingerprintDirectory } from './dir.ts'
import { fingerprintDirectoryV2 } from './dir-v2.ts'
import { expectProblem } from './problem.testing.ts'
import { file, folder, link, makePipe, makeScratch, makeTree, readVectors } from './tree.testing.ts'

const fingerprint = async (path: string, exclude: string[] = []) =>
  (await fingerprintDirectoryV2(path, { exclude })).fingerprint

describe('the method dir-v2', () => {
  it.each(readVectors('dir-v2.json'))(
    'has this fingerprint: $title',
    async ({ exclude, entries, ...expected }) => {
      expect(await fingerprint(await makeTree(entries), exclude)).toBe(expected.fingerprint)
    },
  )

  it('has a fingerprint for every vector that no other vector has', () => {
    const plain = readVectors('dir-v2.json').filter(
      ({ exclude, title }) => exclude.length === 0 && !/ignore/.test(title),
    )
    expect(new Set(plain.map(each => each.fingerprint)).size).toBe(plain.length)
  })

  it.each([
    ['a folder in a folder, and beside it', [folder('a'), folder('a/b')], [folder('a'), folder('b')]],
    ['a file with a name as its text, and two folders', [file('a', 'b')], [folder('a'), folder('b')]],
    ['an executable file, and one that is not', [file('a', 'x', true)], [file('a', 'x')]],
    [
      'a link to a folder, and a file with its text',
      [folder('b'), link('a', 'b')],
      [folder('b'), file('a', 'b')],
    ],
    ['an ignore file that hides a file', [file('a'), file('b'), file('.waybillignore', 'b\n')], [file('a')]],
  ])('has no collision: %s', async (_, one, other) => {
    expect(await fingerprint(await makeTree(one))).not.toBe(await fingerprint(await makeTree(other)))
  })

  it('has no collision: a symbolic link as the root, and an empty folder', async () => {
    const root = await makeTree([file('a', '1')])
    const current = join(await makeScratch(), 'current')
    await symlink(root, current)
    await expectProblem(fingerprint(current), 'invalid', /--follow-root/)
    const followed = await fingerprintDirectoryV2(current, { exclude: [], follow_root: true })
    expect(followed.fingerprint).toBe(await fingerprint(root))
  })

  it('depends neither on the name of the folder nor on the characters in it', async () => {
    const entries = [folder('logs'), file('logs/a'), file('b')]
    const expected = await fingerprint(await makeTree(entries), ['logs'])
    for (const name of ['tr[ae]e', 'a**b', 'tr[', 'other']) {
      expect(await fingerprint(await makeTree(entries, name), ['logs'])).toBe(expected)
    }
  })

  it('needs no path in UTF-8', async () => {
    const scratch = await makeScratch()
    const root = Buffer.concat([Buffer.from(`${scratch}/`), Buffer.from([0xff])])
    await rename(await makeTree([file('a'), file('b')]), root)
    for (const fingerprintFolder of [fingerprintDirectory, fingerprintDirectoryV2]) {
      const { entries } = await fingerprintFolder(root, { exclude: ['b'], follow_root: false })
      expect(entries).toBe(1)
    }
  })

  it('does not follow links, so it also covers a dangling one', async () => {
    const target = await makeTree([file('a')])
    const root = await makeTree([link('in', target), link('loop', 'loop')])
    const { entries, warnings } = await fingerprintDirectoryV2(root, { exclude: [] })
    expect([entries, warnings]).toEqual([2, []])
  })

  it('warns of a folder if every entry is excluded', async () => {
    const { warnings } = await fingerprintDirectoryV2(await makeTree([file('a')]), { exclude: ['*'] })
    expect(warnings).toEqual([expect.stringMatching(/^The folder is empty, or everything/)])
  })
})

describe('no dir-v2 fingerprint', () => {
  it.each(['..', '../a', 'a/../../b', '/', '', './', 'a**', '**a/b', 'a[', 'a*[', '[', 'a/[b/c]', 'a\\'])(
    'has a folder with the exclusion %j',
    async pattern => {
      const root = await makeTree([file('a')])
      await expectProblem(
        fingerprint(root, [pattern]),
        'invalid',
        `The pattern ${JSON.stringify(pattern)} in --exclude (exclude) `,
      )
    },
  )

  it('has a folder with an invalid pattern in its ignore file, and the message names the line', async () => {
    const root = await makeTree([file('a'), file('.waybillignore', '# why\n\n../b\n')])
    await expectProblem(fingerprint(root), 'invalid', /in line 3 of \.waybillignore/)
  })

  it.each([
    ['a link', [file('rules', 'a\n'), link('.waybillignore', 'rules')]],
    ['a folder', [folder('.waybillignore')]],
    ['larger than 1 MiB', [file('.waybillignore', '#'.repeat(1024 * 1024 + 1))]],
  ])('has a folder whose ignore file is %s', async (_, entries) => {
    await expectProblem(
      fingerprint(await makeTree(entries)),
      'invalid',
      /\.waybillignore" must be a regular file of at most 1 MiB/,
    )
  })

  it('has a folder with a pipe, unless it is excluded', async () => {
    const root = await makeTree([file('a')])
    makePipe(join(root, 'pipe'))
    await expectProblem(fingerprint(root), 'invalid', /pipe" is a pipe/)
    expect(await fingerprint(root, ['pipe'])).toBe(await fingerprint(await makeTree([file('a')])))
  })
})
