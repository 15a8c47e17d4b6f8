// Ids and documents, to be copied and looked at.
import { CopyButton, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { shortId } from '../format.ts'
import { Icon } from './icons.tsx'
import classes from './ui.module.css'

export const Copy = ({ value, label = 'Copy' }: { value: string; label?: string }) => (
  <CopyButton value={value}>
    {({ copied, copy }) => (
      <Tooltip label={copied ? 'Copied' : label}>
        <UnstyledButton
          className={classes.copy}
          aria-label={label}
          onClick={(event) => {
            event.preventDefault()
            event.stopPropagation()
            copy()
          }}
        >
          <Icon name={copied ? 'check' : 'copy'} size={14} />
          <VisuallyHidden aria-live="polite">{copied ? 'Copied' : ''}</VisuallyHidden>
        </UnstyledButton>
      </Tooltip>
    )}
  </CopyButton>
)

export const Id = ({ id, whole = false }: { id: string; whole?: boolean }) => (
  <span className={classes.id} dir="ltr">
    <span title={id}>{whole ? id : shortId(id)}</span>
    <Copy value={id} label="Copy the id" />
  </span>
)

export const Json = ({ value, label }: { value: unknown; label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
  <section className={classes.json} tabIndex={0} aria-label={label} dir="ltr">
    {JSON.stringify(value, null, 2)}
  </section>
)
