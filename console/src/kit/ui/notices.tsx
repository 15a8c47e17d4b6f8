// Short notices of what was done, which screen readers speak.
import { Notification } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import classes from './notices.module.css'

type Notice = { id: number; text: string }
let notices: readonly Notice[] = []
let count = 0
const listeners = new Set<() => void>()
function show(next: readonly Notice[]): void {
  notices = next
  for (const listen of listeners) listen()
}

export function notify(text: string): void {
  const id = ++count
  show([...notices, { id, text }])
  setTimeout(() => show(notices.filter((one) => one.id !== id)), 5000)
}

const subscribe = (listen: () => void) => {
  listeners.add(listen)
  return () => void listeners.delete(listen)
}

export function Notices() {
  const shown = useSyncExternalStore(subscribe, () => notices)
  return (
    <div className={classes.notices} role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
        <Notification
          key={id}
          onClose={() => show(notices.filter((one) => one.id !== id))}
          closeButtonProps={{ 'aria-label': 'Dismiss' }}
          withBorder
        >
          {text}
        </Notification>
      ))}
    </div>
  )
}
