// A folder with 50,000 files, in a process with memory for only a few of their names.
import { execFile } from 'node:child_process'
import { link, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { makeScratch } from './tree.testing.ts'

const FOLDERS = 250
const FILES = 200
/** In MiB. A list of all entries with their paths and hashes would need more. */
const HEAP = 14

describe('50,000 files', () => {
  it('have a fingerprint with both methods, in a small heap', async () => {
    const scratch = await makeScratch()
    const root = join(scratch, 'a folder with a long name, so that paths are not short'.repeat(2))
    await mkdir(root)
    await writeFile(join(scratch, 'file'), 'content')
    for (let folder = 0; folder < FOLDERS; folder++) {
      const path = join(root, `folder-${folder}`)
      await mkdir(path)
      const links = Array.from({ length: FILES }, (_, file) =>
        link(join(scratch, 'file'), join(path, `file-${file}`)),
      )
      await Promise.all(links)
    }
    const program = join(scratch, 'program.mjs')
    await build({
      stdin: {
        contents: `import { fingerprintDirectory, fingerprintDirectoryV2 } from './index.ts'
          const options = { exclude: ['none'], follow_root: false }
          const one = await fingerprintDirectory(process.argv[2], options)
          const two = await fingerprintDirectoryV2(process.argv[2], options)
          process.stdout.write(JSON.stringify([one.entries, two.entries]))`,
        resolveDir: import.meta.dirname,
      },
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
    })
    const limits = [`--max-old-space-size=${HEAP}`, '--max-semi-space-size=1']
    const { stdout } = await promisify(execFile)(process.execPath, [...limits, program, root])
    expect(JSON.parse(stdout)).toEqual([FOLDERS * (FILES + 1), FOLDERS * (FILES + 1)])
  })
})
