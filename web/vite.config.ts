// Builds the web app to where the server serves it from. The nonce is a placeholder that the server fills in anew for
// every page, so that no script or style runs that it did not send itself.
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { preloadFont } from './preload-font.ts'

/** Where the API is while pages are worked on. */
const api = process.env.WAYBILL_PROXY ?? 'http://127.0.0.1:8001'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadFont()],
  html: { cspNonce: '{{nonce}}' },
  build: {
    outDir: '../server/dist/web',
    emptyOutDir: true,
    // The polyfill is an inline script.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    // What every page waits for is one file: three dozen small ones take longer, and are larger together.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'frame', tags: ['$initial'] }] } } },
  },
  server: { proxy: { '/api': api, '/auth': api, '/sign-in': api, '/sign-out': api } },
})
