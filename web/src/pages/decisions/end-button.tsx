// The button that withdraws or rejects a waiting decision.
import { answered, api } from '../../api.ts'
import { nameOf, type WaitingDecision } from '../../parts/waiting-decisions.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { useChange } from '../../ui/use-change.ts'
import { decisionTexts as texts } from './texts.ts'

interface EndButtonProps {
  org: string
  decision: WaitingDecision
  label: string
  /** Shown once the decision has ended. */
  toast: string
}

export function EndButton({ org, decision, label, toast }: EndButtonProps) {
  const end = useChange(
    () =>
      answered(
        api.DELETE('/decisions/{org}/{decision_id}', { params: { path: { org, decision_id: decision.id } } }),
      ),
    { said: toast },
  )
  return (
    <ConfirmButton
      label={label}
      about={nameOf(decision)}
      question={texts.decide.endQuestion}
      change={end}
      input={undefined}
    />
  )
}
