// The page on which a person reports evidence about a trail or one of its artifacts.
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { AttestForm } from './attest-form.tsx'
import { attestTexts as texts } from './texts.ts'
import { TrailFrame } from './trail-frame.tsx'

const FROM = '/$org/flows/$flow/trails/$trail/attest'

export function AttestPage() {
  const params = useParams({ from: FROM })
  const preset = useSearch({ from: FROM })
  const navigate = useNavigate()
  const title = preset.control === undefined ? texts.attest.title : texts.decision.title
  return (
    <TrailFrame params={params} title={title} subject={texts.attest.subject}>
      {trail => (
        <AttestForm
          org={params.org}
          trail={trail}
          preset={preset}
          onDone={() => navigate({ to: '/$org/flows/$flow/trails/$trail', params })}
        />
      )}
    </TrailFrame>
  )
}
