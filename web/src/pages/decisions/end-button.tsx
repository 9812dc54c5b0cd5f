// The button that withdraws or rejects a waiting decision.
import { api, unwrap } from '../../api.ts'
import { describeDecision, type WaitingDecision } from '../../parts/waiting-decisions.tsx'
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
      unwrap(
        api.DELETE('/decisions/{org}/{decision_id}', { params: { path: { org, decision_id: decision.id } } }),
      ),
    { notice: toast },
  )
  return (
    <ConfirmButton
      label={label}
      about={describeDecision(decision)}
      question={texts.decide.endQuestion}
      change={end}
      input={undefined}
    />
  )
}
