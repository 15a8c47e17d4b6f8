// A link to the form of a request that the API names, for those who may send it.
import type { ReactNode } from 'react'
import { useHere } from '../access.tsx'
import { formOf, type Named } from '../document/forms.ts'
import { useTree } from '../document/load.ts'
import { isAllowed } from '../document/operations.ts'
import { audienceOfPath, type Tenant } from '../document/scope.ts'
import { PageLink } from '../ui/links.tsx'
import { Quiet } from '../ui/ui.tsx'

type Props = {
  request: Named
  /** Whose the request is, if the operator is a member. */
  tenant: Tenant | undefined
  /** The summary of the operation, if it is left out. */
  children?: ReactNode
}

export function FormLink({ request, tenant, children }: Props) {
  const { permissions } = useHere()
  const { data: tree } = useTree(audienceOfPath(request.path))
  const found = tree && formOf(tree, request)
  if (!found) return null
  const { operation, access, to, search } = found
  if (!isAllowed(access, tenant?.role, permissions.account.platform_administrator))
    return <Quiet span>Needs the role {access}</Quiet>
  return (
    <PageLink to={to} search={search} size="sm" title={operation.summary}>
      {children ?? operation.summary}
    </PageLink>
  )
}
