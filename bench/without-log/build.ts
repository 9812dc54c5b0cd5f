// Builds the service without its log, for bench/log-cost.bench.ts.
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import { EXTERNAL_PACKAGES, REQUIRE } from '../../scripts/run/bundle-options.mjs'
import { ROOT } from '../bench-service.ts'

/** Only for the one file that inserts events; nothing else of the service changes. */
const leaveOutLog: Plugin = {
  name: 'leave-out-log',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/(append-to-log|to-log)\.ts$/ }, ({ path, importer }) =>
      importer.endsWith(join('events', 'store.ts'))
        ? { path: join(ROOT, 'bench', 'without-log', path) }
        : undefined,
    ),
}

/** Returns the path of the program. The caller must remove its folder. */
export async function buildWithoutLog(): Promise<string> {
  const { build } = await import('esbuild')
  // Inside the server package, where the program looks for its files.
  const outfile = join(mkdtempSync(join(ROOT, 'server', 'dist', '.bench-')), 'main.js')
  await build({
    entryPoints: [join(ROOT, 'server', 'src', 'main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: [...EXTERNAL_PACKAGES],
    banner: { js: REQUIRE },
    plugins: [leaveOutLog],
    logLevel: 'error',
  })
  return outfile
}
