// Sign-in with a code that is sent by e-mail: as a page, and over the page when the session ends in mid-edit.
import { Alert, Button, Modal, Paper, PinInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { messageOf } from '../answers.ts'
import { askCode, signIn, signOut } from '../session.ts'
import classes from './sign-in.module.css'

type Step = { challenge: string; email: string } | undefined

function EmailStep({ email, done }: { email: string; done(step: Step): void }) {
  const [address, setAddress] = useState(email)
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false })
  const send = async (event: FormEvent) => {
    event.preventDefault()
    if (state.isBusy) return
    setState({ isBusy: true })
    try {
      const { challenge_id } = await askCode(address.trim())
      done({ challenge: challenge_id, email: address.trim() })
    } catch (error) {
      setState({ isBusy: false, error })
    }
  }
  return (
    <form onSubmit={(event) => void send(event)}>
      <Stack>
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="email"
          required
          data-autofocus
          value={address}
          onChange={({ currentTarget }) => setAddress(currentTarget.value)}
          error={state.error ? problemOf(state.error) : undefined}
        />
        <Button type="submit" loading={state.isBusy} fullWidth>
          Send me a code
        </Button>
      </Stack>
    </form>
  )
}

const problemOf = (error: unknown) =>
  error instanceof TypeError ? 'The API did not answer. Try again.' : messageOf(error)

function CodeStep({ step, back }: { step: NonNullable<Step>; back(): void }) {
  const [code, setCode] = useState('')
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false })
  const verify = async (text: string) => {
    if (state.isBusy || text.length !== 6) return
    setState({ isBusy: true })
    try {
      await signIn({ challenge_id: step.challenge, code: text })
    } catch (error) {
      setCode('')
      setState({ isBusy: false, error })
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void verify(code)
      }}
    >
      <Stack>
        <Text size="sm">
          If <b dir="auto">{step.email}</b> may sign in, a code of six digits is on its way there.
        </Text>
        <PinInput
          length={6}
          classNames={{ root: classes.code }}
          type="number"
          oneTimeCode
          autoFocus
          value={code}
          onChange={setCode}
          onComplete={(text) => void verify(text)}
          error={state.error !== undefined}
          aria-label="Code"
          getInputProps={(index) => ({ 'aria-label': `Digit ${index + 1} of the code` })}
        />
        {state.error !== undefined && (
          <Alert color="red" p="xs" role="alert">
            {problemOf(state.error)}
          </Alert>
        )}
        <Button type="submit" loading={state.isBusy} disabled={code.length !== 6} fullWidth>
          Sign in
        </Button>
        <Button variant="subtle" size="compact-sm" onClick={back}>
          Another address, or a new code
        </Button>
      </Stack>
    </form>
  )
}

function SignInSteps({ email = '' }: { email?: string }) {
  const [step, setStep] = useState<Step>()
  return step ? <CodeStep step={step} back={() => setStep(undefined)} /> : <EmailStep email={email} done={setStep} />
}

/** `isOpen`: the operator signed out, and the server did not hear of it. */
export const SignInPage = ({ isOpen }: { isOpen: boolean }) => (
  <main className={classes.page}>
    <Paper className={classes.card} p="xl" radius="lg" withBorder>
      <img src="/console/icon.svg" alt="" width={40} height={40} />
      <Title order={1} size="h3" mt="md">
        Sign in to Tillwright
      </Title>
      <Text size="sm" c="dimmed" mb="lg" mt={4}>
        You get a code by e-mail. There is no password.
      </Text>
      {isOpen && (
        <Alert color="orange" title="The session was not ended at the server" mb="lg" role="alert">
          <Text size="sm">
            It did not answer. This page has forgotten the session, which goes on there until it expires or is ended.
          </Text>
          <Button size="xs" variant="default" mt="xs" onClick={() => void signOut()}>
            End it now
          </Button>
        </Alert>
      )}
      <SignInSteps />
    </Paper>
  </main>
)

/** What was typed stays below: requests wait until the operator has signed in again. */
export const SignInAgain = ({ email, leave }: { email: string; leave(): void }) => (
  <Modal
    opened
    onClose={() => {}}
    withCloseButton={false}
    closeOnEscape={false}
    closeOnClickOutside={false}
    title="Your session has ended"
    zIndex={500}
  >
    <Text size="sm" mb="md">
      Sign in again to go on. What you typed is kept.
    </Text>
    <SignInSteps email={email} />
    <Button variant="subtle" size="compact-sm" color="gray" mt="md" onClick={leave}>
      Sign out instead
    </Button>
  </Modal>
)
