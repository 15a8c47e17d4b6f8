// The buttons that open the menus of the frame. They are there before the menus are.
import type { ComponentProps } from 'react'
import { type Permissions, useHere } from '../access.tsx'
import { Icon } from '../ui/icons.tsx'
import classes from './shell.module.css'

type Props = ComponentProps<'button'> & { permissions: Permissions }

/** A menu adds a class of its own. */
const classOf = (own: string | undefined) => `${classes.switch} ${own ?? ''}`

export function ScopeButton({ permissions, className, ...rest }: Props) {
  const { scope } = useHere()
  const [name, about] =
    scope.kind === 'tenant'
      ? [scope.tenant.name, `${scope.tenant.surface === 'stores' ? 'Store' : 'Business'} · ${scope.tenant.role}`]
      : scope.kind === 'platform'
        ? ['Installation', 'Platform administrator']
        : ['Your account', permissions.account.email]
  return (
    <button type="button" className={classOf(className)} title="Choose a store or business" {...rest}>
      <span className={classes.mark} aria-hidden="true">
        {[...name][0]?.toUpperCase()}
      </span>
      <span>
        <span className={classes.name} dir="auto">
          {name}
        </span>
        <span className={classes.kind}>{about}</span>
      </span>
      <Icon name="down" size={15} />
    </button>
  )
}

export function AccountButton({ permissions, className, ...rest }: Props) {
  const { email, name } = permissions.account
  return (
    <button type="button" className={classOf(className)} {...rest}>
      <Icon name="account" />
      <span className={classes.name} dir="auto">
        {name ?? email}
      </span>
    </button>
  )
}
