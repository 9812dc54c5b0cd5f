// A Vite plugin: the document preloads the typeface, which the browser would find only after the styles.
import type { Plugin } from 'vite'

const FONT = /\/geist-latin-wght-normal-[\w-]+\.woff2$/

export function preloadFont(): Plugin {
  return {
    name: 'preload-font',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter(path => FONT.test(`/${path}`))
          .map(path => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `./${path}`, crossorigin: '' },
            injectTo: 'head',
          })),
    },
  }
}
