// A Vite plugin: the build fails if the app uses a component of Mantine without its styles, which src/ui/mantine.css lists.
import type { Plugin } from 'vite'

/** Mantine names the classes of its components by a hash. */
const CLASS = /\bm_[0-9a-f]{6,8}\b/g
const CLASSES_OF_COMPONENT = /\/@mantine\/core\/.*\/(\w+)\.module\.mjs$/

export function requireStyles(): Plugin {
  return {
    name: 'require-styles',
    apply: 'build',
    // After the plugin that writes the styles.
    enforce: 'post',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle)
      const styles = files
        .map(file => (file.type === 'asset' && file.fileName.endsWith('.css') ? String(file.source) : ''))
        .join('')
      const styled = new Set(styles.match(CLASS))
      const used = files.flatMap(file => (file.type === 'chunk' ? Object.entries(file.modules) : []))
      const missing = used.flatMap(([id, { code }]) => {
        const [, component] = CLASSES_OF_COMPONENT.exec(id) ?? []
        if (component === undefined) return []
        const classes = code?.match(CLASS) ?? []
        return classes.length > 0 && !classes.some(each => styled.has(each)) ? [component] : []
      })
      if (missing.length > 0) this.error(`src/ui/mantine.css lacks the styles of ${missing.join(', ')}`)
    },
  }
}
