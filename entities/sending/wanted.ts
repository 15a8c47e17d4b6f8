// Whether an enrollment may still get mail, as SQL: read when recipients are enrolled, and again when a message is
// stamped.
import { accessSql } from '../audiences/access.ts'
import { type Sql, sql, statementSecond, text } from '../kit/database/sql.ts'

/** No channel of the store with the address of the row `n` (`tenant_id`, `address`) bounced or reported spam. */
export const reachableSql = (n: string): Sql => sql`
  not exists (
    select 1
    from contact_channels z
    where z.tenant_id = ${text(n)}.tenant_id
      and z.type = 'email'
      and z.address = ${text(n)}.address
      and z.status in ('bounced', 'complained')
  )
`

/** Nor was a consent withdrawn: no bulk mail is sent to a suppressed address. */
const unsuppressedSql = (n: string): Sql => sql`
  not exists (
    select 1
    from contact_channels z
    where z.tenant_id = ${text(n)}.tenant_id
      and z.type = 'email'
      and z.address = ${text(n)}.address
      and (z.status in ('bounced', 'complained') or z.consent_status = 'withdrawn')
  )
`

/**
 * Whether bulk mail to the row `n` (`tenant_id`, `address`, `member_id`, `audience_id`; enrollments have these columns)
 * is wanted at this moment: the address is not suppressed, and where it was enrolled by a membership, the member is
 * subscribed and has access, and the audience has no opt-out of the address that holds for the member. Reads by index
 * only. It says nothing about the status of an enrollment.
 */
export const wantedSql = (n: string): Sql => {
  const row = text(n)
  return sql`
    (
      ${unsuppressedSql(n)}
      and (
        ${row}.member_id is null
        or exists (
          select 1
          from audience_members wm
          where wm.tenant_id = ${row}.tenant_id
            and wm.id = ${row}.member_id
            and wm.delivery_status = 'subscribed'
            and ${accessSql('wm', statementSecond)}
            and not exists (
              select 1
              from audience_opt_outs wo
              where wo.audience_id = wm.audience_id
                and wo.address = ${row}.address
                and (wo.claimant_id is null or wo.id < wm.id)
            )
        )
      )
    )
  `
}
