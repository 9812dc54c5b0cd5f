// Builds the web app to where the server serves it from. The nonce is a placeholder that the server fills in anew for
// every page, so that no script or style runs that it did not send itself.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import { preloadFont } from './preload-font.ts'
import { requireStyles } from './require-styles.ts'

/** Where the API is while pages are worked on. */
const api = process.env.WAYBILL_PROXY ?? 'http://127.0.0.1:8001'

/** Code that only pages with an editor need. */
const EDITOR =
  /node_modules\/(@codemirror|@lezer|codemirror|crelt|style-mod|w3c-keyname)\/|\/(ui\/(editor-theme|yaml-view)|policies\/(yaml-editor|completions|text-diff))\./
/** Code that only pages with charts need. */
const CHART = /node_modules\/(d3-[a-z-]+|internmap)\/|\/ui\/chart\//
const SOURCES = join(import.meta.dirname, 'src')
/** What the overview needs, most pages need too. */
const OVERVIEW = ['pages/overview/overview.tsx', 'pages/overview/loader.ts']
/** The requests of all other pages are sent while their code is loaded. */
const LOADERS = ['loaders.ts']
/** Libraries export everything from one file, so what the overview uses of them is listed. */
const DRAWN = /@mantine\/core\/.*\/(Badge|Card|Paper|List|SimpleGrid|Anchor|Code)\/|@tabler\/icons-react/

export default defineConfig({
  root: import.meta.dirname,
  // Files name each other relative to themselves, and the server completes the names in the document.
  base: './',
  plugins: [react(), preloadFont(), requireStyles(), compressFiles()],
  html: { cspNonce: '{{nonce}}' },
  build: {
    outDir: '../server/dist/web',
    emptyOutDir: true,
    // The polyfill is an inline script.
    modulePreload: { polyfill: false },
    // The styles of all pages together are a few KB.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 700,
    // A page waits for a few files: many small ones take longer, and are larger together.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'frame', tags: ['$initial'], priority: 6 },
            // A group also takes what its modules import, so the one of the overview comes first.
            { name: namePart('parts', OVERVIEW), priority: 5 },
            { name: namePart('loaders', LOADERS), priority: 4 },
            {
              name: 'shared',
              test: id => !EDITOR.test(id) && !CHART.test(id),
              minShareCount: 2,
              priority: 3,
            },
            { name: 'editor', test: EDITOR, priority: 2 },
            { name: 'chart', test: CHART, priority: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': api, '/auth': api, '/sign-in': api, '/sign-out': api } },
})

/** This name for every module that these import, directly or not. */
function namePart(name: string, paths: readonly string[]): Rolldown.CodeSplittingNameFunction {
  const named = new Set<string>()
  const add = (id: string, graph: Rolldown.ChunkingContext) => {
    if (named.has(id) || id.includes('node_modules')) return
    named.add(id)
    for (const each of graph.getModuleInfo(id)?.importedIds ?? []) add(each, graph)
  }
  return (id, graph) => {
    for (const path of paths) add(join(SOURCES, path), graph)
    return named.has(id) || DRAWN.test(id) ? name : null
  }
}

/** Writes a compressed copy next to every text: the best compression takes seconds, so the server cannot do it. */
function compressFiles(): Plugin {
  return {
    name: 'compress-files',
    apply: 'build',
    writeBundle: ({ dir = '' }) => {
      for (const name of readdirSync(join(dir, 'assets'))) {
        if (!/\.(js|css|svg)$/.test(name)) continue
        const path = join(dir, 'assets', name)
        writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)))
      }
    },
  }
}
