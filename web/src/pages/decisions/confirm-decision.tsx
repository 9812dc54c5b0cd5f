// Confirms another person's decision by sending the same request with a reason.
import { Button, Modal, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  describeDecision,
  isWaiting,
  readDecision,
  type WaitingDecision,
} from '../../parts/waiting-decisions.tsx'
import { ConfirmActions } from '../../ui/confirm-button.tsx'
import { DraftForm } from '../../ui/draft-form.tsx'
import { useFocusReturn } from '../../ui/focus-return.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { sendConfirmation } from './request.ts'
import { decisionTexts as texts } from './texts.ts'

interface ConfirmProps {
  org: string
  decision: WaitingDecision
}

export function ConfirmDecision({ org, decision }: ConfirmProps) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="compact-sm" aria-label={texts.confirm.label(describeDecision(decision))} onClick={open}>
        {texts.confirm.confirm}
      </Button>
      {opened && <ConfirmDialog org={org} decision={decision} onClose={close} />}
    </>
  )
}

function ConfirmDialog({ org, decision, onClose }: ConfirmProps & { onClose: () => void }) {
  useFocusReturn()
  const name = describeDecision(decision)
  const { form, ...draft } = useDraft({
    initial: { reason: decision.reason },
    required: ['reason'],
    send: ({ reason }) => sendConfirmation(org, decision, reason),
    // For an allow-list entry, the API calls it the description.
    findField: path => (path === 'description' ? 'reason' : undefined),
    notice: answer => describeAnswer(answer, name),
    onDone: onClose,
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.confirm.title(name)}
      closeButtonProps={{ 'aria-label': texts.confirm.close }}
    >
      <DraftForm
        draft={draft}
        actions={
          <ConfirmActions onCancel={onClose}>
            <Button type="submit" loading={draft.isPending}>
              {texts.confirm.confirm}
            </Button>
          </ConfirmActions>
        }
      >
        <Text className="long-name">{describeEffect(decision)}</Text>
        <Textarea
          label={texts.confirm.reason}
          description={texts.confirm.reasonHint(decision.asked_by)}
          autosize
          minRows={2}
          maxRows={8}
          required
          {...form.getInputProps('reason')}
        />
      </DraftForm>
    </Modal>
  )
}

/** If the decision was withdrawn, confirmed or lapsed in the meantime, this request becomes a new first one. */
function describeAnswer(answer: unknown, name: string): string {
  if (!isWaiting(answer)) return texts.confirm.confirmed(name)
  const { lapsed_request } = answer
  return lapsed_request
    ? texts.confirm.lapsed(name, lapsed_request.lapse_reason)
    : texts.confirm.waiting(name)
}

function describeEffect(decision: WaitingDecision): string {
  const { kind, subject } = readDecision(decision)
  if (kind === 'allow') return texts.confirm.allowEffect(subject.artifact_name, subject.environment_name)
  const { attestation_name, trail_name, new_compliance_status } = subject
  return texts.confirm.overrideEffect(attestation_name, trail_name, new_compliance_status, decision.asked_by)
}
