// Read-only YAML. The editor that shows it is large, so it is loaded only when it is needed.
import { lazy, Suspense } from 'react'
import { loadLater } from '../live/load-later.ts'
import { Loading } from './states.tsx'

const YamlView = lazy(() =>
  loadLater(() => import('./yaml-view.tsx')).then(({ YamlView }) => ({ default: YamlView })),
)

export function YamlText({ text, label }: { text: string; label: string }) {
  return (
    <Suspense fallback={<Loading />}>
      <YamlView text={text} label={label} />
    </Suspense>
  )
}
