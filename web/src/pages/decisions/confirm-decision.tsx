// Confirms another person's decision by sending the same request with a reason.
import { Button, Modal, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import {
  describeDecision,
  isWaiting,
  readDecision,
  type WaitingDecision,
} from '../../parts/waiting-decisions.tsx'
import { ConfirmActions } from '../../ui/confirm-button.tsx'
import { findFieldError, readFieldErrors } from '../../ui/field-errors.ts'
import { useFocusReturn } from '../../ui/focus-return.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
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
  const [reason, setReason] = useState(decision.reason)
  const confirm = useChange(() => sendConfirmation(org, decision, reason), {
    onDone: onClose,
    // If the decision was withdrawn or confirmed in the meantime, this request is the first one again.
    notice: answer => (isWaiting(answer) ? texts.confirm.waiting(name) : texts.confirm.confirmed(name)),
  })
  const errors = readFieldErrors(confirm.error)
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.confirm.title(name)}
      closeButtonProps={{ 'aria-label': texts.confirm.close }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          confirm.mutate(undefined)
        }}
      >
        <Stack>
          <Text className="long-name">{describeEffect(decision)}</Text>
          <Textarea
            label={texts.confirm.reason}
            description={texts.confirm.reasonHint(decision.asked_by)}
            value={reason}
            autosize
            minRows={2}
            maxRows={8}
            required
            error={findFieldError(errors, 'reason') ?? findFieldError(errors, 'description')}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
          {confirm.error && <ErrorAlert error={confirm.error} />}
          <ConfirmActions onCancel={onClose}>
            <Button type="submit" loading={confirm.isPending}>
              {texts.confirm.confirm}
            </Button>
          </ConfirmActions>
        </Stack>
      </form>
    </Modal>
  )
}

function describeEffect(decision: WaitingDecision): string {
  const { kind, subject } = readDecision(decision)
  if (kind === 'allow') return texts.confirm.allowEffect(subject.artifact_name, subject.environment_name)
  const { attestation_name, trail_name, new_compliance_status } = subject
  return texts.confirm.overrideEffect(attestation_name, trail_name, new_compliance_status, decision.asked_by)
}
