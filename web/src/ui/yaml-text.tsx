// Read-only YAML. The editor that shows it is large, so it loads only when needed; until then the text
// appears without colours, in the same place.
import { lazy, Suspense } from 'react'
import { loadLater } from '../live/load-later.ts'
import styles from './yaml-text.module.css'

const YamlView = lazy(() =>
  loadLater(() => import('./yaml-view.tsx')).then(({ YamlView }) => ({ default: YamlView })),
)

export function YamlText({ text, label }: { text: string; label: string }) {
  return (
    <Suspense fallback={<PlainText text={text} />}>
      <YamlView text={text} label={label} />
    </Suspense>
  )
}

/** The editor shows an empty line after the last line break, which `pre` would not. */
function PlainText({ text }: { text: string }) {
  return (
    <pre className={styles.plain} aria-busy="true">
      {`${text}\n`}
    </pre>
  )
}
