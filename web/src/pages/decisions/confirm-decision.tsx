// Confirms a decision of somebody else: sends the same request as they did, with a reason.
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
import { sendSame } from './request.ts'

interface ConfirmProps {
  org: string
  decision: WaitingDecision
}

export function ConfirmDecision({ org, decision }: ConfirmProps) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="compact-sm" aria-label={`Confirm ${describeDecision(decision)}`} onClick={open}>
        Confirm
      </Button>
      {opened && <ConfirmDialog org={org} decision={decision} onClose={close} />}
    </>
  )
}

function ConfirmDialog({ org, decision, onClose }: ConfirmProps & { onClose: () => void }) {
  useFocusReturn()
  const name = describeDecision(decision)
  const [reason, setReason] = useState(decision.reason)
  const confirm = useChange(() => sendSame(org, decision, reason), {
    onDone: onClose,
    // Somebody may have withdrawn or confirmed it meanwhile: then this is the first request again.
    notice: answer => (isWaiting(answer) ? `Waiting for a second person: ${name}` : `Confirmed ${name}`),
  })
  const errors = readFieldErrors(confirm.error)
  return (
    <Modal opened onClose={onClose} title={`Confirm ${name}?`} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={event => {
          event.preventDefault()
          confirm.mutate(undefined)
        }}
      >
        <Stack>
          <Text className="long-name">{effectOf(decision)}</Text>
          <Textarea
            label="Reason"
            description={`What is stored as the reason. ${decision.asked_by} wrote this one.`}
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
              Confirm
            </Button>
          </ConfirmActions>
        </Stack>
      </form>
    </Modal>
  )
}

function effectOf(decision: WaitingDecision): string {
  const { kind, subject } = readDecision(decision)
  if (kind === 'allow') {
    return `${subject.artifact_name} counts as compliant in ${subject.environment_name} at once, whatever the policies say.`
  }
  const word = subject.new_compliance_status ? 'compliant' : 'not compliant'
  return `${subject.attestation_name} of ${subject.trail_name} counts as ${word} at once. Links and annotations that ${decision.asked_by} may have sent with the request are not copied.`
}
