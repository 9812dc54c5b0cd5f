// The npm package `@waybill/client`: JavaScript and types, because Node and compilers read no TypeScript in
// node_modules.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../run/build.mjs'
import { makeFile, readFolder } from './entries.mjs'
import { toJson } from './program-package.mjs'

const CLIENT = join(root, 'client')
/** The API types leave nothing at run time. */
const EMPTY = 'schema.js'

export function listClientFiles(version) {
  const { name, license, type, dependencies } = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8'))
  const manifest = {
    name,
    version,
    description: 'A typed client for the API of Waybill',
    license,
    type,
    engines: { node: '>=20.19' },
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    dependencies,
  }
  return [
    makeFile('package.json', toJson(manifest)),
    makeFile('README.md', readFileSync(join(CLIENT, 'README.md'))),
    makeFile('LICENSE', readFileSync(join(root, 'LICENSE'))),
    ...compileClient(),
  ]
}

function compileClient() {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-client-'))
  try {
    const options = [
      '--target',
      'es2023',
      '--module',
      'nodenext',
      '--strict',
      '--skipLibCheck',
      '--types',
      '',
    ]
    const extensions = [
      '--allowImportingTsExtensions',
      '--rewriteRelativeImportExtensions',
      '--verbatimModuleSyntax',
    ]
    const tsc = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc'),
        ...[...options, ...extensions, '--declaration', '--outDir', folder, '--ignoreConfig'],
        join(CLIENT, 'index.ts'),
      ],
      { cwd: CLIENT, encoding: 'utf8' },
    )
    if (tsc.status !== 0) throw new Error(`The client does not compile: ${tsc.stdout}`)
    return readFolder(folder, 'dist')
      .filter(({ path }) => path !== join('dist', EMPTY))
      .map(entry =>
        makeFile(
          entry.path,
          entry.body
            .toString('utf8')
            .replaceAll("'./schema.ts'", "'./schema.js'")
            .replaceAll('"./schema.ts"', '"./schema.js"'),
        ),
      )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
